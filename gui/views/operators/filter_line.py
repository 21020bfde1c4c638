"""The line in which one types what to find."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class FilterLine(QLineEdit):
    """Enter goes to the next hit, Shift+Enter to the one before, Escape takes the filter away."""

    stepped = Signal(int)
    """By how many hits to go on."""
    left = Signal()
    """The user goes down into the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Filter operators")
        self.setPlaceholderText("Filter: words, or /regex/")
        self.setToolTip(
            "Words that have to occur in a row, or a regular expression between slashes.\n"
            "Enter goes to the next hit, Shift+Enter to the one before."
        )
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Escape belongs to the line while there is something in it."""
        if self.text() and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go through the hits, or type."""
        if event.key() in _ENTER:
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.stepped.emit(-1 if is_back else 1)
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def _is_escape(event: QEvent) -> bool:
    """Whether Qt asks who wants Escape."""
    if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.ShortcutOverride:
        return False
    return event.key() == Qt.Key.Key_Escape
