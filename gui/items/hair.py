"""A line as thin as a hair over a canvas, where the pointer is in another one."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.items.layer_plot import LayerPlot


class Hair(QWidget):
    """A widget and not an item: when it moves, one column of pixels is drawn, not the canvas."""

    def __init__(self, canvas: LayerPlot) -> None:
        super().__init__(canvas.viewport())
        self._canvas = canvas
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_at(self, x: float | None) -> None:
        """Stand at a place along x; None is nowhere, as is what is out of sight."""
        box = self._canvas.box
        shown = box.x_range
        if x is None or not shown.start <= x <= shown.end:
            self.hide()
            return
        area = box.sceneBoundingRect()
        place = self._canvas.mapFromScene(box.mapViewToScene(QPointF(x, box.y_range.start)))
        top = self._canvas.mapFromScene(area.topLeft()).y()
        self.setGeometry(place.x(), top, 1, round(area.height()))
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """One colour."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self.palette().windowText())
        painter.end()
