"""What a user has to say of an operator, a map, or a stretch of time; nothing is decided by it."""

from __future__ import annotations

from dataclasses import dataclass

from core.ir.edits import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A line of text about something that has a name."""

    subject: Subject
    text: str
