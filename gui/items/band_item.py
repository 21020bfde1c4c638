"""A strip of the plot from one value to another: what an estimate cannot tell apart."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.items.themed_item import ViewFillingItem
from gui.theme.tones import LIGHT, Theme

_ALPHA = 0.16


class BandItem(ViewFillingItem):
    """Tints all of the height between two places of the horizontal axis."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self.ends: tuple[float, float] = (0.0, 0.0)

    def set_ends(self, first: float, last: float) -> None:
        """Tint another strip."""
        self.ends = first, last
        self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw straight in pixels, as all else of a plot is."""
        to_pixels, view = painter.worldTransform(), self.viewRect()
        first, last = (max(min(end, view.right()), view.left()) for end in self.ends)
        corners = QPointF(first, view.top()), QPointF(last, view.bottom())
        box = QRectF(*(to_pixels.map(corner) for corner in corners)).normalized()
        colour = QColor(self._theme.accent)
        colour.setAlphaF(_ALPHA)
        painter.save()
        painter.resetTransform()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(box, colour)
        painter.restore()
