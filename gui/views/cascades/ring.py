"""Draws a rolling buffer as a ring: rows go round, and new ones take the place of old ones."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen

from gui.items.brushes import brush_of
from gui.items.ratio import ratio_of
from gui.present.cascades_play import Arc, RingState
from gui.theme.tones import Theme, Tone

_HOLE = 0.56
"""Of the radius."""
_ROOM = 0.9
_MOST_LINES = 40
"""Rows are told apart by lines in rings of at most so many."""


class RingPainter:
    """Draws rings with a painter and a theme."""

    def __init__(self, painter: QPainter, theme: Theme) -> None:
        self._painter = painter
        self._theme = theme
        self._ratio = ratio_of(painter)

    def draw(self, ring: RingState, square: QRectF) -> None:
        """Draw a ring into a square."""
        painter, theme = self._painter, self._theme
        outer = square.adjusted(4.5, 4.5, -4.5, -4.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        everything = Arc(0, ring.height)
        self._fill(outer, ring.height, everything, QBrush(QColor(theme.alternate)))
        self._fill(outer, ring.height, ring.arc(ring.held), self._brush(Tone.ROLLING))
        self._fill(outer, ring.height, ring.arc(ring.written), self._brush(Tone.COMPUTE))
        if ring.height <= _MOST_LINES:
            self._lines(outer, ring.height)
        painter.setPen(QPen(QColor(theme.faint_text), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(outer)
        painter.drawEllipse(_hole(outer))
        self._read(outer, ring)
        self._number(outer, ring)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _brush(self, tone: Tone) -> QBrush:
        return brush_of(self._theme.inks[tone], self._ratio)

    def _fill(self, outer: QRectF, height: int, arc: Arc, brush: QBrush) -> None:
        if arc.length <= 0 or height <= 0:
            return
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(brush)
        self._painter.drawPath(_sector(outer, height, arc))

    def _lines(self, outer: QRectF, height: int) -> None:
        self._painter.setPen(QPen(QColor(self._theme.base), 1))
        for row in range(height if height > 1 else 0):
            path = _sector(outer, height, Arc(row, 0))
            self._painter.drawLine(path.elementAt(0), path.elementAt(1))

    def _read(self, outer: QRectF, ring: RingState) -> None:
        """An arc around the rows that are read."""
        if not ring.read.number:
            return
        arc = ring.arc(ring.read)
        self._painter.setPen(QPen(QColor(self._theme.accent), 3, c=Qt.PenCapStyle.FlatCap))
        start, length = _degrees(ring.height, arc)
        around = outer.adjusted(-2.5, -2.5, 2.5, 2.5)
        self._painter.drawArc(around, round(start * 16), round(length * 16))

    def _number(self, outer: QRectF, ring: RingState) -> None:
        """How many rows are held, where that fits into the hole."""
        text = f"{ring.held.number}/{ring.height}"
        if self._painter.fontMetrics().horizontalAdvance(text) <= _hole(outer).width() * _ROOM:
            self._painter.setPen(QColor(self._theme.text))
            self._painter.drawText(outer, Qt.AlignmentFlag.AlignCenter, text)


def _hole(outer: QRectF) -> QRectF:
    inset = outer.width() * (1.0 - _HOLE) / 2
    return outer.adjusted(inset, inset, -inset, -inset)


def _degrees(height: int, arc: Arc) -> tuple[float, float]:
    """Start and length as Qt counts them: from three o'clock, against the clock."""
    return 90.0 - 360.0 * arc.first / height, -360.0 * arc.length / height


def _sector(outer: QRectF, height: int, arc: Arc) -> QPainterPath:
    start, length = _degrees(height, arc)
    hole = _hole(outer)
    path = QPainterPath()
    path.arcMoveTo(hole, start)
    inner: QPointF = path.currentPosition()
    path.arcMoveTo(outer, start)
    edge: QPointF = path.currentPosition()
    path = QPainterPath(inner)
    path.lineTo(edge)
    path.arcTo(outer, start, length)
    path.arcTo(hole, start + length, -length)
    path.closeSubpath()
    return path
