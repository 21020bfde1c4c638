"""What many views have in common: they wait for an answer, and rest while nobody sees them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QStackedLayout, QWidget

from gui.document.changes import ChangeSet, Part
from gui.state.store import Store

_SHOWN = frozenset({Part.ANSWER, Part.SELECTION, Part.DISPLAY})


class PatientView(QWidget):
    """A view with one page, and a sentence in its place until there is an answer.

    What changes while the view is hidden is gathered, and shown at once when it comes in sight.
    """

    def __init__(self, store: Store, nothing: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._pending = set(_SHOWN)
        sentence = QLabel(nothing)
        sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        sentence.setWordWrap(True)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(sentence)

    def set_page(self, page: QWidget) -> None:
        """Say what is shown when there is an answer; from then on changes are followed."""
        self._pages.addWidget(page)
        self._store.changed.connect(self._changed)

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show what has changed; there may be no answer."""
        raise NotImplementedError

    def relevant_parts(self, changes: ChangeSet) -> frozenset[Part]:
        """The changes that this view has to show."""
        return _SHOWN & changes.parts

    def showEvent(self, event: QShowEvent) -> None:
        """Show what has changed meanwhile."""
        super().showEvent(event)
        self._catch_up()

    def _changed(self, changes: ChangeSet) -> None:
        self._pending |= self.relevant_parts(changes)
        if self.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        parts, self._pending = frozenset(self._pending), set()
        if parts:
            self.show_parts(parts)
        # Last, because what is in sight is laid out again for each part that changes.
        self._pages.setCurrentIndex(0 if self._store.answer is None else 1)
