"""The roofline: operators under what can be at most, picked like everywhere else."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from core.api.schedules import Roofline, roofline_of
from core.base.ids import NpuOpId
from gui.document.changes import Part
from gui.document.look import LookPart
from gui.document.selection import NOTHING_SELECTED
from gui.items.legend import Legend
from gui.items.rects_item import Hit
from gui.present.operators.order import selected_operators
from gui.present.roofline.picks import marks_of, operators_on, picked, stepped
from gui.present.roofline.picture import ALL, Picture, memories, picture_of
from gui.present.roofline.words import NO_CHOICE, NOTHING_HERE, explained, tip
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.views.roofline.canvas import RooflineCanvas
from gui.widgets.drop_down import DropDown
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_state import EmptyState, no_schedule
from gui.widgets.patient_view import PatientView


class RooflineView(PatientView):
    """A mark for each operator and memory; a click selects, with Ctrl one more."""

    NAME = "roofline"
    TITLE = "Roofline"

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("The roofline appears here as soon as there is one."), parent
        )
        self._roofline: Roofline | None = None
        self._picture: Picture | None = None
        self.canvas, self.legend = RooflineCanvas(), Legend()
        self.memory = DropDown("Memory whose bytes are counted")
        self.memory.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToContents)
        self.explained = ElidedLabel("What marks stand for")
        self.sentence = EmptyState(NO_CHOICE)
        self._lay_out()
        self.memory.activated.connect(lambda _: self._draw())
        self.canvas.picked.connect(self._pick)
        self.canvas.menu_hit.connect(self._pick_for_menu)
        self.canvas.activated.connect(lambda _: self.frame_asked.emit())
        self.canvas.hovered.connect(self._hover)
        self.canvas.stepped.connect(self._step)
        self.canvas.set_describer(lambda hit: self._told(self._operators(hit)))

    def _lay_out(self) -> None:
        page, chart = QWidget(), QWidget()
        bar = QHBoxLayout()
        arrange(bar, between=Gap.MEDIUM)
        label = QLabel("Bytes of")
        label.setBuddy(self.memory)
        for widget in (label, self.memory):
            bar.addWidget(widget)
        bar.addWidget(self.explained, 1)
        lines = QVBoxLayout(chart)
        arrange(lines, Gap.SMALL)
        lines.addLayout(bar)
        lines.addWidget(self.canvas, 1)
        lines.addWidget(self.legend)
        self._layers = QStackedLayout(page)
        self._layers.addWidget(self.sentence)
        self._layers.addWidget(chart)
        look = {
            "memory": LookPart(self.memory.currentText, self.choose),
            "zoom": self.canvas.box.zoom_part(),
        }
        self.set_page(page, self.show_parts, look)

    @property
    def picture(self) -> Picture | None:
        """What is drawn."""
        return self._picture

    # What keys and commands do.

    def show_all(self) -> None:
        """Show all operators and roofs."""
        self.canvas.show_all()

    def frame_selection(self) -> None:
        """Show what is selected; everything where that is shown already."""
        self.canvas.frame_selection()

    def step_on(self) -> None:
        self._step(1)

    def step_back(self) -> None:
        self._step(-1)

    def next_memory(self) -> None:
        """Count the bytes of another memory."""
        if self.memory.count():
            self.memory.setCurrentIndex((self.memory.currentIndex() + 1) % self.memory.count())
            self._draw()

    def choose(self, memory: str) -> None:
        """Count the bytes of a memory, if it is there."""
        place = self.memory.findText(memory)
        if place >= 0:
            self.memory.setCurrentIndex(place)
            self._draw()

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Draw the operators, and mark what is selected."""
        if Part.DISPLAY in parts:
            self.canvas.set_theme(self._store.theme)
            self.legend.set_theme(self._store.theme)
        if Part.ANSWER in parts:
            answer = self._store.answer
            self._roofline = None if answer is None else roofline_of(answer.scheduled)
            self._offer_memories()
            self._draw()
        else:
            self._mark()

    def _offer_memories(self) -> None:
        """Those of the answer; what was chosen stays, if it is among them."""
        names = () if self._roofline is None else memories(self._roofline)
        chosen = self.memory.currentText()
        if names != tuple(self.memory.itemText(at) for at in range(self.memory.count())):
            self.memory.clear()
            self.memory.addItems(names)
            self.memory.setCurrentIndex(max(self.memory.findText(chosen), 0))
        self.memory.setEnabled(len(names) > 1)

    def _draw(self) -> None:
        answer, found, memory = self._store.answer, self._roofline, self.memory.currentText()
        self._picture = None
        if answer is not None and found is not None:
            self._picture = picture_of(answer, found, memory or ALL)
        self._layers.setCurrentIndex(0 if self._picture is None else 1)
        if self._picture is not None:
            self.canvas.show_picture(self._picture)
            self.legend.set_entries(self._picture.legend)
            self.explained.show_text(explained(self._picture, memory or ALL))
            self._mark()

    def _mark(self) -> None:
        answer, picture = self._store.answer, self._picture
        if answer is None or picture is None:
            return
        ops, _ = selected_operators(answer, self._store.selection)
        self.canvas.marks.set_selected(marks_of(picture, ops))
        self.canvas.describe_selection(self._told(sorted(map(NpuOpId, ops))) or NOTHING_HERE)

    def _told(self, ops: Collection[NpuOpId]) -> str:
        answer, picture = self._store.answer, self._picture
        if answer is None or picture is None:
            return ""
        return tip(answer, picture, ops, self._store.display)

    def _operators(self, hit: Hit | None) -> tuple[NpuOpId, ...]:
        if hit is None or self._picture is None:
            return ()
        return operators_on(self._picture, hit.key)

    def _pick(self, hit: Hit | None) -> None:
        ops, is_added = self._operators(hit), self.canvas.is_adding
        if ops:
            wanted = picked(ops, self._store.selection, is_added=is_added)
            self._store.select(wanted, self.NAME)
        elif not is_added:
            self._store.select(NOTHING_SELECTED, self.NAME)

    def _pick_for_menu(self, hit: Hit) -> None:
        """What is selected already stays so: the menu may be about several."""
        ops = self._operators(hit)
        if not set(ops) <= set(self._store.selection.ops):
            self._store.select(picked(ops, self._store.selection, is_added=False), self.NAME)

    def _hover(self, hit: Hit | None) -> None:
        if self._picture is not None:
            self.canvas.marks.set_hovered(marks_of(self._picture, self._operators(hit)))

    def _step(self, step: int) -> None:
        answer, picture = self._store.answer, self._picture
        if answer is not None and picture is not None:
            wanted = stepped(answer, picture, self._store.selection, step)
            self._store.select(wanted, self.NAME)
