"""A plot widget that keeps what the mouse does to itself."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QMouseEvent


class QuietPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """No widget around it acts on a press or a release that was meant for it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # The ground is of one colour; kept as pixels, it would be pixels in every file too.
        self.setCacheMode(self.CacheModeFlag.CacheNone)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take it."""
        super().mousePressEvent(event)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take it."""
        super().mouseReleaseEvent(event)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take it."""
        super().mouseDoubleClickEvent(event)
        event.accept()
