"""Proof: verdict, whose fault it is, and a table of the error of each operator."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QModelIndex, Qt, Signal, SignalInstance
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from core.api.operator_errors import OperatorError
from gui.document.changes import ChangeSet, Part
from gui.document.look import LookPart
from gui.document.plain import Plain
from gui.document.proof import Against
from gui.present.runs.proof import (
    HEADERS,
    NOTHING,
    aside_text,
    headline,
    in_order,
    numbers_selected,
    offer_text,
    progress_text,
    rows_of,
    selection_of_error,
    sentences,
)
from gui.state.store import Store
from gui.theme.scale import Gap, Type, arrange, set_type
from gui.widgets.drop_down import DropDown
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_state import EmptyState
from gui.widgets.listing_table import ListingTable
from gui.widgets.patient_view import PatientView

_BAR_LETTERS = 24


class ProofView(PatientView):
    """A click on a heading sorts; a row of an operator selects what runs for it everywhere."""

    NAME = "proof"
    TITLE = "Proof"
    PARTS: ClassVar = PatientView.PARTS | {Part.PROOF}

    file_wanted = Signal()
    """Inputs are to come from a file, which is still to be chosen."""
    folder_wanted = Signal()
    given_up = Signal()
    """The proof that is on its way is not wanted."""
    aside = Signal(str)
    """How far a proof is that goes on out of sight; empty where there is none."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, NOTHING, parent)
        self.errors: tuple[OperatorError, ...] = ()
        """As they stand in the table."""
        self._column, self._is_descending = 0, False
        self._is_following = False
        self.headline, self.lines = QLabel(), QLabel()
        for label, name in ((self.headline, "Verdict"), (self.lines, "Whose fault it is")):
            label.setAccessibleName(name)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_type(self.headline, Type.HEADING)
        self.against = DropDown("Errors that the timeline shows")
        self.against.setToolTip("Errors that the timeline shows")
        self.against.addItems([each.value for each in Against])
        self.table = ListingTable("Errors of operators")
        self.making = QWidget()
        self.bar, self.stage = QProgressBar(), ElidedLabel("How far the proof is, in words")
        self.bar.setAccessibleName("How far the proof is")
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(self.fontMetrics().averageCharWidth() * _BAR_LETTERS)
        self._lay_out()
        self.against.activated.connect(self._hold_against)
        self.table.selectionModel().currentRowChanged.connect(self._picked)
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.sectionClicked.connect(self._sort_anew)
        store.changed.connect(self._tell_aside)

    def _lay_out(self) -> None:
        line = QHBoxLayout(self.making)
        arrange(line)
        line.addWidget(self.bar)
        line.addWidget(self.stage, 1)
        line.addWidget(_button("Stop", self.given_up))
        self.again = QWidget()
        foot = QHBoxLayout(self.again)
        arrange(foot, between=Gap.MEDIUM)
        foot.addWidget(self.against)
        foot.addStretch(1)
        foot.addWidget(_button("Another file...", self.file_wanted))
        foot.addWidget(_button("Another folder...", self.folder_wanted))
        told = QWidget()
        column = QVBoxLayout(told)
        arrange(column)
        column.addWidget(self.headline)
        column.addWidget(self.lines)
        column.addWidget(self.table, 1)
        column.addWidget(self.again)
        self._offer, buttons = EmptyState(NOTHING), QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(_button("Inputs of a file...", self.file_wanted))
        buttons.addWidget(_button("Inputs of a folder...", self.folder_wanted))
        buttons.addStretch(1)
        self._offer.add_below(buttons)
        page = QWidget()
        whole = QVBoxLayout(page)
        arrange(whole, Gap.SMALL)
        whole.addWidget(self.making)
        layers = QWidget()
        whole.addWidget(layers, 1)
        self._layers = QStackedLayout(layers)
        self._layers.addWidget(self._offer)
        self._layers.addWidget(told)
        self.set_page(page, self.show_parts, {"order": LookPart(self._order, self._use_order)})

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show the latest proof, how far another one is, and what is selected."""
        proofs = self._store.proofs
        if Part.PROOF in parts:
            self._show_making()
        if parts & {Part.PROOF, Part.ANSWER}:
            self._layers.setCurrentIndex(0 if proofs.latest is None else 1)
            if proofs.latest is not None:
                is_shown = proofs.of(self._store.answer) is not None
                self.headline.setText(headline(proofs.latest, is_shown=is_shown))
                self.lines.setText("\n".join(sentences(proofs.latest)))
            self._show_rows()
        self._follow()

    def _show_making(self) -> None:
        proofs = self._store.proofs
        self.making.setVisible(proofs.making is not None)
        self.again.setEnabled(proofs.making is None)
        self._offer.setEnabled(proofs.making is None)
        self.against.setCurrentText(proofs.against.value)
        if proofs.making is not None:
            self.stage.show_text(progress_text(proofs.making))
            self.bar.setRange(0, proofs.making.total)
            self.bar.setValue(proofs.making.done)
        self._offer.set_text(offer_text(proofs.failure))

    def _show_rows(self) -> None:
        latest = self._store.proofs.latest
        found = () if latest is None else latest.found.operators
        self.errors = in_order(found, self._column, is_descending=self._is_descending)
        self._is_following = True
        self.table.show_listing(HEADERS, rows_of(self.errors))
        order = Qt.SortOrder.DescendingOrder if self._is_descending else Qt.SortOrder.AscendingOrder
        self.table.horizontalHeader().setSortIndicator(self._column, order)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self._is_following = False

    def sort_by(self, column: int, *, is_descending: bool) -> None:
        """Have the rows in the order of a column."""
        self._column, self._is_descending = column, is_descending
        self._show_rows()
        self._follow()

    def _sort_anew(self, column: int) -> None:
        """What is clicked again is turned around; the farthest off comes first."""
        is_text = all(isinstance(row[column], str) for row in self.table.listing.rows)
        is_other = column != self._column
        self.sort_by(column, is_descending=not is_text if is_other else not self._is_descending)

    def _order(self) -> Plain:
        return [self._column, self._is_descending]

    def _use_order(self, order: list[object]) -> None:
        match order:
            case [int(column), bool(is_descending)] if 0 <= column < len(HEADERS):
                self.sort_by(column, is_descending=is_descending)

    def _hold_against(self) -> None:
        self._store.proofs.hold_against(Against(self.against.currentText()))

    def _picked(self, current: QModelIndex) -> None:
        """The user went to an operator: what runs for it is what all views show."""
        answer = self._store.answer
        if self._is_following or answer is None or not 0 <= current.row() < len(self.errors):
            return
        number = self.errors[current.row()].number
        self._store.select(selection_of_error(answer, self.errors, number), self.NAME)

    def _follow(self) -> None:
        """Go to the row of what is selected elsewhere."""
        answer = self._store.answer
        if answer is None:
            return
        numbers = numbers_selected(answer, self.errors, self._store.selection)
        row = self.table.currentIndex().row()
        if not numbers or (0 <= row < len(self.errors) and self.errors[row].number in numbers):
            return
        self._is_following = True
        self.table.pick(next(at for at, each in enumerate(self.errors) if each.number in numbers))
        self._is_following = False

    def hideEvent(self, event: QHideEvent) -> None:
        """A proof goes on, and is told of elsewhere."""
        super().hideEvent(event)
        self.aside.emit(aside_text(self._store.proofs.making))

    def showEvent(self, event: QShowEvent) -> None:
        """Here it is told again."""
        super().showEvent(event)
        self.aside.emit("")

    def _tell_aside(self, changes: ChangeSet) -> None:
        proofs = self._store.proofs
        if changes.has(Part.PROOF) and not self.isVisible():
            self.aside.emit(aside_text(proofs.making, None if proofs.failure else proofs.latest))


def _button(text: str, wanted: SignalInstance) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(text)
    button.clicked.connect(lambda _: wanted.emit())
    return button
