"""What is said of an answer at the edge of the window."""

from __future__ import annotations

from typing import NamedTuple

from core.api.schedules import cases_text, range_text, robust_text
from core.base.rough import rough_text
from core.base.sentences import capitalised
from gui.document.answer import Answer
from gui.document.display import Display, TimeUnit
from gui.document.document import Document
from gui.document.job import JobPhase, JobState
from gui.present.compiled import is_compiled
from gui.present.runs.best import search_details, search_text
from gui.present.timeline.memory import usage_of
from gui.present.units import size, time

APP = "Reefpoint"


class Status(NamedTuple):
    """A line about an answer, in parts."""

    verdict: str
    is_within: bool
    peak: str
    cycles: str
    cycles_details: str
    time: str
    search: str
    search_details: str


def status_of(
    answer: Answer, display: Display, *, is_stopped: bool = False, is_live: bool = True
) -> Status:
    """Whether it fits, its peak of fast storage, its cycles, and its time; and whether somebody
    works on it."""
    scheduled = answer.scheduled
    excess = sum(area.excess_bytes for area in scheduled.layout.areas)
    total = scheduled.total
    verdict = "compiled" if is_compiled(answer) else "fits"
    return Status(
        verdict=f"over by {size(excess, display.byte_unit)}" if excess else verdict,
        is_within=not excess,
        peak=usage_of(answer).peak_text(lambda taken: size(taken, display.byte_unit)),
        cycles=f"{rough_text(total.total_cycles)} cycles{range_beside(answer)}",
        cycles_details=range_details(answer),
        time=time(total.total_cycles, TimeUnit.MICROSECONDS, total.clock_hz),
        search=search_text(answer, is_stopped=is_stopped, is_live=is_live),
        search_details=search_details(answer),
    )


def range_beside(answer: Answer) -> str:
    """From what to what it takes with somewhat other memories, once that is known."""
    return "" if answer.spread is None else f", {range_text(answer.spread)}"


def range_details(answer: Answer) -> str:
    """Which memories these are, what it takes with each, and how a robust one was chosen."""
    spread, chosen = answer.spread, robust_text(answer.scheduled)
    cases = "" if spread is None else f"Cycles with other memories: {cases_text(spread)}"
    return "\n".join(text for text in (cases, capitalised(chosen)) if text)


def title_of(
    document: Document, job: JobState, *, is_current: bool, answer: Answer | None = None
) -> str:
    """The window's title: the model, the target, and whether what is seen is the answer."""
    if document.model is None:
        return APP
    state = ""
    if job.phase is JobPhase.FAILED:
        state = " (no schedule)"
    elif not is_current:
        state = " (computing...)"
    accelerator = document.settings.accelerator
    if is_current and answer is not None:
        accelerator = answer.scheduled.target.accelerator.name
    return f"{document.model.name}{state} - {accelerator} - {APP}"


def stage_of(job: JobState) -> str:
    """What the worker does, in a word or two."""
    if job.phase is JobPhase.WAITING:
        return "waiting"
    if job.phase is JobPhase.RUNNING:
        return job.stage or "starting"
    return ""
