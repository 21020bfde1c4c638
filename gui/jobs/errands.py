"""Has things done by a process of its own, one after the other, so that nothing else waits."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from core.api import networks
from core.base.memo import Memo
from gui.jobs.messages import Advanced, Cancel, ErrandEnd, ErrandQuestion, Failed, Stopped
from gui.jobs.process import MOST_RUNS, WorkerProcess
from gui.jobs.spawn import Entry, spawn

PATIENCE_MS = 2_000
"""For a process to stop when it is asked to; then it is ended."""


class Errands(QObject):
    """Has one thing done at a time; the process is started by the first, and stays warm."""

    advanced = Signal(str, int, int)
    """A stage, and how much of it is done."""
    ended = Signal(object)
    """An `ErrandEnd`."""

    def __init__(self, entry: Entry, gone: str, parent: QObject | None = None) -> None:
        """What the process is, and what is told where it has ended by itself."""
        super().__init__(parent)
        self._entry, self._gone = entry, gone
        self._process: WorkerProcess | None = None
        self._numbers = itertools.count(1)
        self._asked = 0
        """The number of what is on its way; 0 where nothing is."""
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(self._end_process)

    @property
    def is_busy(self) -> bool:
        """Whether something is on its way."""
        return self._asked > 0

    @property
    def worker_pid(self) -> int:
        """The process' number; 0 while there is none."""
        return self._process.pid if self._process else 0

    def send(self, question: Callable[[int], ErrandQuestion]) -> None:
        """Ask what is made of a number; nothing else may be on its way."""
        assert not self.is_busy
        if self._process is not None and not self._process.is_alive:
            self.shutdown()
        if self._process is None:
            self._start_process()
        assert self._process
        self._asked = next(self._numbers)
        self._process.send(question(self._asked))

    def cancel(self) -> None:
        """Give up what is on its way; `ended` says when that is done."""
        if self.is_busy and self._process is not None:
            self._process.send(Cancel())
            self._patience.start(PATIENCE_MS)

    def shutdown(self) -> None:
        """End the process; what was on its way is given up."""
        self._asked = 0
        self._patience.stop()
        if self._process is not None:
            process, self._process = self._process, None
            process.close()
            process.deleteLater()

    def _start_process(self) -> None:
        runs: Memo[str, networks.Run] = Memo(MOST_RUNS)
        self._process = WorkerProcess(spawn(self._entry), runs, self)
        self._process.listen(self._on_heard, self._on_ended)

    def _on_heard(self, news: Advanced | ErrandEnd) -> None:
        if self.sender() is not self._process or news.number != self._asked:
            return
        if isinstance(news, Advanced):
            self.advanced.emit(news.stage, news.done, news.total)
        else:
            self._end(news)

    def _end_process(self) -> None:
        """It did not listen: nothing that it was writing has its name yet."""
        number = self._asked
        self.shutdown()
        self._end(Stopped(number=number))

    def _on_ended(self) -> None:
        if self._process is None or self.sender() is not self._process:
            return
        number = self._asked
        self.shutdown()
        if number:
            self._end(Failed(number=number, message=self._gone))

    def _end(self, end: ErrandEnd) -> None:
        self._patience.stop()
        self._asked = 0
        self.ended.emit(end)
