"""What nearly all views have in common: they wait for an answer, and for their turn to show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from gui.document.changes import Part
from gui.document.look import Look, LookPart, look_of, use_look
from gui.state.store import Store
from gui.widgets.empty_state import EmptyState
from gui.widgets.patient import Patient
from gui.widgets.without_controls import leave_out_controls

_NOTHING_TO_SET: Mapping[str, LookPart] = MappingProxyType({})


class PatientView(Patient):
    """A view with one page, and a sentence in its place until there is an answer."""

    menu_asked = Signal(QPoint)
    """Where on the screen a menu about the selection is to open."""
    frame_asked = Signal()
    """What was double-clicked, and is selected now, is to be shown large wherever it is drawn."""

    def __init__(self, store: Store, nothing: str, parent: QWidget | None = None) -> None:
        super().__init__(store, parent)
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
        self._look = look
        self._pages.addWidget(page)
        # So that a view of what is there already has its sizes when it comes in sight.
        self.turn_page()
        self.follow(show_parts)

    @property
    def has_something(self) -> bool:
        """Whether there is something to show in place of the sentence."""
        return self._store.answer is not None

    @property
    def is_about_graph(self) -> bool:
        """Its page is; the sentence is not."""
        return self._pages.currentIndex() > 0

    def turn_page(self) -> None:
        """Show the page or the sentence; what is in sight would be laid out for each part."""
        self._pages.setCurrentIndex(1 if self.has_something else 0)

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
