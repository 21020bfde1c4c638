"""Trade-off: what limits cost, by the cells of a sweep; a click asks for what a cell has."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from core.api.sweeps import Cell
from gui.document.changes import Part
from gui.document.look import LookPart
from gui.present.runs.tradeoff import NOTHING, Figure, adopting, headline, panels_of, told
from gui.state.store import Store
from gui.views.tradeoff.panels import PanelsWidget
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.patient_view import PatientView

_ADOPTED = "Adopt a cell of a sweep"


class TradeOffView(PatientView):
    """Step lines over the limit, one for each way to search, in a panel for each target."""

    NAME = "tradeoff"
    TITLE = "Trade-off"
    PARTS: ClassVar = frozenset({Part.SWEEP, Part.ANSWER, Part.DISPLAY})

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, NOTHING, parent)
        self.headline = ElidedLabel("Sweep")
        self.figure = QComboBox()
        self.figure.setAccessibleName("What is drawn over the limit")
        self.figure.addItems([figure.value for figure in Figure])
        self.panels = PanelsWidget()
        self.sentence = QLabel()
        self.sentence.setAccessibleName("The cell that is pointed at")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self._lay_out()
        self.figure.currentIndexChanged.connect(self._draw)
        self.panels.pointed.connect(self._tell)
        self.panels.picked.connect(self._adopt)

    def _lay_out(self) -> None:
        page, margin = QWidget(), self.fontMetrics().height() // 4
        head = QHBoxLayout()
        head.addWidget(self.headline, 1)
        head.addWidget(self.figure)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(self.panels)
        column = QVBoxLayout(page)
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(margin)
        column.addLayout(head)
        column.addWidget(scroll, 1)
        column.addWidget(self.sentence)
        look = {"figure": LookPart(self.figure.currentText, self._choose)}
        self.set_page(page, self.show_parts, look)

    def _choose(self, name: str) -> None:
        self.figure.setCurrentText(name)

    @property
    def has_something(self) -> bool:
        """Whether a sweep is open."""
        return self._store.swept.shown is not None

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Draw the sweep, and tell the cell that is pointed at."""
        if Part.DISPLAY in parts:
            self.panels.set_theme(self._store.theme)
        if Part.SWEEP in parts:
            self._draw()
        self._tell(self.panels.current)

    def _draw(self) -> None:
        swept = self._store.swept.shown
        if swept is None:
            return
        self.headline.show_text(headline(swept))
        found = panels_of(swept, Figure(self.figure.currentText()))
        self.panels.show_panels(found)
        self.panels.setAccessibleDescription("; ".join(panel.title for panel in found))

    def _tell(self, cell: Cell | None) -> None:
        shown = "" if cell is None else told(cell, self._store.answer, self._store.display)
        self.sentence.setText(shown or "Point at a cell to compare it, click it to adopt it.")

    def _adopt(self, cell: Cell) -> None:
        wanted = adopting(cell, self._store.document)
        if isinstance(wanted, str):
            self.sentence.setText(wanted)
        else:
            self._store.edit(wanted, _ADOPTED, initiator=self.NAME)
