"""Fast storage in use, under the lanes and over the same cycles."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from gui.items.axes import MemoryAxis, PlainAxis, TimeAxis
from gui.items.ranges import Range
from gui.items.step_item import StepItem
from gui.present.timeline.memory import Usage
from gui.present.timeline.text import Scale, usage_tip
from gui.theme.tones import Theme
from gui.views.timeline.keyed import KeyedCanvas
from gui.views.timeline.lanes import LEAST_CYCLES


class UsageCanvas(KeyedCanvas):
    """A step curve with its limit and its peak."""

    def __init__(self) -> None:
        self.time_axis, self.memory_axis = TimeAxis(), MemoryAxis()
        axes: dict[str, PlainAxis] = {"left": self.memory_axis, "bottom": self.time_axis}
        super().__init__("SRAM in use", axes)
        self.steps = StepItem("SRAM in use")
        self.addItem(self.steps, ignoreBounds=True)
        self._usage: Usage | None = None
        self._scale: Scale | None = None

    def set_usage(self, usage: Usage, end_cycle: float, scale: Scale) -> None:
        """Draw another curve, or the same in other units."""
        self._usage, self._scale = usage, scale
        self.time_axis.set_unit(scale.time_unit, scale.clock_hz)
        self.memory_axis.set_unit(scale.byte_unit)
        self.set_corner(self.time_axis.unit_text)
        self.steps.set_steps(usage.edge_cycle, usage.used_bytes)
        limit, text = usage.limit_bytes, ""
        if limit is not None:
            text = f"limit {scale.size(limit)}"
            if usage.is_limit_far:
                limit, text = None, f"{text}, far above"
        self.steps.set_limit(None if limit is None else float(limit), text)
        self.steps.set_peak(usage.peak_cycle, float(usage.peak_bytes), usage.peak_text(scale.size))
        self.set_bounds(
            Range(0.0, end_cycle), Range(0.0, usage.top_bytes), LEAST_CYCLES, usage.top_bytes
        )
        self.box.show(along_y=Range(0.0, usage.top_bytes))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.steps.set_theme(theme)

    def tip_at(self, position: QPointF) -> str:
        """How much is in use at a pixel."""
        scene = self.mapToScene(position.toPoint())
        if self._usage is None or self._scale is None:
            return ""
        if not self.box.sceneBoundingRect().contains(scene):
            return ""
        return usage_tip(self._usage, self.box.mapSceneToView(scene).x(), self._scale)
