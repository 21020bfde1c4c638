"""One graphics item for an amount over time: steps, a limit, and what is above it."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPolygonF, QTransform
from PySide6.QtWidgets import QApplication

from gui.items.painting import Boxes, Screen
from gui.items.ratio import ratio_of
from gui.items.themed_item import ThemedItem
from gui.present.lod import Field, Viewport
from gui.present.rects import Floats, Rects, empty_rects
from gui.theme.tones import LIGHT, Theme, Tone

_PEAK_PX = 5
_PADDING_PX = 4
_GROUND_ALPHA = 0.9
_LINE_PX = 2


class Drawn(enum.Enum):
    """What of the steps is drawn."""

    ALL = "all"
    GROUND = "ground"
    """Pale, for others to be drawn over."""
    LINE = "line"
    """Their upper edge, for others to be seen below."""


class StepItem(ThemedItem):
    """Draws steps as a filled curve; where several fall on one pixel, the highest is shown.

    What is above the limit is filled with the theme's danger, and the limit is a line of that
    colour. Steps without length are drawn one pixel wide, so that no peak is missed.
    """

    def __init__(self, title: str = "", theme: Theme = LIGHT, *, drawn: Drawn = Drawn.ALL) -> None:
        super().__init__(theme)
        self._title, self._drawn = title, drawn
        self._field = Field(empty_rects())
        self._limit: float | None = None
        self._limit_text = ""
        self._peak: QPointF | None = None
        self._peak_text = ""
        self._array = PrimitiveArray(QRectF, 4)
        self._bounds = QRectF()

    def set_title(self, title: str) -> None:
        """Say what the curve is."""
        self._title = title
        self.update()

    def set_steps(self, edges: Floats, values: Floats) -> None:
        """Draw other steps: one value between each two edges."""
        self.prepareGeometryChange()
        count = len(values)
        rows = np.zeros(count, dtype=np.int32)
        self._field = Field(
            Rects(
                left=np.asarray(edges[:count], dtype=np.float64),
                right=np.asarray(edges[1 : count + 1], dtype=np.float64),
                bottom=np.zeros(count),
                top=np.asarray(values, dtype=np.float64),
                ink=np.zeros(count, dtype=np.uint8),
                key=np.arange(count, dtype=np.int32),
                row=rows,
            )
        )
        self._place()

    def set_limit(self, value: float | None, text: str) -> None:
        """Draw a line at a value, with a text; without a value only the text, in the corner."""
        self.prepareGeometryChange()
        self._limit, self._limit_text = value, text
        self._place()

    def set_peak(self, x: float, y: float, text: str) -> None:
        """Mark the highest step."""
        self._peak, self._peak_text = QPointF(x, y), text
        self.update()

    def boundingRect(self) -> QRectF:
        """All steps, and the line of the limit."""
        return self._bounds

    def viewTransformChanged(self) -> None:
        """The line reaches over all of the view."""
        super().viewTransformChanged()
        self._place()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw what is in sight, straight in pixels."""
        ratio = ratio_of(painter)
        view, to_pixels = self.viewRect(), painter.worldTransform()
        sight = to_pixels.mapRect(view)
        pixel = view.width() / max(sight.width() * ratio, 1.0)
        shown = self._field.visible(Viewport(view.left(), view.right(), -np.inf, np.inf, pixel))
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(Qt.PenStyle.NoPen)
        boxes = Screen(to_pixels, sight, ratio, has_gaps=False).boxes(shown)
        # A step without length is no marker here; one pixel of it is enough.
        width = np.where(shown.longest > 0.0, boxes.width, 1 / ratio)
        boxes = boxes._replace(width=width)
        limit_y = None if self._limit is None else to_pixels.map(QPointF(0.0, self._limit)).y()
        self._fill(painter, boxes, limit_y)
        taken = self._draw_limit(painter, sight, limit_y)
        peak = None if self._peak is None else self._draw_peak(painter, sight, to_pixels)
        if peak is not None:
            taken.append(peak)
        self._write_title(painter, sight, taken)
        if peak is not None:
            self._write_peak(painter, sight, peak, taken)
        painter.restore()

    def _fill(self, painter: QPainter, boxes: Boxes, limit_y: float | None) -> None:
        ink = self._theme.inks[Tone.USED]
        if self._drawn is Drawn.GROUND:
            self._draw(painter, boxes, self._theme.grid)
            return
        if self._drawn is Drawn.LINE:
            line = boxes._replace(height=np.full(len(boxes.top), _LINE_PX))
            self._draw(painter, line, self._theme.text)
            return
        self._draw(painter, boxes, ink.colour)
        self._draw(painter, boxes._replace(height=np.ones(len(boxes.top))), ink.text)
        if limit_y is None:
            return
        over = np.maximum(np.floor(limit_y) - boxes.top, 0.0)
        where = over > 0.0
        left, top, width, _ = (values[where] for values in boxes)
        self._draw(painter, Boxes(left, top, width, over[where]), self._theme.danger)

    def _draw(self, painter: QPainter, boxes: Boxes, colour: str) -> None:
        if not len(boxes.left):
            return
        self._array.resize(len(boxes.left))
        columns = self._array.ndarray()
        for position, values in enumerate(boxes):
            columns[:, position] = values
        painter.setBrush(QColor(colour))
        painter.drawRects(*self._array.drawargs())

    def _draw_limit(self, painter: QPainter, sight: QRectF, limit_y: float | None) -> list[QRectF]:
        """The line of the limit and its text; the place that the text takes."""
        height = _line_height()
        top = sight.top() + 1
        if limit_y is not None:
            line = QRectF(sight.left(), np.floor(limit_y), sight.width(), 1)
            painter.fillRect(line, QColor(self._theme.danger))
            top = limit_y - height if limit_y - height >= sight.top() else limit_y + 1
        if not self._limit_text:
            return []
        width = _width(self._limit_text)
        box = QRectF(sight.right() - width, round(top), width, height)
        colour = self._theme.faint_text if limit_y is None else self._theme.danger
        self._plate(painter, box, self._limit_text, colour)
        return [box]

    def _draw_peak(self, painter: QPainter, sight: QRectF, to_pixels: QTransform) -> QRectF | None:
        """A triangle that stands on the highest step, where that is in sight; its place."""
        at = QPointF() if self._peak is None else to_pixels.map(self._peak)
        if not sight.left() - 1 <= at.x() <= sight.right() + 1:
            return None
        x, y = round(at.x()), max(round(at.y()), round(sight.top()) + _PEAK_PX)
        painter.setBrush(QColor(self._theme.text))
        corners = ((x - _PEAK_PX, y - _PEAK_PX), (x + _PEAK_PX, y - _PEAK_PX), (x, y))
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        return QRectF(x - _PEAK_PX, y - _PEAK_PX, 2 * _PEAK_PX, _PEAK_PX)

    def _write_title(self, painter: QPainter, sight: QRectF, taken: list[QRectF]) -> None:
        """What the curve is, in an upper corner."""
        width, top = _width(self._title), sight.top() + 1
        corners = (sight.left() + 1, sight.right() - width, sight.center().x() - width / 2)
        boxes = [QRectF(left, top, width, _line_height()) for left in corners]
        self._place_text(painter, sight, boxes, taken, (self._title, self._theme.faint_text))

    def _write_peak(
        self, painter: QPainter, sight: QRectF, peak: QRectF, taken: list[QRectF]
    ) -> None:
        """How high the highest step is, beside its mark or under it."""
        width, height = _width(self._peak_text), _line_height()
        above = max(peak.bottom() - height, round(sight.top()))
        sides = (peak.right() + 2, peak.left() - 2 - width)
        boxes = [
            QRectF(left, above + line * height, width, height)
            for line in range(3)
            for left in sides
        ]
        self._place_text(painter, sight, boxes, taken, (self._peak_text, self._theme.text))

    def _place_text(
        self,
        painter: QPainter,
        sight: QRectF,
        boxes: Sequence[QRectF],
        taken: list[QRectF],
        text: tuple[str, str],
    ) -> None:
        """Write in the first of some places that is free; nowhere if none is."""
        for box in boxes:
            if sight.contains(box) and not any(box.intersects(other) for other in taken):
                taken.append(box)
                self._plate(painter, box, *text)
                return

    def _plate(self, painter: QPainter, box: QRectF, text: str, colour: str) -> None:
        """A text on a ground of its own, so that it can be read over the curve."""
        ground = QColor(self._theme.base)
        ground.setAlphaF(_GROUND_ALPHA)
        if not text:
            return
        painter.fillRect(box, ground)
        painter.setPen(QColor(colour))
        painter.setFont(QApplication.font())
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        painter.setPen(Qt.PenStyle.NoPen)

    def _place(self) -> None:
        """The line of the limit reaches over everything that is shown."""
        self.prepareGeometryChange()
        view = self.viewRect() or QRectF()
        rects = self._field.rects
        top = max(float(rects.top.max(initial=0.0)), self._limit or 0.0)
        steps = QRectF()
        if rects.count:
            left, right = float(rects.left.min()), float(rects.right.max())
            steps = QRectF(left, 0.0, right - left, top)
        self._bounds = steps.united(view)
        self.update()


def _width(text: str) -> int:
    """How wide a text is on its ground."""
    return QFontMetrics(QApplication.font()).horizontalAdvance(text) + 2 * _PADDING_PX


def _line_height() -> int:
    return QFontMetrics(QApplication.font()).height()
