"""Has tried what would help, by a process that gives way to all others."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QObject, Signal

from core.api import networks
from core.base.memo import Memo
from gui.document.document import Document
from gui.jobs import advice_worker
from gui.jobs.messages import Advanced, Advise, Advised, Cancel
from gui.jobs.process import MOST_RUNS, WorkerProcess
from gui.jobs.spawn import Entry, spawn


class Adviser(QObject):
    """Asks about one document at a time; the process is started by the first question."""

    told = Signal(object, object)
    """A `Document`, and the `Advised` that is about it."""
    advanced = Signal(int, int)
    """How much was tried, and of how much."""

    def __init__(self, parent: QObject | None = None, *, entry: Entry = advice_worker.main) -> None:
        super().__init__(parent)
        self._entry = entry
        self._process: WorkerProcess | None = None
        self._numbers = itertools.count(1)
        self._asked: tuple[int, Document] | None = None

    def ask(self, document: Document | None) -> None:
        """Have tried what would help a document, and nothing else any more; or nothing at all."""
        if self._process is not None and self._asked is not None:
            self._process.send(Cancel())
        self._asked = None
        if document is None:
            return
        if self._process is None:
            self._start_process()
        assert self._process
        self._asked = next(self._numbers), document
        self._process.send(Advise(number=self._asked[0], document=document))

    def shutdown(self) -> None:
        """End the process."""
        self._asked = None
        if self._process is not None:
            process, self._process = self._process, None
            process.close()
            process.deleteLater()

    def _start_process(self) -> None:
        runs: Memo[str, networks.Run] = Memo(MOST_RUNS)
        self._process = WorkerProcess(spawn(self._entry), runs, self)
        self._process.listen(self._on_heard, self._on_ended)

    def _on_heard(self, news: Advanced | Advised) -> None:
        asked = self._asked
        if asked is None or self.sender() is not self._process or news.number != asked[0]:
            return
        if isinstance(news, Advanced):
            self.advanced.emit(news.done, news.total)
        else:
            self.told.emit(asked[1], news)

    def _on_ended(self) -> None:
        if self._process is not None and self.sender() is self._process:
            asked = self._asked
            self.shutdown()
            if asked is not None:
                message = "the process that tries what would help has ended"
                end = Advised(number=asked[0], tips=(), is_done=True, message=message)
                self.told.emit(asked[1], end)
