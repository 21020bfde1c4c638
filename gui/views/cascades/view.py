"""The cascades view: plays how operators hand rows to each other through rolling buffers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from gui.document.answer import Answer
from gui.document.changes import Part
from gui.document.decisions import Deed
from gui.document.look import LookPart
from gui.document.selection import Selection
from gui.present.cascades.moment import moment_of
from gui.present.cascades.picture import CascadeInfo, cascade_selected, cascades_of
from gui.present.cascades.play import Frame
from gui.present.cascades.rings_preview import rings_preview
from gui.present.cascades.why import why_none, why_not
from gui.present.compiled import is_compiled
from gui.present.edits.deeds import asked_of, split_before, striped
from gui.present.edits.pins import pins_of
from gui.present.edits.subjects import heights_of
from gui.state.store import Store
from gui.views.cascades.hands import PictureHands
from gui.views.cascades.picture import Picture
from gui.views.cascades.stage_view import StageView
from gui.widgets.empty_state import EmptyState, no_schedule
from gui.widgets.foresight import Foresight
from gui.widgets.look_parts import scroll_part, switch_part
from gui.widgets.patient_view import PatientView


class CascadesView(PatientView):
    """A cascade in slow motion; where there is none, why."""

    NAME = "cascades"
    TITLE = "Cascades"
    PARTS = PatientView.PARTS | {Part.DOCUMENT}
    ECHO = NAME

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("Cascades appear here as soon as there is one."), parent
        )
        self._cascades: tuple[CascadeInfo, ...] = ()
        self._chosen = 0
        self.stage_view = StageView()
        self.reason = EmptyState()
        self.reason.setAccessibleName("Why there is no cascade")
        self._layers = QStackedWidget()
        self._layers.addWidget(self.reason)
        self._layers.addWidget(self.stage_view)
        self.stage_view.chosen.connect(self._choose)
        self.stage_view.player.moved.connect(lambda: _tell_moment(store, self.stage_view.frame))
        self.stage_view.picture.stage_clicked.connect(self._pick_stage)
        self.stage_view.picture.ring_clicked.connect(self._pick_ring)
        self.stage_view.picture.asked.connect(self._do)
        self.stage_view.picture.stage_activated.connect(self.frame_asked)
        self.hands = PictureHands(
            self.stage_view.picture,
            lambda: self.cascade,
            lambda place: _legal_heights(store.answer, self.cascade, place),
            lambda place, rows: _rings_told(store, self.cascade, place, rows),
            lambda place, rows: self._foresight.hold(_deed(store, self.cascade, place, rows)),
        )
        self._foresight = Foresight(store, self.hands.overlay)
        self.hands.cut_asked.connect(lambda place: _decide(store, self.cascade, place, None))
        self.hands.height_asked.connect(
            lambda place, rows: _decide(store, self.cascade, place, rows)
        )
        self._show_display()
        stage = self.stage_view
        look = {
            "cascade": LookPart(lambda: self._chosen, self._turn_to),
            "table": switch_part(stage.as_table),
            "step": LookPart(lambda: stage.player.position, stage.player.seek),
            "scroll": scroll_part(stage.area),
        }
        self.set_page(self._layers, self.show_parts, look)

    @property
    def cascade(self) -> CascadeInfo | None:
        return self._cascades[self._chosen] if self._cascades else None

    def step_forward(self) -> None:
        self.stage_view.player.step_forward()

    def step_back(self) -> None:
        self.stage_view.player.step_back()

    def play_or_pause(self) -> None:
        """Play the stripes, or stop; also while another view is in sight."""
        self.catch_up()
        if self._cascades:
            self.stage_view.player.play_or_pause()

    def first(self) -> None:
        self.stage_view.player.first()

    def last(self) -> None:
        self.stage_view.player.last()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Play by keys, whatever inside has the focus."""
        name = Picture.KEYS.get(Qt.Key(event.key()))
        if name is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self._do(name)

    def _do(self, name: str) -> None:
        if self._cascades:
            getattr(self, name)()

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show the cascades, and that which is selected."""
        if Part.DISPLAY in parts:
            self._show_display()
        if Part.ANSWER in parts:
            self._show_answer()
        elif Part.SELECTION in parts:
            self._show_selection()
        if parts & {Part.ANSWER, Part.DOCUMENT}:
            pins = pins_of(self._store.document, self._store.answer)
            self.stage_view.picture.set_pins(pins.ops)

    def _show_display(self) -> None:
        self.stage_view.set_display(self._store.theme, self._store.display.byte_unit)
        self.hands.overlay.set_theme(self._store.theme)

    def _show_answer(self) -> None:
        answer, before = self._store.answer, self.cascade
        position = self.stage_view.player.position
        self._cascades = () if answer is None else cascades_of(answer)
        self._layers.setCurrentIndex(int(bool(self._cascades)))
        if not self._cascades:
            self.stage_view.clear()
            why = "\n".join(why_none(answer)) if answer else ""
            self.reason.set_text(f"There is no cascade.\n\n{why}")
            return
        same = [
            place
            for place, cascade in enumerate(self._cascades)
            if before is not None and cascade.ref == before.ref
        ]
        self._chosen = same[0] if same else 0
        titles = [cascade.title for cascade in self._cascades]
        self.stage_view.set_titles(titles, self._chosen)
        is_same = before is not None and self._cascades[self._chosen].steps == before.steps
        self._show_cascade(position if is_same else None)
        self._show_selection()

    def _show_cascade(self, position: int | None = None) -> None:
        self.stage_view.combo.setCurrentIndex(self._chosen)
        self.stage_view.set_cascade(self._cascades[self._chosen], position)

    def _show_selection(self) -> None:
        """Turn to the cascade that the selection is in, or say why it is in none."""
        answer, selection = self._store.answer, self._store.selection
        if answer is None or not self._cascades:
            return
        found = cascade_selected(self._cascades, selection)
        if found is not None and found != self._chosen:
            self._turn_to(found)
        op = selection.op if found is None else None
        self.stage_view.set_note("" if op is None else why_not(answer, op))
        self._mark(selection)

    def _mark(self, selection: Selection) -> None:
        op = selection.op if selection.buffer is None else selection.buffer.op
        stages = self._cascades[self._chosen].stages
        places = [place for place, stage in enumerate(stages) if stage.op == op]
        places += [
            place
            for place, stage in enumerate(stages)
            if stage.buffer is not None and stage.buffer.fm == selection.fm
        ]
        self.stage_view.picture.set_selected(places[0] if places else None)

    def _turn_to(self, position: int) -> None:
        if 0 <= position < len(self._cascades):
            self._chosen = position
            self._show_cascade()
            self._store.played.show(None)

    def _choose(self, position: int) -> None:
        self._turn_to(position)
        self._select(Selection(cascade=self._cascades[position].ref))

    def _pick_stage(self, place: int) -> None:
        self._select(Selection(op=self._cascades[self._chosen].stages[place].op))

    def _pick_ring(self, place: int) -> None:
        buffer = self._cascades[self._chosen].stages[place].buffer
        if buffer is not None:
            self._select(Selection(fm=buffer.fm))

    def _select(self, selection: Selection) -> None:
        self._store.select(selection, self.NAME)
        self._show_selection()


def _tell_moment(store: Store, frame: Frame | None) -> None:
    """Other views show when the step runs."""
    if store.answer is not None and frame is not None:
        store.played.show(moment_of(store.answer.analysis.trace, frame.step))


def _legal_heights(answer: Answer | None, cascade: CascadeInfo | None, place: int) -> Sequence[int]:
    """Rows that stripes of a stage can have; none where nothing can be decided."""
    if answer is None or cascade is None or is_compiled(answer):
        return ()
    return heights_of(answer, cascade.stages[place].op)


def _rings_told(store: Store, cascade: CascadeInfo | None, place: int, rows: int) -> str:
    """What the rings beside a stage would take, all else as it is."""
    if store.answer is None or cascade is None:
        return ""
    unit = store.display.byte_unit
    return rings_preview(store.answer, cascade.stages[place].op, rows, unit)


def _deed(
    store: Store, cascade: CascadeInfo | None, place: int | None, rows: int | None
) -> Deed | None:
    """What hands do to a stage: stripes of some rows, or a cut before it."""
    if cascade is None or place is None:
        return None
    selection = Selection(op=cascade.stages[place].op)
    asked = asked_of(store.document, store.answer, selection)
    if isinstance(asked, str):
        return None
    made = split_before(asked) if rows is None else striped(asked, rows)
    return made if isinstance(made, Deed) else None


def _decide(store: Store, cascade: CascadeInfo | None, place: int, rows: int | None) -> None:
    """That is asked for."""
    made = _deed(store, cascade, place, rows)
    if made is not None and cascade is not None:
        store.select(Selection(op=cascade.stages[place].op))
        store.decide(made)
