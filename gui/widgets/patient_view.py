"""What nearly all views have in common: they wait for an answer, and for their turn to show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import ClassVar

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from gui.document.changes import ChangeSet, Part
from gui.document.look import Look, LookPart, look_of, use_look
from gui.state.store import Store
from gui.widgets.empty_state import EmptyState
from gui.widgets.without_controls import leave_out_controls

_EVERYTHING = frozenset(Part)
_TOLD = frozenset({Part.ANSWER, Part.PRICES})
"""What the compiler tells; all else is under a hand, and shown at once."""
_NOTHING_TO_SET: Mapping[str, LookPart] = MappingProxyType({})


class PatientView(QWidget):
    """A view with one page, and a sentence in its place until there is an answer.

    What changes while the view is hidden is gathered, and shown at once when it comes in sight.
    What the compiler tells is shown in a turn of the event loop that the view has for itself.
    """

    PARTS: ClassVar = frozenset({Part.ANSWER, Part.SELECTION, Part.DISPLAY})
    """What is followed."""
    IS_FIRST: ClassVar = False
    """Whether it is looked at first, and shows and paints an answer before any other view."""
    ECHO: ClassVar[str] = ""
    """The name under which the view makes changes that it shows already."""

    menu_asked = Signal(QPoint)
    """Where on the screen a menu about the selection is to open."""
    frame_asked = Signal()
    """What was double-clicked, and is selected now, is to be shown large wherever it is drawn."""
    caught_up = Signal()
    """All that has changed is shown."""

    def __init__(self, store: Store, nothing: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._pending = set(_EVERYTHING)
        self._is_showing = False
        self._pages = QStackedLayout(self)
        self.nothing = EmptyState(nothing)
        self._pages.addWidget(self.nothing)

    def set_page(
        self,
        page: QWidget,
        show_parts: Callable[[frozenset[Part]], None],
        look: Mapping[str, LookPart] = _NOTHING_TO_SET,
    ) -> None:
        """Say what is in sight when there is an answer, and what shows the parts that change.

        From then on changes are followed; there may be no answer when some are to be shown. A look
        is what a user can set, by name; what is chosen first decides what there is to set after it.
        """
        self._show_parts, self._look = show_parts, look
        self._pages.addWidget(page)
        # So that a view of what is there already has its sizes when it comes in sight.
        self._pages.setCurrentIndex(1 if self.has_something else 0)
        self._store.changed.connect(self._changed)

    @property
    def has_something(self) -> bool:
        """Whether there is something to show in place of the sentence."""
        return self._store.answer is not None

    @property
    def is_behind(self) -> bool:
        """Whether something is in sight that is not so any more, or not so yet."""
        return (bool(self._pending) or self._is_showing) and self.isVisible()

    @property
    def lacks_answer(self) -> bool:
        """Whether what the compiler told last is not shown yet, in sight or out of it."""
        return bool(self._pending & _TOLD)

    def look(self) -> Look:
        """How the user has set the view."""
        return look_of(self._look)

    def show_look(self, look: Look) -> None:
        """Set the view alike; what there is to zoom to and to choose from comes with an answer."""
        self.catch_up()
        use_look(self._look, look)

    def be_pictured(self) -> None:
        """Leave out what is there for a hand alone, once all is shown: nobody clicks on a picture,
        and what was chosen is a text in it."""
        leave_out_controls(self)

    def fill_menu(self, menu: QMenu) -> None:
        """Add what this view alone can do to the menu about the selection."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Let the menu about what is selected open."""
        if self.has_something:
            self.menu_asked.emit(event.globalPos())
            event.accept()

    def catch_up(self) -> None:
        """Show what has changed, also out of sight."""
        parts, self._pending = frozenset(self._pending), set()
        if parts:
            self._is_showing = True
            try:
                self._show_parts(parts)
            finally:
                self._is_showing = False
        # Last, because what is in sight is laid out again for each part that changes.
        self._pages.setCurrentIndex(1 if self.has_something else 0)
        self.caught_up.emit()

    def relevant_parts(self, changes: ChangeSet) -> frozenset[Part]:
        """The changes that this view has to show."""
        is_echo = bool(self.ECHO) and changes.initiator == self.ECHO
        return frozenset() if is_echo else self.PARTS & changes.parts

    def showEvent(self, event: QShowEvent) -> None:
        """Show what has changed meanwhile."""
        super().showEvent(event)
        self.catch_up()

    def _changed(self, changes: ChangeSet) -> None:
        parts = self.relevant_parts(changes)
        self._pending |= parts
        if not parts or not self.isVisible():
            return
        # Where the answer is about another graph, so is the selection: what could be clicked
        # until the view's turn would name what is not there any more.
        is_other_graph = Part.SELECTION in changes.parts and self._pages.currentIndex() > 0
        if parts & _TOLD and not is_other_graph:
            self._store.turns.ask(self, self._take_turn, is_first=self.IS_FIRST)
        else:
            self.catch_up()

    def _take_turn(self) -> None:
        if self.isVisible():
            self.catch_up()
