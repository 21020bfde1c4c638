"""What shows the store, and does nothing for it out of sight."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from gui.document.changes import ChangeSet, Part
from gui.state.store import Store

_EVERYTHING = frozenset(Part)
_TOLD = frozenset({Part.ANSWER, Part.PRICES})
"""What the compiler tells; all else is under a hand, and shown at once."""


class Patient(QWidget):
    """What changes while it is hidden is gathered, and shown at once when it comes in sight.

    What the compiler tells is shown in a turn of the event loop that it has for itself.
    """

    PARTS: ClassVar = frozenset({Part.ANSWER, Part.SELECTION, Part.DISPLAY})
    """What is followed."""
    IS_FIRST: ClassVar = False
    """Whether it is looked at first, and shows and paints an answer before any other."""
    ECHO: ClassVar[str] = ""
    """The name under which it makes changes that it shows already."""

    caught_up = Signal()
    """All that has changed is shown."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._pending = set(_EVERYTHING)
        self._is_showing = False

    def follow(self, show_parts: Callable[[frozenset[Part]], None]) -> None:
        """From now on show the parts that change."""
        self._show_parts = show_parts
        self._store.changed.connect(self._changed)

    @property
    def is_behind(self) -> bool:
        """Whether something is in sight that is not so any more, or not so yet."""
        return (bool(self._pending) or self._is_showing) and self.isVisible()

    @property
    def lacks_answer(self) -> bool:
        """Whether what the compiler told last is not shown yet, in sight or out of it."""
        return bool(self._pending & _TOLD)

    @property
    def is_about_graph(self) -> bool:
        """Whether things of a graph are in sight, and could be clicked."""
        return False

    def catch_up(self) -> None:
        """Show what has changed, also out of sight."""
        parts, self._pending = frozenset(self._pending), set()
        if parts:
            self._is_showing = True
            try:
                self._show_parts(parts)
            finally:
                self._is_showing = False
        self.turn_page()
        self.caught_up.emit()

    def turn_page(self) -> None:
        """Bring in sight what there is to see, once it shows all."""

    def heed(self, parts: Set[Part]) -> None:
        """Show these: now in sight, and else as soon as it comes there."""
        self._pending |= parts
        if parts and self.isVisible():
            self.catch_up()

    def relevant_parts(self, changes: ChangeSet) -> frozenset[Part]:
        """The changes that are to be shown here."""
        is_echo = bool(self.ECHO) and changes.initiator == self.ECHO
        return frozenset() if is_echo else self.PARTS & changes.parts

    def showEvent(self, event: QShowEvent) -> None:
        """Show what has changed meanwhile."""
        super().showEvent(event)
        self.catch_up()

    def _changed(self, changes: ChangeSet) -> None:
        parts = self.relevant_parts(changes)
        # Where the answer is about another graph, so is the selection: what could be clicked
        # until its turn would name what is not there any more.
        is_other_graph = Part.SELECTION in changes.parts and self.is_about_graph
        if parts & _TOLD and not is_other_graph:
            self._pending |= parts
            if self.isVisible():
                self._store.turns.ask(self, self._take_turn, is_first=self.IS_FIRST)
        else:
            self.heed(parts)

    def _take_turn(self) -> None:
        if self.isVisible():
            self.catch_up()
