"""What graphics items have in common: the colours of a theme; some of them fill the view."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRectF

from gui.theme.tones import LIGHT, Theme


class ThemedItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Drawn in the colours of a theme."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__()
        self._theme = theme

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()


class ViewFillingItem(ThemedItem):
    """As large as what is in sight: it draws beyond the places that it knows."""

    def boundingRect(self) -> QRectF:
        return QRectF(self.viewRect() or QRectF())

    def viewTransformChanged(self) -> None:
        """Something else is in sight now."""
        super().viewTransformChanged()
        self.prepareGeometryChange()
