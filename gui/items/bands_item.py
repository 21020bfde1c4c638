"""One graphics item for the ground of rows: a band behind each, as wide as the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.theme.tones import LIGHT, Theme


class BandsItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Bands from one y to another, in the colour of every other line of a table."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__()
        self._theme = theme
        self._bands: Sequence[tuple[float, float]] = ()
        self.setZValue(-1)

    def set_bands(self, bands: Sequence[tuple[float, float]]) -> None:
        """Draw other bands."""
        self._bands = bands
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw with other colours."""
        self._theme = theme
        self.update()

    def boundingRect(self) -> QRectF:
        """All that is in sight."""
        return self.viewRect() or QRectF()

    def viewTransformChanged(self) -> None:
        """Something else is in sight."""
        super().viewTransformChanged()
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Fill the bands."""
        view = self.viewRect()
        to_pixels = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        for low, high in self._bands:
            box = to_pixels.mapRect(QRectF(view.left(), low, view.width(), high - low))
            painter.fillRect(box.toAlignedRect(), QColor(self._theme.alternate))
        painter.restore()
