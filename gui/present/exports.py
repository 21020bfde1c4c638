"""What is told of exports: progress, success, and failure, in sentences; no Qt."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from core.base.sentences import capitalised
from gui.document.answer import Answer
from gui.document.display import ByteUnit
from gui.document.problem import Deed, Lasts, Problem
from gui.present.summary import over_text
from gui.present.units import size

KEY = "export"
"""Of the message about the last export."""
NOTHING_WRITTEN = "Nothing was written."
_STOPPED = "The export was cancelled. Nothing was written."


def misfit(answer: Answer | None, unit: ByteUnit = ByteUnit.KIB) -> str:
    """That a compiled model will not fit its limits, and by how much; empty where it does."""
    return over_text(answer.scheduled, unit) if answer is not None else ""


def written(
    paths: tuple[str, ...], notes: tuple[str, ...], size_bytes: int, misfit: str = ""
) -> Problem:
    """That files are there; and what is wrong with a model that does not fit."""
    names = ", ".join(paths)
    told = " ".join(_sentence(note) for note in (misfit, *notes) if note)
    message = f"Written: {names} ({size(size_bytes)}). {told}".strip()
    deeds = (Deed("file.open_written", "Open"), Deed("file.show_written", "Show in folder"))
    return Problem(key=KEY, message=message, deeds=deeds, lasts=Lasts.MODEL, is_note=not misfit)


def failed(message: str, path: str) -> Problem:
    """That a file is not there, and why."""
    return Problem(
        key=KEY,
        message=f"{Path(path).name} was not exported: {message}",
        lasts=Lasts.MODEL,
        advice="" if NOTHING_WRITTEN.lower().rstrip(".") in message.lower() else NOTHING_WRITTEN,
    )


def stopped() -> str:
    """That nothing was made, as it was asked for."""
    return _STOPPED


def moment_text(moment: datetime) -> str:
    """A moment as a report has it."""
    return moment.strftime("%Y-%m-%d %H:%M UTC")


def _sentence(text: str) -> str:
    shown = capitalised(text)
    return shown if shown.endswith(".") else f"{shown}."
