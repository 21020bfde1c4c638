"""Boards from the window: a process of its own tries the model on each, settings take one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.api.targets import Board
from gui.jobs import errand_worker
from gui.jobs.errands import Errands
from gui.jobs.messages import BoardsTried, ErrandEnd, Failed, TryBoards
from gui.jobs.spawn import Entry
from gui.present.boards import on_board
from gui.shell.boards_dialog import BoardsDialog
from gui.state.store import Store

_ENDED = "the process that tries boards has ended"
_STOPPED = "stopped: boards were not tried"


class Boards(QObject):
    """Tries the model that is open on all boards."""

    def __init__(self, store: Store, window: QWidget, *, entry: Entry = errand_worker.main) -> None:
        super().__init__(window)
        self._store, self._window = store, window
        self.errands = Errands(entry, _ENDED, self)
        self.errands.advanced.connect(self._on_advanced)
        self.errands.ended.connect(self._on_ended)
        self.dialog: BoardsDialog | None = None

    def ask(self) -> None:
        """Try them, and let the user take one."""
        model = self._store.document.model
        if self.dialog is not None:
            self.dialog.activateWindow()
        elif model is not None:
            self.dialog = BoardsDialog(model.name, self._window)
            self.dialog.given_up.connect(self.errands.cancel)
            self.dialog.taken.connect(self._take)
            self.dialog.finished.connect(self._forget)
            self.dialog.show()
            self.errands.send(partial(_question, model.path))

    def shutdown(self) -> None:
        """Give up what is on its way, and end the process."""
        self.errands.shutdown()

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None

    def _take(self, board: Board) -> None:
        document = on_board(self._store.document, board)
        if document != self._store.document:
            self._store.edit(document, f"Schedule for {board.title}")

    def _on_advanced(self, stage: str, done: int, total: int) -> None:
        if self.dialog is not None:
            self.dialog.advance(stage, done, total)

    def _on_ended(self, end: ErrandEnd) -> None:
        if self.dialog is None:
            return
        if isinstance(end, BoardsTried):
            self.dialog.show_fits(end.fits)
        else:
            self.dialog.tell(end.message if isinstance(end, Failed) else _STOPPED)


def _question(model: str, number: int) -> TryBoards:
    return TryBoards(number=number, model=model)
