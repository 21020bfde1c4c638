"""A and B side by side: how much they differ, what it comes from, and tables of all of it."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QLabel, QTabWidget, QVBoxLayout, QWidget

from core.api.comparisons import OpPair
from gui.document.changes import Part
from gui.document.look import LookPart
from gui.document.selection import Selection
from gui.present.runs.comparison import TABLES, op_of, pairs_in, told_of
from gui.state.store import Store
from gui.theme.scale import Gap, Type, arrange, set_type
from gui.widgets.listing_table import ListingTable
from gui.widgets.patient_view import PatientView

_NOTHING = (
    "Nothing is compared.\n\n"
    "Compare > Keep as A (Ctrl+K) keeps what is shown; then everything tells how what you ask for"
    " next differs from it. Compare > A from a file takes a schedule or a compiled model,"
    " whoever made it, another model, or a session."
)


class CompareView(PatientView):
    """Tables of what differs; a row of an operator selects it everywhere."""

    NAME = "compare"
    TITLE = "Compare"
    PARTS: ClassVar = PatientView.PARTS | {Part.COMPARISON}

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, _NOTHING, parent)
        self.headline, self.lines = QLabel(), QLabel()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tables = {title: ListingTable(f"Differences: {title}") for title in TABLES}
        self._pairs: tuple[OpPair, ...] = ()
        self._is_following = False
        for label, name in ((self.headline, "Difference"), (self.lines, "What it comes from")):
            label.setAccessibleName(name)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_type(self.headline, Type.HEADING)
        operators = self.tables["Operators"].selectionModel()
        operators.currentRowChanged.connect(self._picked)
        self._lay_out()

    def _lay_out(self) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        arrange(column, Gap.SMALL)
        column.addWidget(self.headline)
        column.addWidget(self.lines)
        column.addWidget(self.tabs, 1)
        for title, table in self.tables.items():
            self.tabs.addTab(table, title)
        self.tabs.setCurrentWidget(self.tables["Operators"])
        look = {"table": LookPart(self._table_name, self._show_table)}
        self.set_page(page, self.show_parts, look)

    def _table_name(self) -> str:
        return self.tabs.tabText(self.tabs.currentIndex()).split(" (")[0]

    def _show_table(self, name: str) -> None:
        if name in self.tables:
            self.tabs.setCurrentWidget(self.tables[name])

    @property
    def has_something(self) -> bool:
        """Whether something is compared."""
        return self._store.compared.kept is not None

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show the latest comparison, and mark what is selected."""
        if parts & {Part.COMPARISON, Part.ANSWER}:
            self._show()
        self._follow()

    def _show(self) -> None:
        compared = self._store.compared
        found = compared.latest
        if found is None:
            self.headline.setText(compared.failure or "Comparing...")
            self.lines.setText("")
            self._pairs = ()
            for table in self.tables.values():
                table.show_listing((), ())
            return
        told = told_of(found)
        self.headline.setText(told.headline)
        self.lines.setText("\n".join(told.lines))
        self.lines.setVisible(bool(told.lines))
        self._is_following = True
        for title, listing in TABLES.items():
            rows = listing(found)
            self.tables[title].show_listing(
                tuple(rows.headers), tuple(tuple(row) for row in rows.rows)
            )
            place = self.tabs.indexOf(self.tables[title])
            count = "" if title == "Figures" else f" ({len(rows.rows):,})"
            self.tabs.setTabText(place, f"{title}{count}")
        self._pairs = pairs_in(found, "Operators")
        self._is_following = False

    def _picked(self, current: QModelIndex) -> None:
        """The user went to an operator: it is what all views show."""
        if self._is_following or not 0 <= current.row() < len(self._pairs):
            return
        op = op_of(self._pairs[current.row()])
        if op is not None and self._store.compared.of(self._store.answer) is not None:
            self._store.select(Selection(op=op), self.NAME)

    def _follow(self) -> None:
        """Go to the row of what is selected elsewhere."""
        op = self._store.selection.op
        ops = [op_of(pair) for pair in self._pairs]
        table = self.tables["Operators"]
        if op is None or op not in ops or ops.index(op) == table.currentIndex().row():
            return
        self._is_following = True
        table.selectRow(ops.index(op))
        self._is_following = False
