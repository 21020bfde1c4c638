"""What the user has to say of the network, as a part of the store."""

from __future__ import annotations

from collections.abc import Callable

from core.ir.notes import Note
from gui.document.history import History


class NoteList:
    """Notes are in the store's history, beside documents: other notes are a step of undo."""

    def __init__(self, history: Callable[[], History], go_on: Callable[[History], None]) -> None:
        self._history, self._go_on = history, go_on

    @property
    def entries(self) -> tuple[Note, ...]:
        """All of them, in the order in which they were written."""
        return self._history().present.notes

    def set(self, notes: tuple[Note, ...], label: str) -> None:
        """Have these from now on; this can be undone."""
        self._go_on(self._history().noted(notes, label))
