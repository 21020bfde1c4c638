"""A small plot of estimates over measurements, with the line on which both are the same."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.present.calibration.found import FitSpot
from gui.theme.tones import LIGHT, Theme

_RADIUS_PX = 4.5
_REACH_PX = 12.0
"""As near as this the pointer is at a point."""
_LINES_HIGH = 13
_LETTERS_WIDE = 40


class FitPlot(QWidget):
    """Hollow points before, filled ones after; the table has the numbers."""

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spots: tuple[FitSpot, ...] = ()
        self._ends = ("", "")
        self._theme = theme
        self.setAccessibleName("Estimated over measured cycles")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """Some lines of text."""
        metrics = self.fontMetrics()
        width = metrics.averageCharWidth() * _LETTERS_WIDE
        return QSize(width, metrics.lineSpacing() * _LINES_HIGH)

    def show_spots(self, spots: tuple[FitSpot, ...], ends: tuple[str, str]) -> None:
        """Draw other points, between other ends of both axes."""
        self.spots, self._ends = spots, ends
        count = len(spots) // 2
        self.setAccessibleDescription(f"{count} measurements, before and after the fit")
        self.update()

    def place_of(self, spot: FitSpot) -> QPointF:
        """Where a point is."""
        field = self._field()
        return QPointF(
            field.left() + spot.x * field.width(), field.bottom() - spot.y * field.height()
        )

    def event(self, event: QEvent) -> bool:
        """Tell what is under the pointer when it rests."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def tip_at(self, at: QPointF) -> str:
        """What is told of the point near a place; empty where none is."""
        # Those after lie over those before.
        for spot in reversed(self.spots):
            if (self.place_of(spot) - at).manhattanLength() <= _REACH_PX:
                return spot.tip
        return ""

    def paintEvent(self, event: QPaintEvent) -> None:
        """The line of equals, and points around it."""
        del event
        painter, theme = QPainter(self), self._theme
        painter.fillRect(self.rect(), QColor(theme.base))
        field = self._field()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.grid), 1))
        painter.drawRect(field)
        painter.drawLine(field.bottomLeft(), field.topRight())
        self._write(painter, field)
        for spot in self.spots:
            colour = QColor(theme.danger if spot.is_wrong else theme.accent)
            painter.setPen(QPen(colour, 1.5))
            painter.setBrush(colour if spot.is_after else QColor(theme.base))
            painter.drawEllipse(self.place_of(spot), _RADIUS_PX, _RADIUS_PX)

    def _write(self, painter: QPainter, field: QRectF) -> None:
        """Names of axes and their ends, and which points are which."""
        line, flags = self.fontMetrics().height(), Qt.AlignmentFlag
        painter.setPen(QColor(self._theme.faint_text))
        above = QRectF(field.left(), 0, field.width(), 1.25 * line)
        below = QRectF(field.left(), field.bottom(), field.width(), 1.5 * line)
        middle = flags.AlignVCenter
        painter.drawText(above, flags.AlignLeft | middle, "estimated cycles")
        # Below the line of equals there is room.
        inside = field.adjusted(0, 0, -line / 2, -line / 2)
        legend = "hollow: before\nfilled: after"
        painter.drawText(inside, flags.AlignRight | flags.AlignBottom, legend)
        painter.drawText(below, flags.AlignHCenter | middle, "measured cycles")
        painter.drawText(below, flags.AlignLeft | middle, self._ends[0])
        painter.drawText(below, flags.AlignRight | middle, self._ends[1])

    def _field(self) -> QRectF:
        line = self.fontMetrics().height()
        return QRectF(self.rect()).adjusted(line / 2, 1.25 * line, -line / 2, -1.5 * line)
