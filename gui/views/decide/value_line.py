"""A value that can be typed, or picked from a list that opens below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QStyle,
    QStyleOptionFrame,
    QToolButton,
    QWidget,
)

from core.ir.titles import GAP
from gui.present.decide.form import APART
from gui.present.fitting import fitted
from gui.theme.scale import Gap, arrange

_LIST_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_F4)
_LEAST_LETTERS = 10
_MARGIN_PX = 2
"""That Qt leaves beside the text of a line."""


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

    def paintEvent(self, event: QPaintEvent) -> None:
        """While nobody types, what does not fit loses letters and no digits."""
        shown = self._shown()
        if self.hasFocus() or shown == self.text():
            super().paintEvent(event)
            return
        option, painter = QStyleOptionFrame(), QPainter(self)
        self.initStyleOption(option)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self._field(), middle, shown)

    def _shown(self) -> str:
        """Of several values as many as fit; one alone would be taken for all."""
        room, measure = self._field().width(), self.fontMetrics().horizontalAdvance
        values = self.text().split(APART)
        for count in range(len(values), 0, -1):
            shown = APART.join((*values[:count], *[GAP] * (count < len(values))))
            if measure(shown) <= room:
                return shown
        if len(values) == 1:
            return fitted(values[0], room, measure)
        first = f"{values[0].partition(' (')[0]} {GAP}"
        return next((shown for shown in (first, GAP) if measure(shown) <= room), "")

    def _field(self) -> QRect:
        """Where Qt writes the text."""
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        field = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        return field.adjusted(_MARGIN_PX, 0, -_MARGIN_PX, 0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """What is typed takes the place of what is there."""
        super().focusInEvent(event)
        self.selectAll()
