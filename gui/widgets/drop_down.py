"""A drop-down list that a wheel passing over it does not change; of a text that does not fit, names
lose letters, and the tip has the whole."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from gui.present.fitting import fitted

_LEAST_LETTERS = 10


class DropDown(QComboBox):
    """Qt makes the list that drops down as wide as its texts, but what stands in the box is cut."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def minimumSizeHint(self) -> QSize:
        """Qt keeps room for the longest text, where it may lose letters."""
        hint, metrics = super().minimumSizeHint(), self.fontMetrics()
        longest = max(
            (metrics.horizontalAdvance(self.itemText(at)) for at in range(self.count())), default=0
        )
        spare = max(longest - metrics.averageCharWidth() * _LEAST_LETTERS, 0)
        return QSize(hint.width() - spare, hint.height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only when it has the focus, and not while a panel is scrolled under the pointer."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what fits of the text."""
        del event
        option = self._option()
        option.currentText = self._fitted(option)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Have a text that is not whole in the tip."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            option, tip = self._option(), self.toolTip()
            whole = option.currentText
            if self._fitted(option) != whole and whole not in tip:
                QToolTip.showText(event.globalPos(), f"{whole}\n{tip}".rstrip(), self)
                return True
        return super().event(event)

    def _option(self) -> QStyleOptionComboBox:
        """How it stands there with its whole text; as Qt has it, nothing chosen is a faint one."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        if self.currentIndex() < 0:
            faint = option.palette.brush(QPalette.ColorRole.PlaceholderText)
            option.palette.setBrush(QPalette.ColorRole.ButtonText, faint)
            option.currentText = self.placeholderText()
        return option

    def _fitted(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        # Styles keep a pixel free at either side.
        room_px = field.width() - 2
        return fitted(option.currentText, room_px, self.fontMetrics().horizontalAdvance)
