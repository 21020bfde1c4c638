"""What the schedule comes to: the verdict, the numbers, and sizes to copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.api import programs
from core.base.ids import NpuOpId
from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.look import LookPart
from gui.document.selection import Selection
from gui.present.compiled import TITLE
from gui.present.runs.comparison import cause_of
from gui.present.snippets import DEVICE, TITLES, texts_of
from gui.present.summary import (
    Bar,
    Fact,
    RegionSummary,
    Verdict,
    asked_rows,
    stretch_of,
    summary_of,
    versus,
)
from gui.state.store import Store
from gui.theme import fonts
from gui.theme.scale import Gap, Type, arrange
from gui.views.summary.call_table import CallTable
from gui.views.summary.parts import (
    BarRow,
    Card,
    RegionCard,
    ShareBar,
    Tile,
    VersusGrid,
    WrapGrid,
    label,
    set_role,
    style_sheet,
)
from gui.widgets.calm_tabs import CalmTabs
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_state import no_schedule
from gui.widgets.look_parts import scroll_part
from gui.widgets.patient_view import PatientView

_LINES = 16
_ROLES = {
    Verdict.FITS: "good",
    Verdict.OPEN: "plain",
    Verdict.UNTOLD: "plain",
    Verdict.EXCEEDS: "danger",
}


class SizesPanel(QWidget):
    """One tab for each language, and a button that copies the one in front."""

    def __init__(self) -> None:
        super().__init__()
        self.tabs = CalmTabs()
        self.tabs.setAccessibleName("For the board")
        self.tabs.tabBar().setAccessibleName("For the board")
        self.texts = [self._text(title) for title in TITLES]
        self.copy_button = QPushButton("Copy")
        self.copy_button.setAccessibleName("Copy sizes")
        self.copy_button.clicked.connect(self.copy)
        lines = QVBoxLayout(self)
        arrange(lines)
        lines.addWidget(self.tabs)
        # Beside the tabs it would take the room of the last of them.
        lines.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignRight)

    def _text(self, title: str) -> QPlainTextEdit:
        text = QPlainTextEdit()
        text.setReadOnly(True)
        text.setFont(fonts.mono())
        text.setAccessibleName(f"For the board: {title}")
        if title != DEVICE:
            # Columns would not stand below each other, and code would not be code.
            text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setTabChangesFocus(True)
        text.setTabStopDistance(text.fontMetrics().horizontalAdvance(" ") * 4)
        text.setFixedHeight(text.fontMetrics().lineSpacing() * _LINES)
        self.tabs.addTab(text, title)
        return text

    def show_answer(self, answer: Answer) -> None:
        """Write what a board needs for an answer, in all languages."""
        for text, (_, written) in zip(self.texts, texts_of(answer), strict=True):
            if text.toPlainText() != written:
                text.setPlainText(written)

    def copy(self) -> None:
        """Put the text in front on the clipboard."""
        QGuiApplication.clipboard().setText(self.texts[self.tabs.currentIndex()].toPlainText())


class SummaryView(PatientView):
    """A page of cards, from the verdict down to the sizes for a build."""

    NAME = "summary"
    TITLE = "Summary"
    PARTS = PatientView.PARTS | {Part.PRICES, Part.COMPARISON, Part.SPAN}

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("The summary appears here as soon as there is one."), parent
        )
        theme = store.theme
        self.headline = label("Verdict", kind=Type.TITLE)
        self.model = ElidedLabel("Model")
        self.subject = label("Target", "faint")
        self.versus_title, self.cause = _heading("A and B"), label("What it comes from", "faint")
        self.versus = VersusGrid()
        self.calls_title, self.calls = _heading(programs.CALLS), CallTable(programs.CALLS)
        self.calls.picked.connect(self._select)
        self.regions = WrapGrid[RegionSummary, RegionCard](
            40, lambda: RegionCard(self._store.theme), RegionCard.show_item
        )
        self.facts = WrapGrid[Fact, Tile](19, Tile, Tile.show_item)
        self.traffic, self.waits = self._bars(), self._bars()
        self.asked = WrapGrid[Fact, Tile](26, lambda: Tile(Type.HEADING), Tile.show_item)
        self.marked_title = _heading("In the marked stretch")
        self.marked_facts = WrapGrid[Fact, Tile](19, Tile, Tile.show_item)
        self.marked_waits = self._bars()
        self.marked_traffic = self._bars()
        self.warnings_title, self.warnings = _heading("Warnings"), label("Warnings", "warning")
        self.untold_title, self.untold = _heading(TITLE), label(TITLE)
        self.sizes = SizesPanel()
        self._area = QScrollArea()
        self.setStyleSheet(style_sheet(theme))
        self._lay_out()

    def _bars(self) -> WrapGrid[Bar, BarRow]:
        return WrapGrid[Bar, BarRow](40, self._bar, BarRow.show_item)

    def _bar(self) -> BarRow:
        row = BarRow(self._store.theme)
        row.picked.connect(self._pick)
        return row

    def _pick(self, ops: tuple[NpuOpId, ...]) -> None:
        """Show elsewhere whose time it is."""
        first, *others = ops
        self._store.select(Selection(op=first, more_ops=tuple(others)), self.NAME)

    def _select(self, selection: Selection) -> None:
        """Show elsewhere what a call runs."""
        self._store.select(selection, self.NAME)

    def _lay_out(self) -> None:
        page = QWidget()
        lines = QVBoxLayout(page)
        arrange(lines, Gap.MEDIUM, Gap.MEDIUM)
        verdict = Card()
        verdict.lines.addWidget(self.headline)
        verdict.lines.addWidget(self.model)
        verdict.lines.addWidget(self.subject)
        for part in (
            verdict,
            self.versus_title,
            self.versus,
            self.cause,
            self.marked_title,
            self.marked_facts,
            self.marked_waits,
            self.marked_traffic,
            self.calls_title,
            self.calls,
            _heading("Where the time goes"),
            self.waits,
            self.regions,
            self.warnings_title,
            self.warnings,
            _heading("One inference"),
            self.facts,
            _heading("Traffic of one inference"),
            self.traffic,
            self.untold_title,
            self.untold,
            _heading("Sizes for the board"),
            self.sizes,
            _heading("Asked, and applied"),
            self.asked,
        ):
            lines.addWidget(part)
        lines.addStretch(1)
        # As wide as there is room: else grids could never give up a column once they have it.
        page.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        area = self._area
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setAccessibleName("Summary")
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(page)
        tabs = self.sizes.tabs
        look = {
            "language": LookPart(tabs.currentIndex, tabs.setCurrentIndex),
            "scroll": scroll_part(self._area),
        }
        self.set_page(area, self.show_parts, look)

    def relevant_parts(self, changes: ChangeSet) -> frozenset[Part]:
        """The summary is about everything, whatever is selected."""
        return super().relevant_parts(changes) - {Part.SELECTION}

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show the sums of an answer."""
        answer = self._store.answer
        if Part.DISPLAY in parts:
            self._take_theme()
        if answer is not None:
            if parts - {Part.COMPARISON, Part.SPAN}:
                self._show_answer(answer)
            self._show_marked(answer)
            self._show_versus(answer)

    def _show_versus(self, answer: Answer) -> None:
        """Show totals beside those of A, as soon as they are worked out."""
        found = self._store.compared.of(answer)
        for part in (self.versus_title, self.versus, self.cause):
            part.setVisible(found is not None)
        if found is not None:
            self.versus.show_rows(versus(found, self._store.display))
            self.cause.setText(cause_of(found))
            self.cause.setVisible(bool(self.cause.text()))

    def _show_marked(self, answer: Answer) -> None:
        """The sums of a stretch that is marked in the timeline."""
        span = self._store.selected_span
        for part in (self.marked_title, self.marked_facts, self.marked_waits, self.marked_traffic):
            part.setVisible(span is not None)
        if span is not None:
            stretch = stretch_of(answer, span, self._store.display)
            self.marked_facts.show_items(stretch.facts)
            self.marked_waits.show_items(stretch.waits)
            self.marked_traffic.show_items(stretch.traffic)

    def _show_answer(self, answer: Answer) -> None:
        summary = summary_of(answer, self._store.display)
        self.headline.setText(summary.headline)
        set_role(self.headline, _ROLES[summary.verdict])
        self.model.show_text(summary.model)
        self.subject.setText(summary.subject)
        has_calls = self.calls.show_answer(answer)
        for each in (self.calls_title, self.calls):
            each.setVisible(has_calls)
        self.regions.show_items(summary.regions)
        self.facts.show_items(summary.facts)
        self.waits.show_items(summary.waits)
        self.traffic.show_items(summary.traffic)
        for part in (self.warnings_title, self.warnings):
            part.setVisible(bool(summary.warnings))
        self.warnings.setText("\n".join(summary.warnings))
        for part in (self.untold_title, self.untold):
            part.setVisible(bool(summary.untold))
        self.untold.setText("\n".join(f"• {text}" for text in summary.untold))
        self.sizes.show_answer(answer)
        self.asked.show_items(
            [Fact(row.title, row.applied, f"asked: {row.asked}") for row in asked_rows(answer)]
        )

    def _take_theme(self) -> None:
        sheet = style_sheet(self._store.theme)
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)
            for bar in self.findChildren(ShareBar):
                bar.set_theme(self._store.theme)


def _heading(text: str) -> QLabel:
    made = label(text, kind=Type.HEADING)
    made.setText(text)
    return made
