"""What a user has to say of an operator, a map, or a stretch of time; nothing is decided by it."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.ir.edits import Subject


class Note(Frozen):
    """A line of text about something that has a name."""

    subject: Subject
    text: str
