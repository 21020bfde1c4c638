"""A plot widget that keeps what the mouse does to itself."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QMouseEvent


class QuietPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """No widget around it acts on a press or a release that was meant for it."""

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
