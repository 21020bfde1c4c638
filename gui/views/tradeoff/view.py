"""Trade-off: what limits cost, by the cells of a sweep; a click asks for what a cell has."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from core.api.sweeps import Cell
from gui.document.changes import Part
from gui.document.look import LookPart
from gui.document.swept import SweptCells
from gui.present.runs.tradeoff import (
    HINT,
    NOTHING,
    Figure,
    adopting,
    headline,
    keeping,
    panels_of,
    told,
)
from gui.state.store import Store
from gui.theme.fonts import lines_px
from gui.theme.scale import Gap, arrange
from gui.views.tradeoff.making import MakingRow
from gui.views.tradeoff.panels import PanelsWidget
from gui.widgets.drop_down import DropDown
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_state import EmptyState
from gui.widgets.patient_view import PatientView

_ADOPTED = "Adopt a cell of a sweep"
_TOLD_LINES, _TOLD_NARROW = 3, 6
"""Of what is told of a cell: where there is room for so many letters beside each other, or not."""
_WIDE_LETTERS = 120


class TradeOffView(PatientView):
    """Step lines over the limit, one for each way to search, in a panel for each target."""

    NAME = "tradeoff"
    TITLE = "Trade-off"
    PARTS: ClassVar = frozenset({Part.SWEEP, Part.ANSWER, Part.DISPLAY})

    command_asked = Signal(str)
    """A command of the app by its id."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, NOTHING, parent)
        self._drawn: SweptCells | None = None
        self._is_pictured = False
        self.headline = ElidedLabel("Sweep")
        self.figure = DropDown("What is drawn over the limit")
        self.figure.addItems([figure.value for figure in Figure])
        self.making = MakingRow()
        self.panels = PanelsWidget()
        self.sentence = QLabel()
        self.sentence.setAccessibleName("The cell that is pointed at")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._lay_out()
        self.figure.currentIndexChanged.connect(self._draw)
        self.making.command_asked.connect(self.command_asked)
        self.panels.pointed.connect(self._tell)
        self.panels.picked.connect(self.adopt)
        self.panels.kept.connect(self.keep)
        self.panels.gone_to.connect(self._bring_into_sight)

    def _lay_out(self) -> None:
        page, chart = QWidget(), QWidget()
        head = QHBoxLayout()
        arrange(head, between=Gap.MEDIUM)
        head.addWidget(self.headline, 1)
        head.addWidget(self.figure)
        self.again = self._button("Make...", "schedule.make_sweep")
        head.addWidget(self.again)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(self.panels)
        column = QVBoxLayout(chart)
        arrange(column, Gap.SMALL)
        column.addLayout(head)
        column.addWidget(self.making)
        column.addWidget(self._scroll, 1)
        column.addWidget(self.sentence)
        self._layers = QStackedLayout(page)
        self._layers.addWidget(self._offer())
        self._layers.addWidget(chart)
        look = {"figure": LookPart(self.figure.currentText, self.figure.setCurrentText)}
        self.set_page(page, self.show_parts, look)

    def _offer(self) -> QWidget:
        """What is there before there is a sweep."""
        offer, buttons = EmptyState(NOTHING), QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._button("Make a sweep...", "schedule.make_sweep"))
        buttons.addWidget(self._button("Open a sweep...", "schedule.sweep"))
        buttons.addStretch(1)
        offer.add_below(buttons)
        return offer

    def _button(self, text: str, command: str) -> QPushButton:
        button = QPushButton(text)
        button.setAccessibleName(text)
        button.clicked.connect(lambda: self.command_asked.emit(command))
        return button

    @property
    def has_something(self) -> bool:
        """Whether there is a sweep, or a model of which one can be made."""
        return self._store.swept.shown is not None or super().has_something

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have room for what is told, however much that is: it must not move what is pointed at."""
        super().resizeEvent(event)
        is_wide = self.width() > self.fontMetrics().averageCharWidth() * _WIDE_LETTERS
        lines = _TOLD_LINES if is_wide else _TOLD_NARROW
        self.sentence.setFixedHeight(lines_px(self.fontMetrics(), lines))

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Draw the sweep, and tell the cell that is pointed at."""
        swept = self._store.swept
        if Part.DISPLAY in parts:
            self.panels.set_theme(self._store.theme)
        if Part.SWEEP in parts:
            self.making.show_making(swept.making)
            self.again.setVisible(swept.making is None and not self._is_pictured)
            self._layers.setCurrentIndex(0 if swept.shown is None else 1)
            if swept.shown is not self._drawn:
                self._draw()
        self._tell(self.panels.current)

    def _draw(self) -> None:
        swept = self._drawn = self._store.swept.shown
        if swept is None:
            return
        self.headline.show_text(headline(swept))
        found = panels_of(swept, Figure(self.figure.currentText()))
        self.panels.show_panels(found)
        self.panels.setAccessibleDescription("; ".join(panel.title for panel in found))

    def _tell(self, cell: Cell | None) -> None:
        shown = "" if cell is None else told(cell, self._store.answer, self._store.display)
        self.sentence.setText(shown or HINT)

    def _bring_into_sight(self, at: QPointF) -> None:
        margin = self.fontMetrics().height()
        self._scroll.ensureVisible(round(at.x()), round(at.y()), margin, margin)

    def be_pictured(self) -> None:
        """Show the lines without a button, and without what is told of the one pointed at."""
        super().be_pictured()
        self._is_pictured = True
        self.sentence.hide()

    def fill_menu(self, menu: QMenu) -> None:
        """What can be done with the cell that is pointed at."""
        cell = self.panels.current
        if cell is not None:
            menu.addAction("Adopt the cell", lambda: self.adopt(cell))
            menu.addAction("Keep the cell as A", lambda: self.keep(cell))

    def adopt_pointed(self) -> None:
        """Ask for what the cell has that is pointed at."""
        if self.panels.current is not None:
            self.adopt(self.panels.current)

    def keep_pointed(self) -> None:
        """Compare what is shown with the cell that is pointed at."""
        if self.panels.current is not None:
            self.keep(self.panels.current)

    def adopt(self, cell: Cell) -> None:
        """Ask for what a cell has; one step of undo."""
        wanted = adopting(cell, self._store.document)
        if isinstance(wanted, str):
            self.sentence.setText(wanted)
        else:
            self._store.edit(wanted, _ADOPTED, initiator=self.NAME)

    def keep(self, cell: Cell) -> None:
        """Compare what is shown with a cell from now on."""
        kept = keeping(cell, self._store.document)
        if isinstance(kept, str):
            self.sentence.setText(kept)
        else:
            self._store.compared.keep(kept)
