"""Draws one panel of a sweep into a rectangle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from gui.present.runs.tradeoff import CLIFF, Line, Panel, Spot
from gui.theme.tones import Theme, Tone

_TONES = (Tone.FEATURE_MAP, Tone.WEIGHTS, Tone.ELEMENTWISE, Tone.CPU)
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
"""Neighbours differ in both, for all who look."""
_GUIDE_ROWS = 5
_SIGN_PX = 6.0
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
        title = self._metrics.elidedText(
            panel.title,
            Qt.TextElideMode.ElideRight,
            round(area.width() + MARGIN_LETTERS * self._metrics.averageCharWidth()),
        )
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
        """Draw lines with their titles, one below the other where there is no room beside."""
        line, ends = self._metrics.height(), [area.left()] * _GUIDE_ROWS
        self._painter.setPen(QPen(QColor(self._theme.faint_text), 1, Qt.PenStyle.DashLine))
        for guide in panel.guides:
            x = area.left() + guide.x * area.width()
            self._painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            width = self._metrics.horizontalAdvance(guide.title)
            left = max(min(x + 3, area.right() - width), area.left())
            row = next((row for row, end in enumerate(ends) if left >= end), None)
            if row is not None:
                ends[row] = left + width + line
                # Lines are seldom at the bottom.
                box = QRectF(left, area.bottom() - line * (row + 1) - 1, width, line)
                self._painter.fillRect(box, QColor(self._theme.base))
                self._painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft), guide.title)

    def _pen(self, number: int) -> QPen:
        colour = QColor(self._theme.inks[_TONES[number % len(_TONES)]].colour)
        return QPen(colour, 2, _DASHES[number % len(_DASHES)])

    def draw_line(self, line: Line, number: int, area: QRectF) -> None:
        """Draw the steps of one way to search, and a point for each cell."""
        corners = _corners(line, area)
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


class Flag(NamedTuple):
    """What says that a step is a cliff, or slower."""

    sign: QPolygonF
    text: str
    word: QRectF | None
    """Where the word is, if there is room for it."""


def flags_of(panel: Panel, area: QRectF, metrics: QFontMetrics) -> Iterator[Flag]:
    """The flags of a panel; words are inside it, and lie on no other, on no sign and on no line."""
    marked = [spot for line in panel.lines for spot in line.spots if spot.mark]
    signs = [_sign(point_of(area, spot), spot.mark) for spot in marked]
    taken = [sign.boundingRect() for sign in signs]
    for line in panel.lines:
        taken += [_between(*ends) for ends in pairwise(_corners(line, area))]
    for spot, sign in zip(marked, signs, strict=True):
        own = sign.boundingRect()
        places = _around(own, spot.mark, area, metrics)
        word = next((at for at in places if not any(map(at.intersects, taken))), None)
        taken += [word] if word is not None else []
        yield Flag(sign, spot.mark, word)


def _around(sign: QRectF, text: str, area: QRectF, metrics: QFontMetrics) -> Iterator[QRectF]:
    """Places for a word inside a panel: above a sign, right of it, left of it."""
    wide, high = metrics.horizontalAdvance(text), metrics.height()
    gap, middle = metrics.averageCharWidth() / 2, sign.center()
    above = max(min(middle.x() - wide / 2, area.right() - wide), area.left())
    for left, top in (
        (above, sign.top() - high - 1),
        (sign.right() + gap, middle.y() - high / 2),
        (sign.left() - gap - wide, middle.y() - high / 2),
    ):
        word = QRectF(left, top, wide, high)
        if area.contains(word):
            yield word


def _between(one: QPointF, other: QPointF) -> QRectF:
    """What a stroke between two places covers."""
    return QRectF(one, other).normalized().adjusted(-1.0, -1.0, 1.0, 1.0)


def _corners(line: Line, area: QRectF) -> list[QPointF]:
    """Where a step line turns; it goes on to the end of its panel."""
    corners: list[QPointF] = []
    for spot in line.spots:
        at = point_of(area, spot)
        corners += [QPointF(at.x(), corners[-1].y()), at] if corners else [at]
    if corners:
        corners.append(QPointF(area.right(), corners[-1].y()))
    return corners


def _sign(at: QPointF, mark: str) -> QPolygonF:
    """A triangle above a point: down where it falls off, up where it takes longer."""
    low, high = at.y() - _SIGN_PX, at.y() - _SIGN_PX * 2.2
    foot, top = (high, low) if mark == CLIFF else (low, high)
    half = _SIGN_PX * 0.7
    return QPolygonF(
        [QPointF(at.x() - half, foot), QPointF(at.x() + half, foot), QPointF(at.x(), top)]
    )


def point_of(area: QRectF, spot: Spot) -> QPointF:
    """Where a cell is drawn."""
    return QPointF(area.left() + spot.x * area.width(), area.bottom() - spot.y * area.height())
