"""The operators as a table: sorted, filtered, copied, and selected like everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QItemSelection, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from core.api.queries import FIELDS, TAGS
from core.base.ids import NpuOpId
from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.display import Display
from gui.document.look import LookPart
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present import units
from gui.present.edits.deeds import asked_of
from gui.present.edits.offers import BY_COLUMN
from gui.present.edits.pins import pins_of
from gui.present.operators.cells import footer_text, markdown, tab_separated
from gui.present.operators.columns import COLUMNS, POSITIONS, Column
from gui.present.operators.order import filter_of, selected_rows
from gui.present.operators.rules import listed, rules_from
from gui.present.operators.table import (
    OperatorTable,
    operator_table,
    with_comparison,
    without_partner,
)
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.views.operators.marked_line import MarkedLine
from gui.views.operators.model import OperatorsModel
from gui.views.operators.rules import RulesButton, RulesList
from gui.views.operators.table import OperatorsTable
from gui.widgets.empty_state import no_schedule
from gui.widgets.offer_menu import OfferMenu
from gui.widgets.patient_view import PatientView

_TABLE = frozenset({Part.ANSWER, Part.DISPLAY, Part.COMPARISON})
"""What the rows follow."""
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LANGUAGE = (
    "Words that have to occur in a row, /patterns/, and comparisons, with and, or, not between:\n"
    "kind=depthwise share>1%    waits=DRAM or is=evicted    bytes>=64K not (cycles<10k)\n"
    f"fields: {', '.join(FIELDS)}\nis: {', '.join(TAGS)}\n"
    "Enter goes to the next hit, Shift+Enter to the one before, Ctrl+Enter selects them all."
)
Writer = Callable[[OperatorTable, Sequence[Column], Sequence[int], Display], str]


class FilterLine(QLineEdit):
    """Enter goes to the next hit, Shift+Enter to the one before, Escape takes the filter away."""

    stepped = Signal(int)
    """By how many hits to go on."""
    left = Signal()
    """The user goes down into the table."""
    all_asked = Signal()
    """All hits are to be selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Filter operators")
        self.setPlaceholderText("Filter: words, /regex/, share>1%")
        self.setToolTip(_LANGUAGE)
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Escape belongs to the line while there is something in it."""
        if self.text() and _is_escape(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go through the hits, or type."""
        if event.key() in _ENTER:
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.all_asked.emit()
            else:
                self.stepped.emit(-1 if is_back else 1)
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def _is_escape(event: QEvent) -> bool:
    """Whether Qt asks who wants Escape."""
    if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.ShortcutOverride:
        return False
    return event.key() == Qt.Key.Key_Escape


class OperatorsView(PatientView):
    """The table with a line to filter it, and a line of sums."""

    NAME = "operators"
    TITLE = "Operators"
    PARTS = PatientView.PARTS | {Part.DOCUMENT, Part.COMPARISON, Part.SPAN}

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("Operators appear here as soon as there is one."), parent
        )
        self._model = OperatorsModel(store.theme, store.display)
        self.table = OperatorsTable(self._model, store.theme)
        self.filter, self.rules, self.on = FilterLine(), RulesButton(store), RulesList(store)
        self.problem, self.footer = _text("Problem with the filter"), _text("Sums")
        self.problem.hide()
        self.marked = MarkedLine(store)
        self._is_following = False
        self._lay_out()
        self.filter.textChanged.connect(self._filter_typed)
        self.filter.stepped.connect(self.step)
        self.filter.left.connect(self.table.setFocus)
        self.on.stepped.connect(self.step)
        self.on.chosen.connect(self._list)
        self.rules.kept_typed.connect(self.filter.clear)
        self.rules.switched.connect(lambda query: self.on.use(self.rules.rules.switched(query)))
        for part in (self.filter, self.rules, self.on):
            part.all_asked.connect(partial(_select_all, self.table))
        self.table.copied.connect(self.copy)
        self.table.choice_asked.connect(self._offer)
        self.table.activated_row.connect(self.frame_asked)
        self.table.selectionModel().selectionChanged.connect(self._selected)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        arrange(bar)
        bar.addWidget(self.filter, 1)
        bar.addWidget(self.rules)
        bar.addWidget(
            _menu_button("Columns", "Columns to show", self.table.fill_columns_menu, self)
        )
        bar.addWidget(_menu_button("Copy", "Copy operators", self._fill_copy_menu, self))
        page = QWidget()
        lines = QVBoxLayout(page)
        arrange(lines, Gap.SMALL)
        lines.addLayout(bar)
        lines.addWidget(self.problem)
        lines.addWidget(self.on)
        lines.addWidget(self.marked)
        lines.addWidget(self.table, 1)
        lines.addWidget(self.footer)
        look = {
            "filter": LookPart(self.filter.text, self.filter.setText),
            "rules": LookPart(lambda: list(self.rules.kept), self.rules.use_kept),
            "on": LookPart(
                lambda: [list(rule) for rule in self.rules.rules.kept],
                lambda plain: self.on.use(rules_from(plain)),
            ),
            **self.table.look_parts(),
        }
        self.set_page(page, self.show_parts, look)

    def focus_filter(self) -> None:
        """Let the user type what to find."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def copy(self) -> None:
        """Put the selected operators, or else all that are shown, on the clipboard."""
        self._to_clipboard(tab_separated, self._selected_rows() or self._model.rows.tolist())

    def copy_all(self) -> None:
        """Put all operators that are shown on the clipboard."""
        self._to_clipboard(tab_separated, self._model.rows.tolist())

    def copy_markdown(self) -> None:
        """Put the selected operators, or else all that are shown, there as Markdown."""
        self._to_clipboard(markdown, self._selected_rows() or self._model.rows.tolist())

    def _to_clipboard(self, write: Writer, rows: list[int]) -> None:
        table = self._model.table
        if table is not None:
            text = write(table, self.table.shown_columns(), rows, self._store.display)
            QGuiApplication.clipboard().setText(text)

    def _fill_copy_menu(self, menu: QMenu) -> None:
        menu.addAction("Selected operators as text", self.copy)
        menu.addAction("All that are shown as text", self.copy_all)
        menu.addAction("As Markdown", self.copy_markdown)

    def _offer(self, column: str, place: QPoint) -> None:
        """List what the rows that are selected can have in a column, or say why nothing."""
        store = self._store
        asked = asked_of(store.document, store.answer, store.selection)
        found = asked if isinstance(asked, str) else BY_COLUMN[column](asked)
        if isinstance(found, str):
            QToolTip.showText(place, found, self.table)
        else:
            title = COLUMNS[POSITIONS[column]].title
            OfferMenu(title, found, store, self).popup(place)

    def fill_menu(self, menu: QMenu) -> None:
        """Copy, sort, choose columns."""
        menu.addAction("Copy", self.copy)
        self.table.fill_sort_menu(menu.addMenu("Sort by"))
        self.table.fill_columns_menu(menu.addMenu("Columns"))

    def _selected_rows(self) -> list[int]:
        return [int(self._model.rows[place]) for place in self.table.selected_places()]

    def relevant_parts(self, changes: ChangeSet) -> frozenset[Part]:
        """All but the echo of what was selected here."""
        parts = super().relevant_parts(changes)
        if changes.initiator == self.NAME:
            self._tell()
            return parts - {Part.SELECTION}
        return parts

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show another table, or other rows as selected."""
        answer = self._store.answer
        if Part.DISPLAY in parts:
            self.table.set_theme(self._store.theme)
            _be_red(self.problem, self._store.theme)
        if answer is not None and parts & _TABLE:
            known = None if parts & {Part.ANSWER, Part.COMPARISON} else self._model.table
            self._model.set_table(known or _table_of(self._store, answer), self._store.display)
            self.marked.show_span(answer, self._model)
            self.table.fit(self._store.display, answer.scheduled.run.graph.network)
            self.table.put_differences_first(self._store.compared.kept)
        elif answer is not None and Part.SPAN in parts:
            self.marked.show_span(answer, self._model)
        if parts & {Part.ANSWER, Part.DOCUMENT}:
            self._model.set_pins(pins_of(self._store.document, answer).ops)
        if parts & {Part.DOCUMENT, *_TABLE}:
            self.on.show_rules()
            self._model.set_found(self.on.found, self._store.theme)
        if parts & {Part.SELECTION, Part.SPAN, *_TABLE}:
            self._follow(brings_into_sight=Part.SELECTION in parts)

    def _follow(self, *, brings_into_sight: bool) -> None:
        """Select the rows of what is selected elsewhere."""
        answer, table = self._store.answer, self._model.table
        if answer is None or table is None:
            return
        rows = selected_rows(answer, table, self._store.selection)
        places = [place for row in rows if (place := self._model.place_of(row)) is not None]
        self._is_following = True
        bar = self.table.verticalScrollBar()
        before = bar.value()
        self.table.select_places(sorted(places))
        if not brings_into_sight:
            bar.setValue(before)
        self._is_following = False
        self._tell(hidden=len(rows) - len(places))

    def _selected(self, chosen: QItemSelection, gone: QItemSelection) -> None:
        """The user picked rows: the last one is what all views show."""
        del chosen, gone
        table = self._model.table
        if self._is_following or table is None:
            return
        places = self.table.selected_places()
        current = self.table.currentIndex().row()
        if not places:
            self._store.select(NOTHING_SELECTED, self.NAME)
            return
        row = int(self._model.rows[current if current in places else places[-1]])
        op, cpu_op = int(table.op[row]), int(table.cpu_op[row])
        ops = [int(table.op[other]) for other in self._selected_rows()]
        more = tuple(NpuOpId(other) for other in ops if other not in (op, -1))
        self._store.select(
            Selection(op=NpuOpId(op), more_ops=more) if op >= 0 else Selection(cpu_op=cpu_op),
            self.NAME,
        )
        self._tell()

    def _tell(self, hidden: int = 0) -> None:
        """Say what is shown and selected, in the last line and to screen readers."""
        table, display = self._model.table, self._store.display
        if table is None:
            return
        text = footer_text(table, self._model.rows.tolist(), display)
        rows = self._selected_rows()
        if len(rows) > 1:
            text += f"\nselected: {footer_text(table, rows, display)}"
        if count := without_partner(self._store.compared.of(self._store.answer)):
            text += f"\n{units.counted(count, 'operator')} of A without a partner here"
        if hidden:
            text += f"\n{hidden:,} selected, but hidden by the filter"
        self.footer.setText(text)
        names = ", ".join(table.titles[row] for row in rows[:3])
        more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
        self.table.setAccessibleDescription(
            f"selected: {names}{more}" if rows else "nothing selected"
        )

    def _filter_typed(self, typed: str) -> None:
        wanted, self.rules.typed = filter_of(typed), typed
        self.problem.setText(wanted.error)
        self.problem.setVisible(bool(wanted.error))
        self._store.matched.show(wanted)
        self._list()

    def _list(self) -> None:
        """List what is looked at, in the colours of rules."""
        matched = self._store.matched
        self._model.set_found(self.on.found, self._store.theme)
        self._model.set_filter(listed(matched.filter, matched.rules, self.on.rule))
        self._follow(brings_into_sight=True)

    def step(self, by: int) -> None:
        """Select the next or the previous of the rows that are shown."""
        count = self._model.rowCount()
        places = self.table.selected_places()
        if count:
            at = places[0] + by if places else 0 if by > 0 else count - 1
            # Qt's own selectRow would extend the selection while Shift is held.
            self.table.select_places([at % count])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+F, where no command has taken it."""
        if event.matches(QKeySequence.StandardKey.Find):
            self.focus_filter()
            return
        super().keyPressEvent(event)


def _be_red(label: QLabel, theme: Theme) -> None:
    palette = label.palette()
    palette.setColor(QPalette.ColorRole.WindowText, theme.danger)
    label.setPalette(palette)


def _select_all(table: OperatorsTable) -> None:
    """Select all rows that are shown: every view marks them."""
    table.select_places(list(range(table.operators.rowCount())))


def _table_of(store: Store, answer: Answer) -> OperatorTable:
    """The operators, beside those of A as soon as that is worked out."""
    found, table = store.compared.of(answer), operator_table(answer)
    return table if found is None else with_comparison(table, found)


def _text(name: str) -> QLabel:
    label = QLabel()
    label.setAccessibleName(name)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _menu_button(
    title: str, name: str, fill: Callable[[QMenu], None], parent: QWidget
) -> QToolButton:
    """A button whose menu is filled when it is opened."""
    button = QToolButton(parent)
    button.setText(title)
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    menu = QMenu(button)

    def refill() -> None:
        menu.clear()
        fill(menu)

    menu.aboutToShow.connect(refill)
    button.setMenu(menu)
    return button
