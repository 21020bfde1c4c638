"""Has files made by a process of its own, so that nothing else waits for them."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QObject, QTimer, Signal

from core.api import networks
from gui.document.answer import Answer
from gui.document.document import Document
from gui.jobs.desk import bench_key
from gui.jobs.messages import Advanced, Cancel, Export, ExportEnd, Failed, Stopped
from gui.jobs.process import MOST_RUNS, WorkerProcess
from gui.jobs.recent import Recent
from gui.jobs.spawn import Entry, spawn
from gui.jobs.wire import pack

PATIENCE_MS = 2_000
"""For a process to stop when it is asked to; then it is ended."""

_ENDED = "the process that exports has ended; nothing was written"


def pack_answer(answer: Answer) -> bytes:
    """An answer without its network, which whoever exports works out as well."""
    scheduled, model = answer.scheduled, answer.document.model
    assert model is not None
    key = bench_key(model, scheduled.target, answer.document.settings)
    return pack(answer, {key: scheduled.run})


class Exporter(QObject):
    """Makes one export after the other; the process is started by the first, and stays warm."""

    advanced = Signal(str, int, int)
    """A stage, and how much of it is done."""
    ended = Signal(object)
    """An `ExportEnd`."""

    def __init__(self, entry: Entry, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entry = entry
        self._process: WorkerProcess | None = None
        self._numbers = itertools.count(1)
        self._asked = 0
        """The number of the export on its way; 0 where there is none."""
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(self._end_process)

    @property
    def is_busy(self) -> bool:
        """Whether an export is on its way."""
        return self._asked > 0

    @property
    def worker_pid(self) -> int:
        """The process' number; 0 while there is none."""
        return self._process.pid if self._process else 0

    def start(self, document: Document, order: object, shown: Answer | None = None) -> None:
        """Have something made of a document, or of the very answer to it that is shown; nothing
        else may be on its way."""
        assert not self.is_busy
        if self._process is not None and not self._process.is_alive:
            self.shutdown()
        if self._process is None:
            self._start_process()
        assert self._process
        self._asked = next(self._numbers)
        packed = b"" if shown is None else pack_answer(shown)
        self._process.send(Export(number=self._asked, document=document, order=order, shown=packed))

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
        runs: Recent[str, networks.Run] = Recent(MOST_RUNS)
        self._process = WorkerProcess(spawn(self._entry), runs, self)
        self._process.listen(self._on_heard, self._on_ended)

    def _on_heard(self, news: Advanced | ExportEnd) -> None:
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
            self._end(Failed(number=number, message=_ENDED))

    def _end(self, end: ExportEnd) -> None:
        self._patience.stop()
        self._asked = 0
        self.ended.emit(end)
