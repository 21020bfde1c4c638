"""A small plot of all runs: fast storage over cycles."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.present.runs.list import Spot
from gui.theme.tones import LIGHT, Theme

_RADIUS_PX = 4.0
_LINES_HIGH = 7
_LETTERS_WIDE = 26


class RunsPlot(QWidget):
    """Draws a point for each run; the table has the numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spots: tuple[Spot, ...] = ()
        self._theme: Theme = LIGHT
        self.setAccessibleName("SRAM over cycles of all runs")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """Some lines of text."""
        metrics = self.fontMetrics()
        return QSize(
            metrics.averageCharWidth() * _LETTERS_WIDE, metrics.lineSpacing() * _LINES_HIGH
        )

    def show_spots(self, spots: tuple[Spot, ...], theme: Theme) -> None:
        """Draw other points."""
        self.spots, self._theme = spots, theme
        self.setAccessibleDescription(f"{len(spots)} runs")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Points between two axes, the one that is shown as a ring around it."""
        del event
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), QColor(theme.base))
        line = self.fontMetrics().height()
        field = QRectF(self.rect()).adjusted(line, line, -line, -1.5 * line)
        painter.setPen(QPen(QColor(theme.grid), 1))
        painter.drawLine(field.bottomLeft(), field.bottomRight())
        painter.drawLine(field.bottomLeft(), field.topLeft())
        painter.setPen(QColor(theme.faint_text))
        below = QRectF(0, field.bottom(), self.width(), 1.5 * line)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, "cycles")
        painter.drawText(QRectF(2, 0, self.width(), line), Qt.AlignmentFlag.AlignLeft, "SRAM")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for spot in self.spots:
            place = QPointF(
                field.left() + spot.x * field.width(), field.bottom() - spot.y * field.height()
            )
            colour = QColor(theme.faint_text if spot.is_dominated else theme.accent)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(place, _RADIUS_PX, _RADIUS_PX)
            if spot.is_shown:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(theme.text), 1))
                painter.drawEllipse(place, 2 * _RADIUS_PX, 2 * _RADIUS_PX)
