"""The view box under every canvas: wheel, drag and click, with limits so that nobody gets lost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal

from gui.document.look import LookPart
from gui.items.grip import Grip
from gui.items.ranges import Limits, Range, panned, zoomed

WHEEL_NOTCH = 120.0
ZOOM_A_NOTCH = 1.25
_SIDEWAYS_A_NOTCH = 0.1
_EVERYTHING = Limits(Range(0.0, 1.0), 1e-3)


class HandsBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """Zooms x at the pointer (y with Ctrl), pans by dragging, and tells clicks."""

    clicked = Signal(QPointF, bool)
    """Where in the scene, and whether it was a double click."""
    span_dragged = Signal(float, float, bool)
    """With Shift: from where to where along x, and whether the button was let go."""

    def __init__(self, *, moves_y: bool, zooms_both: bool) -> None:
        super().__init__(enableMenu=False)
        self._moves_y = moves_y or zooms_both
        self._zooms_both = zooms_both
        self._limits = (_EVERYTHING, _EVERYTHING)
        self._is_drawn_span = False
        self.grip: Grip | None = None
        """Who may take hold of what is dragged."""
        self.is_gripped = False
        self._is_forsaken = False
        self.disableAutoRange()

    @property
    def x_range(self) -> Range:
        """What is shown along x."""
        return Range(*(float(value) for value in self.viewRange()[0]))

    @property
    def y_range(self) -> Range:
        """What is shown along y."""
        return Range(*(float(value) for value in self.viewRange()[1]))

    def set_limits(self, along_x: Limits, along_y: Limits) -> None:
        """Say how far the view may go."""
        self._limits = (along_x, along_y)

    def show(self, along_x: Range | None = None, along_y: Range | None = None) -> None:
        """Show a part, as far as limits allow."""
        if along_x is not None:
            self.setXRange(*self._limits[0].held(along_x), padding=0)
        if along_y is not None:
            self.setYRange(*self._limits[1].held(along_y), padding=0)
        self._tell_items()

    def zoom_part(self) -> LookPart:
        """What is shown, as a part of a view's look: both ends along x, then those along y."""
        return LookPart(lambda: [*self.x_range, *self.y_range], self._show_ends)

    def _show_ends(self, ends: Sequence[Any]) -> None:
        """Show such a part; what is none, as a file may say anything, is passed over."""
        if len(ends) == 4 and all(type(end) is float and math.isfinite(end) for end in ends):
            left, right, low, high = ends
            if left < right and low < high:
                self.show(Range(left, right), Range(low, high))

    def resizeEvent(self, ev: Any) -> None:
        """Let items know before they are painted."""
        super().resizeEvent(ev)
        self._tell_items()

    def _tell_items(self) -> None:
        # Left to pyqtgraph, items hear of it while they are painted, and are painted once more.
        self.updateMatrix()

    def show_all(self) -> None:
        """Show everything there is."""
        self.show(*(limits.widest for limits in self._limits))

    def zoom(self, factor: float, centre: QPointF, *, along_y: bool = False) -> None:
        """Show `factor` times as much, with a point of the data staying where it is."""
        if self._zooms_both or not along_y or not self._moves_y:
            self.show(zoomed(self.x_range, centre.x(), factor, self._limits[0]))
        if self._zooms_both or (along_y and self._moves_y):
            self.show(along_y=zoomed(self.y_range, centre.y(), factor, self._limits[1]))

    def pan(self, shift_x: float, shift_y: float = 0.0) -> None:
        """Move what is shown by a distance in the data."""
        self.show(panned(self.x_range, shift_x, self._limits[0]))
        if self._moves_y and shift_y:
            self.show(along_y=panned(self.y_range, shift_y, self._limits[1]))

    def wheelEvent(self, ev: Any, axis: int | None = None) -> None:
        """Zoom at the pointer; sideways, or with Shift, pan."""
        notches = ev.delta() / WHEEL_NOTCH
        modifiers = ev.modifiers()
        ev.accept()
        is_sideways = ev.orientation() == Qt.Orientation.Horizontal
        if is_sideways or modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.pan(-notches * _SIDEWAYS_A_NOTCH * self.x_range.length)
            return
        along_y = axis == 1 or bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        centre = self.mapSceneToView(ev.scenePos())
        self.zoom(ZOOM_A_NOTCH**-notches, centre, along_y=along_y)

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        """Pan, or with Shift mark a stretch of x."""
        ev.accept()
        if axis is None and self._drag_gripped(ev):
            return
        if ev.isStart():
            self._is_drawn_span = bool(ev.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if self._is_drawn_span and axis is None:
            start = self.mapToView(ev.buttonDownPos()).x()
            end = self.mapToView(ev.pos()).x()
            self.span_dragged.emit(min(start, end), max(start, end), ev.isFinish())
            return
        before, now = self.mapToView(ev.lastPos()), self.mapToView(ev.pos())
        self.pan(
            0.0 if axis == 1 else before.x() - now.x(), 0.0 if axis == 0 else before.y() - now.y()
        )

    def _drag_gripped(self, ev: Any) -> bool:
        """Whether the drag is one of something that was taken hold of, and not of the view."""
        now = QPointF(ev.scenePos())
        if ev.isStart():
            is_left = ev.button() == Qt.MouseButton.LeftButton
            start = QPointF(ev.buttonDownScenePos())
            self._is_forsaken = False
            self.is_gripped = bool(
                is_left and self.grip is not None and self.grip.take(start, now, ev.modifiers())
            )
        if self.is_gripped and self.grip is not None:
            self.is_gripped = not ev.isFinish()
            (self.grip.drop if ev.isFinish() else self.grip.move)(now)
            return True
        return self._is_forsaken

    def let_go(self) -> None:
        """Put back what is held; the rest of the drag moves nothing."""
        if self.is_gripped and self.grip is not None:
            self.is_gripped, self._is_forsaken = False, True
            self.grip.abort()

    def mouseClickEvent(self, ev: Any) -> None:
        """Tell where was clicked."""
        if ev.button() == Qt.MouseButton.LeftButton:
            ev.accept()
            self.clicked.emit(ev.scenePos(), bool(ev.double()))
