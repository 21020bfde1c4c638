"""The dialog of boards: on which of them the model fits, and who tells what of each."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from core.api.boards import BoardFit
from core.api.targets import Board
from core.base.sentences import capitalised
from gui.present.boards import FIT_HEADERS, figures_text, fit_rows, verdict_text
from gui.present.status import stage_text
from gui.theme.scale import Gap, arrange, make_hint
from gui.widgets.listing_table import ListingTable

_LETTERS = 186
_TABLE_LINES = 26
_FIGURES = 5


class BoardsDialog(QDialog):
    """Stays until it is put away; the window can be used meanwhile."""

    given_up = Signal()
    """What is on its way is not wanted."""
    taken = Signal(object)
    """A `Board` that is to be scheduled for."""

    def __init__(self, model: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Boards that {model} fits")
        self.fits: tuple[BoardFit, ...] = ()
        self.is_running = True
        self.message, self.figures = QLabel("Starting"), QLabel()
        self.table, self.bar = ListingTable("Boards"), QProgressBar()
        for label, name in ((self.message, "Message"), (self.figures, "Who tells the figures")):
            label.setAccessibleName(name)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        make_hint(self.figures)
        self.bar.setAccessibleName("Progress")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.use = buttons.addButton("Schedule for it", QDialogButtonBox.ButtonRole.ActionRole)
        self.no = buttons.button(QDialogButtonBox.StandardButton.Close)
        self._lay_out(buttons)
        self.table.selectionModel().currentRowChanged.connect(self._show_picked)
        self.table.activated.connect(self._take)
        self.use.clicked.connect(self._take)
        buttons.rejected.connect(self.reject)
        self._show_running()

    def _lay_out(self, buttons: QDialogButtonBox) -> None:
        line = QHBoxLayout()
        arrange(line, between=Gap.MEDIUM)
        line.addWidget(self.message, 1)
        line.addWidget(self.bar)
        column = QVBoxLayout(self)
        arrange(column, Gap.LARGE, Gap.MEDIUM)
        column.addLayout(line)
        column.addWidget(self.table, 1)
        column.addWidget(self.figures)
        column.addWidget(buttons)
        line_px = self.fontMetrics().lineSpacing()
        self.table.setMinimumHeight(line_px * _TABLE_LINES)
        self.figures.setMinimumHeight(line_px * (_FIGURES + 1))
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * _LETTERS)

    @property
    def picked(self) -> Board | None:
        """The board whose row is picked."""
        row = self.table.currentIndex().row()
        return self.fits[row].board if 0 <= row < len(self.fits) else None

    def advance(self, stage: str, done: int, total: int) -> None:
        """Show how far it is."""
        self.message.setText(stage_text(stage, done, total))
        self.bar.setRange(0, total)
        self.bar.setValue(done)

    def show_fits(self, fits: tuple[BoardFit, ...]) -> None:
        """Show what was found; the first row is picked."""
        self.fits, self.is_running = fits, False
        self.table.show_listing(FIT_HEADERS, fit_rows(fits))
        self.message.setText(verdict_text(fits))
        self._show_running()
        self.table.pick(0)

    def tell(self, message: str) -> None:
        """Say why nothing was found."""
        self.is_running = False
        self.message.setText(f"{capitalised(message)}.")
        self._show_running()

    def reject(self) -> None:
        """Give up what is on its way; where nothing is, close."""
        if self.is_running:
            self.message.setText("Stopping")
            self.given_up.emit()
        else:
            super().reject()

    def _take(self) -> None:
        if self.picked is not None:
            self.taken.emit(self.picked)

    def _show_picked(self) -> None:
        board = self.picked
        self.use.setEnabled(board is not None)
        if board is not None:
            fit = self.fits[self.table.currentIndex().row()]
            self.figures.setText(f"{capitalised(fit.found)}\n{figures_text(board)}")

    def _show_running(self) -> None:
        self.bar.setVisible(self.is_running)
        self.no.setText("Stop" if self.is_running else "Close")
        self.use.setEnabled(self.picked is not None)
