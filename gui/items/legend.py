"""What colours and patterns mean, in one line: as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.items.brushes import brush_of
from gui.items.ratio import ratio_of
from gui.theme.tones import LIGHT, Theme, Tone

_SWATCH_LETTERS = 2
_GAP_PX = 5
_BETWEEN_PX = 14


class Legend(QWidget):
    """Swatches with a word each; its accessible description has all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._entries: tuple[tuple[Tone, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Legend")

    def set_entries(self, entries: Sequence[tuple[Tone, str]]) -> None:
        """Explain other colours."""
        self._entries = tuple(entries)
        self.setAccessibleDescription(", ".join(text for _, text in self._entries))
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Room for all entries."""
        width = sum(self._width(text) for _, text in self._entries)
        return QSize(width, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """It can be left out."""
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as many entries as fit, from the left."""
        painter = QPainter(self)
        metrics, left = self.fontMetrics(), 0
        side = metrics.ascent()
        for tone, text in self._entries:
            width = self._width(text)
            if left + width - _BETWEEN_PX > self.width():
                break
            swatch = QRectF(left, (self.height() - side) // 2, self._swatch(), side)
            painter.setBrushOrigin(QPointF(swatch.topLeft()))
            painter.fillRect(swatch, brush_of(self._theme.inks[tone], ratio_of(painter)))
            painter.setPen(QColor(self._theme.text))
            place = QRectF(swatch.right() + _GAP_PX, 0, width, self.height())
            painter.drawText(
                place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text
            )
            left += width
        painter.end()

    def _swatch(self) -> int:
        return self.fontMetrics().averageCharWidth() * _SWATCH_LETTERS

    def _width(self, text: str) -> int:
        return self._swatch() + _GAP_PX + self.fontMetrics().horizontalAdvance(text) + _BETWEEN_PX
