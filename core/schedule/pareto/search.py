"""The dynamic programme: from the fronts of the operators before to that of one more.

Memory of a strategy depends on the operators in its cascade only, and costs add up, so a set that
another one is better than can be dropped: no continuation of it would be on the front. Operators
run in one order, and every set covers all of them up to some point. So branches never have to be
joined: any two strategies in a set are compatible.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.frozen import Frozen, replace
from core.base.progress import Progress
from core.ir.options import ParetoMetric
from core.schedule.pareto import graduate
from core.schedule.pareto.sets import Filter, Sets, SetStep, start
from core.schedule.pareto.strategies import NodeStrategies, Strategies
from core.schedule.spans import Spans


class Found(Frozen):
    """The front of complete schedules, from the cheapest to the smallest."""

    costs: tuple[float, ...]
    sizes: tuple[int, ...]
    last: tuple[SetStep, ...]
    combinations: int


def search(
    strategies: Sequence[NodeStrategies],
    spans: Spans,
    rule: Filter,
    progress: Progress,
    *,
    floor_bytes: int = 0,
) -> Found:
    """The front within the room of the rule; differences below the floor do not count."""
    settled, opened = start(floor_bytes), None
    combinations = 0
    for node, own in enumerate(strategies):
        progress.advance("searching strategies", node, len(strategies))
        ends = [graduate.alone(settled, node, own, spans)]
        ways = [graduate.begun(settled, node, own, spans)]
        if opened is not None and opened.count:
            ends.append(graduate.graduated(opened, node, own, spans))
            ways.append(graduate.continued(opened, node, own, spans))
        combinations += sum(batch.costs.size for batch in (*ends, *ways))
        settled = rule.settled(ends)
        opened = rule.open(ways, spans.row_bytes[node])
    return _found(settled, combinations)


def smallest(
    strategies: Sequence[NodeStrategies], spans: Spans, candidates: int | None, progress: Progress
) -> Found:
    """Schedules that need the least memory of all combinations: the search without costs."""
    rule = Filter(room_bytes=np.inf, metric=ParetoMetric.MEMORY, candidates=candidates)
    free = [
        NodeStrategies(
            alone=_free(own.alone),
            first=_free(own.first),
            middle=_free(own.middle),
            last=_free(own.last),
        )
        for own in strategies
    ]
    return search(free, spans, rule, progress)


def _free(strategies: Strategies) -> Strategies:
    return replace(strategies, costs=np.zeros(strategies.count))


def _found(sets: Sets, combinations: int) -> Found:
    return Found(
        costs=tuple(float(cost) for cost in sets.costs),
        sizes=tuple(int(size) for size in sets.settled),
        last=tuple(step for step in sets.last if step is not None),
        combinations=combinations,
    )


def path(last: SetStep) -> tuple[SetStep, ...]:
    """The steps of a set, from the first operator to the last."""
    found: list[SetStep] = []
    step: SetStep | None = last
    while step is not None:
        found.append(step)
        step = step.before
    return tuple(reversed(found))
