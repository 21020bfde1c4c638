"""What would help: a row for each tip, taken with one click, or held against what is shown."""

from __future__ import annotations

from enum import Enum, auto
from typing import ClassVar

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.api.advices import Tip
from gui.document.changes import Part
from gui.document.document import Document
from gui.present.runs.advice import HEADERS, NOTHING, cpu_text, rows_of, state_text, taken
from gui.present.runs.comparison import kept_answer
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.listing_table import WrappedTable
from gui.widgets.patient_view import PatientView

_QUIET_MS = 1_000
"""Nothing is tried for what is shown in passing."""


class _Trials(Enum):
    """How far they are."""

    TO_COME = auto()
    UNDER_WAY = auto()
    STOPPED = auto()
    DONE = auto()


class AdviceView(PatientView):
    """Asks for advice about what is shown once it is in sight; trials go on behind other tabs."""

    NAME = "advice"
    TITLE = "Advice"
    PARTS: ClassVar = frozenset({Part.ANSWER, Part.DOCUMENT, Part.DISPLAY})

    wanted = Signal(object)
    """A `Document` that is to be advised about, or None: nothing any more."""
    aside = Signal(str)
    """How far trials are that go on out of sight; empty where there are none."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, NOTHING, parent)
        self.tips: tuple[Tip, ...] = ()
        self._about: Document | None = None
        """What is or was asked about."""
        self._trials = _Trials.TO_COME
        self._tried: tuple[int, int] | None = None
        # A line that wraps would take from the rows, and with large type from the whole window.
        self.state = ElidedLabel("How far the trials are")
        self.table = WrappedTable("Advice")
        self.on_cpu = QLabel()
        self.on_cpu.setAccessibleName("Operators on the CPU, and what would let them off it")
        self.on_cpu.setTextFormat(Qt.TextFormat.PlainText)
        self.on_cpu.setWordWrap(True)
        # As many as there are: in a small panel they are read by scrolling.
        self.cpu_area = QScrollArea()
        self.cpu_area.setAccessibleName("Operators on the CPU")
        self.cpu_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.cpu_area.setFrameShape(QFrame.Shape.NoFrame)
        self.cpu_area.setWidgetResizable(True)
        self.cpu_area.setWidget(self.on_cpu)
        self.cpu_area.setMinimumHeight(self.fontMetrics().height())
        self.stop_button = QPushButton()
        self.stop_button.setToolTip("Try nothing more, or have it tried again")
        self.take_button = QPushButton("Take")
        self.take_button.setToolTip("Ask for it; one step of undo leads back")
        self.compare_button = QPushButton("Take and compare")
        self.compare_button.setToolTip("Keep what is shown as A, and ask for it")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_QUIET_MS)
        self._timer.timeout.connect(self._ask)
        self.stop_button.clicked.connect(self._stop_or_ask)
        self.take_button.clicked.connect(self.take)
        self.compare_button.clicked.connect(self.take_and_compare)
        self.table.activated.connect(self.take_and_compare)
        self.table.selectionModel().selectionChanged.connect(self._enable)
        self._lay_out()
        # Out of sight no part is shown, and what is tried may be about something that is gone.
        store.changed.connect(self._heed_out_of_sight)

    def _lay_out(self) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        arrange(column, Gap.SMALL)
        column.addWidget(self.state)
        column.addWidget(self.table, 1)
        column.addWidget(self.cpu_area, 1)
        foot = QHBoxLayout()
        arrange(foot, between=Gap.MEDIUM)
        foot.addWidget(self.stop_button)
        foot.addStretch(1)
        for button in (self.take_button, self.compare_button):
            button.setAccessibleName(button.text())
            foot.addWidget(button)
        column.addLayout(foot)
        self.set_page(page, self.show_parts)

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Ask about another document; what was found for the one before is not told any more."""
        if Part.ANSWER in parts:
            text = cpu_text(self._store.answer)
            self.on_cpu.setText(text)
            self.cpu_area.setVisible(bool(text))
        document = self._store.document
        if document == self._about:
            return
        self._about, self.tips = document, ()
        self._end(_Trials.TO_COME)
        self._show()
        if self._store.is_current:
            self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Go on, and tell elsewhere how far it is; but begin nothing for nobody."""
        super().hideEvent(event)
        if self._timer.isActive():
            self._timer.stop()
            self._about = None
            self._pending.add(Part.ANSWER)
        self._tell()

    def showEvent(self, event: QShowEvent) -> None:
        """Here it is told again."""
        super().showEvent(event)
        self.aside.emit("")

    def _heed_out_of_sight(self) -> None:
        if not self.isVisible() and self._about not in (None, self._store.document):
            self._about = None
            self._end(_Trials.TO_COME)
            self.aside.emit("")

    def _ask(self) -> None:
        if self._store.is_current and self.isVisible():
            self._about, self._trials = self._store.document, _Trials.UNDER_WAY
            self.wanted.emit(self._about)
            self._tell()

    def _end(self, trials: _Trials) -> None:
        self._trials, self._tried = trials, None
        self.wanted.emit(None)

    def _stop_or_ask(self) -> None:
        if self._trials is _Trials.UNDER_WAY:
            self._end(_Trials.STOPPED)
            self._tell()
        else:
            self._ask()

    def show_tried(self, done: int, total: int) -> None:
        """So many were tried, of so many."""
        self._tried = done, total
        self._tell()

    def show_tips(
        self, document: Document, tips: tuple[Tip, ...], message: str = "", *, is_done: bool
    ) -> None:
        """What was found to help a document."""
        if document != self._about:
            return
        self.tips, self._trials = tips, _Trials.DONE if is_done else _Trials.UNDER_WAY
        self._show(message)

    def _show(self, message: str = "") -> None:
        about = self._about or self._store.document
        row = self.table.currentIndex().row()
        answer = self._store.answer
        rows = () if answer is None else rows_of(self.tips, about, answer)
        self.table.show_listing(HEADERS, rows)
        if 0 <= row < len(self.tips):
            self.table.selectRow(row)
        self._tell(message)
        self._enable()

    def _tell(self, message: str = "") -> None:
        is_under_way = self._trials is _Trials.UNDER_WAY
        told = state_text(
            self._store.answer,
            self.tips,
            self._tried,
            is_done=self._trials is _Trials.DONE,
            is_stopped=self._trials is _Trials.STOPPED,
        )
        self.state.show_text(message or told)
        word = "Stop" if is_under_way else "Try again"
        self.stop_button.setText(word)
        self.stop_button.setAccessibleName(word)
        self.stop_button.setVisible(is_under_way or self._trials is _Trials.STOPPED)
        if not self.isVisible() and self._trials in (_Trials.UNDER_WAY, _Trials.DONE):
            self.aside.emit(self.state.text)

    def _enable(self) -> None:
        is_picked = self.picked is not None
        for button in (self.take_button, self.compare_button):
            button.setEnabled(is_picked)

    @property
    def picked(self) -> Tip | None:
        """The tip whose row is picked."""
        rows = self.table.selectionModel().selectedRows()
        place = rows[0].row() if rows else -1
        return self.tips[place] if 0 <= place < len(self.tips) else None

    def take(self) -> None:
        """Ask for what is picked; one step of undo."""
        tip, answer = self.picked, self._store.answer
        if tip is not None and answer is not None:
            made = taken(self._store.document, tip, answer)
            self._store.edit(made.document, made.label)

    def take_and_compare(self) -> None:
        """Keep what is shown as A, and ask for what is picked."""
        if self.picked is not None and self._store.answer is not None and self._store.is_current:
            self._store.compared.keep(kept_answer(self._store.answer))
            self.take()
