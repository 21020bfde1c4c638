"""The dialog of exports: what is asked, how far it is, and what stands in the way."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import CoreError
from core.base.outputs import Output, demand_outputs
from gui.present.status import stage_text
from gui.shell.export_form import ExportForm, Start
from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme

_ANSWERED = QDialogButtonBox.StandardButton.Cancel


class ExportDialog(QDialog):
    """Asks until there is a file, or until it is put away; the window can be used meanwhile, with
    the dialog out of sight where its work goes on."""

    asked = Signal()
    """What the form says is to be made."""
    given_up = Signal()
    """What is on its way is not wanted."""

    def __init__(
        self, start: Start, inputs: tuple[Path, ...], theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._theme = theme
        self._inputs = inputs
        self.form = ExportForm(start)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.message.setAccessibleName("Message")
        self.bar = QProgressBar()
        self.bar.setAccessibleName("Progress")
        self.bar.setTextVisible(False)
        self.stage = QLabel()
        self.stage.setAccessibleName("What is being done")
        buttons = QDialogButtonBox(_ANSWERED)
        self.go = buttons.addButton("Export", QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        self.no = buttons.button(_ANSWERED)
        self.aside = buttons.addButton("In the background", QDialogButtonBox.ButtonRole.ActionRole)
        self.aside.setToolTip(
            "Put this away; the line at the foot of the window tells how far it is"
        )
        self.is_running = False
        self._agreed = ""
        """A file that is there, and that the user has been asked to replace."""
        column = QVBoxLayout(self)
        arrange(column, Gap.LARGE, Gap.MEDIUM)
        for widget in (self.form, self.message, self.stage, self.bar, buttons):
            column.addWidget(widget)
        self.form.misfit.setStyleSheet(f"color: {theme.danger};")
        self._say("")
        self._show_running()
        self.form.changed.connect(self._look_again)
        self.go.clicked.connect(self._go)
        buttons.rejected.connect(self.reject)

    def _go(self) -> None:
        """Ask for it, unless there is something to decide before."""
        path = self.form.path
        if not path:
            self.tell("Say where the file should go.")
        elif Path(path).is_file() and not self.replaces:
            self._ask_to_replace(self.form.output)
        else:
            self.asked.emit()

    @property
    def replaces(self) -> bool:
        """Whether the user has agreed to replace what is there, whatever it is."""
        return self._agreed == self.form.path

    def _ask_to_replace(self, output: Output) -> None:
        try:
            demand_outputs([output], self._inputs, replaces=True)
            other = f", and it is no {output.form.title} file" * output.is_foreign()
        except CoreError as error:
            self.tell(f"{error}.")
            return
        self._agreed = self.form.path
        self.go.setText("Replace")
        self.tell(
            f"There is a file {output.path.name} already{other}. Press Replace to write over it."
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter in a line of the form exports, whichever button Tab went over before."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and not isinstance(self.focusWidget(), QPushButton):
            self.go.click()
        else:
            super().keyPressEvent(event)

    def reject(self) -> None:
        """Give up what is on its way; where nothing is, close."""
        if self.is_running:
            self.stage.setText("Stopping")
            self.given_up.emit()
        else:
            super().reject()

    def run(self) -> None:
        """Show that it is on its way."""
        self._say("")
        self.is_running = True
        self.stage.setText("Starting")
        self.bar.setRange(0, 0)
        self._show_running()

    def advance(self, stage: str, done: int, total: int) -> None:
        """Show how far it is."""
        self.stage.setText(stage_text(stage, done, total))
        self.bar.setRange(0, total if total > 1 else 0)
        self.bar.setValue(done)

    def tell(self, message: str) -> None:
        """Say what stands in the way; what the form says can be changed, and asked again."""
        self.is_running = False
        self._show_running()
        self._say(message)

    def _say(self, message: str) -> None:
        self.message.setText(message)
        self.message.setStyleSheet(f"color: {self._theme.danger};")
        self.message.setVisible(bool(message))
        self.adjustSize()

    def _show_running(self) -> None:
        self.form.setEnabled(not self.is_running)
        self.go.setEnabled(not self.is_running)
        self.stage.setVisible(self.is_running)
        self.bar.setVisible(self.is_running)
        self.aside.setVisible(self.is_running)
        self.no.setFocus() if self.is_running else self.go.setFocus()
        self.adjustSize()

    def _look_again(self) -> None:
        """Something else is asked: what was said of the last is not about it."""
        if not self.replaces:
            self._agreed = ""
            self.go.setText("Export")
        self._say("")
