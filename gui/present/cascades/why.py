"""Why there is no cascade: sentences with numbers, from the decision log."""

from __future__ import annotations

from core.api import programs, reasons
from core.base.ids import NpuOpId
from gui.document.answer import Answer
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
    told: list[str] = []
    for island in islands:
        where = "" if len(islands) == 1 else f"Command stream {island.island}: "
        first, *rest = reasons.why_uncascaded(scheduled, answer.analysis, island.island)
        told += [where + first, *rest]
    return tuple(told)


def why_not(answer: Answer, op: NpuOpId) -> str:
    """Why an operator is in no cascade; empty where it is in one."""
    scheduled = answer.scheduled
    if scheduled.schedule.ops[op].cascade is not None:
        return ""
    name = scheduled.run.graph.titles.op(op)
    if is_compiled(answer):
        return f"{name} is in no cascade: it does not take turns with others."
    return f"{name}: {reasons.why_alone(scheduled, answer.analysis, op)}"
