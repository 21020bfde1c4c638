"""The drawing of a front: a staircase with a point for each schedule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QPointF, Qt, Signal

from gui.items.axes import MemoryAxis, TimeAxis
from gui.items.band_item import BandItem
from gui.items.canvas import Canvas
from gui.items.points_item import PointsItem, Spot
from gui.items.ranges import Range
from gui.items.rects_item import Hit
from gui.items.step_item import StepItem
from gui.present.runs.front import (
    Front,
    alike_cycles,
    bounds,
    dots,
    limit_text,
    nearest,
    stairs,
)
from gui.theme.tones import Theme

LAYER = "front"
_CURRENT = "current"
_LEAST_CYCLES = 16.0
_ABOVE = 10
_TICKS = 1.0


class FrontCanvas(Canvas):
    """Tells which schedule is pointed at, and which is wanted."""

    stepped = Signal(int)
    """A key goes on, towards the fastest or the smallest."""
    entered = Signal()
    """A key takes what is pointed at."""

    kept = Signal()
    """A key keeps what is pointed at as A."""

    KEYS: ClassVar[Mapping[Qt.Key, str]] = {
        **Canvas.KEYS,
        # Where the schedules are: fast ones at the left, and above the others.
        Qt.Key.Key_Left: "step_faster",
        Qt.Key.Key_Up: "step_faster",
        Qt.Key.Key_Right: "step_smaller",
        Qt.Key.Key_Down: "step_smaller",
        Qt.Key.Key_Return: "enter",
        Qt.Key.Key_Enter: "enter",
        Qt.Key.Key_K: "keep",
    }

    def __init__(self) -> None:
        self.time_axis, self.memory_axis = TimeAxis(), MemoryAxis()
        # Schedules may be so near to each other that their cycles are long numbers.
        self.time_axis.setTickDensity(_TICKS)
        super().__init__(
            "Front of schedules",
            {"left": self.memory_axis, "bottom": self.time_axis},
            zooms_both=True,
        )
        self.steps, self.points = StepItem("SRAM needed"), PointsItem()
        self.band = BandItem()
        self.points.setZValue(_ABOVE)
        self.addItem(self.steps, ignoreBounds=True)
        self.addItem(self.band, ignoreBounds=True)
        self.addItem(self.points, ignoreBounds=True)

    def show_front(self, front: Front, *, keeps_view: bool) -> None:
        """Draw another front, or the same in other units."""
        self.time_axis.set_unit(front.display.time_unit, front.clock_hz)
        self.memory_axis.set_unit(front.display.byte_unit)
        self.set_corner(self.time_axis.unit_text)
        self.steps.set_steps(*stairs(front))
        is_drawn = front.limit_bytes is not None and not front.is_limit_far
        limit = float(front.limit_bytes or 0) if is_drawn else None
        self.steps.set_limit(limit, limit_text(front))
        self.band.set_ends(*alike_cycles(front))
        self.points.set_spots(
            [
                Spot(
                    dot.cycles,
                    dot.size_bytes,
                    dot.is_taken,
                    dot.is_over,
                    _CURRENT if dot.is_taken else "",
                )
                for dot in dots(front)
            ]
        )
        found = bounds(front)
        self.set_bounds(
            Range(found.first_cycle, found.last_cycle),
            Range(0.0, found.top_bytes),
            min(_LEAST_CYCLES, found.last_cycle - found.first_cycle),
        )
        if not keeps_view:
            self.show_all()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.steps.set_theme(theme)
        self.band.set_theme(theme)
        self.points.set_theme(theme)

    def step_faster(self) -> None:
        self.stepped.emit(1)

    def step_smaller(self) -> None:
        self.stepped.emit(-1)

    def enter(self) -> None:
        """Take what is pointed at."""
        self.entered.emit()

    def keep(self) -> None:
        """Compare with what is pointed at."""
        self.kept.emit()

    def place(self, index: int) -> QPointF:
        """Where a point is, in pixels of the viewport."""
        spot = self.points.spots[index]
        scene = self.box.mapViewToScene(QPointF(spot.x, spot.y))
        return QPointF(self.mapFromScene(scene))

    def hit_in_scene(self, scene: QPointF) -> Hit | None:
        """The point at a place of the scene, or near it."""
        if not self.box.sceneBoundingRect().contains(scene):
            return None
        places = [
            (at.x(), at.y())
            for at in (
                self.box.mapViewToScene(QPointF(spot.x, spot.y)) for spot in self.points.spots
            )
        ]
        reach = float(self.fontMetrics().height())
        index = nearest(places, scene.x(), scene.y(), reach)
        return None if index is None else Hit(LAYER, index, index, 1)

    def _frame_hit(self, hit: Hit) -> None:
        """A double click is a click."""
