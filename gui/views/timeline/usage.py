"""Fast storage in use, under the lanes and over the same cycles."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from gui.items.axes import MemoryAxis, PlainAxis, TimeAxis
from gui.items.ranges import Range
from gui.items.step_item import Drawn, StepItem
from gui.present.timeline.memory import Usage
from gui.present.timeline.text import Scale, usage_tip
from gui.theme.tones import Theme
from gui.views.timeline.keyed import KeyedCanvas
from gui.views.timeline.lanes import LEAST_CYCLES

_TITLE = "SRAM in use"


class UsageCanvas(KeyedCanvas):
    """A step curve with its limit and its peak; that of A is the ground behind it and a line."""

    def __init__(self) -> None:
        self.time_axis, self.memory_axis = TimeAxis(), MemoryAxis()
        axes: dict[str, PlainAxis] = {"left": self.memory_axis, "bottom": self.time_axis}
        super().__init__(_TITLE, axes)
        self.steps = StepItem(_TITLE)
        self.before = StepItem(drawn=Drawn.GROUND), StepItem(drawn=Drawn.LINE)
        for item in (self.before[0], self.steps, self.before[1]):
            self.addItem(item, ignoreBounds=True)
        self._before: Usage | None = None
        self._usage: Usage | None = None
        self._scale: Scale | None = None

    def set_usage(
        self, usage: Usage, end_cycle: float, scale: Scale, before: Usage | None = None
    ) -> None:
        """Draw another curve, or the same in other units, and that of A behind it."""
        self._usage, self._scale, self._before = usage, scale, before
        for item in self.before:
            item.setVisible(before is not None)
            if before is not None:
                item.set_steps(before.edge_cycle, before.used_bytes)
        self.steps.set_title(_TITLE if before is None else f"{_TITLE}; the line is A's")
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
        top = max(each.top_bytes for each in (usage, before) if each is not None)
        self.set_bounds(Range(0.0, end_cycle), Range(0.0, top), LEAST_CYCLES, top)
        self.box.show(along_y=Range(0.0, top))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for item in (self.steps, *self.before):
            item.set_theme(theme)

    def tip_at(self, position: QPointF) -> str:
        """How much is in use at a pixel."""
        scene = self.mapToScene(position.toPoint())
        if self._usage is None or self._scale is None:
            return ""
        if not self.box.sceneBoundingRect().contains(scene):
            return ""
        cycle = self.box.mapSceneToView(scene).x()
        return usage_tip(self._usage, cycle, self._scale, self._before)
