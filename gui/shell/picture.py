"""Takes a picture of the window as soon as it shows an answer and its range, and ends the app."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QObject, QTimer
from PySide6.QtWidgets import QApplication

from core import cli
from core.base.errors import CoreError
from core.base.files import write_whole
from gui.commands.panels import PANELS
from gui.document.changes import ChangeSet, Part
from gui.document.job import JobPhase
from gui.shell.running import RunningApp
from gui.widgets.patient_view import PatientView

EXIT_SAVED = 0
EXIT_FAILED = 2

_SETTLING_TURNS = 5
"""Turns of the event loop after an answer: layouts that follow from it need some of their own."""


class Photographer(QObject):
    """Waits for the answer; where there is none, says why in one line."""

    def __init__(self, app: RunningApp, file: Path, view: str) -> None:
        super().__init__()
        self._app = app
        self._file = file
        self._view = view
        self._turns = 0
        self._is_done = False
        app.store.changed.connect(self._on_changed)

    def _on_changed(self, changes: ChangeSet) -> None:
        store = self._app.store
        if self._turns or self._is_done:
            return
        answer = store.answer if store.is_current else None
        has_come = changes.has(Part.ANSWER, Part.PRICES)
        if has_come and answer is not None and not answer.awaits_spread:
            if self._view:
                self._app.panels.show_alone(self._view)
            self._turns = _SETTLING_TURNS
            QTimer.singleShot(0, self, self._settle)
        elif store.job.phase is JobPhase.FAILED and store.job.failure is not None:
            self._end(store.job.failure.message)

    def _settle(self) -> None:
        self._app.store.turns.finish()
        if self._turns == _SETTLING_TURNS and self._view:
            self._leave_out_controls()
        self._turns -= 1
        if self._turns:
            QTimer.singleShot(0, self, self._settle)
            return
        picture = QBuffer()
        self._app.window.grab().save(picture, "PNG")
        try:
            write_whole({self._file: bytes(picture.data().data())})
        except CoreError as error:
            self._end(str(error))
        else:
            self._end("")

    def _leave_out_controls(self) -> None:
        """The picture of a view that shows an answer is one to look at."""
        panel = next(panel for panel in PANELS if panel.name == self._view)
        for view in self._app.window.findChildren(PatientView):
            if panel.is_pictured and view.isVisible():
                view.be_pictured()

    def _end(self, fault: str) -> None:
        self._is_done = True
        if fault:
            cli.complain(fault)
        self._app.window.close()
        QApplication.exit(EXIT_FAILED if fault else EXIT_SAVED)
