"""One graphics item for many straight lines, and one for boxes around groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QTransform
from PySide6.QtWidgets import QApplication

from gui.items.themed_item import ThemedItem
from gui.theme.scale import in_bold, in_pixels
from gui.theme.tones import LIGHT, Theme, Tone

Lines = npt.NDArray[np.float64]
"""A row for each line: x and y of its start, x and y of its end."""

NO_LINES: Lines = np.zeros((0, 4))
_HULL_ALPHA = 46
_ROUNDING_PX = 8.0
_NAME_PX = 10


class LinesItem(ThemedItem):
    """Lines of one pixel; on top are those that rules find, in their colours, and marked ones in
    that of the selection."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self._lines = NO_LINES
        self._marked = NO_LINES
        self._toned: Sequence[tuple[Tone, Lines]] = ()
        self._array = PrimitiveArray(QLineF, 4)
        self._bounds = QRectF()
        self.drawn = 0
        """How many lines the last picture shows."""

    def set_lines(self, lines: Lines) -> None:
        """Draw other lines; none of them is marked or found."""
        self.prepareGeometryChange()
        self._lines, self._marked, self._toned = lines, NO_LINES, ()
        self._bounds = QRectF()
        if len(lines):
            left, bottom = lines[:, [0, 2]].min(), lines[:, [1, 3]].min()
            right, top = lines[:, [0, 2]].max(), lines[:, [1, 3]].max()
            self._bounds = QRectF(left, bottom, right - left, top - bottom)
        self.update()

    def set_marked(self, lines: Lines) -> None:
        """Draw some lines in the colour of the selection."""
        self._marked = lines
        self.update()

    def set_toned(self, toned: Sequence[tuple[Tone, Lines]]) -> None:
        """Draw some lines in the colours of rules."""
        self._toned = toned
        self.update()

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw the lines that reach into the view, straight in pixels."""
        view, to_pixels = self.viewRect(), painter.worldTransform()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        shown = _in_view(self._lines, view)
        self.drawn = len(shown)
        for lines, colour, width in (
            (shown, self._theme.faint_text, 1),
            *(
                (_in_view(each, view), self._theme.inks[tone].colour, 3)
                for tone, each in self._toned
            ),
            (_in_view(self._marked, view), self._theme.accent, 2),
        ):
            if len(lines):
                painter.setPen(QPen(QColor(colour), width))
                self._array.resize(len(lines))
                self._array.ndarray()[:] = _mapped(lines, to_pixels)
                painter.drawLines(*self._array.drawargs())


class HullsItem(ThemedItem):
    """Translucent boxes behind what belongs together."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self._boxes: tuple[QRectF, ...] = ()
        self._marked = frozenset[int]()
        self._names: Sequence[str] = ()

    def set_boxes(
        self, boxes: tuple[QRectF, ...], marked: frozenset[int], names: Sequence[str] = ()
    ) -> None:
        """Draw other boxes, some of them as selected, with short names at their upper corners."""
        self.prepareGeometryChange()
        self._boxes, self._marked, self._names = boxes, marked, names
        self.update()

    def boundingRect(self) -> QRectF:
        bounds = QRectF()
        for box in self._boxes:
            bounds = bounds.united(box)
        return bounds

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw the boxes straight in pixels, so that corners stay round."""
        to_pixels = painter.worldTransform()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        for position, box in enumerate(self._boxes):
            is_marked = position in self._marked
            colour = QColor(self._theme.accent if is_marked else self._theme.good)
            painter.setPen(QPen(colour, 2 if is_marked else 1, Qt.PenStyle.DashLine))
            colour.setAlpha(_HULL_ALPHA)
            painter.setBrush(QBrush(colour))
            painter.drawRoundedRect(to_pixels.mapRect(box), _ROUNDING_PX, _ROUNDING_PX)
        painter.setFont(in_bold(in_pixels(QApplication.font(), _NAME_PX)))
        for position, (box, name) in enumerate(zip(self._boxes, self._names, strict=False)):
            is_marked = position in self._marked
            self._tag(painter, to_pixels.mapRect(box).topLeft(), name, is_marked=is_marked)

    def _tag(self, painter: QPainter, corner: QPointF, name: str, *, is_marked: bool) -> None:
        """A name on a plate whose right end is at a corner, where no node is."""
        metrics = painter.fontMetrics()
        plate = QRectF(0.0, 0.0, metrics.horizontalAdvance(name) + 6.0, metrics.height())
        plate.moveTopRight(corner + QPointF(_NAME_PX / 2, 0.0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.accent if is_marked else self._theme.good))
        painter.drawRoundedRect(plate, 3.0, 3.0)
        painter.setPen(QColor(self._theme.base))
        painter.drawText(plate, int(Qt.AlignmentFlag.AlignCenter), name)


def _mapped(lines: Lines, to_pixels: QTransform) -> Lines:
    """Lines in pixels."""
    factors = np.array([to_pixels.m11(), to_pixels.m22()] * 2)
    mapped: Lines = lines * factors + np.array([to_pixels.dx(), to_pixels.dy()] * 2)
    return mapped


def _in_view(lines: Lines, view: QRectF) -> Lines:
    """The lines whose bounding box meets the view."""
    if not len(lines):
        return lines
    left, right = lines[:, [0, 2]].min(axis=1), lines[:, [0, 2]].max(axis=1)
    low, high = lines[:, [1, 3]].min(axis=1), lines[:, [1, 3]].max(axis=1)
    meets = (left <= view.right()) & (right >= view.left())
    meets &= (low <= view.bottom()) & (high >= view.top())
    found: Lines = np.ascontiguousarray(lines[meets])
    return found
