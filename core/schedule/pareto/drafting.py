"""A set of strategies becomes a draft, with the weight streams as they will be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.base.geometry import Shape4
from core.ir.decisions import Streaming
from core.schedule.draft import Draft, OpDraft, Ring, WeightDraft, sized
from core.schedule.estimates import Estimates
from core.schedule.pareto.pricing import last_slice_cycles, transfer_cycles
from core.schedule.pareto.sets import SetStep
from core.schedule.pareto.strategies import Way, rows_read
from core.schedule.problem import IslandProblem, Node


def groups(steps: Sequence[SetStep]) -> list[list[SetStep]]:
    """Operators that run at one time: each by itself, or a cascade."""
    starts = [step.node for step in steps if not step.reads_rolling]
    ends = [*starts[1:], len(steps)]
    return [list(steps[start:end]) for start, end in zip(starts, ends, strict=True)]


def draft_of(problem: IslandProblem, estimates: Estimates, steps: Sequence[SetStep]) -> Draft:
    """The draft that runs each node by its strategy."""
    draft = Draft(ops={})
    for group in groups(steps):
        last = group[-1].node if len(group) > 1 else None
        for step in group:
            node = problem.nodes[step.node]
            draft.ops[step.node] = _op(estimates, node, exact(estimates, node, step.way), last)
        if last is not None:
            draft.cascades[last] = sized(
                problem, draft.ops, group[0].node, last, _rolling(problem, estimates, group)
            )
    return draft


def exact(estimates: Estimates, node: Node, way: Way) -> Way:
    """The same way with the stream that its weights are encoded to."""
    if not way.slices:
        return way
    return way._replace(stream=estimates.stream(node, way.block, way.slices))


def _op(estimates: Estimates, node: Node, way: Way, cascade: int | None) -> OpDraft:
    height = node.ofm.shape.h if cascade is None else way.rows
    cost = estimates.blocked(node, height, way.block)
    weights = None
    if way.stream is not None:
        weights = WeightDraft(
            stream=way.stream,
            depth_slices=way.slices,
            buffers=way.buffers,
            transfer_cycles=transfer_cycles(estimates, way),
        )
    is_sliced = way.streaming is Streaming.WEIGHTS and len(way.slices) > 2
    slack = last_slice_cycles(estimates, node, way) if is_sliced else cost.cycles
    return OpDraft(cost=cost, weights=weights, cascade=cascade, slack_cycles=slack)


def _rolling(
    problem: IslandProblem, estimates: Estimates, group: Sequence[SetStep]
) -> tuple[Ring, ...]:
    asked, exact = estimates.fixed.rolling_of, estimates.exact_rows
    rings = []
    for one, other in pairwise(group):
        maker, reader = problem.nodes[one.node], problem.nodes[other.node]
        fm = maker.ofm.fm
        rows = asked.get(fm, 0)
        shape = rolling_shape(maker, one.way, reader, other.way, rows)
        if rows >= exact(maker, one.way.rows, reader, other.way.rows):
            shape = shape.with_hw(rows, shape.w)
        rings.append(Ring(fm, shape))
    return tuple(rings)


def rolling_shape(node: Node, way: Way, reader: Node, other: Way, asked_rows: int = 0) -> Shape4:
    """The rows that two neighbours work on at once, or more if asked, as wide and deep as the map.

    Another stripe is made only while the last row that the reader needs is missing, so the last one
    that is there and the first that is made are never both needed at once with all others.
    """
    needed = min(way.rows + rows_read(reader, other) - 1, node.ofm.shape.h)
    rows = max(needed, asked_rows)
    return node.ofm.format.stored(node.ofm.shape).with_hw(rows, node.ofm.shape.w)
