"""A line around whatever has the focus, so that it is seen where keys go."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QSplitter, QWidget
from shiboken6 import isValid

from gui.state.store import Store


class FocusRing(QObject):
    """Follows the focus through the app."""

    def __init__(self, app: QApplication, store: Store, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self.line: _Line | None = None
        app.focusChanged.connect(self._on_focus)

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.line is not None and isValid(self.line):
            self.line.hide()
            self.line.deleteLater()
        self.line = None
        # A splitter would take the line for one more of its parts.
        if now is not None and not now.isWindow() and not isinstance(now, QSplitter):
            self.line = _Line(now, self._store)


class _Line(QWidget):
    """Lies over the widget that it is in, and leaves the pointer to it."""

    def __init__(self, owner: QWidget, store: Store) -> None:
        super().__init__(owner)
        self._store = store
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setGeometry(owner.rect())
        owner.installEventFilter(self)
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Be as large as the widget."""
        if event.type() is QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line."""
        del event
        theme = self._store.theme
        painter = QPainter(self)
        pen = QPen(QColor(theme.accent), theme.ring_px)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        inset = theme.ring_px // 2
        painter.drawRect(QRect(self.rect()).adjusted(inset, inset, -inset - 1, -inset - 1))
        painter.end()
