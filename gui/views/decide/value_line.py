"""A value that can be typed, or picked from a list that opens below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from gui.theme.scale import Gap, arrange

_LIST_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_F4)
_LEAST_LETTERS = 10


class ValueLine(QWidget):
    """Enter takes what is typed, Escape puts back what was there, the down key opens the list."""

    typed = Signal(str)
    list_asked = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line, self.button = _Line(), QToolButton()
        self.line.setAccessibleName(name)
        self.button.setAccessibleName(f"Values of {name}")
        self.button.setArrowType(Qt.ArrowType.DownArrow)
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusProxy(self.line)
        row = QHBoxLayout(self)
        arrange(row, between=Gap.TIGHT)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)
        self._value = ""
        self.line.returnPressed.connect(self._take)
        self.line.list_asked.connect(self.list_asked)
        self.line.put_back.connect(self._put_back)
        self.button.clicked.connect(self.list_asked)

    def show_value(self, value: str, obstacle: str) -> None:
        """Show what is so; where nothing else can be, it can be read alone."""
        if value != self._value or not self.line.isModified():
            self._value = value
            self._put_back()
        self.line.setReadOnly(bool(obstacle))
        self.button.setEnabled(not obstacle)
        tip = obstacle or "Type a value and Enter, or open the list (Down)"
        self.line.setToolTip(f"{value}: {tip}")
        self.line.setAccessibleDescription(tip)

    def _put_back(self) -> None:
        self.line.setText(self._value)
        self.line.setCursorPosition(0)

    def _take(self) -> None:
        text = self.line.text().strip()
        if text and text != self._value and not self.line.isReadOnly():
            self.line.setModified(False)
            self.typed.emit(text)


class _Line(QLineEdit):
    """Tells the keys that are not for typing."""

    list_asked = Signal()
    put_back = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * _LEAST_LETTERS)

    def event(self, event: QEvent) -> bool:
        """Escape belongs to the line while something is typed in it."""
        is_override = event.type() is QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._puts_back(event):
            event.accept()
            return True
        return super().event(event)

    def _puts_back(self, event: QKeyEvent) -> bool:
        return event.key() == Qt.Key.Key_Escape and self.isModified()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _LIST_KEYS:
            self.list_asked.emit()
        elif self._puts_back(event):
            self.put_back.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """What is typed takes the place of what is there."""
        super().focusInEvent(event)
        self.selectAll()
