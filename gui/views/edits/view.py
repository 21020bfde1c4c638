"""The edits as a table: what was asked, what became of it, and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from PySide6.QtCore import QItemSelection, QItemSelectionModel
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.base.frozen import replace
from gui.document.changes import Part
from gui.document.decisions import Deed, moved, switched, without
from gui.document.selection import Selection
from gui.present.edits.deeds import all_taken_away, taken_away
from gui.present.edits.rows import (
    COLUMNS,
    State,
    edit_rows,
    table_rows,
    tally_of,
)
from gui.present.edits.subjects import call_of
from gui.present.edits.text import deed_text, no_edits_text
from gui.present.why.edits import TakeWay, after_way, way_offers
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.views.edits.model import EditsModel
from gui.views.edits.price_line import PriceLine
from gui.views.edits.table import EditsTable
from gui.views.edits.told import Told
from gui.widgets.look_parts import columns_part, scroll_part
from gui.widgets.patient_view import PatientView
from gui.widgets.toggle import Toggle


class EditsView(PatientView):
    """A row for each edit; a row that is picked selects its subject everywhere."""

    NAME = "edits"
    TITLE = "Edits"
    PARTS: ClassVar = PatientView.PARTS | {Part.DOCUMENT, Part.PRICES}

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, no_edits_text(None), parent)
        self.model = EditsModel()
        self.table = EditsTable(self.model)
        self.told = Told()
        self.tally = QLabel()
        self.tally.setAccessibleName("What became of the edits")
        self.ignore = Toggle("Ignore all for now", "Search as if there were no edits, to compare")
        self.remove_all = QPushButton("Remove all")
        self.remove_all.setAccessibleName("Remove all edits")
        self.remove_all.setToolTip("Remove all edits; one step of undo brings them back")
        self.price = PriceLine(store)
        self._is_following = False
        self._connect()
        self._lay_out()

    def _connect(self) -> None:
        self.model.switched.connect(self._switch)
        self.table.removed.connect(self.remove_picked)
        self.table.toggled.connect(self.switch_picked)
        self.table.dropped.connect(self.move_picked)
        self.table.selectionModel().selectionChanged.connect(self._picked)
        self.told.ways.taken.connect(self._take)
        self.told.let_decide.clicked.connect(self.remove_picked)
        self.told.earlier.clicked.connect(lambda: self.move_by(-1))
        self.told.later.clicked.connect(lambda: self.move_by(1))
        self.ignore.clicked.connect(self.ignore_all)
        self.remove_all.clicked.connect(self.remove_everything)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        arrange(bar, between=Gap.MEDIUM)
        bar.addWidget(self.tally, 1)
        bar.addWidget(self.ignore)
        bar.addWidget(self.remove_all)
        page = QWidget()
        lines = QVBoxLayout(page)
        arrange(lines, Gap.SMALL)
        lines.addLayout(bar)
        lines.addWidget(self.price)
        lines.addWidget(self.table, 1)
        lines.addWidget(self.told)
        header = self.table.horizontalHeader()
        look = {"columns": columns_part(header), "scroll": scroll_part(self.table)}
        self.set_page(page, self.show_parts, look)

    @property
    def has_something(self) -> bool:
        """Whether there is an edit."""
        return bool(self._store.document.edits)

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show what is decided now, and what became of it."""
        store = self._store
        if Part.DISPLAY in parts:
            self.model.set_theme(store.theme)
            self.ignore.set_theme(store.theme)
        self.nothing.set_text(no_edits_text(store.answer))
        rows = table_rows(store.document, store.answer)
        self.model.set_rows(rows)
        is_ignoring = store.document.ignores_edits
        self.ignore.setChecked(is_ignoring)
        every = edit_rows(store.document, store.answer)
        tally = tally_of(every, is_ignoring=is_ignoring)
        self.tally.setText(tally.text)
        self.price.show_now()
        self.table.fit()
        self._follow()
        self._tell()

    def _tell(self) -> None:
        """Say all about what is picked, with the ways out that were tried."""
        rows = [self.model.rows[place] for place in self.table.selected_places()]
        document, answer = self._store.document, self._store.answer
        self.told.show_rows(rows, way_offers(document, answer, self._picked_edits()))

    def _follow(self) -> None:
        """Mark the rows about what is selected elsewhere."""
        selection = self._store.selection
        rows = [
            place
            for place, row in enumerate(self.model.rows)
            if row.target is not None and _touches(row.target, selection)
        ]
        if rows == self.table.selected_places() or set(self._targets()) == {selection}:
            return
        chosen = QItemSelection()
        for place in rows:
            chosen.select(self.model.index(place, 0), self.model.index(place, len(COLUMNS) - 1))
        self._is_following = True
        flags = QItemSelectionModel.SelectionFlag
        self.table.selectionModel().select(chosen, flags.ClearAndSelect)
        if rows:
            self.table.scrollTo(self.model.index(rows[0], 1))
        self._is_following = False

    def _picked_edits(self) -> list[int]:
        """Places of the edits that are picked."""
        rows = (self.model.rows[place] for place in self.table.selected_places())
        return sorted({place for row in rows for place in row.places})

    def _targets(self) -> list[Selection]:
        found = (self.model.rows[place].target for place in self.table.selected_places())
        return [target for target in found if target is not None]

    def _picked(self) -> None:
        """The user went to a row: its subject is what all views show."""
        if self._is_following:
            return
        self._tell()
        current = self.table.currentIndex().row()
        places = self.table.selected_places()
        if not places:
            return
        place = current if current in places else places[-1]
        target = self.model.rows[place].target
        self.table.setAccessibleDescription(self.model.rows[place].tip)
        if target is not None:
            self._store.select(target, self.NAME)

    # What keys, buttons and commands do.

    def remove_picked(self) -> None:
        """Remove the edits that are picked."""
        places = self._picked_edits()
        if places:
            document = self._store.document
            deed = taken_away(document, places, call_of(self._store.answer))
            after = without(document.edits, deed.gone)
            self._store.edit(document.with_edits(after), deed.label)

    def remove_everything(self) -> None:
        """Remove all edits."""
        document = self._store.document
        deed = all_taken_away(document)
        if isinstance(deed, Deed):
            self._store.edit(document.with_edits(()), deed.label)

    def pick_next(self, states: Collection[State]) -> None:
        """Go to the next row in one of these states, from the top again after the last."""
        rows = self.model.rows
        places = self.table.selected_places()
        start = places[-1] + 1 if places else 0
        for place in (*range(start, len(rows)), *range(start)):
            if rows[place].state in states and not rows[place].more:
                self.table.pick(place)
                return

    def switch_picked(self) -> None:
        """Switch the edits that are picked on, or off where all of them are on."""
        places = self._picked_edits()
        if places:
            edits = self._store.document.edits
            is_on = not all(edits[place].is_on for place in places)
            self._switch_all(places, is_on=is_on)

    def ignore_all(self) -> None:
        """Search as if there were no edits, or with them again."""
        document = self._store.document
        other = replace(document, ignores_edits=not document.ignores_edits)
        label = "Ignore all edits" if other.ignores_edits else "Heed the edits again"
        self._store.edit(other, label)

    def _switch(self, row: int, is_on: bool) -> None:  # noqa: FBT001 - Qt's signal
        self._switch_all(self.model.rows[row].places, is_on=is_on)

    def move_by(self, step: int) -> None:
        """Move the edits that are picked up or down by a row."""
        places = self.table.selected_places()
        if places:
            row = places[0] - 1 if step < 0 else places[-1] + 2
            self.move_picked(min(max(row, 0), len(self.model.rows)))

    def move_picked(self, row: int) -> None:
        """Move the edits that are picked before a row; what is found does not depend on it."""
        places, document, rows = self._picked_edits(), self._store.document, self.model.rows
        before = rows[row].places[0] if row < len(rows) else len(document.edits)
        after = moved(document.edits, places, before)
        if places and after != document.edits:
            moved_edit = deed_text(document.edits[places[0]], call_of(self._store.answer))
            label = f"Move in the list: {moved_edit}"
            self._store.edit(document.with_edits(after), label)
            first = after.index(document.edits[places[0]])
            self.table.pick(next(n for n, each in enumerate(rows) if first in each.places))

    def _take(self, way: TakeWay) -> None:
        """Do what was tried and lets an edit be."""
        store = self._store
        found = None if store.answer is None else after_way(store.document, store.answer, way)
        if found is not None:
            store.edit(*found)

    def _switch_all(self, places: Sequence[int], *, is_on: bool) -> None:
        document = self._store.document
        first = deed_text(document.edits[places[0]], call_of(self._store.answer))
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        label = f"Switch {'on' if is_on else 'off'}: {first}{more}"
        after = switched(document.edits, places, is_on=is_on)
        self._store.edit(document.with_edits(after), label)


def _touches(target: Selection, selection: Selection) -> bool:
    """Whether what an edit is about has to do with what is selected."""
    if selection.fm is not None:
        return target.fm == selection.fm
    return bool(set(target.ops) & set(selection.ops))
