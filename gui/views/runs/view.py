"""All runs of the model: Enter goes back to one, Ctrl and a click make it A."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QWidget

from core.base.frozen import replace
from gui.document.changes import Part
from gui.document.runs import Settled
from gui.present.runs.list import NAME, STAR, kept_run, rows_of, spots_of
from gui.state.store import Store
from gui.theme.scale import arrange
from gui.views.runs.model import RunsModel
from gui.views.runs.plot import RunsPlot
from gui.widgets.look_parts import scroll_part
from gui.widgets.patient_view import PatientView
from gui.widgets.row_table import RowTable

_NOTHING = (
    "There is no run yet.\n\n"
    "Every schedule that you have seen for a moment is listed here, to go back to."
)
_LINES_A_ROW = 1.5


class RunsTable(RowTable):
    """Shows the model; whole rows are picked."""

    wanted = Signal(int)
    """A row was asked for."""
    kept = Signal(int)
    """A row is to be A."""
    starred = Signal(int)

    def __init__(self, model: RunsModel, parent: QWidget | None = None) -> None:
        super().__init__("Runs", parent)
        self.setModel(model)
        self.set_lines_a_row(_LINES_A_ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.horizontalHeader().setStretchLastSection(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes back to a run, Space gives it a star or takes that away, F2 names it."""
        current = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid():
            self.wanted.emit(current.row())
        elif event.key() == Qt.Key.Key_Space and current.isValid():
            self.starred.emit(current.row())
        elif event.key() == Qt.Key.Key_F2 and current.isValid():
            self.edit(current.siblingAtColumn(NAME))
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """With Ctrl a click makes a run A; on its star it gives it one."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.kept.emit(index.row())
        elif index.isValid() and index.column() == STAR:
            self.starred.emit(index.row())
        else:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go back to a run; on its name, write that."""
        index = self.indexAt(event.position().toPoint())
        if index.column() == NAME:
            self.edit(index)
        elif index.isValid() and index.column() != STAR:
            self.wanted.emit(index.row())


class RunsView(PatientView):
    """The runs of the open model, the latest first, beside a plot of all of them."""

    NAME = "runs"
    TITLE = "Runs"
    PARTS: ClassVar = frozenset({Part.RUNS, Part.DOCUMENT, Part.DISPLAY})

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, _NOTHING, parent)
        self.model = RunsModel()
        self.table = RunsTable(self.model)
        self.plot = RunsPlot()
        self.table.wanted.connect(lambda row: self.go_back(self.model.rows[row].run))
        self.table.kept.connect(lambda row: self.keep(self.model.rows[row].run))
        self.table.starred.connect(lambda row: self.star(self.model.rows[row].run))
        self.plot.picked.connect(self.table.selectRow)
        self.model.written.connect(lambda row, name: self.name(self.model.rows[row].run, name))
        page = QWidget()
        line = QHBoxLayout(page)
        arrange(line)
        line.addWidget(self.table, 3)
        line.addWidget(self.plot, 1)
        self.set_page(page, self.show_parts, {"scroll": scroll_part(self.table)})

    @property
    def has_something(self) -> bool:
        """Whether the open model has a run."""
        return bool(self._store.runs.runs.of_model(self._store.document))

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show the runs of the open model."""
        store = self._store
        self.model.set_theme(store.theme)
        count = len(self.model.rows)
        rows = rows_of(store.runs.runs.of_model(store.document), store.document, store.display)
        self.model.set_rows(rows)
        self.plot.show_spots(spots_of(rows), store.theme)
        # One point alone shows nothing that its row does not.
        self.plot.setVisible(len(rows) > 1)
        if len(rows) != count or Part.DISPLAY in parts:
            self.table.fit_columns()

    def go_back(self, run: Settled) -> None:
        """Ask for a run again; one step of undo."""
        self._store.edit(run.document, f"Go back to {run.name or run.when}")

    def keep(self, run: Settled) -> None:
        """Compare what is shown with a run."""
        self._store.compared.keep(kept_run(run))

    def star(self, run: Settled) -> None:
        """Give a run a star, or take it away."""
        self._change(run, replace(run, is_starred=not run.is_starred))

    def name(self, run: Settled, name: str) -> None:
        """Call a run by a name."""
        self._change(run, replace(run, name=name))

    def _change(self, run: Settled, other: Settled) -> None:
        runs = self._store.runs
        runs.set(runs.runs.changed(run, other))
