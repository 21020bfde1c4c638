"""The dialog of calibrations: what was measured, how far the fit is, and what it has found."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import OptionError
from core.ir.settings import Settings
from gui.present.calibration.asked import Entry, obstacle, order_of
from gui.present.calibration.found import Fit
from gui.present.status import stage_text
from gui.shell.calibration_report import CalibrationReport
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.widgets.entry_list import EntryList

_LETTERS = 130


class CalibrationDialog(QDialog):
    """Stays until it is put away; the window can be used meanwhile."""

    asked = Signal(object)
    """A `CalibrationOrder`."""
    given_up = Signal()
    """The fit that is on its way is not wanted."""
    save_asked = Signal()
    use_asked = Signal()

    def __init__(
        self, settings: Settings, first: tuple[Entry, ...], theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Calibrate by measurements")
        self._settings, self._theme = settings, theme
        self.is_running = False
        self._has_board = False
        self.entries = EntryList()
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.message.setAccessibleName("Message")
        self.bar, self.go = QProgressBar(), QPushButton("Fit")
        self.bar.setAccessibleName("Progress")
        self.bar.setTextVisible(False)
        self.go.setDefault(True)
        self.report = CalibrationReport(theme)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.save = buttons.addButton("Save as a system config...", role)
        self.use = buttons.addButton("Use it", role)
        self.no = buttons.button(QDialogButtonBox.StandardButton.Close)
        for button in (self.save, self.use, self.no):
            button.setAutoDefault(False)
        self._lay_out(buttons)
        self.entries.changed.connect(self._look_again)
        self.entries.refused.connect(self.tell)
        self.go.clicked.connect(self._go)
        self.save.clicked.connect(self.save_asked)
        self.use.clicked.connect(self.use_asked)
        buttons.rejected.connect(self.reject)
        self.entries.add(first)
        self._show_running()

    def _lay_out(self, buttons: QDialogButtonBox) -> None:
        line = QHBoxLayout()
        arrange(line, between=Gap.MEDIUM)
        line.addWidget(self.message, 1)
        line.addWidget(self.bar)
        line.addWidget(self.go)
        column = QVBoxLayout(self)
        arrange(column, Gap.LARGE, Gap.MEDIUM)
        column.addWidget(self.entries)
        column.addLayout(line)
        column.addWidget(self.report, 1)
        column.addStretch()
        column.addWidget(buttons)
        self.report.setVisible(False)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * _LETTERS)

    def _go(self) -> None:
        try:
            order = order_of(self.entries.entries, self._settings)
        except OptionError as error:
            self.tell(str(error))
            return
        self.asked.emit(order)

    def reject(self) -> None:
        """Give up the fit that is on its way; where none is, close."""
        if self.is_running:
            self._say("Stopping", is_bad=False)
            self.given_up.emit()
        else:
            super().reject()

    def run(self) -> None:
        """Show that it is on its way."""
        self.is_running, self._has_board = True, False
        self.report.setVisible(False)
        self.bar.setRange(0, 0)
        self._say("Starting", is_bad=False)
        self._show_running()

    def advance(self, stage: str, done: int, total: int) -> None:
        """Show how far it is."""
        self._say(stage_text(stage, done, total), is_bad=False)
        self.bar.setRange(0, total if total > 1 else 0)
        self.bar.setValue(done)

    def show_fit(self, fit: Fit) -> None:
        """Show what was found; what does not hold can neither be saved nor used."""
        self.is_running, self._has_board = False, fit.holds
        self.report.show_fit(fit)
        self.report.setVisible(True)
        self._look_again()
        self._show_running()
        self.resize(self.sizeHint().expandedTo(self.size()))

    def tell(self, message: str, *, is_bad: bool = True) -> None:
        """Say what stands in the way, or what was done; it can be asked again."""
        self.is_running = False
        self._show_running()
        self._say(message, is_bad=is_bad)

    def _look_again(self) -> None:
        text, is_bad = obstacle(self.entries.entries, self._settings)
        self.go.setEnabled(not is_bad and not self.is_running)
        self._say(text, is_bad=False)

    def _say(self, message: str, *, is_bad: bool) -> None:
        self.message.setText(message)
        colour = self._theme.danger if is_bad else self._theme.text
        self.message.setStyleSheet(f"color: {colour};")

    def _show_running(self) -> None:
        self.entries.setEnabled(not self.is_running)
        _, is_missing = obstacle(self.entries.entries, self._settings)
        self.go.setEnabled(not self.is_running and not is_missing)
        self.bar.setVisible(self.is_running)
        self.no.setText("Stop" if self.is_running else "Close")
        for button in (self.save, self.use):
            button.setEnabled(self._has_board and not self.is_running)
