"""The memory view: where everything lies in each memory, and when."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gui.document.changes import Part
from gui.document.decisions import Deed
from gui.document.look import LookPart
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.items.grip import AsWithAlt, FirstOf
from gui.items.rects_item import Hit
from gui.present.edits.deeds import asked_of, reserved
from gui.present.edits.pins import pins_of
from gui.present.memory.ahead import outlines_ahead
from gui.present.memory.cut import cut_near
from gui.present.memory.deeds import deed_of
from gui.present.memory.differences import outlines_of
from gui.present.memory.map import TimeScale
from gui.present.memory.moves import Held, Preview
from gui.present.memory.picks import area_with
from gui.present.memory.reserves import Reserve
from gui.present.notes.subjects import selection_of_note
from gui.present.operators.matches import lit_ranges
from gui.state.store import Store
from gui.views.memory.grip import Hands, MapGrip
from gui.views.memory.map_pane import MapPane, show_around, show_flags
from gui.views.memory.page import Page
from gui.views.memory.reserve_grip import ReserveGrip
from gui.views.memory.shown import Shown, moment_of
from gui.widgets.empty_state import no_schedule
from gui.widgets.foresight import Foresight
from gui.widgets.held_overlay import HeldOverlay
from gui.widgets.look_parts import switch_part
from gui.widgets.patient_view import PatientView

_FADES = frozenset({Part.DOCUMENT, Part.COMPARISON, Part.MATCHED})


class MemoryView(PatientView):
    """Addresses by time, one memory after the other, beside what makes up the peak."""

    NAME = "memory"
    TITLE = "Memory map"
    PARTS = PatientView.PARTS | {
        Part.SPAN,
        Part.DOCUMENT,
        Part.COMPARISON,
        Part.NOTES,
        Part.PLAYED,
        Part.TRIALS,
        Part.MATCHED,
    }
    IS_FIRST = True
    ECHO = NAME

    moment_changed = Signal(object)
    """The cycle at which memory is cut; None where that is its peak."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("The memory map appears here as soon as there is one."), parent
        )
        self._shown: Shown | None = None
        self._scale = TimeScale.CYCLES
        self._page = Page()
        self.header, self.pane, self.side = self._page.header, self._page.pane, self._page.side
        self._page.set_theme(store.theme)
        self.setFocusProxy(self.pane.canvas)
        self._connect()
        self.overlay = HeldOverlay(self.pane)
        foresight = Foresight(store, self.overlay)
        hands = Hands(lambda: self._shown, partial(_deed, store))
        self.grips = tuple(
            MapGrip(self.pane, canvas, foresight, hands)
            for canvas in (self.pane.canvas, self.pane.lane)
        )
        for grip in self.grips:
            grip.dropped.connect(partial(_decide, store))
        self.reserve_grip = ReserveGrip(
            self.pane, foresight, lambda: self._shown, partial(_reserve_deed, store)
        )
        self.reserve_grip.dropped.connect(partial(_reserve, store))
        on_map = FirstOf(self.grips[0], self.reserve_grip)
        self.pane.canvas.box.grip = AsWithAlt(on_map, self.header.places.isChecked)
        self.pane.lane.box.grip = self.grips[1]
        look = {
            "memory": LookPart(lambda: self._shown.area if self._shown else 0, self._show_area),
            "scale": LookPart(lambda: self._scale.value, self.header.use_scale),
            "addresses": switch_part(self.header.addresses),
            "details": switch_part(self.header.side),
            "zoom": self.pane.canvas.box.zoom_part(),
            **self.side.look_parts(),
        }
        self.set_page(self._page, self.show_parts, look)

    def _connect(self) -> None:
        self.header.area_chosen.connect(self._show_area)
        self.header.scale_chosen.connect(self._choose_scale)
        self.header.addresses_toggled.connect(self._show_display)
        self.pane.set_describer(
            lambda hit: "" if self._shown is None else self._shown.tip(hit, self._store.display)
        )
        self.pane.picked.connect(self._pick)
        # A row of another answer means nothing here.
        self.side.picked.connect(lambda hit: None if self._page.is_side_behind else self._pick(hit))
        for part in (self.pane, self.side):
            part.peak_asked.connect(self.go_to_peak)
            part.activated.connect(self.frame_asked)
        self.pane.note_picked.connect(partial(_go_to_note, self._store))
        self.pane.ground_clicked.connect(self._cut_at)
        self.pane.span_dragged.connect(self._mark_span)

    @property
    def shown(self) -> Shown | None:
        """The memory on the screen."""
        return self._shown

    def go_to_peak(self) -> None:
        """Bring the peak in sight, and what makes it up."""
        if self._shown is not None:
            peak = self._shown.x_of(self._shown.peak)
            show_around(self.pane, peak)
            self.side.setCurrentIndex(0)
            self._cut_at(peak)

    def step(self, by: int) -> None:
        """Show what is live some steps later, or earlier."""
        if self._shown is not None:
            self._shown.cut = cut_near(self._shown.drawn, self._shown.cut.time + by)
            self._page.show_cut(self._shown, self._store.display)
            self.moment_changed.emit(moment_of(self._shown))
            self._show_selection()

    def zoom_in(self) -> None:
        self.pane.canvas.zoom_in()

    def zoom_out(self) -> None:
        self.pane.canvas.zoom_out()

    def show_all(self) -> None:
        """Show the whole memory."""
        self.pane.canvas.show_all()

    def frame_selection(self) -> None:
        """Show what is selected, wherever it is drawn; everything where that is shown already."""
        is_evicted = self.pane.ghosts.selected and not self.pane.ranges.selected
        (self.pane.lane if is_evicted else self.pane.canvas).frame_selection()

    def next_region(self) -> None:
        """Show the next memory."""
        self.header.choose_next()

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Draw the memory, and mark what is selected in it."""
        if Part.ANSWER in parts:
            if Part.DISPLAY in parts:
                self._page.set_theme(self._store.theme)
                self.overlay.set_theme(self._store.theme)
            self._show_answer()
        elif Part.DISPLAY in parts:
            self._show_display()
        if Part.SELECTION in parts:
            self._follow(self._store.selection)
        if parts & {Part.SELECTION, Part.SPAN}:
            self._show_selection()
        if self._shown is not None:
            _show_over(self.pane, self._shown, self._store, parts)
        if parts & _FADES and self._shown is not None:
            _fade(self._page, self._shown, self._store)
        if Part.COMPARISON in parts and self._shown is not None:
            found = self._store.compared.of(self._shown.answer)
            self._page.show_outlines(outlines_of(found, self._shown.drawn))
        if Part.DOCUMENT in parts and self._shown is not None:
            pins = pins_of(self._store.document, self._store.answer)
            self._page.show_pins(self._shown, pins)

    def _show_answer(self) -> None:
        answer = self._store.answer
        if answer is None:
            self._shown = None
            self.pane.clear()
            return
        area = 0 if self._shown is None else self._shown.area
        self._show_area(area if area < len(answer.scheduled.layout.areas) else 0)

    def _show_area(self, area: int) -> None:
        """Show a memory of the answer, by its position in the layout."""
        answer, before = self._store.answer, self._shown
        if answer is None or not 0 <= area < len(answer.scheduled.layout.areas):
            return
        shown = self._shown = Shown.of(answer, area, self._scale, before)
        keeps_view = before is not None and (before.area, before.scale) == (area, self._scale)
        self.pane.set_map(shown.drawn, shown.ghosts, shown.beside, keeps_view=keeps_view)
        self._page.is_side_behind = True
        self._page.show_texts(shown, self._store.display)
        self.moment_changed.emit(moment_of(shown))
        self.show_parts(frozenset({Part.DOCUMENT, Part.COMPARISON, Part.NOTES, Part.PLAYED}))
        self._show_selection()
        self._store.turns.once_painted(
            self.side, lambda: _show_side(self._page, self._shown, self._store)
        )

    def _choose_scale(self, scale: TimeScale) -> None:
        if scale is not self._scale:
            self._scale = scale
            if self._shown is not None:
                self._show_area(self._shown.area)

    def _show_display(self) -> None:
        self._page.set_theme(self._store.theme)
        self.overlay.set_theme(self._store.theme)
        if self._shown is not None:
            self._page.show_texts(self._shown, self._store.display)
            _show_side(self._page, self._shown, self._store)
            self._show_selection()

    def _show_selection(self) -> None:
        if self._shown is not None:
            store = self._store
            self._page.show_selection(
                self._shown, store.selection, store.selected_span, store.display
            )

    def _follow(self, selection: Selection) -> None:
        """Turn to the memory that a map or buffer lies in, and to the time of an operator."""
        shown = self._shown
        if shown is None:
            return
        scheduled = shown.answer.scheduled
        if selection.op is not None:
            self.step(scheduled.layout.op_times[selection.op] - shown.cut.time)
        if not any(shown.keys_of(selection)):
            area = area_with(scheduled, selection)
            if area is not None and area != shown.area:
                self._show_area(area)

    def _pick(self, hit: Hit | None) -> None:
        if self._shown is not None:
            selection = NOTHING_SELECTED if hit is None else self._shown.selection_of(hit)
            self._store.select(selection, self.NAME)
            self._show_selection()

    def _cut_at(self, x: float) -> None:
        if self._shown is not None:
            self._shown.cut_through(x)
            self._page.show_cut(self._shown, self._store.display)
            self.moment_changed.emit(moment_of(self._shown))
            self._show_selection()

    def _mark_span(self, start: float, end: float) -> None:
        if self._shown is not None:
            self._store.mark_span(self._shown.span_of(start, end), self.NAME)
            self._show_selection()


def _show_side(page: Page, shown: Shown | None, store: Store) -> None:
    if shown is not None:
        page.show_side(shown, store.selection, store.display)


def _fade(page: Page, shown: Shown, store: Store) -> None:
    """Leave what is looked at as it is, in the colours of rules, and nothing else."""
    compared = store.compared.of(shown.answer)
    found = store.matched.of(store.document, shown.answer, compared)
    if found is None:
        page.show_lit(None, None, ())
    else:
        lit = lit_ranges(shown.answer, shown.drawn, shown.ghosts, found)
        page.show_lit(*lit, found.legend)


def _show_over(pane: MapPane, shown: Shown, store: Store, parts: frozenset[Part]) -> None:
    """Show what comes and goes over the map: the step that is played, what would lie elsewhere if
    what is held were let go, and notes."""
    if Part.PLAYED in parts:
        pane.marks.set_played(shown.band_of(store.played.span))
    if Part.TRIALS in parts:
        trials = store.trials
        pane.ahead.set_outlines(outlines_ahead(trials.of(trials.held), shown.drawn))
    if Part.NOTES in parts:
        show_flags(pane, *shown.flags(store.notes.entries))


def _go_to_note(store: Store, number: int) -> None:
    """The flag of a note was clicked."""
    store.select(selection_of_note(store.answer, store.notes.entries, number))


def _deed(store: Store, held: Held, preview: Preview) -> Deed | None:
    """What letting go of something comes to."""
    asked = asked_of(store.document, store.answer, Selection(fm=held.fm))
    made = asked if isinstance(asked, str) else deed_of(asked, preview)
    return made if isinstance(made, Deed) else None


def _decide(store: Store, held: Held, preview: Preview) -> None:
    """What was dragged is asked for."""
    if (made := _deed(store, held, preview)) is not None:
        store.select(Selection(fm=held.fm))
        store.decide(made)


def _reserve_deed(store: Store, drawn: Reserve) -> Deed | None:
    """What a box comes to."""
    asked = asked_of(store.document, store.answer, drawn.selection)
    made = asked if isinstance(asked, str) else reserved(asked, drawn.size_bytes)
    return made if isinstance(made, Deed) else None


def _reserve(store: Store, drawn: Reserve) -> None:
    """The operators and bytes of a box are asked for."""
    if (made := _reserve_deed(store, drawn)) is not None:
        store.select(drawn.selection)
        store.decide(made)
