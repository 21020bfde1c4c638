"""The drawing of a roofline: marks for operators under lines for what can be at most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent

from gui.items.axes import PowerAxis
from gui.items.canvas import Canvas
from gui.items.marks_item import MarkSign, MarksItem
from gui.items.ranges import Range
from gui.items.rects_item import Hit
from gui.items.roofs_item import Rise, RoofsItem
from gui.present.roofline.picks import extent_of, nearest_mark, operators_on
from gui.present.roofline.picture import TITLES, Extent, Picture
from gui.theme.tones import Theme

LAYER = "roofline"
_LEAST = 0.2
"""Powers of ten that may fill the view."""
_WITHOUT = "none"
_ABOVE = 10


class RooflineCanvas(Canvas):
    """Tells which operators are pointed at."""

    stepped = Signal(int)
    """A key goes on to the next operator, or back."""

    KEYS: ClassVar[Mapping[Qt.Key, str]] = {
        **Canvas.KEYS,
        Qt.Key.Key_Period: "step_on",
        Qt.Key.Key_Comma: "step_back",
    }

    def __init__(self) -> None:
        self.intensity_axis, self.rate_axis = PowerAxis("bottom"), PowerAxis("left")
        super().__init__(
            "Roofline",
            {"left": self.rate_axis, "bottom": self.intensity_axis},
            zooms_both=True,
        )
        self.roofs, self.marks = RoofsItem(TITLES), MarksItem()
        self.marks.setZValue(_ABOVE)
        self.addItem(self.roofs, ignoreBounds=True)
        self.addItem(self.marks, ignoreBounds=True)
        self.is_adding = False
        """Whether what is clicked comes to what is selected."""
        self._picture: Picture | None = None
        self._whole: tuple[Range, Range] | None = None
        """What was shown when all was."""

    def show_picture(self, picture: Picture) -> None:
        """Draw another roofline; who sees all of one sees all of the next."""
        is_whole = self._whole in (None, (self.box.x_range, self.box.y_range))
        self._picture = picture
        signs = [MarkSign(mark.tone, mark.is_hollow) for mark in picture.marks]
        places = np.column_stack((picture.x, picture.y))
        self.marks.set_marks(places, signs)
        self.roofs.set_places(places)
        rises = [Rise(slope.rate, slope.text) for slope in picture.slopes]
        self.roofs.set_roofs(rises, picture.top, picture.top_text, picture.floor)
        named = {} if picture.row is None else {picture.row: _WITHOUT}
        self.rate_axis.set_named(named)
        along_x, along_y = _ranges(picture.extent)
        self.set_bounds(along_x, along_y, _LEAST, _LEAST)
        if is_whole:
            self.show_all()

    def show_all(self) -> None:
        super().show_all()
        self._whole = self.box.x_range, self.box.y_range

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.roofs.set_theme(theme)
        self.marks.set_theme(theme)

    def step_on(self) -> None:
        self.stepped.emit(1)

    def step_back(self) -> None:
        self.stepped.emit(-1)

    def frame_selected(self) -> None:
        """Show the marks of what is selected with room around them."""
        found = None if self._picture is None else extent_of(self._picture, self.marks.selected)
        if found is not None:
            self.box.show(*_ranges(found))

    def place(self, mark: int) -> QPointF:
        """Where a mark is, in pixels of the viewport."""
        assert self._picture is not None
        found = self._picture.marks[mark]
        return QPointF(self.mapFromScene(self.box.mapViewToScene(QPointF(found.x, found.y))))

    def hit_in_scene(self, scene: QPointF) -> Hit | None:
        """The mark at a place of the scene, or near it, and how many operators are there."""
        if self._picture is None or not self.box.sceneBoundingRect().contains(scene):
            return None
        corner = self.box.mapViewToScene(QPointF(0.0, 0.0))
        unit = self.box.mapViewToScene(QPointF(1.0, 1.0)) - corner
        x, y = corner.x() + self._picture.x * unit.x(), corner.y() + self._picture.y * unit.y()
        reach = float(self.fontMetrics().height())
        found = nearest_mark(x, y, (scene.x(), scene.y()), reach)
        if found is None:
            return None
        return Hit(LAYER, found, found, len(operators_on(self._picture, found)))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click with Ctrl adds to what is selected."""
        self.is_adding = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        super().mouseReleaseEvent(event)

    def _frame_hit(self, hit: Hit) -> None:
        """Its click has selected it by then."""
        del hit
        self.frame_selected()


def _ranges(extent: Extent) -> tuple[Range, Range]:
    return Range(extent.left, extent.right), Range(extent.bottom, extent.top)
