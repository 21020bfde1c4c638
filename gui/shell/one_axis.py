"""Timeline and memory map as one picture: the same cycles, above each other, under one cursor."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from gui.items.canvas import Canvas
from gui.items.hair import Hair
from gui.shell.remembered import Remembered
from gui.views.memory.shown import is_over_cycles
from gui.views.memory.view import MemoryView
from gui.views.timeline.stage import set_aside, show_moment
from gui.views.timeline.view import TimelineView

_MOVED = frozenset(
    (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide),
)
_SAME_PX = 4
_LEAST_LETTERS = 16


class OneAxis(QObject):
    """Lets both show the same stretch, end at the same pixel, and mark where the pointer is."""

    def __init__(
        self, timeline: TimelineView, memory: MemoryView, remembered: Remembered, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._stage, self._memory, self._timeline = timeline.stage, memory, timeline
        self._remembered = remembered
        self._is_joining = False
        self._is_joined = remembered.preferences.has_one_axis
        stage, pane = timeline.stage, memory.pane
        self._canvases: tuple[Canvas, ...] = (
            stage.pinned,
            stage.lanes,
            stage.usage,
            pane.lane,
            pane.canvas,
        )
        self._hairs = {canvas: Hair(canvas) for canvas in self._canvases}
        stage.lanes.view_changed.connect(self._show_below)
        pane.canvas.view_changed.connect(self._show_above)
        timeline.caught_up.connect(self._join)
        memory.caught_up.connect(self._join)
        memory.header.scale_chosen.connect(lambda _: self._join())
        memory.moment_changed.connect(partial(show_moment, stage))
        remembered.changed.connect(self._heed)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._line_up)
        for part in (timeline, memory, memory.side):
            part.installEventFilter(self)
        for canvas in self._canvases:
            canvas.viewport().installEventFilter(self)

    @property
    def is_one(self) -> bool:
        """Whether both have the same axis now."""
        shown = self._memory.shown
        return self._is_joined and shown is not None and is_over_cycles(shown)

    def _heed(self) -> None:
        """Have them together, or each for itself, as the user wants it now."""
        is_joined = self._remembered.preferences.has_one_axis
        if is_joined != self._is_joined:
            self._is_joined = is_joined
            self._join()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice that one has another size, and where the pointer is."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            self._show_pointer(watched, event.position())
        elif event.type() == QEvent.Type.Leave:
            self._hide_pointer()
        elif event.type() in _MOVED and watched in (
            self._timeline,
            self._memory,
            self._memory.side,
        ):
            self._timer.start(0)
        return False

    def _join(self) -> None:
        """Begin to be together, or apart: below, as much can be seen as above."""
        self._is_joining = True
        self._memory.pane.reach(self._stage.lanes.end_cycle if self.is_one else None)
        self._is_joining = False
        self._show_below()
        self._timer.start(0)

    def _show_below(self) -> None:
        self._show_in(self._memory.pane.canvas, self._stage.lanes)

    def _show_above(self) -> None:
        if not self._is_joining:
            self._show_in(self._stage.lanes, self._memory.pane.canvas)

    def _show_in(self, follower: Canvas, leader: Canvas) -> None:
        # One of them may have an answer that the other has not had its turn to show.
        views = (self._timeline, self._memory)
        has_both = not any(view.is_behind or view.lacks_answer for view in views)
        if self.is_one and has_both and follower.box.x_range != leader.box.x_range:
            follower.box.show(leader.box.x_range)

    def _line_up(self) -> None:
        """Let time end at the same pixel in both, where one is above the other."""
        set_aside(self._stage, self._room_aside() if self.is_one else 0)

    def _room_aside(self) -> int:
        """How much of the width below is taken by the list beside the map."""
        upper, lower = self._timeline, self._memory
        if not (upper.isVisible() and lower.isVisible() and upper.window() is lower.window()):
            return 0
        begins = [_left(upper), _left(lower)]
        ends = [begins[0] + upper.width(), begins[1] + lower.width()]
        if max(abs(begins[0] - begins[1]), abs(ends[0] - ends[1])) > _SAME_PX:
            return 0
        pane = lower.pane
        room = ends[0] - (_left(pane) + pane.width())
        least = upper.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        return room if room >= least else 0

    def _show_pointer(self, watched: QObject, place: QPointF) -> None:
        source = next((part for part in self._canvases if part.viewport() is watched), None)
        if source is None:
            return
        scene = QPointF(source.mapToScene(place.toPoint()))
        is_inside = source.box.sceneBoundingRect().contains(scene)
        cycle = source.box.mapSceneToView(scene).x()
        above = self._canvases[:3]
        for canvas, hair in self._hairs.items():
            is_beside = (canvas in above) == (source in above) or self.is_one
            hair.show_at(cycle if is_inside and is_beside else None)

    def _hide_pointer(self) -> None:
        for hair in self._hairs.values():
            hair.show_at(None)


def _left(widget: QWidget) -> int:
    return widget.mapTo(widget.window(), QPoint(0, 0)).x()
