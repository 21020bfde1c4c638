"""The door to edits: their file and words, and the decisions of a schedule as edits."""

from __future__ import annotations

from core.edits.freeze import freeze
from core.edits.names import Names
from core.edits.plain import from_plain, to_plain
from core.edits.text import EditsFile, decode, encode
from core.ir.scheduled import Scheduled
from core.pipeline.edit_prices import priced, with_ways_out
from core.report.edits import (
    edit_text,
    reason_text,
    subject_text,
    unheard,
    value_text,
    way_text,
)

__all__ = [
    "EditsFile",
    "Names",
    "decisions",
    "decode",
    "edit_text",
    "encode",
    "freeze",
    "from_plain",
    "priced",
    "reason_text",
    "subject_text",
    "to_plain",
    "unheard",
    "value_text",
    "way_text",
    "with_ways_out",
]


def decisions(scheduled: Scheduled, model: str | None = None) -> str:
    """A file of all decisions of a schedule, for the model with this digest."""
    return encode(EditsFile(edits=freeze(scheduled.graph, scheduled.schedule), model=model))
