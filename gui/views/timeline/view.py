"""The timeline: what each engine does over cycles, and fast storage in use under it."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from core.ir.trace import NOTHING
from gui.document.changes import Part
from gui.document.decisions import Deed
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.items.grip import FirstOf
from gui.present.compiled import is_compiled
from gui.present.edits.deeds import Asked, Obstacle, asked_of, merged
from gui.present.edits.pins import pins_of
from gui.present.notes.flags import flags_in_time
from gui.present.notes.subjects import selection_of_note
from gui.present.operators.matches import lit_slices
from gui.present.runs.proof import error_lane
from gui.present.timeline.before import before_of
from gui.present.timeline.picks import consumer, main_slice, neighbour, producer, selection_of
from gui.state.store import Store
from gui.views.timeline.grip import CascadeGrip, Ops
from gui.views.timeline.order_grip import OrderGrip
from gui.views.timeline.stage import (
    Stage,
    folds_part,
    show_before,
    show_errors,
    show_flags,
    show_pins,
    show_played,
    tracks_part,
)
from gui.widgets.empty_state import no_schedule
from gui.widgets.look_parts import switch_part
from gui.widgets.patient_view import PatientView

_COMPARED = frozenset({Part.COMPARISON})


class TimelineView(PatientView):
    """Follows the store, and moves about; each key has a public method, for commands too."""

    NAME = "timeline"
    TITLE = "Timeline"
    PARTS = PatientView.PARTS | {
        Part.SPAN,
        Part.DOCUMENT,
        Part.NOTES,
        Part.COMPARISON,
        Part.PLAYED,
        Part.MATCHED,
        Part.PROOF,
    }
    IS_FIRST = True
    ECHO = NAME

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("The timeline appears here as soon as there is one."), parent
        )
        self.stage = Stage()
        self._shown_graph: object = None
        self._cursor = NOTHING
        self.setFocusProxy(self.stage.lanes)
        self.stage.selection_asked.connect(self._select)
        self.stage.span_asked.connect(partial(_mark, store))
        self.stage.note_asked.connect(partial(_go_to_note, store))
        self.stage.asked.connect(lambda name: getattr(self, name)())
        self.stage.set_theme(store.theme)
        for canvas in (self.stage.lanes, self.stage.pinned):
            canvas.activated.connect(lambda _: self.frame_asked.emit())
        self.grip = CascadeGrip(self.stage.lanes, store, partial(_merged, store))
        self.grip.dropped.connect(partial(_merge, store))
        self.order_grip = OrderGrip(self.stage.lanes, store, partial(_asked, store))
        self.order_grip.decided.connect(store.decide)
        self.stage.lanes.box.grip = FirstOf(self.grip, self.order_grip)
        self.stage.strip.align.toggled.connect(lambda: self.show_parts(_COMPARED))
        look = {
            "aligned": switch_part(self.stage.strip.align),
            "folds": folds_part(self.stage),
            "tracks": tracks_part(self.stage),
            "zoom": self.stage.lanes.box.zoom_part(),
        }
        self.set_page(self.stage, self.show_parts, look)

    def be_pictured(self) -> None:
        """Without what can be selected, too."""
        super().be_pictured()
        if self._store.selection.is_empty:
            self.stage.strip.selection.hide()

    # What keys and commands do.

    def zoom_in(self) -> None:
        self.stage.lanes.zoom_in()

    def zoom_out(self) -> None:
        self.stage.lanes.zoom_out()

    def pan_left(self) -> None:
        self.stage.lanes.pan_left()

    def pan_right(self) -> None:
        self.stage.lanes.pan_right()

    def frame_selection(self) -> None:
        """Show what is selected; if that is so already, everything."""
        self.stage.lanes.frame_selection()

    def show_all(self) -> None:
        """Show the whole run."""
        self.stage.lanes.show_all()

    def select_next(self) -> None:
        """Pick the next operator on the lane."""
        self._step(1)

    def select_previous(self) -> None:
        """Pick the operator before on the lane."""
        self._step(-1)

    def follow_producer(self) -> None:
        """Pick the operator that made what the selected one reads."""
        if self._store.answer is not None:
            graph = self._store.answer.scheduled.run.graph
            self._go_to(producer(graph, self._store.selection))

    def follow_consumer(self) -> None:
        """Pick the operator that reads what the selected one makes."""
        if self._store.answer is not None:
            graph = self._store.answer.scheduled.run.graph
            self._go_to(consumer(graph, self._store.selection))

    def fold_selection(self) -> None:
        """Show the selected cascade, or that of the selected operator, in the next way."""
        data, found = self.stage.data, self.stage.picked_slices
        if data is None:
            return
        places = set(found.cascades)
        ops = data.trace.op[found.slices]
        places |= {int(data.cascade_of_op[op]) for op in ops if op != NOTHING}
        for place in sorted(places - {NOTHING}):
            self.stage.fold(place)

    def clear(self) -> None:
        """Select and mark nothing."""
        self._store.select(NOTHING_SELECTED)
        self._store.mark_span(None)

    def _step(self, step: int) -> None:
        data = self.stage.data
        if data is None or not data.trace.count:
            return
        if self._cursor == NOTHING:
            start = self.stage.lanes.box.x_range.start
            found = int((data.trace.start_cycle >= start).argmax())
        else:
            found = neighbour(data.trace, self._cursor, step)
        if found != NOTHING and self.stage.answer is not None:
            picked = selection_of(self.stage.answer.scheduled, data.trace, found)
            self._select(picked, found)
            self.stage.reveal(found)

    def _go_to(self, selection: Selection) -> None:
        if not selection.is_empty:
            self._store.select(selection)

    def _select(self, selection: Selection, position: int) -> None:
        """Pick something here: the slice that was meant stays the place to go on from."""
        self._store.select(selection, self.NAME)
        self.stage.set_selection(selection)
        self._cursor = position
        if position == NOTHING:
            self._find_cursor()

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Draw the run, what is selected in it and what is marked."""
        if Part.DISPLAY in parts:
            self.stage.set_theme(self._store.theme)
            for grip in (self.grip, self.order_grip):
                grip.overlay.set_theme(self._store.theme)
        if Part.ANSWER in parts:
            self._show_answer()
        elif Part.DISPLAY in parts:
            self.stage.set_display(self._store.display)
        if parts & {Part.ANSWER, Part.SELECTION, Part.DISPLAY}:
            self.stage.set_selection(self._store.selection)
            self._find_cursor()
        if parts & {Part.ANSWER, Part.SPAN, Part.DISPLAY}:
            self.stage.set_span(self._store.selected_span)
        if Part.PLAYED in parts:
            show_played(self.stage, self._store.played.span)
        _show_around(self.stage, self._store, parts)
        if parts & {Part.ANSWER, Part.DOCUMENT, Part.NOTES, Part.COMPARISON, Part.PROOF}:
            data = None if is_compiled(self._store.answer) else self.stage.data
            self.grip.data = self.order_grip.data = data
            show_pins(self.stage, pins_of(self._store.document, self._store.answer))
        if Part.SELECTION in parts:
            self.stage.reveal(self._cursor)

    def _find_cursor(self) -> None:
        data = self.stage.data
        slices = self.stage.picked_slices.slices
        self._cursor = NOTHING if data is None else main_slice(data.trace, slices)

    def _show_answer(self) -> None:
        answer = self._store.answer
        if answer is None:
            self._shown_graph = None
            # What is not there cannot be picked or stepped to.
            self.stage.answer, self.stage.data = None, None
            return
        graph = answer.scheduled.run.graph
        is_same = graph == self._shown_graph
        self._shown_graph = graph
        self.stage.set_answer(answer, self._store.display, keeps_view=is_same)


def _mark(store: Store, span: object) -> None:
    store.mark_span(span, TimelineView.NAME)  # type: ignore[arg-type]  # a signal's object


def _show_around(stage: Stage, store: Store, parts: frozenset[Part]) -> None:
    """Show what stands beside the lanes: those of A, errors of a proof, and notes."""
    if parts & {Part.ANSWER, Part.PROOF}:
        proofs, answer = store.proofs, store.answer
        proof = proofs.of(answer)
        lane = None if answer is None else error_lane(answer, proof, proofs.against)
        show_errors(stage, lane)
    if parts & {Part.ANSWER, Part.COMPARISON}:
        _show_before(stage, store)
    if parts & {Part.ANSWER, Part.DOCUMENT, Part.COMPARISON, Part.MATCHED}:
        _fade(stage, store)
    if parts & {Part.ANSWER, Part.NOTES}:
        show_flags(stage, flags_in_time(store.answer, store.notes.entries))


def _fade(stage: Stage, store: Store) -> None:
    """Leave what is looked at as it is, in the colours of rules, and nothing else."""
    if store.answer is None or stage.data is None:
        return
    compared = store.compared.of(store.answer)
    found = store.matched.of(store.document, store.answer, compared)
    lit = None if found is None else lit_slices(stage.data, found)
    for canvas in (stage.lanes, stage.pinned):
        canvas.slices.set_lit(lit)
        canvas.operators.set_lit(lit)
    stage.minimap.set_lit(lit)
    stage.strip.legend.set_entries(() if found is None else found.legend, "rules")


def _show_before(stage: Stage, store: Store) -> None:
    """Draw A under what is shown, as soon as it is worked out."""
    compared, answer, before = store.compared, store.answer, None
    if answer is not None and compared.before is not None:
        is_aligned, found = stage.strip.align.isChecked(), compared.of(answer)
        before = before_of(compared.before, answer, found, is_aligned=is_aligned)
    if before is not None or stage.before is not None:
        show_before(stage, before)


def _go_to_note(store: Store, number: int) -> None:
    """The flag of a note was clicked."""
    store.select(selection_of_note(store.answer, store.notes.entries, number))


def _asked(store: Store) -> Asked | Obstacle:
    """What is decided about here."""
    return asked_of(store.document, store.answer, store.selection)


def _merged(store: Store, ops: Ops) -> Deed | Obstacle:
    """Operators whose bars are brought together run in one cascade."""
    selection = Selection(op=ops[0], more_ops=ops[1:])
    asked = asked_of(store.document, store.answer, selection)
    return asked if isinstance(asked, str) else merged(asked)


def _merge(store: Store, ops: Ops) -> None:
    """That is asked for."""
    made = _merged(store, ops)
    if isinstance(made, Deed):
        store.select(Selection(op=ops[0], more_ops=ops[1:]))
        store.decide(made)
