"""Knows whether a hand is on the picture, and shows what has waited for it once it is not."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QDialog, QLineEdit, QWidget

from gui.document.changes import ChangeSet, Part
from gui.state.store import Store
from gui.views.controls.view import ControlsView

LOOK_MS = 250
REST_MS = 1_000
"""For so long the hand has to be away: between two views it is over none for a moment."""
_BY_HAND = (Part.SELECTION, Part.SPAN, Part.MATCHED, Part.PLAYED)


class Hand(QObject):
    """The pointer in a view, a drag, an open menu, dialog or field, or keys that pick something."""

    def __init__(self, store: Store, views: Mapping[str, QWidget], parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        # Who turns settings wants to see at once what comes of it.
        self._views = tuple(view for name, view in views.items() if name != ControlsView.NAME)
        self._looks = QTimer(self)
        self._looks.setInterval(LOOK_MS)
        self._looks.timeout.connect(self._look)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        store.better.is_picture_held = self.is_on_picture
        store.changed.connect(self._on_changed)

    def is_on_picture(self) -> bool:
        """Whether it is now, or was a moment ago."""
        if self._is_here:
            self._rest.start()
        return self._rest.isActive()

    @property
    def _is_here(self) -> bool:
        if any(view.underMouse() and view.isVisible() for view in self._views):
            return True
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            return True
        if QApplication.activePopupWidget() or self._store.trials.held is not None:
            return True
        return _is_dialog_open() or self._is_field_open

    @property
    def _is_field_open(self) -> bool:
        """Whether something is typed in a view."""
        field = QApplication.focusWidget()
        if not isinstance(field, QLineEdit | QAbstractSpinBox):
            return False
        return any(view.isAncestorOf(field) for view in self._views)

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.parts <= frozenset(_BY_HAND):
            self._rest.start()
        if changes.has(Part.BETTER):
            if self._store.better.answer is None:
                self._looks.stop()
            elif not self._looks.isActive():
                self._looks.start()

    def _look(self) -> None:
        if not self.is_on_picture():
            self._store.better.show()


def _is_dialog_open() -> bool:
    windows = QApplication.topLevelWidgets()
    return any(isinstance(window, QDialog) and window.isVisible() for window in windows)
