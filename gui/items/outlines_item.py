"""Outlines of what was elsewhere before, over what is drawn now."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.items.themed_item import ViewFillingItem
from gui.present.memory.differences import NO_OUTLINES, Boxes, Outlines, Side
from gui.theme.tones import LIGHT, Theme

_ABOVE = 50


class OutlinesItem(ViewFillingItem):
    """Draws boxes without fill, in pixels: dashed what was, solid what is new."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self.outlines = NO_OUTLINES
        self.setZValue(_ABOVE)

    def set_outlines(self, outlines: Outlines) -> None:
        """Draw other boxes."""
        self.outlines = outlines
        self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw straight in pixels; each kind in one call."""
        to_pixels = painter.worldTransform()
        sight = self.viewRect()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for side, boxes in self.outlines.by_side.items():
            painter.setPen(pen_of(side, self._theme))
            rects = [
                to_pixels.mapRect(QRectF(left, bottom, right - left, top - bottom))
                for left, bottom, right, top in _in_sight(boxes, sight)
            ]
            painter.drawRects(rects)
        painter.restore()


def pen_of(side: Side, theme: Theme) -> QPen:
    """Dashed or dotted what was, solid what is new, thick what would be."""
    colour, style = {
        Side.BEFORE: (theme.text, Qt.PenStyle.DotLine),
        Side.GONE: (theme.danger, Qt.PenStyle.DashLine),
        Side.NEW: (theme.good, Qt.PenStyle.SolidLine),
        Side.AHEAD: (theme.accent, Qt.PenStyle.SolidLine),
    }[side]
    return QPen(QColor(colour), 2 if side is Side.AHEAD else 1, style)


def _in_sight(boxes: Boxes, sight: QRectF) -> Boxes:
    if not len(boxes):
        return boxes
    meets = (boxes[:, 0] <= sight.right()) & (boxes[:, 2] >= sight.left())
    meets &= (boxes[:, 1] <= sight.bottom()) & (boxes[:, 3] >= sight.top())
    found: Boxes = np.ascontiguousarray(boxes[meets])
    return found
