"""The lanes of the timeline: cascades above, engines below, operators between where unfolded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetrics, QMouseEvent, QPainter

from core.base.ids import NpuOpId
from core.ir.trace import Lane
from gui.items.arrows_item import ArrowsItem
from gui.items.axes import PlainAxis, margin_px
from gui.items.flags_item import FlagsItem
from gui.items.pins_item import Pin, PinsItem
from gui.items.ranges import Range
from gui.items.rects_item import Hit, RectsItem
from gui.items.themed_item import ViewFillingItem
from gui.present.edits.rows import State
from gui.present.fitting import fitted
from gui.present.notes.flags import Flag
from gui.present.rects import empty_rects
from gui.present.timeline.arrows import Arrow
from gui.present.timeline.before import Before
from gui.present.timeline.data import TimelineData
from gui.present.timeline.picks import Picked
from gui.present.timeline.picture import (
    before_rects,
    cascade_rects,
    error_rects,
    measured_rects,
    operator_rects,
    slice_rects,
)
from gui.present.timeline.rows import Fold, Rows, rows_of
from gui.present.timeline.tracks import Track, Tracks
from gui.theme.tones import LIGHT, Theme
from gui.views.timeline.keyed import KeyedCanvas

SLICES = "slices"
CASCADES = "cascades"
OPERATORS = "operators"
MEASURED = "measured"
ERRORS = "errors"
BEFORE = "before"

LEAST_CYCLES = 16.0
_LEAST_LINES = 1.25
"""Lines of text that a row has room for at least; if there are more rows, they can be dragged."""
_SIGN_LETTERS = 2.5


class BandsItem(ViewFillingItem):
    """Bands from one y to another, in the colour of every other line of a table."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self._bands: Sequence[tuple[float, float]] = ()
        self.setZValue(-1)

    def set_bands(self, bands: Sequence[tuple[float, float]]) -> None:
        self._bands = bands
        self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Fill the bands."""
        view = self.viewRect()
        to_pixels = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        for low, high in self._bands:
            box = to_pixels.mapRect(QRectF(view.left(), low, view.width(), high - low))
            painter.fillRect(box.toAlignedRect(), QColor(self._theme.alternate))
        painter.restore()


class LanesCanvas(KeyedCanvas):
    """Rows over cycles, the first one at the top; a title is clicked, dragged, has a menu."""

    title_clicked = Signal(object)
    """A `Track`."""
    title_dragged = Signal(object, object)
    """A `Track`, and the one in whose place it was let go."""
    title_menu_asked = Signal(object, QPoint)
    """A `Track`, and where on the screen."""

    def __init__(self, name: str = "Timeline") -> None:
        axis = PlainAxis("left")
        axis.setStyle(tickLength=0)
        super().__init__(name, {"left": axis}, moves_y=True)
        self._held: Track | None = None
        self.box.invertY(b=True)
        self.cascades, self.slices = RectsItem(CASCADES), RectsItem(SLICES)
        self.operators, self.measured = RectsItem(OPERATORS), RectsItem(MEASURED)
        self.errors, self.before = RectsItem(ERRORS), RectsItem(BEFORE)
        self._bands = BandsItem()
        self.addItem(self._bands, ignoreBounds=True)
        beside = self.measured, self.errors, self.before
        for layer in (self.cascades, self.operators, *beside, self.slices):
            self.add_layer(layer)
        self.pins = PinsItem()
        self.addItem(self.pins, ignoreBounds=True)
        self.arrows = ArrowsItem()
        self.addItem(self.arrows, ignoreBounds=True)
        self.flags = FlagsItem()
        self.add_flags(self.flags)
        self.rows: Rows | None = None
        self._end_cycle = 1.0
        # Rows become higher; so low that nobody can read them they never get.
        self.box.sigResized.connect(self._bound_rows)

    def set_data(
        self,
        data: TimelineData,
        folds: Mapping[int, Fold],
        tracks: Tracks,
        *,
        pinned: bool = False,
        has_notes: bool = False,
        before: Before | None = None,
    ) -> None:
        """Draw slices, with cascades folded in some way."""
        of_a = () if before is None or pinned else before.lanes
        was_empty = self.rows is not None and not self.rows.all
        self.rows = rows = rows_of(
            data, folds, tracks, pinned=pinned, has_notes=has_notes, before=of_a
        )
        if was_empty and not rows.all:
            # Nothing is pinned, as mostly.
            return
        self._end_cycle = data.end_cycle
        if before is None:
            self.before.set_rects(empty_rects())
        else:
            self._end_cycle = max(data.end_cycle, before.data.end_cycle)
            self.before.set_rects(before_rects(before.data, of_a, rows))
        self.slices.set_rects(slice_rects(data, rows, folds))
        self.cascades.set_rects(cascade_rects(data, rows, folds))
        self.operators.set_rects(operator_rects(data, rows, folds))
        self.measured.set_rects(measured_rects(data, rows))
        self.errors.set_rects(error_rects(data, rows))
        self._bands.set_bands([(row.top, row.bottom) for row in rows.all[::2]])
        metrics = QFontMetrics(self.font())
        room = margin_px() - metrics.averageCharWidth()
        width = metrics.horizontalAdvance
        self.getAxis("left").setTicks(
            [[(row.middle, fitted(row.title, room, width)) for row in rows.all]]
        )
        self._bound_rows()

    def set_selected(self, picked: Picked, data: TimelineData, folds: Mapping[int, Fold]) -> None:
        """Outline what is selected; of a cascade that is one bar, the bar."""
        slices = frozenset(picked.slices.tolist())
        self.operators.set_selected(slices)
        self.cascades.set_selected(picked.cascades)
        ops = data.trace.op[picked.slices]
        self.measured.set_selected(frozenset(ops[ops >= 0].tolist()))
        cpu_ops = data.trace.cpu_op[picked.slices]
        self.errors.set_selected({*ops[ops >= 0].tolist(), *(-1 - cpu_ops[ops < 0]).tolist()})
        hidden = {int(position) for position in data.cascade_of_op[ops[ops >= 0]]}
        bars = {-1 - position for position in hidden if folds.get(position) is Fold.BAR}
        self.slices.set_selected(slices | bars)

    def set_pins(self, states: Mapping[NpuOpId, State], data: TimelineData) -> None:
        """Mark operators that are decided about, where they begin."""
        rows = self.rows
        if rows is None:
            return
        trace = data.trace
        found = []
        for op, state in states.items():
            slices = np.flatnonzero(
                (trace.op == op) & np.isin(trace.lane, (Lane.MAC, Lane.ELEMENTWISE))
            )
            if len(slices):
                lane = rows.lanes.get(Lane(int(trace.lane[slices[0]])))
                if lane is not None:
                    found.append(Pin(float(trace.start_cycle[slices[0]]), lane.top, state))
        self.pins.set_pins(found)

    def set_arrows(self, arrows: Sequence[Arrow]) -> None:
        """Draw who hands what to whom."""
        self.arrows.set_arrows(arrows)

    def title_at(self, position: QPointF) -> Track | None:
        """The lane whose title is at a pixel of the viewport."""
        scene = QPointF(self.mapToScene(position.toPoint()))
        area = self.box.sceneBoundingRect()
        if self.rows is None or not (scene.x() < area.left() and area.top() <= scene.y()):
            return None
        y = self.box.mapSceneToView(scene).y()
        return next((row.track for row in self.rows.all if row.top <= y <= row.bottom), None)

    @property
    def is_holding(self) -> bool:
        """Whether a title is held, or something that is drawn."""
        return self._held is not None or super().is_holding

    def give_up(self) -> None:
        """Put it back."""
        self._held = None
        super().give_up()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a title."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = self.title_at(event.position())
            if self._held is not None:
                event.accept()
                return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A title that is let go was clicked, or moved to another's place."""
        held, self._held = self._held, None
        if held is None:
            super().mouseReleaseEvent(event)
            return
        onto = self.title_at(event.position())
        if onto is held:
            self.title_clicked.emit(held)
        elif onto is not None:
            self.title_dragged.emit(held, onto)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of a lane at its title, else that of what is drawn."""
        track = self.title_at(QPointF(event.pos()))
        is_asked = event.reason() is QContextMenuEvent.Reason.Mouse and not self._is_menu_swallowed
        if track is None or not is_asked:
            super().contextMenuEvent(event)
            return
        self.title_menu_asked.emit(track, event.globalPos())
        event.accept()

    def tip_at(self, position: QPointF) -> str:
        """What can be done with a title, too."""
        track = self.title_at(position)
        if track is None:
            return super().tip_at(position)
        return f"{track.title}: click to collapse, drag to move, right click for more"

    def set_flags(self, flags: Sequence[Flag]) -> None:
        """Have a flag for each note, in their row."""
        row = None if self.rows is None else self.rows.notes
        y = None if row is None else row.bottom
        self.flags.set_flags([flag._replace(y=y) for flag in flags])

    @property
    def end_cycle(self) -> float:
        """Where the longer of both runs ends."""
        return self._end_cycle

    def is_sign_at(self, hit: Hit, scene: QPointF) -> bool:
        """Whether the sign that folds a cascade is at a place of the scene."""
        if hit.layer != CASCADES:
            return False
        start = self.box.mapViewToScene(QPointF(self.cascades.rects.left[hit.position], 0.0)).x()
        left = max(start, self.box.sceneBoundingRect().left())
        reach = QFontMetrics(self.font()).averageCharWidth() * _SIGN_LETTERS
        return bool(left <= scene.x() <= left + reach)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._bands.set_theme(theme)
        self.pins.set_theme(theme)
        self.flags.set_theme(theme)
        self.arrows.set_theme(theme)

    def _row_px(self) -> float:
        return QFontMetrics(self.font()).height() * _LEAST_LINES

    def show_whole_height(self) -> None:
        """Be as high as the rows are, as pinned ones are."""
        rows = self.rows
        if rows is not None:
            self.setFixedHeight(round(rows.height * self._row_px()) + 2)
            self._bound_rows()

    def _bound_rows(self, *_: object) -> None:
        if self.rows is None:
            return
        height = max(float(self.box.height()), 1.0)
        least = min(height / self._row_px(), self.rows.height)
        top = self.box.y_range.start
        self.set_bounds(
            Range(0.0, self._end_cycle), Range(0.0, self.rows.height), LEAST_CYCLES, least
        )
        self.box.show(along_y=Range(top, top + least))
