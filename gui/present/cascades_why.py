"""Why there is no cascade: sentences with numbers, from the decision log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.api import programs, reasons
from core.api.schedules import Scheduled
from core.base.ids import NpuOpId
from core.ir.decisions import Candidate, CandidateSized, CascadeGrown
from core.ir.schedule import IslandSchedule
from gui.document.answer import Answer
from gui.present import units
from gui.present.compiled import TITLE, is_compiled, untold


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
    ops = {plan.op for plan in island.ops}
    ends = {
        decision.first: decision.end
        for decision in scheduled.schedule.decisions
        if isinstance(decision, CascadeGrown) and decision.first in ops
    }
    if not ends:
        yield f"{where}No cascade was tried."
        return
    count = units.counted(len(ends), "operator")
    yield f"{where}Cascades were tried from {count}, and none was worth it:"
    for end, number in Counter(ends.values()).most_common():
        yield f"from {units.counted(number, 'operator')}: {reasons.because(end)}."


def _limit(scheduled: Scheduled, taken: CandidateSized) -> str:
    if taken.limit_bytes >= scheduled.target.accelerator.max_address:
        return " as there is no limit"
    return f" the limit of {units.size_exact(taken.limit_bytes)}"


def why_not(answer: Answer, op: NpuOpId) -> str:
    """Why an operator is in no cascade; empty where it is in one."""
    scheduled = answer.scheduled
    if scheduled.schedule.ops[op].cascade is not None:
        return ""
    name = scheduled.run.graph.ops[op].name
    if is_compiled(answer):
        return f"{name} is in no cascade: it does not take turns with others."
    return f"{name}: {reasons.why_alone(scheduled, answer.analysis, op)}"
