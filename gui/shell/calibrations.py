"""Calibrations from the window: a dialog asks, a process of its own fits, settings take it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.api import calibrations
from core.base.errors import CoreError
from core.base.files import as_utf8, write_whole
from core.base.forms import Form
from core.base.frozen import replace
from core.base.outputs import Output, demand_outputs
from core.base.sentences import capitalised
from gui.document.calibrated import CalibrationOrder
from gui.document.inputs import inputs_of
from gui.jobs import errand_worker
from gui.jobs.errands import Errands
from gui.jobs.messages import Calibrate, Calibrated, ErrandEnd, Failed
from gui.jobs.spawn import Entry as WorkerEntry
from gui.present.calibration.asked import Entry
from gui.present.calibration.found import fit_of, settings_with
from gui.shell.calibration_dialog import CalibrationDialog
from gui.state.store import Store

_ENDED = "the process that fits has ended; nothing was found"
_STOPPED = "The fit was stopped."


class Calibrations(QObject):
    """Fits boards; one after the other."""

    def __init__(
        self, store: Store, window: QWidget, *, entry: WorkerEntry = errand_worker.main
    ) -> None:
        super().__init__(window)
        self._store, self._window = store, window
        self.errands = Errands(entry, _ENDED, self)
        self.errands.advanced.connect(self._on_advanced)
        self.errands.ended.connect(self._on_ended)
        self.dialog: CalibrationDialog | None = None
        self._board: calibrations.Board | None = None
        self._order: CalibrationOrder | None = None
        self._saved: Path | None = None
        """Where the board is that was found last."""

    def ask(self) -> None:
        """Let the user say what was measured."""
        if self.dialog is not None:
            self.dialog.activateWindow()
            return
        document = self._store.document
        first = () if document.model is None else (Entry(model=document.model.path),)
        # A board is the same whatever is decided of one network.
        settings = replace(document.with_edits(()).settings, limit_bytes=None)
        self.dialog = CalibrationDialog(settings, first, self._store.theme, self._window)
        self.dialog.asked.connect(self._fit)
        self.dialog.given_up.connect(self.errands.cancel)
        self.dialog.save_asked.connect(self._ask_path)
        self.dialog.use_asked.connect(self._use)
        self.dialog.finished.connect(self._forget)
        self.dialog.show()

    def shutdown(self) -> None:
        """Give up what is on its way, and end the process."""
        self.errands.shutdown()

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = self._board = self._saved = None

    def _fit(self, order: CalibrationOrder) -> None:
        if self.dialog is None or self.errands.is_busy:
            return
        self._order, self._board, self._saved = order, None, None
        self.dialog.run()
        self.errands.send(partial(_question, order))

    def _on_advanced(self, stage: str, done: int, total: int) -> None:
        if self.dialog is not None and self.dialog.is_running:
            self.dialog.advance(stage, done, total)

    def _on_ended(self, end: ErrandEnd) -> None:
        dialog = self.dialog
        if dialog is None:
            return
        if isinstance(end, Calibrated):
            self._board = end.board
            dialog.show_fit(fit_of(end.board))
        elif isinstance(end, Failed):
            dialog.tell(f"{capitalised(end.message)}.")
        else:
            dialog.tell(_STOPPED, is_bad=False)

    def _ask_path(self) -> None:
        suffix = Form.CONFIG.suffix
        path, _ = QFileDialog.getSaveFileName(
            self._window, "Where the system config goes", f"board{suffix}", f"Configs (*{suffix})"
        )
        if path:
            self.save(Path(path if Path(path).suffix else path + suffix))

    def save(self, path: Path) -> bool:
        """Write what was found; whether it is there."""
        dialog, board, order = self.dialog, self._board, self._order
        if dialog is None or board is None or order is None:
            return False
        inputs = (
            *inputs_of(self._store.document, self._store.measurement),
            *(each.path for each in order.measured),
        )
        try:
            demand_outputs([Output(path=path, form=Form.CONFIG)], inputs)
            text, name = board.config(path)
            write_whole({path: as_utf8(text)})
        except CoreError as error:
            dialog.tell(f"{capitalised(str(error))}.")
            return False
        self._saved = path
        dialog.tell(f"Written: {path}, with the system config {name}.", is_bad=False)
        return True

    def _use(self) -> None:
        """Take the board as the one of all that is shown; it is saved before."""
        if self._saved is None:
            self._ask_path()
        dialog, board, path = self.dialog, self._board, self._saved
        if dialog is None or board is None or path is None:
            return
        document = self._store.document
        _, name = board.config(path)
        try:
            settings = settings_with(document.settings, path, name)
        except CoreError as error:
            dialog.tell(f"{capitalised(str(error))}.")
            return
        self._store.edit(document.with_settings(settings), f"Use {path.name}")
        dialog.tell(f"What is shown goes by {name} of {path.name} now.", is_bad=False)


def _question(order: CalibrationOrder, number: int) -> Calibrate:
    return Calibrate(number=number, order=order)
