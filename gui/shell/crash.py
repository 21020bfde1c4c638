"""The one place where errors of our own land: they are told, and the window stays."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import CoreError
from core.base.files import write_whole
from core.base.forms import Form
from core.base.frozen import NamedTuple
from core.base.harmless import terminal_text
from core.base.outputs import Output, demand_outputs
from core.base.version import VERSION
from gui.document.changes import ChangeSet, Part
from gui.document.document import Document
from gui.document.inputs import inputs_of
from gui.document.job import JobState
from gui.document.plain import to_plain
from gui.jobs.messages import Failed
from gui.shell.announce import announce
from gui.shell.banner import Banner
from gui.state.store import Store
from gui.theme import fonts
from gui.theme.scale import Gap, arrange

_PACKAGES = ("PySide6-Essentials", "pyqtgraph", "numpy", "flatbuffers", "tflite")
Tell = Callable[[str], None]


class Fault(NamedTuple):
    """What happened, and how often."""

    trace: str
    times: int = 1


def report(faults: Iterable[Fault], document: Document, job: JobState, said: Iterable[str]) -> str:
    """The report as a text."""
    model = document.model
    parts = {
        "Versions": _versions(),
        "Model": "none"
        if model is None
        else f"{model.name}, digest {model.digest} (nothing else of it is in this report)",
        "Settings": json.dumps(to_plain(document.settings), indent=1),
        "Compiler": " ".join(filter(None, (job.phase.value, job.stage))),
        "Messages": "\n".join(said) or "none",
        "Faults": "\n".join(map(_fault, faults)) or "none since the start",
    }
    text = "\n".join(
        f"{title}\n{'-' * len(title)}\n{part.strip()}\n" for title, part in parts.items()
    )
    return anonymous(text)


def anonymous(text: str) -> str:
    """A text without the name of the user's folder, which often is the user's own."""
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _versions() -> str:
    packages = "".join(f"\n{name} {importlib.metadata.version(name)}" for name in _PACKAGES)
    python = f"Python {platform.python_version()} ({platform.python_implementation()})"
    return f"Reefpoint {VERSION}\n{python}\n{platform.platform()}{packages}"


def _fault(fault: Fault) -> str:
    often = f"{fault.times} times:\n" if fault.times > 1 else ""
    return f"{often}{fault.trace.strip()}\n"


class CrashReporter(QObject):
    """Takes exceptions that nobody caught, from any thread, to the thread of the window."""

    happened = Signal(str)

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        # An exception in another thread may not touch a widget from there.
        self.happened.connect(tell, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Be told of every exception from now on."""
        sys.excepthook = self.on_exception
        threading.excepthook = lambda args: self.on_exception(
            args.exc_type, args.exc_value, args.exc_traceback
        )

    def on_exception(
        self,
        kind: type[BaseException],
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Tell of an exception; an interrupt from the terminal is none."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error or kind(), trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(terminal_text(text))
        self.happened.emit(text)


class CrashDialog(QDialog):
    """Says what happened, and has a report to save; it does not keep the window from being used."""

    def __init__(self, inputs: Callable[[], tuple[Path, ...]], parent: QWidget) -> None:
        super().__init__(parent)
        self._inputs = inputs
        self.setWindowTitle("Something went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.told = QLabel()
        self.told.setWordWrap(True)
        self.told.setAccessibleName("What happened")
        self.browser = QPlainTextEdit()
        self.browser.setReadOnly(True)
        self.browser.setTabChangesFocus(True)
        self.browser.setFont(fonts.mono())
        self.browser.setAccessibleName("Report")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.save_button = buttons.addButton("Save report...", role)
        self.copy_button = buttons.addButton("Copy", role)
        self.save_button.setDefault(True)
        self.save_button.clicked.connect(self.ask_save)
        self.copy_button.clicked.connect(self.copy)
        buttons.rejected.connect(self.close)
        column = QVBoxLayout(self)
        arrange(column, Gap.LARGE, Gap.MEDIUM)
        column.addWidget(self.told)
        column.addWidget(self.browser, 1)
        column.addWidget(buttons)
        letter, line = self.fontMetrics().averageCharWidth(), self.fontMetrics().lineSpacing()
        self.resize(
            min(_LETTERS * letter, parent.width() - 40), min(_LINES * line, parent.height() - 40)
        )

    def show_report(self, text: str, told: str) -> None:
        """Show a report, and a few words before it."""
        self.told.setText(told)
        self.browser.setPlainText(text)
        if not self.isVisible():
            announce(self, told, is_urgent=True)
        self.show()

    def copy(self) -> None:
        """Have the report in the clipboard."""
        QApplication.clipboard().setText(self.browser.toPlainText())

    def ask_save(self) -> None:
        """Let the user choose where to save the report."""
        path, _ = QFileDialog.getSaveFileName(
            self, "Save the report", "reefpoint-report.txt", "Texts (*.txt);;All (*)"
        )
        if path:
            self.save(Path(path))

    def save(self, file: Path) -> None:
        """Save the report; where that cannot be done, say why."""
        try:
            demand_outputs([Output(path=file, form=Form.FAULTS)], self._inputs())
            write_whole({file: self.browser.toPlainText().encode()})
        except CoreError as error:
            self.told.setText(f"{error}. Nothing was written.")
        else:
            self.told.setText(f"The report is in {file}.")


class Crashes:
    """Shows what happened in one dialog, however often it happens."""

    def __init__(self, store: Store, banner: Banner, window: QWidget) -> None:
        self._store = store
        self._banner = banner
        self._window = window
        self._faults: list[Fault] = []
        self._told: object = None
        self.dialog: CrashDialog | None = None
        store.changed.connect(self._on_changed)

    def tell(self, trace: str) -> None:
        """Show what happened, with what happened before."""
        known = [fault.trace for fault in self._faults]
        if trace in known:
            at = known.index(trace)
            self._faults[at] = Fault(trace, self._faults[at].times + 1)
        else:
            self._faults = [*self._faults, Fault(trace)][-_MOST_FAULTS:]
        self._show(_TOLD)

    def show(self) -> None:
        """Show a report that can be saved."""
        self._show(_TOLD if self._faults else _QUIET)

    def report(self) -> str:
        """All that the developers need."""
        store, said = self._store, self._banner.text.splitlines()
        return report(self._faults, store.document, store.job, said)

    def _show(self, told: str) -> None:
        if self.dialog is None:
            self.dialog = CrashDialog(self._inputs, self._window)
            self.dialog.destroyed.connect(self._forget)
        self.dialog.show_report(self.report(), told)

    def _inputs(self) -> tuple[Path, ...]:
        return inputs_of(self._store.document, self._store.measurement)

    def _on_changed(self, changes: ChangeSet) -> None:
        """Faults of the worker process are faults too."""
        failure = self._store.job.failure
        if changes.has(Part.JOB) and failure is not None and failure is not self._told:
            self._told = failure
            if failure.trace:
                self.tell(f"In the compiler process:\n{failure.trace}")

    def on_export(self, end: object) -> None:
        """Those of the process that exports too."""
        if isinstance(end, Failed) and end.trace:
            self.tell(f"In the process that exports:\n{end.trace}")

    def _forget(self) -> None:
        self.dialog = None


_MOST_FAULTS = 20
_LETTERS, _LINES = 110, 42
_TOLD = (
    f"Reefpoint {VERSION} has a fault. The window goes on, and your work is kept. The report tells"
    " the developers what happened; save it, and send it to them."
)
_QUIET = "Nothing went wrong that Reefpoint knows of. This is what the developers need to know."
