"""The map of one memory, and above it the lane of what had no room there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.base.frozen import replace
from gui.items.axes import MemoryAxis, PlainAxis, TimeAxis, margin_px
from gui.items.canvas import Canvas
from gui.items.flags_item import FlagsItem
from gui.items.legend import Legend
from gui.items.outlines_item import OutlinesItem
from gui.items.pins_item import PinsItem, pins_on
from gui.items.ranges import Range
from gui.items.rects_item import Hit, RectsItem
from gui.present.edits.rows import State
from gui.present.memory.beside import NOBODY, Beside
from gui.present.memory.ghosts import Ghost, ghost_rects, row_count
from gui.present.memory.map import AreaMap
from gui.present.notes.flags import Flag, NotedMaps, flags_on
from gui.present.rects import Floats, Rects, empty_rects
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.views.memory.marks import Band, Line, Marks

GHOSTS = "ghosts"
RANGES = "ranges"
PADDING = "padding"
OVER = "over"
SHARED = "shared"

_LEAST_PADDING_PX = 3
_MOST_LANE_ROWS = 6
_LEGEND_PART = 3
"""In large type it would take the map's room."""
_NEARLY_ALL = 0.999
_LINES_ABOVE, _LINES_BELOW = 2.2, 0.7
"""Above the highest address is room for the texts of lines, and at the lowest for its number."""
_LANE_SHARE = 0.28
_LINES_A_GHOST = 1.4
_LEAST_X = 1.0
_LEAST_Y = 64.0


class MapCanvas(Canvas):
    """A canvas with a key for the peak."""

    KEYS: ClassVar[Mapping[Qt.Key, str]] = {**Canvas.KEYS, Qt.Key.Key_Home: "ask_for_peak"}

    peak_asked = Signal()

    def ask_for_peak(self) -> None:
        """Tell the view to go to the peak."""
        self.peak_asked.emit()


class MapPane(QWidget):
    """Two canvases that show the same stretch of x."""

    picked = Signal(object)
    """A `Hit` was clicked in either, or None."""
    note_picked = Signal(int)
    """The number of a note whose flag was clicked."""
    ground_clicked = Signal(float)
    """Where along x the empty ground was clicked."""
    span_dragged = Signal(float, float, bool)
    peak_asked = Signal()
    activated = Signal()
    """What is picked was double-clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.time_axis = TimeAxis()
        self.memory_axis = MemoryAxis()
        axes: dict[str, PlainAxis] = {"left": self.memory_axis, "bottom": self.time_axis}
        self.canvas = MapCanvas("Memory map", axes, moves_y=True)
        lane_axis = PlainAxis("left")
        lane_axis.setStyle(showValues=False)
        self.lane = MapCanvas("Evicted feature maps", {"left": lane_axis})
        self.ranges, self.padding = RectsItem(RANGES), RectsItem(PADDING)
        self.over = RectsItem(OVER, is_veil=True)
        self.shared = RectsItem(SHARED, is_veil=True)
        self.ghosts = RectsItem(GHOSTS)
        self.others = RectsItem()
        """Other models in the device: they are seen, and nothing of them can be picked."""
        self.canvas.addItem(self.others, ignoreBounds=True)
        for layer in (self.ranges, self.padding, self.shared, self.over):
            self.canvas.add_layer(layer)
        self.lane.add_layer(self.ghosts)
        self.marks, self.lane_marks = Marks(self.ranges, self.over), Marks(self.ghosts)
        self.legend = Legend()
        self.canvas.addItem(self.marks, ignoreBounds=True)
        self.lane.addItem(self.lane_marks, ignoreBounds=True)
        self.outlines = OutlinesItem()
        self.canvas.addItem(self.outlines, ignoreBounds=True)
        self.ahead = OutlinesItem()
        """What would lie elsewhere once what is held is let go."""
        self.canvas.addItem(self.ahead, ignoreBounds=True)
        self.pins, self.lane_pins = PinsItem(), PinsItem()
        self.canvas.addItem(self.pins, ignoreBounds=True)
        self.lane.addItem(self.lane_pins, ignoreBounds=True)
        # The first line is for the texts of lines.
        self.flags, self.lane_flags = FlagsItem(lines_below_top=1.0), FlagsItem()
        self.canvas.add_flags(self.flags)
        self.lane.add_flags(self.lane_flags)
        self._drawn: AreaMap | None = None
        self._beside = NOBODY
        self._padding_bucket = -1
        self._widest = 0.0
        self._rows = 0
        self._reach: float | None = None
        self._arrange(lane_axis)
        self._connect()

    def box_of(self, left: float, right: float, bottom: float, top: float) -> QRectF:
        """A box of the map, by x and bytes, in pixels of the pane."""

        def place(x: float, y: float) -> QPointF:
            scene = self.canvas.box.mapViewToScene(QPointF(x, y))
            return QPointF(self.canvas.mapTo(self, self.canvas.mapFromScene(scene)))

        return QRectF(place(left, top), place(right, bottom)).normalized()

    def _arrange(self, lane_axis: PlainAxis) -> None:
        self.memory_axis.setStyle(hideOverlappingLabels=True)
        for axis in (self.memory_axis, lane_axis):
            axis.setWidth(margin_px())
        layout = QVBoxLayout(self)
        arrange(layout, between=Gap.NONE)
        layout.addWidget(self.lane)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self.legend)
        self.lane.hide()

    def _connect(self) -> None:
        for canvas, other in ((self.canvas, self.lane), (self.lane, self.canvas)):
            canvas.picked.connect(self.picked)
            canvas.menu_hit.connect(self.picked)
            canvas.span_dragged.connect(self.span_dragged)
            canvas.peak_asked.connect(self.peak_asked)
            canvas.activated.connect(lambda _: self.activated.emit())
            canvas.view_changed.connect(self._follower(canvas, other))
            canvas.box.clicked.connect(self._ground_teller(canvas))
        self.canvas.view_changed.connect(self._show_padding)

    def _follower(self, canvas: Canvas, other: Canvas) -> Callable[[], None]:
        """Lets the other canvas show the same stretch."""

        def follow() -> None:
            if canvas.box.x_range != other.box.x_range:
                other.box.show(canvas.box.x_range)

        return follow

    def _ground_teller(self, canvas: Canvas) -> Callable[[QPointF, bool], None]:
        def tell(scene: QPointF, is_double: bool) -> None:  # noqa: FBT001 - a signal's
            flag = (self.flags if canvas is self.canvas else self.lane_flags).flag_at(scene)
            if flag is not None:
                self.note_picked.emit(flag.number)
                return
            position = QPointF(canvas.mapFromScene(scene))
            if not is_double and canvas.hit_at(position) is None:
                self.ground_clicked.emit(canvas.box.mapSceneToView(scene).x())

        return tell

    def set_theme(self, theme: Theme) -> None:
        for canvas in (self.canvas, self.lane):
            canvas.set_theme(theme)
        marks = (self.marks, self.lane_marks, self.pins, self.lane_pins, self.outlines, self.ahead)
        for item in (*marks, self.others, self.flags, self.lane_flags):
            item.set_theme(theme)
        self.legend.set_theme(theme)

    def set_describer(self, describe: Callable[[Hit], str]) -> None:
        """Say what tips tell."""
        self.canvas.set_describer(describe)
        self.lane.set_describer(describe)

    def set_map(
        self,
        drawn: AreaMap,
        ghosts: Sequence[Ghost],
        beside: Beside = NOBODY,
        *,
        keeps_view: bool,
    ) -> None:
        """Draw another map; where everything was in sight, or nothing is kept, all of it."""
        box = self.canvas.box
        before = box.x_range, box.y_range
        was_all = self._drawn is None or self._is_all_shown()
        self._drawn, self._beside = drawn, beside
        self.others.set_rects(beside.rects)
        self._padding_bucket = -1
        self.ranges.set_rects(drawn.rects)
        self.over.set_rects(drawn.over)
        self.shared.set_rects(drawn.shared)
        self._rows = row_count(ghosts)
        self._share_height()
        self.canvas.show_all()
        self._widest = box.x_range.length
        if keeps_view and not was_all:
            box.show(*before)
        self.lane.show_all()
        self.lane.box.show(box.x_range)
        self._show_padding()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the height anew; where everything is in sight it stays so."""
        super().resizeEvent(event)
        self.legend.set_room(self.height() // _LEGEND_PART)
        if self._drawn is not None:
            was_all = self._is_all_shown()
            self._share_height()
            if was_all:
                self.canvas.show_all()

    def reach(self, end: float | None) -> None:
        """Let the view go as far along x as another picture of the same run."""
        if end != self._reach:
            self._reach = end
            was_all = self._is_all_shown()
            self._share_height()
            if was_all and self._drawn is not None:
                self.canvas.show_all()
                self._widest = self.canvas.box.x_range.length

    def _share_height(self) -> None:
        """Give the lane what it needs, but not all; leave room for texts above and below."""
        if self._drawn is None:
            return
        line = QFontMetrics(self.font()).height()
        wanted = round(min(self._rows, _MOST_LANE_ROWS) * line * _LINES_A_GHOST)
        lane = min(wanted, round(self.height() * _LANE_SHARE)) + 4
        self.lane.setFixedHeight(lane)
        self.lane.setVisible(self._rows > 0)
        room = max(self.height() - (lane if self._rows else 0) - 3 * line, 8 * line)
        head, foot = _LINES_ABOVE * line / room, _LINES_BELOW * line / room
        low = self._beside.bottom_bytes
        top = max(self._drawn.top_bytes, self._beside.top_bytes, _LEAST_Y)
        byte = (top - low) / (1.0 - head - foot)
        start = float(self._drawn.edges[0])
        along_x = Range(start, max(self._drawn.end, self._reach or 0.0, start + _LEAST_X))
        along_y = Range(low - byte * foot, low + byte * (1.0 - foot))
        rows = float(max(self._rows, 1))
        self.canvas.set_bounds(along_x, along_y, _LEAST_X, _LEAST_Y)
        self.lane.set_bounds(along_x, Range(0.0, rows), _LEAST_X, rows)

    def _is_all_shown(self) -> bool:
        return self.canvas.box.x_range.length >= self._widest * _NEARLY_ALL

    def set_ghosts(self, ghosts: Sequence[Ghost], edges: Floats, labels: Sequence[str]) -> None:
        """Draw other ghosts in the lane."""
        self.ghosts.set_rects(ghost_rects(ghosts, edges, labels))

    def set_selected(
        self, ranges: Iterable[int], ghosts: Iterable[int], bands: Sequence[Band]
    ) -> None:
        """Outline what is selected, and mark when it runs."""
        chosen = frozenset(ranges)
        for layer in (self.ranges, self.padding, self.over):
            layer.set_selected(chosen)
        self.ghosts.set_selected(ghosts)
        self.marks.set_bands(bands)
        self.lane_marks.set_bands(bands)

    def set_lines(self, limit: Line | None, peak: Line | None, cut: Line | None) -> None:
        """Draw other lines; the lane has those of times, without their texts."""
        self.marks.set_lines(limit, peak, cut)
        self.lane_marks.set_lines(
            None, *(None if line is None else Line(line.at) for line in (peak, cut))
        )

    def set_pins(self, ranges: Mapping[int, State], ghosts: Mapping[int, State]) -> None:
        """Mark what is decided by the user, by the keys of rectangles."""
        self.pins.set_pins(pins_on(self.ranges.rects, ranges))
        self.lane_pins.set_pins(pins_on(self.ghosts.rects, ghosts))

    def describe(self, text: str) -> None:
        """Tell those who cannot see the canvases what they show."""
        self.canvas.describe_selection(text)
        self.lane.describe_selection(text)

    def clear(self) -> None:
        """Draw nothing."""
        self._drawn = None
        layers = (self.ranges, self.padding, self.over, self.shared, self.ghosts, self.others)
        for layer in layers:
            layer.set_rects(empty_rects())
        self.lane.hide()

    def _show_padding(self) -> None:
        """Draw the padding that is high enough to be seen; thinner, it would look like more."""
        if self._drawn is None:
            return
        _, height = self.canvas.box.viewPixelSize()
        bucket = math.ceil(math.log2(max(height * _LEAST_PADDING_PX, 1.0)))
        if bucket != self._padding_bucket:
            self._padding_bucket = bucket
            self.padding.set_rects(_at_least(self._drawn.padding, 2.0**bucket))


def show_around(pane: MapPane, x: float) -> None:
    """Bring a place along x to the middle, and all addresses in sight."""
    box = pane.canvas.box
    half = box.x_range.length / 2
    box.show(Range(x - half, x + half), Range(0.0, math.inf))


def show_flags(pane: MapPane, flags: Sequence[Flag], maps: NotedMaps, ghosts: NotedMaps) -> None:
    """Mark what the user has noted: times at the top, ranges and ghosts by their keys."""
    pane.flags.set_flags([*flags, *flags_on(pane.ranges.rects, maps)])
    pane.lane_flags.set_flags(list(flags_on(pane.ghosts.rects, ghosts)))


def _at_least(rects: Rects, height: float) -> Rects:
    tall = np.flatnonzero(rects.top - rects.bottom >= height)
    return replace(
        rects,
        left=rects.left[tall],
        right=rects.right[tall],
        bottom=rects.bottom[tall],
        top=rects.top[tall],
        ink=rects.ink[tall],
        key=rects.key[tall],
        row=rects.row[tall],
    )
