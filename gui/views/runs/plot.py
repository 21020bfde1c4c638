"""A small plot of all runs: fast storage over cycles."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.present.runs.list import Spot
from gui.theme.tones import LIGHT, Theme

_RADIUS_PX = 4.0
_REACH_PX = 12.0
"""As near as this the pointer is at a point."""
_LINES_HIGH = 7
_LETTERS_WIDE = 26


class RunsPlot(QWidget):
    """Draws a point for each run; the table has the numbers."""

    picked = Signal(int)
    """The point of a row was clicked."""

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

    def place_of(self, spot: Spot) -> QPointF:
        """Where a point is, clear of the axes and of what is written at them."""
        field, clear = self._field(), 2.5 * _RADIUS_PX
        inside = field.adjusted(clear, clear, -clear, -clear)
        return QPointF(
            inside.left() + spot.x * inside.width(), inside.bottom() - spot.y * inside.height()
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the point under the pointer."""
        row = self._row_at(event.position())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(row)

    def event(self, event: QEvent) -> bool:
        """Tell what is under the pointer when it rests."""
        if isinstance(event, QHelpEvent):
            row = self._row_at(QPointF(event.pos()))
            text = "" if row is None else self.spots[row].tip
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Points between two axes, the one that is shown as a ring around it."""
        del event
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), QColor(theme.base))
        line, field = self.fontMetrics().height(), self._field()
        painter.setPen(QPen(QColor(theme.grid), 1))
        painter.drawLine(field.bottomLeft(), field.bottomRight())
        painter.drawLine(field.bottomLeft(), field.topLeft())
        painter.setPen(QColor(theme.faint_text))
        below = QRectF(0, field.bottom(), self.width(), 1.5 * line)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, "cycles")
        painter.drawText(QRectF(2, 0, self.width(), line), Qt.AlignmentFlag.AlignLeft, "SRAM")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for spot in self.spots:
            place = self.place_of(spot)
            colour = QColor(theme.faint_text if spot.is_dominated else theme.accent)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(place, _RADIUS_PX, _RADIUS_PX)
            if spot.is_shown:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(theme.text), 1))
                painter.drawEllipse(place, 2 * _RADIUS_PX, 2 * _RADIUS_PX)

    def _field(self) -> QRectF:
        line = self.fontMetrics().height()
        return QRectF(self.rect()).adjusted(line, line, -line, -1.5 * line)

    def _row_at(self, at: QPointF) -> int | None:
        distances = [(self.place_of(spot) - at).manhattanLength() for spot in self.spots]
        row = min(range(len(distances)), key=distances.__getitem__, default=None)
        return None if row is None or distances[row] > _REACH_PX else row
