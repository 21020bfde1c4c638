"""Of some schedules, the one that loses least against the compatible one, whatever memories are.

A schedule that is fastest with the memories of a system configuration can be slow with those of a
board. Compared are what the usual search finds, what the compatible search decides for the same
network, and what is found for memories that are slow in both ways: half the bandwidth of SRAM, four
times the latency outside.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import replace
from core.base.progress import Progress
from core.cost.island import schedule_cost
from core.cost.model import CostModel
from core.cost.spread import cycles_with
from core.cost.stripes import StripePrices
from core.ir.decisions import FrontAnswered
from core.ir.edits import EditFate
from core.ir.options import Options, Strategy
from core.ir.robust_tried import Finalist, Memories, Regret, RobustTaken
from core.ir.scheduled import Scheduled
from core.target.target import Target


def least_regret(
    finalists: Mapping[Finalist, Scheduled],
    compatible: Scheduled,
    target: Target,
    options: Options,
    progress: Progress,
) -> Scheduled:
    """The finalist to take for a target: as many edits are honoured as in any, limits are exceeded
    by no more, with Size it takes no more memory, and then its worst regret is the least."""
    known = cycles_with(compatible, target, Memories, progress)
    regrets = {
        finalist: _regret(finalist, cycles_with(found, target, Memories, progress), known)
        for finalist, found in finalists.items()
    }

    def rank(finalist: Finalist) -> tuple[float, ...]:
        found, regret = finalists[finalist], regrets[finalist]
        left_out = sum(
            each.edit.is_on and each.fate is not EditFate.HONOURED for each in found.edits
        )
        size_bytes = found.fast_bytes if options.strategy is Strategy.SIZE else 0
        return left_out, found.excess_bytes or 0, size_bytes, regret.worst, regret.cycles

    taken = min(finalists, key=rank)
    record = RobustTaken(finalists=tuple(regrets.values()), taken=taken)
    return _answered(finalists[Finalist.USUAL], finalists[taken], target, options, record)


def _regret(
    finalist: Finalist, cycles: Mapping[Memories, float], known: Mapping[Memories, float]
) -> Regret:
    worst = max(Memories, key=lambda each: cycles[each] / max(known[each], 1))
    regret = cycles[worst] / max(known[worst], 1)
    return Regret(finalist, cycles[Memories.NOMINAL], regret, worst)


def _answered(
    usual: Scheduled, taken: Scheduled, target: Target, options: Options, record: RobustTaken
) -> Scheduled:
    """A finalist as the answer to the question, by the price of its target; a front that the usual
    search has found stays beside it."""
    decisions = [*taken.schedule.decisions, record]
    if taken is usual:
        return replace(taken, schedule=replace(taken.schedule, decisions=tuple(decisions)))
    known = usual.schedule
    decisions += (each for each in known.decisions if isinstance(each, FrontAnswered))
    schedule = replace(
        taken.schedule,
        decisions=tuple(decisions),
        front=tuple(replace(each, is_taken=False) for each in known.front),
    )
    prices = StripePrices(taken.graph, CostModel(target))
    costs, total = schedule_cost(prices, schedule, taken.layout)
    return replace(
        taken, target=target, options=options, schedule=schedule, costs=costs, total=total
    )
