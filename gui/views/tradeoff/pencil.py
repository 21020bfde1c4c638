"""Draws one panel of a sweep into a rectangle."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from gui.present.fitting import fitted
from gui.present.runs.tradeoff import Line, Panel
from gui.theme.tones import Theme, Tone
from gui.views.tradeoff.words import corners_of, flags_of, point_of, titles_of

_TONES = (Tone.FEATURE_MAP, Tone.WEIGHTS, Tone.ELEMENTWISE, Tone.CPU)
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
"""Neighbours differ in both, for all who look."""
MARGIN_LETTERS = 10
"""Left of the axis, for its numbers."""
RIGHT_LETTERS = 3


class Pencil:
    """A painter with a theme and the size of its letters."""

    def __init__(self, painter: QPainter, theme: Theme, metrics: QFontMetrics) -> None:
        self._painter, self._theme, self._metrics = painter, theme, metrics

    def draw_frame(self, panel: Panel, area: QRectF) -> None:
        """Draw the title, the axes and the guides."""
        line = self._metrics.height()
        self._painter.setPen(QColor(self._theme.text))
        room = area.width() + MARGIN_LETTERS * self._metrics.averageCharWidth()
        title = fitted(panel.title, room, self._metrics.horizontalAdvance)
        self._painter.drawText(
            QPointF(
                area.left() - (MARGIN_LETTERS - 1) * self._metrics.averageCharWidth(),
                area.top() - line * 0.7,
            ),
            title,
        )
        for tick in panel.ticks_y:
            y = area.bottom() - tick.at * area.height()
            self._painter.setPen(QColor(self._theme.grid))
            self._painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            self._painter.setPen(QColor(self._theme.faint_text))
            box = QRectF(
                area.left() - MARGIN_LETTERS * self._metrics.averageCharWidth(),
                y - line / 2,
                (MARGIN_LETTERS - 1) * self._metrics.averageCharWidth(),
                line,
            )
            self._painter.drawText(box, int(Qt.AlignmentFlag.AlignRight), tick.text)
        for tick in panel.ticks_x:
            x = area.left() + tick.at * area.width()
            width = self._metrics.horizontalAdvance(tick.text)
            most = area.right() + RIGHT_LETTERS * self._metrics.averageCharWidth() - width
            self._painter.drawText(
                QPointF(min(x - width / 2, most), area.bottom() + line), tick.text
            )
        self._draw_guides(panel, area)

    def _draw_guides(self, panel: Panel, area: QRectF) -> None:
        self._painter.setPen(QPen(QColor(self._theme.faint_text), 1, Qt.PenStyle.DashLine))
        for guide in panel.guides:
            x = area.left() + guide.x * area.width()
            self._painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        for title in titles_of(panel, area, self._metrics):
            self._painter.fillRect(title.box, QColor(self._theme.base))
            self._painter.drawText(title.box, int(Qt.AlignmentFlag.AlignLeft), title.text)

    def _pen(self, number: int) -> QPen:
        colour = QColor(self._theme.inks[_TONES[number % len(_TONES)]].colour)
        return QPen(colour, 2, _DASHES[number % len(_DASHES)])

    def draw_line(self, line: Line, number: int, area: QRectF) -> None:
        """Draw the steps of one way to search, and a point for each cell."""
        corners = corners_of(line, area)
        pen = self._pen(number)
        self._painter.setPen(pen)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawPolyline(QPolygonF(corners))
        for spot in line.spots:
            at = point_of(area, spot)
            self._painter.setPen(QPen(pen.color(), 1.5))
            self._painter.setBrush(QColor(self._theme.base) if spot.is_over else pen.color())
            self._painter.drawEllipse(at, 3.0, 3.0)

    def draw_flags(self, panel: Panel, area: QRectF) -> None:
        """Flag cliffs and what is slower; a word beside each as long as there is room."""
        ink = QColor(self._theme.danger)
        self._painter.setBrush(ink)
        for flag in flags_of(panel, area, self._metrics):
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.drawPolygon(flag.sign)
            self._painter.setPen(ink)
            if flag.word is not None:
                self._painter.drawText(flag.word, int(Qt.AlignmentFlag.AlignCenter), flag.text)

    def draw_name(self, line: Line, number: int, area: QRectF) -> None:
        """Write what the line is, below the axis."""
        y = area.bottom() + self._metrics.height() * (2.0 + number)
        self._painter.setPen(self._pen(number))
        self._painter.drawLine(
            QPointF(area.left(), y), QPointF(area.left() + 4 * self._metrics.averageCharWidth(), y)
        )
        self._painter.setPen(QColor(self._theme.text))
        self._painter.drawText(
            QPointF(
                area.left() + 5 * self._metrics.averageCharWidth(), y + self._metrics.height() / 3
            ),
            line.title,
        )
