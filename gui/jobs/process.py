"""The worker process as the app sees it: a pipe, and a thread that reads it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from core.api import networks
from core.base.memo import Memo
from gui.jobs.messages import AdviceQuestion, ErrandQuestion, Question, Quit, RunMade
from gui.jobs.spawn import Spawned
from gui.jobs.wire import pack, unpack

MOST_RUNS = 4
_PATIENCE_S = 0.3
"""For a process to end by itself; it has nothing to save."""


class WorkerProcess(QObject):
    """Passes on what a process says; unpacking happens off the GUI thread."""

    heard = Signal(object)
    """A message of the worker."""
    ended = Signal()
    """The process is gone, or on its way."""

    def __init__(self, spawned: Spawned, runs: Memo[str, networks.Run], parent: QObject) -> None:
        super().__init__(parent)
        self._runs = runs
        self._process, self._pipe = spawned
        self._reader = threading.Thread(target=self._read, name="compiler's answers", daemon=True)

    def listen(self, on_heard: Callable[[Any], None], on_ended: Callable[[], None]) -> None:
        """Begin to pass on what is said; nothing of it is lost before."""
        # Both come from the thread that reads the pipe.
        queued = Qt.ConnectionType.QueuedConnection
        self.heard.connect(on_heard, queued)
        self.ended.connect(on_ended, queued)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process' number."""
        return self._process.pid or 0

    @property
    def is_alive(self) -> bool:
        """Whether there is anyone to ask; `ended` may not have said so yet."""
        return self._process.is_alive()

    def send(self, question: Question | ErrandQuestion | AdviceQuestion) -> None:
        """Ask something; if the process is gone, `ended` says so."""
        with suppress(OSError):
            self._pipe.send_bytes(pack(question))

    def close(self) -> int:
        """End the process and the thread; the exit code, or minus the signal that ended it."""
        self.send(Quit())
        self._process.join(_PATIENCE_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._reader.join()
        code = self._process.exitcode or 0
        self._pipe.close()
        self._process.close()
        return code

    def _read(self) -> None:
        try:
            while True:
                news = unpack(self._pipe.recv_bytes(), self._runs)
                if isinstance(news, RunMade):
                    self._runs.keep(news.key, news.run)
                else:
                    self.heard.emit(news)
        except (EOFError, OSError):
            pass
        finally:
            self.ended.emit()
