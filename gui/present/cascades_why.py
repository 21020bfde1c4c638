"""Why there is no cascade: sentences with numbers, from the decision log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.api import programs
from core.api.schedules import Scheduled
from core.base.ids import NpuOpId
from core.ir.decisions import Candidate, CandidateSized, CascadeEnd, CascadeGrown, FullMapNeeded
from core.ir.schedule import IslandSchedule
from gui.document.answer import Answer
from gui.present import units
from gui.present.compiled import TITLE, is_compiled, untold

_ENDS = {
    CascadeEnd.LAST: "it is the last operator, or its output is read elsewhere too",
    CascadeEnd.NEXT_IS_ELSEWHERE: "the operator that reads its output is not the next one",
    CascadeEnd.CANNOT: "the next operator cannot be cascaded",
    CascadeEnd.WHOLE_MAP: "the feature map behind it has to exist whole",
    CascadeEnd.SHAPES_DIFFER: "the next operator sees the map between in another shape",
    CascadeEnd.FITS_WHOLE: "the next operator fits without a cascade",
    CascadeEnd.TOO_LARGE: "the buffers would take more than they save",
}


def why_none(answer: Answer) -> tuple[str, ...]:
    """Why no operator of the network is in a cascade; nothing where some are."""
    scheduled = answer.scheduled
    if any(island.cascades for island in scheduled.schedule.islands):
        return ()
    if is_compiled(answer):
        none = "No operations take turns stripe by stripe, so there is no cascade to be seen."
        matters = programs.Matter.CASCADES, programs.Matter.REASONS
        return (none, f"{TITLE}:", *untold(answer, *matters))
    islands = [island for island in scheduled.schedule.islands if island.ops]
    if not islands:
        return ("No operator runs on the accelerator, so there is nothing to cascade.",)
    return tuple(
        sentence for island in islands for sentence in _island(scheduled, island, len(islands))
    )


def _island(scheduled: Scheduled, island: IslandSchedule, islands: int) -> Iterator[str]:
    where = "" if islands == 1 else f"Command stream {island.island}: "
    taken = next(
        (
            decision
            for decision in scheduled.schedule.decisions
            if isinstance(decision, CandidateSized)
            and decision.island == island.island
            and decision.is_taken
        ),
        None,
    )
    if taken is not None and taken.candidate is Candidate.WHOLE_MAPS:
        yield (
            f"{where}Nothing needed cascading: with whole feature maps the peak of fast storage is"
            f" {units.size_exact(taken.peak_bytes)}, which fits{_limit(scheduled, taken)},"
            " and nothing is faster."
        )
        return
    grown = _grown(scheduled, island)
    if not grown:
        yield f"{where}No cascade was tried."
        return
    count = units.counted(len(grown), "operator")
    yield f"{where}Cascades were tried from {count}, and none was worth it:"
    for end, number in Counter(decision.end for decision in grown.values()).most_common():
        yield f"from {units.counted(number, 'operator')}: {_ENDS[end]}."


def _limit(scheduled: Scheduled, taken: CandidateSized) -> str:
    if taken.limit_bytes >= scheduled.target.accelerator.max_address:
        return " as there is no limit"
    return f" the limit of {units.size_exact(taken.limit_bytes)}"


def _grown(scheduled: Scheduled, island: IslandSchedule) -> dict[NpuOpId, CascadeGrown]:
    """By first operator, the last attempt to grow a cascade."""
    ops = {plan.op for plan in island.ops}
    return {
        decision.first: decision
        for decision in scheduled.schedule.decisions
        if isinstance(decision, CascadeGrown) and decision.first in ops
    }


def why_not(answer: Answer, op: NpuOpId) -> str:
    """Why an operator is in no cascade; empty where it is in one."""
    scheduled = answer.scheduled
    if scheduled.schedule.ops[op].cascade is not None:
        return ""
    island = next(
        island for island in scheduled.schedule.islands if any(plan.op == op for plan in island.ops)
    )
    name = scheduled.run.graph.ops[op].name
    if is_compiled(answer):
        return f"{name} is in no cascade: it does not take turns with others."
    return f"{name} is in no cascade: {_reason(scheduled, island, op)}."


def _reason(scheduled: Scheduled, island: IslandSchedule, op: NpuOpId) -> str:
    grown = _grown(scheduled, island)
    if op in grown:
        return _ENDS[grown[op].end]
    for decision in scheduled.schedule.decisions:
        if isinstance(decision, CascadeGrown):
            if decision.tried_until == op - 1 and decision.end is CascadeEnd.CANNOT:
                return "it cannot work on some rows at a time"
        elif isinstance(decision, FullMapNeeded) and decision.op == op:
            return f"its {decision.role.value} has to exist whole, as {decision.reason}"
    around = next((each for each in grown.values() if each.first < op <= each.tried_until), None)
    if around is not None:
        first = scheduled.run.graph.ops[around.first].name
        return f"one was tried from {first} on, but {_ENDS[around.end]}"
    if not grown:
        return "with whole feature maps its command stream fits, and nothing is faster"
    return "none can begin at it, and none that was tried came to it"
