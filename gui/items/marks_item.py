"""One graphics item for many small marks, each of a shape and a colour that say what it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QApplication

from core.base.frozen import NamedTuple
from gui.items.themed_item import ViewFillingItem
from gui.theme.tones import LIGHT, SHAPES, Shape, Theme, Tone

_HOLLOW_LINE_PX, _GAP_PX = 1.5, 1.0
"""Of a hollow mark, and around a filled one, which leaves neighbours apart."""
_RING_PX = 2.0
_LEAST_RADIUS_PX = 3.0
_CORNERS = MappingProxyType(
    {
        Shape.SQUARE: ((-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)),
        Shape.DIAMOND: ((0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)),
        Shape.UP: ((0.0, -1.1), (1.1, 0.85), (-1.1, 0.85)),
        Shape.DOWN: ((0.0, 1.1), (1.1, -0.85), (-1.1, -0.85)),
        Shape.BAR: ((-1.2, -0.6), (1.2, -0.6), (1.2, 0.6), (-1.2, 0.6)),
        Shape.CROSS: (
            *((-0.5, -1.2), (0.5, -1.2), (0.5, -0.5), (1.2, -0.5), (1.2, 0.5), (0.5, 0.5)),
            *((0.5, 1.2), (-0.5, 1.2), (-0.5, 0.5), (-1.2, 0.5), (-1.2, -0.5), (-0.5, -0.5)),
        ),
    }
)
"""In radii, y downwards."""

Positions = npt.NDArray[np.intp]


class MarkSign(NamedTuple):
    """How a mark looks."""

    tone: Tone
    is_hollow: bool


def mark_radius_px() -> float:
    """Of a mark that is as large as a small letter."""
    return max(QFontMetrics(QApplication.font()).xHeight() / 2 + 0.5, _LEAST_RADIUS_PX)


def draw_mark(painter: QPainter, at: QPointF, radius: float, sign: MarkSign, theme: Theme) -> None:
    """Draw one mark around a place in pixels."""
    _take_pen(painter, sign, theme)
    # So that both are as large with their lines.
    reach = radius if sign.is_hollow else radius + _HOLLOW_LINE_PX / 2
    _draw_shape(painter, SHAPES.get(sign.tone, Shape.CIRCLE), at, reach)


class MarksItem(ViewFillingItem):
    """Draws marks in the size of letters, whatever is zoomed to; selected ones on top, in rings."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self._places = np.zeros((0, 2))
        self._signs: tuple[MarkSign, ...] = ()
        self._selected = frozenset[int]()
        self._hovered = frozenset[int]()
        self.drawn = 0
        """How many marks the last picture shows: of those that cover each other, one."""

    def set_marks(self, places: npt.NDArray[np.float64], signs: Sequence[MarkSign]) -> None:
        """Draw others, a row of x and y for each; none is selected."""
        self.prepareGeometryChange()
        self._places, self._signs = places, tuple(signs)
        self._selected = self._hovered = frozenset()
        self.update()

    @property
    def selected(self) -> frozenset[int]:
        """Positions of the marks in rings."""
        return self._selected

    def set_selected(self, marks: Iterable[int]) -> None:
        """Draw rings around some."""
        self._selected = frozenset(marks)
        self.update()

    def set_hovered(self, marks: Iterable[int]) -> None:
        """Let those under the pointer stand out."""
        self._hovered = frozenset(marks)
        self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw what is in sight, straight in pixels."""
        to_pixels = painter.worldTransform()
        sight = to_pixels.mapRect(self.viewRect())
        pixels = _mapped(self._places, to_pixels)
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        radius = mark_radius_px()
        shown = self._uncovered(pixels, sight, radius)
        self.drawn = len(shown)
        for mark in shown:
            draw_mark(painter, QPointF(*pixels[mark]), radius, self._signs[mark], self._theme)
        on_top = [*sorted(self._hovered - self._selected), *sorted(self._selected)]
        for mark in on_top:
            at = QPointF(*pixels[mark])
            colour = self._theme.accent if mark in self._selected else self._theme.text
            painter.setPen(QPen(QColor(colour), _RING_PX))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at, 2 * radius, 2 * radius)
            draw_mark(painter, at, radius, self._signs[mark], self._theme)
        painter.restore()

    def _uncovered(
        self, pixels: npt.NDArray[np.float64], sight: QRectF, radius: float
    ) -> list[int]:
        """Marks in sight, without those that others of their kind lie on."""
        if not len(pixels):
            return []
        x, y = pixels[:, 0], pixels[:, 1]
        is_seen = (x >= sight.left() - radius) & (x <= sight.right() + radius)
        is_seen &= (y >= sight.top() - radius) & (y <= sight.bottom() + radius)
        places = np.rint(pixels).astype(np.int64).tolist()
        found = {(*places[mark], self._signs[mark]): mark for mark in np.flatnonzero(is_seen)}
        return sorted(int(mark) for mark in found.values())


def _mapped(places: npt.NDArray[np.float64], to_pixels: QTransform) -> npt.NDArray[np.float64]:
    factors = np.array([to_pixels.m11(), to_pixels.m22()])
    mapped: npt.NDArray[np.float64] = places * factors + np.array([to_pixels.dx(), to_pixels.dy()])
    return mapped


def _take_pen(painter: QPainter, sign: MarkSign, theme: Theme) -> None:
    colour, base = QColor(theme.inks[sign.tone].colour), QColor(theme.base)
    line = QPen(colour, _HOLLOW_LINE_PX) if sign.is_hollow else QPen(base, _GAP_PX)
    painter.setPen(line)
    painter.setBrush(base if sign.is_hollow else colour)


def _draw_shape(painter: QPainter, shape: Shape, at: QPointF, radius: float) -> None:
    corners = _CORNERS.get(shape)
    if corners is None:
        painter.drawEllipse(at, radius, radius)
        return
    painter.drawPolygon(QPolygonF([at + QPointF(x * radius, y * radius) for x, y in corners]))
