"""The timeline's canvases side by side: they show the same cycles, selection and marked stretch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QSplitter, QVBoxLayout, QWidget

from core.base.frozen import replace
from core.base.ids import NpuOpId
from core.ir.trace import NOTHING
from gui.document.answer import Answer
from gui.document.display import Display, Span
from gui.document.look import LookPart
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.items.legend import PIN
from gui.items.minimap import Minimap
from gui.items.ranges import Range
from gui.items.rects_item import Hit
from gui.present.edits.pins import Pins
from gui.present.lod import Field
from gui.present.notes.flags import Flag
from gui.present.runs.proof import ErrorLane, key_selection
from gui.present.timeline.arrows import arrows
from gui.present.timeline.before import Before
from gui.present.timeline.data import TimelineData, timeline_data
from gui.present.timeline.dependencies import Handover, handovers
from gui.present.timeline.memory import Usage, usage_of
from gui.present.timeline.picks import Picked, picked, selection_of
from gui.present.timeline.picture import legend_of, slice_rects
from gui.present.timeline.place import place_in
from gui.present.timeline.rows import Fold, rows_of
from gui.present.timeline.text import (
    SELECTING,
    Scale,
    cascade_tip,
    error_tip,
    measured_tip,
    merged_tip,
    scale_of,
    selection_text,
    slice_tip,
    totals_text,
)
from gui.present.timeline.totals import totals_of
from gui.present.timeline.tracks import Tracks, tracks_of
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.views.timeline.keyed import KeyedCanvas
from gui.views.timeline.lanes import (
    BEFORE,
    CASCADES,
    ERRORS,
    MEASURED,
    OPERATORS,
    SLICES,
    LanesCanvas,
)
from gui.views.timeline.strip import Strip
from gui.views.timeline.track_menu import fill_tracks_menu, open_track_menu
from gui.views.timeline.usage import UsageCanvas

_NEARLY_ALL = 0.999
_LEAST_SPAN_PX = 3


class Stage(QWidget):
    """Minimap, lanes, fast storage, and a strip of words; it draws, and tells what is asked."""

    selection_asked = Signal(object, int)
    """A `Selection`, and the slice that was clicked for it; -1 for none."""
    note_asked = Signal(int)
    """The number of a note whose flag was clicked."""
    span_asked = Signal(object)
    """A `Span` was marked, or None."""
    asked = Signal(str)
    """A method of the view that a key stands for."""

    def __init__(self) -> None:
        super().__init__()
        self.minimap = Minimap("The whole run")
        self.lanes, self.usage, self.strip = LanesCanvas(), UsageCanvas(), Strip()
        self.pinned = LanesCanvas("Pinned lanes")
        self.tracks = Tracks()
        self.handed: Sequence[Handover] = ()
        self.answer: Answer | None = None
        self.data: TimelineData | None = None
        self.folds: dict[int, Fold] = {}
        self.flags: tuple[Flag, ...] = ()
        """Of notes."""
        self.before: Before | None = None
        """The lanes of A, where something is compared."""
        self.display = Display()
        self.selection = NOTHING_SELECTED
        self.span: Span | None = None
        self._picked = Picked(np.zeros(0, dtype=np.intp), frozenset())
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.lanes)
        split.addWidget(self.usage)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 3)
        line = self.fontMetrics().height()
        self.lanes.setMinimumHeight(line * 6)
        self.usage.setMinimumHeight(line * 4)
        self.pinned.hide()
        # Keys go to the lanes below, which do the same for both.
        self.pinned.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        canvases = QWidget()
        column = QVBoxLayout(canvases)
        arrange(column, between=Gap.NONE)
        column.addWidget(self.minimap)
        column.addWidget(self.pinned)
        column.addWidget(split, 1)
        self.both = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        arrange(self.both, between=Gap.NONE)
        self.both.addWidget(canvases, 1)
        self.both.addWidget(self.strip)

    def _connect(self) -> None:
        for canvas in (self.lanes, self.pinned, self.usage):
            canvas.asked.connect(self.asked)
            canvas.span_dragged.connect(self._mark)
            canvas.span_moved.connect(self._mark)
        self.lanes.view_changed.connect(self._follow_lanes)
        self.lanes.box.sigResized.connect(self._follow_lanes)
        for follower in (self.usage, self.pinned):
            follower.view_changed.connect(partial(self._follow, follower))
        for canvas in (self.lanes, self.pinned):
            canvas.box.clicked.connect(partial(self._click, canvas))
            canvas.menu_hit.connect(lambda hit: self.selection_asked.emit(*target(self, hit)))
            canvas.set_describer(self.tip)
            canvas.title_clicked.connect(lambda track: self.arrange(self.tracks.collapsed(track)))
            canvas.title_dragged.connect(lambda *both: self.arrange(self.tracks.moved(*both)))
            canvas.title_menu_asked.connect(partial(open_track_menu, self))
        self.usage.box.clicked.connect(partial(_click_time, self))
        self.strip.lanes_menu.aboutToShow.connect(
            lambda: fill_tracks_menu(self, self.strip.lanes_menu)
        )
        self.minimap.brushed.connect(self.lanes.box.show)
        self.minimap.all_asked.connect(self.lanes.show_all)
        self.strip.fold_chosen.connect(self.fold_all)

    def set_theme(self, theme: Theme) -> None:
        for part in (self.lanes, self.pinned, self.usage, self.minimap, self.strip.legend):
            part.set_theme(theme)

    def set_answer(self, answer: Answer, display: Display, *, keeps_view: bool) -> None:
        """Draw another answer; the operator in the middle stays there, unless all was in sight."""
        box = self.lanes.box
        was_all = self.data is None or box.x_range.length >= self.lanes.end_cycle * _NEARLY_ALL
        self.answer, self.display = answer, display
        before, shown = self.data, box.x_range
        if not keeps_view:
            self.folds = {}
        data = timeline_data(answer)
        self.show_data(data, usage_of(answer), scale_of(answer, display))
        if was_all or before is None or not keeps_view:
            self.lanes.show_all()
        else:
            middle = place_in(before.trace, data.trace, (shown.start + shown.end) / 2)
            box.show(Range(middle - shown.length / 2, middle + shown.length / 2))

    def show_data(self, data: TimelineData, usage: Usage, scale: Scale) -> None:
        """Draw a run, whoever made it."""
        self.data = data
        # Slices of the run before are not those of this one, also where the selection is the same.
        self._picked = Picked(np.zeros(0, dtype=np.intp), frozenset())
        self.folds = {
            place: fold for place, fold in self.folds.items() if place < len(data.cascades)
        }
        self.strip.legend.set_entries(legend_of(data))
        _draw_lanes(self, data)
        before = None if self.before is None else self.before.usage
        self.usage.set_usage(usage, self.lanes.end_cycle, scale, before)
        for follower in (self.usage, self.pinned):
            follower.box.show(self.lanes.box.x_range)

    def set_display(self, display: Display) -> None:
        """Tell numbers in other units."""
        self.display = display
        if self.answer is not None and self.data is not None:
            scale = scale_of(self.answer, display)
            before = None if self.before is None else self.before.usage
            self.usage.set_usage(usage_of(self.answer), self.lanes.end_cycle, scale, before)

    def set_selection(self, selection: Selection) -> None:
        """Outline what is selected, and say what it is."""
        self.selection = selection
        if self.answer is None or self.data is None:
            return
        self._picked = picked(self.answer.scheduled, self.data, selection)
        self.handed = handovers(self.answer.scheduled.run.graph, selection)
        _outline(self, self.data)
        scale = scale_of(self.answer, self.display)
        text = selection_text(self.answer, self.data, selection, scale)
        # What says that there is nothing has room for what can be done.
        self.strip.selection.show_text(SELECTING if selection.is_empty else text)
        for canvas in (self.lanes, self.pinned, self.usage):
            canvas.describe_selection(text)

    def set_span(self, span: Span | None) -> None:
        """Show the marked stretch and its sums; in a column there is room for those of all."""
        self.span = span
        for canvas in (self.lanes, self.pinned, self.usage):
            canvas.show_span(span)
        summed = span
        if span is None and self.strip.is_upright and self.data is not None:
            summed = Span(start_cycle=0.0, end_cycle=self.data.end_cycle)
        parts: Sequence[str] = ()
        if summed is not None and self.answer is not None:
            scale = scale_of(self.answer, self.display)
            parts = totals_text(totals_of(self.answer, summed), scale)
        self.strip.set_totals(parts, "All" if span is None else "Marked")

    @property
    def picked_slices(self) -> Picked:
        """What the selection means here."""
        return self._picked

    def reveal(self, position: int) -> None:
        """Bring a slice in sight, as large as it is."""
        if self.data is None or position == NOTHING:
            return
        start = float(self.data.trace.start_cycle[position])
        end = float(self.data.trace.end_cycle[position])
        box = self.lanes.box
        shown = box.x_range
        if end < shown.start or start > shown.end:
            middle = (start + min(end, start + shown.length)) / 2
            box.show(Range(middle - shown.length / 2, middle + shown.length / 2))

    def fold(self, position: int) -> None:
        """Show a cascade in the next way."""
        self.folds[position] = self.folds.get(position, Fold.STRIPES).next
        self.draw_lanes()

    def fold_all(self, fold: Fold) -> None:
        """Show all cascades in one way."""
        if self.data is not None:
            self.folds = dict.fromkeys(range(len(self.data.cascades)), fold)
            self.draw_lanes()

    def tip(self, hit: Hit) -> str:
        """What is told about what is under the pointer."""
        if self.answer is None or self.data is None:
            return ""
        scale = scale_of(self.answer, self.display)
        if hit.items > 1:
            return merged_tip(hit.items)
        if hit.layer == BEFORE:
            return self.before.tip(hit.key, scale) if self.before is not None else ""
        if hit.layer == MEASURED:
            return measured_tip(self.answer, self.data, NpuOpId(hit.key))
        if hit.layer in (CASCADES, SLICES, OPERATORS):
            return _slice_tip(self.answer, self.data, hit, scale)
        return error_tip(self.data, hit.key)

    def draw_lanes(self) -> None:
        """Draw them as their cascades are shown now."""
        if self.data is not None:
            _draw_lanes(self, self.data)
            _outline(self, self.data)

    def arrange(self, tracks: Tracks) -> None:
        """Have lanes in another order, low, hidden, at the top."""
        if tracks != self.tracks:
            self.tracks = tracks
            self.draw_lanes()

    def _follow_lanes(self, *_: object) -> None:
        shown = self.lanes.box.x_range
        for follower in (self.usage, self.pinned):
            if follower.box.x_range != shown:
                follower.box.show(shown)
        self.minimap.set_shown(shown)
        area = self.lanes.box.sceneBoundingRect()
        self.minimap.set_title("Whole run", area.left(), self.lanes.width() - area.right())

    def _follow(self, follower: KeyedCanvas) -> None:
        shown = follower.box.x_range
        if self.lanes.box.x_range != shown:
            self.lanes.box.show(shown)

    def _click(self, canvas: LanesCanvas, scene: QPointF, is_double: bool) -> None:  # noqa: FBT001 - a signal's
        """Pick what was clicked in a lane; the sign of a cascade folds it."""
        if self.answer is None or self.data is None or is_double:
            return
        flag = canvas.flags.flag_at(scene)
        hit = canvas.hit_in_scene(scene)
        if flag is not None:
            self.note_asked.emit(flag.number)
        elif hit is None:
            self.selection_asked.emit(NOTHING_SELECTED, NOTHING)
        elif canvas.is_sign_at(hit, scene):
            self.fold(hit.key)
        else:
            self.selection_asked.emit(*target(self, hit))

    def _mark(self, start: float, end: float, is_done: bool) -> None:  # noqa: FBT001 - a signal's
        """Show a stretch while it is dragged; tell it when it is let go."""
        pixel = self.lanes.box.viewPixelSize()[0]
        last = 0.0 if self.data is None else self.data.end_cycle
        span = Span(start_cycle=min(max(start, 0.0), last), end_cycle=min(max(end, 0.0), last))
        wanted = span if span.cycles > _LEAST_SPAN_PX * pixel else None
        self.set_span(wanted)
        if is_done:
            self.span_asked.emit(wanted)


def _slice_tip(answer: Answer, data: TimelineData, hit: Hit, scale: Scale) -> str:
    """Of a cascade, which may be one bar among slices, or of a slice."""
    if hit.layer == CASCADES or hit.key < 0:
        return cascade_tip(data, hit.key if hit.key >= 0 else -1 - hit.key, scale)
    return slice_tip(answer, data, hit.key, scale)


def _draw_lanes(stage: Stage, data: TimelineData) -> None:
    """The same with nothing selected yet."""
    has_notes = bool(stage.flags)
    for canvas in (stage.lanes, stage.pinned):
        canvas.set_data(
            data,
            stage.folds,
            stage.tracks,
            pinned=canvas is stage.pinned,
            has_notes=has_notes,
            before=stage.before,
        )
        canvas.set_flags(stage.flags)
    _show_pinned(stage)
    _show_whole_run(stage, data)
    count = len(data.cascades)
    stage.strip.set_folds([stage.folds.get(place, Fold.STRIPES) for place in range(count)])


def _outline(stage: Stage, data: TimelineData) -> None:
    """Outline what is selected, with arrows from and to it, and what is like it in A."""
    for canvas in (stage.lanes, stage.pinned):
        canvas.set_selected(stage.picked_slices, data, stage.folds)
        canvas.set_arrows(arrows(stage.handed, data, canvas.rows))
    ops = frozenset(map(int, stage.selection.ops))
    stage.lanes.before.set_selected(stage.before.slices_of(ops) if stage.before else ())


def _show_pinned(stage: Stage) -> None:
    rows = stage.pinned.rows
    has_any = rows is not None and bool(rows.all)
    stage.pinned.setVisible(has_any)
    if has_any:
        stage.pinned.show_whole_height()
        stage.pinned.box.show(stage.lanes.box.x_range)


def _show_whole_run(stage: Stage, data: TimelineData) -> None:
    """The minimap has all lanes, however they are arranged."""
    rows, field = stage.lanes.rows, stage.lanes.slices.field
    if rows is None or stage.tracks.hidden or stage.tracks.pinned:
        rows = rows_of(data, stage.folds)
        field = Field(slice_rects(data, rows, stage.folds))
    stage.minimap.set_field(field, Range(0, stage.lanes.end_cycle), Range(*rows.engines))


def _click_time(stage: Stage, scene: QPointF, is_double: bool) -> None:  # noqa: FBT001 - a signal's
    """Pick the operator that runs when the curve was clicked."""
    if stage.data is None or is_double:
        return
    cycle = stage.usage.box.mapSceneToView(scene).x()
    trace = stage.data.trace
    runs = np.flatnonzero((trace.op_start_cycle <= cycle) & (cycle < trace.op_end_cycle))
    chosen = Selection(op=NpuOpId(int(runs[0]))) if len(runs) else NOTHING_SELECTED
    stage.selection_asked.emit(chosen, NOTHING)


def target(stage: Stage, hit: Hit) -> tuple[Selection, int]:
    """What is picked by a click on what is drawn in a lane, and the slice that was meant."""
    if stage.answer is None or stage.data is None:
        return NOTHING_SELECTED, NOTHING
    if hit.layer == BEFORE:
        return _partner(stage.before, hit.key), NOTHING
    if hit.layer == MEASURED:
        return Selection(op=NpuOpId(hit.key)), NOTHING
    if hit.layer == ERRORS:
        return key_selection(hit.key), NOTHING
    if hit.layer == CASCADES or hit.key < 0:
        place = hit.key if hit.key >= 0 else -1 - hit.key
        return Selection(cascade=stage.data.cascades[place].ref), NOTHING
    return selection_of(stage.answer.scheduled, stage.data.trace, hit.key), hit.key


def show_pins(stage: Stage, pins: Pins) -> None:
    """Mark what is decided by the user."""
    if stage.data is not None:
        for canvas in (stage.lanes, stage.pinned):
            canvas.set_pins(pins.ops, stage.data)
        stage.strip.legend.set_entries((PIN,) if pins.ops else (), "pins")


def show_played(stage: Stage, span: Span | None) -> None:
    """Show when the step runs that is played in the cascades."""
    for canvas in (stage.lanes, stage.pinned, stage.usage):
        canvas.show_played(span)


def show_moment(stage: Stage, cycle: float | None) -> None:
    """Draw a line where memory is cut, or none."""
    for canvas in (stage.lanes, stage.pinned, stage.usage):
        canvas.show_moment(cycle)


def set_aside(stage: Stage, width: int) -> None:
    """Have words in a column at the right, so that time ends where it does below; 0 is none."""
    ways = QBoxLayout.Direction
    stage.both.setDirection(ways.LeftToRight if width else ways.TopToBottom)
    if stage.strip.stand(width):
        stage.set_span(stage.span)


def _partner(before: Before | None, position: int) -> Selection:
    """The operator of B that is like the one of a slice of A."""
    op = NOTHING if before is None else int(before.own.op[position])
    partner = NOTHING if before is None or op == NOTHING else int(before.partner[op])
    return NOTHING_SELECTED if partner == NOTHING else Selection(op=NpuOpId(partner))


def show_before(stage: Stage, before: Before | None) -> None:
    """Draw the lanes of A too, or none; both canvases show the cycles of both."""
    was_all = stage.data is None or (
        stage.lanes.box.x_range.length >= stage.lanes.end_cycle * _NEARLY_ALL
    )
    stage.before = before
    stage.strip.align.setVisible(before is not None)
    if stage.data is not None:
        stage.draw_lanes()
        stage.set_display(stage.display)
        if was_all:
            stage.lanes.show_all()


def show_errors(stage: Stage, errors: ErrorLane | None) -> None:
    """Draw how far off operators are, or nothing of it."""
    if stage.data is not None and (errors is not None or stage.data.errors is not None):
        stage.data = replace(stage.data, errors=errors)
        stage.draw_lanes()


def show_flags(stage: Stage, flags: Sequence[Flag]) -> None:
    """Mark what the user has noted."""
    had = bool(stage.flags)
    stage.flags = tuple(flags)
    if had != bool(flags):
        stage.draw_lanes()
    else:
        stage.lanes.set_flags(flags)


def tracks_part(stage: Stage) -> LookPart:
    """How lanes are arranged."""
    return LookPart(lambda: dict(stage.tracks.plain()), lambda kept: stage.arrange(tracks_of(kept)))


def folds_part(stage: Stage) -> LookPart:
    """How cascades are shown, by their places."""

    def use(folds: Mapping[str, object]) -> None:
        ways = {fold.value: fold for fold in Fold}
        for place in range(len(stage.data.cascades) if stage.data else 0):
            stage.folds[place] = ways.get(str(folds.get(str(place))), Fold.STRIPES)
        stage.draw_lanes()

    return LookPart(lambda: {str(at): fold.value for at, fold in sorted(stage.folds.items())}, use)
