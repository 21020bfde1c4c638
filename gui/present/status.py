"""What is said at the edges of the window: its title, and what the worker does."""

from __future__ import annotations

from core.base.sentences import capitalised
from gui.document.answer import Answer
from gui.document.document import Document
from gui.document.job import JobPhase, JobState

APP = "Reefpoint"


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


def stage_text(stage: str, done: int, total: int) -> str:
    """How far something is that is done once."""
    if total <= 1:
        return capitalised(stage)
    return f"{capitalised(stage)}: {done:,} of {total:,}"
