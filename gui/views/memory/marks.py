"""Lines over a memory map: the limit, the peak, the cut, and when the selection runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QTransform
from PySide6.QtWidgets import QApplication

from core.base.frozen import NamedTuple
from gui.items.rects_item import RectsItem
from gui.items.themed_item import ViewFillingItem

_BAND_ALPHA = 40
_PAD_PX = 4
_MOST_ROWS = 2
"""Of texts at the top, one below the other."""


class Line(NamedTuple):
    """A line across the map, with a text at its end."""

    at: float
    text: str = ""


class Band(NamedTuple):
    """A stretch of x."""

    start: float
    end: float


class _Upright(NamedTuple):
    """A line across all addresses, in pixels."""

    x: int
    text: str
    colour: str


class Marks(ViewFillingItem):
    """Draws lines and bands above everything else, in pixels."""

    def __init__(self, *below: RectsItem) -> None:
        """Lines leave out the labels of what lies below."""
        super().__init__()
        self._below = below
        self.limit: Line | None = None
        self.peak: Line | None = None
        self.cut: Line | None = None
        self.bands: tuple[Band, ...] = ()
        self.played: Band | None = None
        """When the step of a cascade runs that is played elsewhere."""
        self.setZValue(100)

    def set_lines(self, limit: Line | None, peak: Line | None, cut: Line | None) -> None:
        self.limit, self.peak, self.cut = limit, peak, cut
        self.update()

    def set_bands(self, bands: Sequence[Band]) -> None:
        """Mark other stretches of x."""
        self.bands = tuple(bands)
        self.update()

    def set_played(self, played: Band | None) -> None:
        """Mark another step, or none."""
        if played != self.played:
            self.played = played
            self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw straight in pixels."""
        to_pixels = painter.worldTransform()
        sight = to_pixels.mapRect(self.viewRect())
        painter.save()
        painter.resetTransform()
        painter.setFont(QApplication.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        theme = self._theme
        for band in (*self.bands, *(() if self.played is None else (self.played,))):
            self._band(painter, to_pixels, sight, band)
        found = ((self.cut, theme.accent), (self.peak, theme.text))
        uprights = [
            _Upright(round(to_pixels.map(QPointF(line.at, 0.0)).x()), line.text, colour)
            for line, colour in found
            if line is not None
        ]
        plates = self._uprights(painter, sight, uprights)
        if self.limit is not None:
            self._level(painter, to_pixels, sight, self.limit, plates)
        painter.restore()

    def _band(self, painter: QPainter, to_pixels: QTransform, sight: QRectF, band: Band) -> None:
        left = to_pixels.map(QPointF(band.start, 0.0)).x()
        right = max(to_pixels.map(QPointF(band.end, 0.0)).x(), left + 2)
        area = QRectF(left, sight.top(), right - left, sight.height()).intersected(sight)
        if area.isEmpty():
            return
        colour = QColor(self._theme.accent)
        painter.setPen(QPen(colour, 1))
        for x in (round(left), round(right)):
            for top, bottom in self._free(x, sight):
                painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        colour.setAlpha(_BAND_ALPHA)
        painter.fillRect(area, colour)

    def _uprights(
        self, painter: QPainter, sight: QRectF, lines: Sequence[_Upright]
    ) -> Sequence[QRectF]:
        """Lines from the lowest address to the highest; where their texts stand."""
        lines = [line for line in lines if sight.left() <= line.x <= sight.right()]
        for line in lines:
            for start, end in self._free(line.x, sight):
                self._stroke(painter, QPointF(line.x, start), QPointF(line.x, end), line.colour)
        plates: list[QRectF] = []
        for line in lines:
            others = [_column(other.x, sight) for other in lines if other.x != line.x]
            plate = self._beside(line, sight, [*plates, *others])
            self._write(painter, plate, line.text, line.colour)
            plates.append(plate)
        return plates

    def _beside(self, line: _Upright, sight: QRectF, taken: Sequence[QRectF]) -> QRectF:
        """The room for a text at its line, where no other line or text has that: figures are whole.

        Where all is taken, it is as far up and right as it can be.
        """
        plate = self._plate(line.text).translated(0.0, sight.top())
        right, left = line.x + 2.0, line.x - 2.0 - plate.width()
        for row in range(_MOST_ROWS):
            for start in (right, left):
                place = plate.translated(start, row * plate.height())
                is_whole = sight.left() <= start <= sight.right() - plate.width()
                if is_whole and not any(map(place.intersects, taken)):
                    return place
        return plate.translated(min(right, sight.right() - plate.width()), 0.0)

    def _free(self, x: float, sight: QRectF) -> Iterator[tuple[float, float]]:
        """From where to where an upright line covers no label."""
        labels = (label for layer in self._below for label in layer.written)
        crossed = sorted(
            (label.top(), label.bottom()) for label in labels if label.left() <= x <= label.right()
        )
        start = sight.top()
        for top, bottom in crossed:
            if start < top:
                yield start, top
            start = max(start, bottom)
        if start < sight.bottom():
            yield start, sight.bottom()

    def _level(
        self,
        painter: QPainter,
        to_pixels: QTransform,
        sight: QRectF,
        line: Line,
        others: Sequence[QRectF],
    ) -> None:
        """A line over all times; its text keeps out of the way of others."""
        y = round(to_pixels.map(QPointF(0.0, line.at)).y())
        if not sight.top() <= y <= sight.bottom():
            return
        colour = self._theme.danger
        self._stroke(painter, QPointF(sight.left(), y), QPointF(sight.right(), y), colour)
        plate = self._plate(line.text)
        above, below = y - plate.height() - 1.0, y + 2.0
        top = above if above >= sight.top() else below
        plate.moveTo(sight.right() - plate.width(), top)
        if any(plate.intersects(other) for other in others):
            plate.moveTo(sight.left(), top)
        self._write(painter, plate, line.text, colour)

    def _stroke(self, painter: QPainter, start: QPointF, end: QPointF, colour: str) -> None:
        """A line with a border like the ground, as it may cross fills of its own colour."""
        painter.setPen(QPen(QColor(self._theme.base), 3))
        painter.drawLine(start, end)
        painter.setPen(QPen(QColor(colour), 1))
        painter.drawLine(start, end)

    def _plate(self, text: str) -> QRectF:
        """The room that a text takes, wherever that will be."""
        metrics = QFontMetrics(QApplication.font())
        width = metrics.horizontalAdvance(text) + 2 * _PAD_PX if text else 0
        return QRectF(0.0, 0.0, width, metrics.height())

    def _write(self, painter: QPainter, plate: QRectF, text: str, colour: str) -> None:
        if text:
            painter.fillRect(plate, QColor(self._theme.base))
            painter.setPen(QColor(colour))
            painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)


def _column(x: int, sight: QRectF) -> QRectF:
    """What a line takes."""
    return QRectF(x - 1, sight.top(), 3, sight.height())
