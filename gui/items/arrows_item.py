"""One graphics item for a few arrows between rows: those of what is selected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from gui.items.themed_item import ViewFillingItem
from gui.present.timeline.arrows import Arrow
from gui.theme.tones import LIGHT, Theme

_ABOVE_SLICES = 50
_HEAD_PX = 7.0
_SAG_PX = 18.0
"""An arrow within one row hangs below it, so that it can be seen."""


class ArrowsItem(ViewFillingItem):
    """Curves with heads, with a rim so that they can be told from what lies below."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self.arrows: Sequence[Arrow] = ()
        self.setZValue(_ABOVE_SLICES)

    def set_arrows(self, arrows: Sequence[Arrow]) -> None:
        """Draw other arrows."""
        self.arrows = arrows
        self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw the arrows of which something can be in sight, straight in pixels."""
        if not self.arrows:
            return
        view, to_pixels = self.viewRect(), painter.worldTransform()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        for arrow in self.arrows:
            if max(arrow.from_x, arrow.to_x) < view.left():
                continue
            if min(arrow.from_x, arrow.to_x) > view.right():
                continue
            start = to_pixels.map(QPointF(arrow.from_x, arrow.from_y))
            end = to_pixels.map(QPointF(arrow.to_x, arrow.to_y))
            self._draw(painter, start, end)

    def _draw(self, painter: QPainter, start: QPointF, end: QPointF) -> None:
        sag = _SAG_PX if abs(start.y() - end.y()) < 1.0 else 0.0
        # Farther, and what lies close together would be tied into loops.
        reach = (end.x() - start.x()) / 2
        curve = QPainterPath(start)
        curve.cubicTo(
            QPointF(start.x() + reach, start.y() + sag),
            QPointF(end.x() - reach, end.y() + sag),
            end,
        )
        half = _HEAD_PX / 2
        # What comes last goes straight to the right.
        head = QPolygonF([end, end - QPointF(_HEAD_PX, -half), end - QPointF(_HEAD_PX, half)])
        for colour, width in ((self._theme.base, 4), (self._theme.text, 2)):
            painter.setPen(QPen(QColor(colour), width))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(curve)
            painter.setBrush(QColor(colour))
            painter.drawPolygon(head)
