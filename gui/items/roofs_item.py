"""One graphics item for roofs over a plot of logarithms: slopes that end where all is flat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QTransform
from PySide6.QtWidgets import QApplication

from core.base.frozen import NamedTuple
from gui.items.themed_item import ViewFillingItem
from gui.present.rects import Floats
from gui.theme.tones import LIGHT, Theme

_LINE_PX = 1.5
_PADDING_PX = 4
_AWAY_PX, _START_PX = 2.0, 12.0
"""Of the name of a slope from its line, and from where that begins."""
_TRIES = 9
"""Places along a slope at which its name is tried."""
_GROUND_ALPHA = 0.85
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)


class Rise(NamedTuple):
    """A line with a slope of one up to the flat roof."""

    at_zero: float
    """How high it is where x is zero."""
    text: str


class RoofsItem(ViewFillingItem):
    """Draws lines that reach over all that is in sight, each with its name on it."""

    def __init__(self, titles: tuple[str, str], theme: Theme = LIGHT) -> None:
        """With the titles of the axes along x and y."""
        super().__init__(theme)
        self._titles = titles
        self.rises: tuple[Rise, ...] = ()
        self.top, self.top_text = 0.0, ""
        self.floor: float | None = None
        """Below it places mean something else."""
        self._places = np.zeros((0, 2))

    def set_roofs(
        self, rises: Sequence[Rise], top: float, top_text: str, floor: float | None
    ) -> None:
        """Draw others."""
        self.rises, self.top, self.top_text, self.floor = tuple(rises), top, top_text, floor
        self.update()

    def set_places(self, places: Floats) -> None:
        """Say what names of slopes had better not lie on, a row of x and y for each."""
        self._places = places
        self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw straight in pixels; names stay in sight."""
        to_pixels, view = painter.worldTransform(), self.viewRect()
        sight = to_pixels.mapRect(view)
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        painter.setFont(QApplication.font())
        self._draw_floor(painter, to_pixels, sight)
        for number, rise in enumerate(self.rises):
            self._draw_rise(painter, to_pixels, view, (rise, _DASHES[number % len(_DASHES)]))
        self._draw_top(painter, to_pixels, view, sight)
        self._write_titles(painter, to_pixels, sight)
        painter.restore()

    def _write_titles(self, painter: QPainter, to_pixels: QTransform, sight: QRectF) -> None:
        """Beside the ends of the axes, where they do not take the room of numbers."""
        along_x, along_y = self._titles
        width, height = _size(along_x)
        foot = sight.bottom()
        if self.floor is not None:
            foot = min(foot, to_pixels.map(QPointF(0.0, self.floor)).y())
        corner = QRectF(sight.right() - width, foot - height - 1, width, height)
        self._write(painter, corner, along_x, self._theme.faint_text)
        width, height = _size(along_y)
        corner = QRectF(sight.left() + 1, sight.top() + 1, width, height)
        self._write(painter, corner, along_y, self._theme.faint_text)

    def _draw_floor(self, painter: QPainter, to_pixels: QTransform, sight: QRectF) -> None:
        if self.floor is None:
            return
        y = to_pixels.map(QPointF(0.0, self.floor)).y()
        painter.setPen(QPen(QColor(self._theme.grid), 1))
        painter.drawLine(QLineF(sight.left(), y, sight.right(), y))

    def _draw_top(
        self, painter: QPainter, to_pixels: QTransform, view: QRectF, sight: QRectF
    ) -> None:
        ridge = min((self.top - rise.at_zero for rise in self.rises), default=view.left())
        start = to_pixels.map(QPointF(max(ridge, view.left()), self.top))
        if not sight.top() <= start.y() <= sight.bottom() or start.x() > sight.right():
            return
        painter.setPen(QPen(QColor(self._theme.text), _LINE_PX))
        painter.drawLine(QLineF(start, QPointF(sight.right(), start.y())))
        width, height = _size(self.top_text)
        above = start.y() - height - 1
        top = above if above >= sight.top() else start.y() + 1
        box = QRectF(sight.right() - width, top, width, height)
        self._write(painter, box, self.top_text, self._theme.text)

    def _draw_rise(
        self,
        painter: QPainter,
        to_pixels: QTransform,
        view: QRectF,
        line: tuple[Rise, Qt.PenStyle],
    ) -> None:
        """The part of it in sight, and its name along that."""
        rise, style = line
        floor = view.top() if self.floor is None else max(view.top(), self.floor)
        left = max(view.left(), floor - rise.at_zero)
        right = min(view.right(), self.top - rise.at_zero, view.bottom() - rise.at_zero)
        if left >= right:
            return
        ends = (to_pixels.map(QPointF(x, x + rise.at_zero)) for x in (left, right))
        drawn = QLineF(*ends)
        painter.setPen(QPen(QColor(self._theme.text), _LINE_PX, style))
        painter.drawLine(drawn)
        width, height = _size(rise.text)
        if drawn.length() < width:
            return
        painter.save()
        painter.translate(drawn.p1())
        painter.rotate(math.degrees(math.atan2(drawn.dy(), drawn.dx())))
        # Above it nothing can be, but for what came while others ran.
        start = self._free_start(drawn, to_pixels, width, height)
        box = QRectF(start, -height - _AWAY_PX, width, height)
        self._write(painter, box, rise.text, self._theme.text)
        painter.restore()

    def _free_start(
        self, line: QLineF, to_pixels: QTransform, width: float, height: float
    ) -> float:
        """Where along a line a name lies on fewest places; the lowest of those."""
        factors = np.array([to_pixels.m11(), to_pixels.m22()])
        pixels = self._places * factors + np.array([to_pixels.dx(), to_pixels.dy()])
        away = pixels - np.array([line.x1(), line.y1()])
        along_x, along_y = line.dx() / line.length(), line.dy() / line.length()
        along = away[:, 0] * along_x + away[:, 1] * along_y
        above = away[:, 0] * along_y - away[:, 1] * along_x
        near = along[(above > -height / 2) & (above < 1.5 * height)]
        last = line.length() - width
        starts = np.linspace(min(_START_PX, last), last, _TRIES)
        covered = [np.count_nonzero((near > at) & (near < at + width)) for at in starts]
        return float(starts[int(np.argmin(covered))])

    def _write(self, painter: QPainter, box: QRectF, text: str, colour: str) -> None:
        ground = QColor(self._theme.base)
        ground.setAlphaF(_GROUND_ALPHA)
        painter.fillRect(box, ground)
        painter.setPen(QColor(colour))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)


def _size(text: str) -> tuple[float, float]:
    metrics = QFontMetrics(QApplication.font())
    return metrics.horizontalAdvance(text) + 2.0 * _PADDING_PX, float(metrics.height())
