"""Asks the worker process whenever the document has changed, and puts its answers in the store."""

from __future__ import annotations

import itertools
import signal
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer

from core.api import networks
from core.base.frozen import Frozen, replace
from core.base.memo import Memo
from core.ir.settings import Settings
from gui.document.answer import Answer, Failure, FailureKind
from gui.document.changes import ChangeSet, Part
from gui.document.document import Document
from gui.document.history import Entry as HistoryEntry
from gui.document.job import JobPhase, JobState
from gui.jobs import worker
from gui.jobs.garbage import GarbageCollector
from gui.jobs.messages import (
    Advanced,
    Cancel,
    Done,
    End,
    Failed,
    Later,
    Question,
    Request,
    Stopped,
)
from gui.jobs.prices import Prices
from gui.jobs.process import MOST_RUNS, WorkerProcess
from gui.jobs.recent import Answers
from gui.jobs.spawn import Entry, Spawned, spawn
from gui.state.store import Store

DELAY_MS = 15
"""The first change is asked at once; what changes within a frame after another waits for the last
of them, as nobody sees what is between."""

_CANCELLED = "stopped on request; what is shown answers an older question"


class _Adoption(Frozen, kw_only=False):
    """A schedule whose decisions are to be those of the document."""

    settings: Settings
    """What finds it."""
    label: str


@dataclass(slots=True)
class _Asked:
    """The request that the worker is busy with."""

    number: int
    document: Document
    grows: bool
    """The worker goes on with its front once it has answered."""
    adoption: _Adoption | None = None
    is_cancelled: bool = False


class Runner(QObject):
    """Keeps the store's answer up to date; it has at most one request on its way."""

    def __init__(
        self,
        store: Store,
        parent: QObject | None = None,
        *,
        entry: Entry = worker.main,
        ready: Spawned | None = None,
        delay_ms: int = DELAY_MS,
    ) -> None:
        """A process with this entry may have been started already."""
        super().__init__(parent)
        self._store = store
        self._entry = entry
        self._ready = ready
        self._process: WorkerProcess | None = None
        self._runs: Memo[str, networks.Run] = Memo(MOST_RUNS)
        self.answers = Answers()
        """What was given not long ago."""
        self._prices = Prices(store, self.answers, self._send)
        self._numbers = itertools.count(1)
        self._asked: _Asked | None = None
        self._adoption: _Adoption | None = None
        """What is to be asked next is about this one."""
        self._last: Document | None = None
        """What was asked last."""
        self._is_due = False
        """Something is to be asked as soon as the worker is free."""
        self._may_restart = True
        """A process that ends is started again, but only once for each request."""
        self._is_started = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(delay_ms)
        self._timer.timeout.connect(self._ask)
        self._garbage = GarbageCollector(lambda: not store.job.is_busy, self)

    @property
    def worker_pid(self) -> int:
        """The process' number; 0 while there is none."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Start the process, so that it is warm when it is asked; ask what is open already."""
        if self._is_started:
            return
        self._is_started = True
        self._garbage.start()
        self._store.asked.connect(self._ask_early)
        self._store.changed.connect(self._on_changed)
        self._start_process()
        if self._store.document.model is not None and not self._store.is_current:
            self._ask()

    def shutdown(self) -> None:
        """End the process, and ask no more until the next start."""
        if not self._is_started:
            return
        self._is_started = False
        self._garbage.stop()
        self._timer.stop()
        self._store.asked.disconnect(self._ask_early)
        self._store.changed.disconnect(self._on_changed)
        self._asked, self._is_due = None, False
        if self._process is not None:
            self._process.close()
            self._process = None

    def cancel(self) -> None:
        """Stop what is asked for now; nothing is asked until something changes."""
        if self._store.job.is_busy:
            self._forsake()
            self._fail(_CANCELLED, FailureKind.CANCELLED)

    def rerun(self) -> None:
        """Ask again, though nothing has changed: files that the settings name may have."""
        if self._store.document.model is not None:
            self.answers.forget(self._store.document)
            self._forsake()
            self._ask()

    def adopt(self, settings: Settings, label: str) -> None:
        """Decide what some settings find, as one change of the document that has this name."""
        if self._store.document.model is not None:
            self._forsake()
            self._adoption = _Adoption(settings, label)
            self._ask()

    def _on_changed(self, change: ChangeSet) -> None:
        if change.has(Part.DOCUMENT):
            self._consider(self._store.document)
        elif change.has(Part.BETTER):
            self._prices.heed_better()
        elif change.has(Part.GROWTH) and self._asked is None:
            self._prices.heed_growth()
        elif change.has(Part.TRIALS) and self._asked is None:
            self._prices.heed_trials()

    def _ask_early(self) -> None:
        """Let the worker begin with a decision before views have shown it; all else is seen to with
        the change itself."""
        store = self._store
        is_free = self._asked is None and not self._timer.isActive()
        if not is_free or not _is_worth_asking_now(self._last, store.history.present):
            return
        is_open = store.document.model is not None and not store.is_current
        if is_open and self.answers.find(store.document) is None:
            self._forsake()
            self._ask()

    def _consider(self, document: Document) -> None:
        """See whether a document has to be asked for."""
        asked = self._asked
        is_same = asked and asked.document == document and asked.adoption is None
        if asked and is_same and not asked.is_cancelled:
            self._say(JobPhase.RUNNING)
            return
        is_burst = self._timer.isActive()
        self._forsake()
        known = self.answers.find(document)
        if document.model is None:
            self._store.set_job(JobState())
        elif self._store.answer is not None and self._store.is_current:
            self._store.set_job(JobState())
            self._prices.ask(self._store.answer)
        elif known is not None:
            answer = replace(known, number=next(self._numbers))
            self._show(answer)
            self._prices.ask(answer)
        elif not is_burst and self._asked is None:
            self._ask()
        elif _is_worth_asking_now(self._last, self._store.history.present):
            # Nobody opens or decides one thing after the other so quickly that waiting would pay.
            self._ask()
        else:
            self._say(JobPhase.WAITING)
            self._timer.start()

    def _forsake(self) -> None:
        """Want no answer to what was asked."""
        self._timer.stop()
        self._is_due, self._adoption = False, None
        if self._asked and not self._asked.is_cancelled:
            self._asked.is_cancelled = True
            self._send(Cancel())

    def _ask(self) -> None:
        self._say(JobPhase.RUNNING)
        if self._asked:
            self._is_due = True
            return
        self._is_due = False
        self._may_restart = True
        document = self._store.document
        self._last = document
        adoption, self._adoption = self._adoption, None
        grows = not self._store.growth.is_stopped
        self._prices.forget()
        self._asked = _Asked(next(self._numbers), document, grows, adoption)
        self._send(
            Request(
                number=self._asked.number,
                document=document,
                known_runs=self._runs.questions(),
                adopts=adoption.settings if adoption else None,
                grows=grows,
            )
        )

    def _send(self, question: Question) -> None:
        if self._process is None:
            self._start_process()
        assert self._process
        self._process.send(question)

    def _start_process(self) -> None:
        spawned, self._ready = self._ready or spawn(self._entry), None
        self._process = WorkerProcess(spawned, self._runs, self)
        self._process.listen(self._on_heard, self._on_ended)

    def _on_heard(self, news: Advanced | Later | End) -> None:
        if isinstance(news, Later):
            if self.sender() is self._process:
                self._prices.take(news)
            return
        asked = self._asked
        if asked is None or self.sender() is not self._process or news.number != asked.number:
            return
        if isinstance(news, Advanced):
            if not asked.is_cancelled:
                self._store.set_job(
                    replace(self._store.job, stage=news.stage, done=news.done, total=news.total)
                )
            return
        self._asked = None
        self._on_end(asked, news)

    def _on_end(self, asked: _Asked, end: End) -> None:
        if isinstance(end, Done):
            answer = Answer(
                number=end.number,
                document=end.adopted or asked.document,
                scheduled=end.scheduled,
                analysis=end.analysis,
                seconds=end.seconds,
                unlimited_bytes=end.unlimited_bytes,
                together=end.together,
            )
            self.answers.put(answer)
            if not asked.is_cancelled:
                self._prices.expect(answer)
        if not asked.is_cancelled:
            match end:
                case Done() if asked.adoption and answer.document != asked.document:
                    # The answer to what the document becomes is at hand already.
                    self._store.edit(answer.document, asked.adoption.label)
                case Done():
                    self._show(answer)
                case Failed(message=message, trace=trace):
                    kind = FailureKind.FAULT if trace else FailureKind.REFUSED
                    self._fail(message, kind, trace)
                case Stopped():
                    self._fail(_CANCELLED, FailureKind.CANCELLED)
            if asked.grows == self._store.growth.is_stopped:
                self._prices.heed_growth()
            self._prices.heed_trials()
        elif self._is_due:
            self._ask()

    def _on_ended(self) -> None:
        if self._process is None or self.sender() is not self._process:
            return
        code = self._process.close()
        self._process.deleteLater()
        self._process = None
        message = f"the compiler process ended ({_how(code)})"
        if self._may_restart:
            self._may_restart = False
            self._start_process()
            message += "; it was started again"
        else:
            message += "; the next change starts it again"
        asked, self._asked = self._asked, None
        self._prices.forget()
        if self._is_due:
            self._ask()
        elif asked and not asked.is_cancelled:
            self._fail(message, FailureKind.ENDED)
        elif not self.worker_pid and self._store.job.phase is JobPhase.FAILED:
            # It did not survive the start that the last message promised.
            self._fail(message, FailureKind.ENDED)

    def _say(self, phase: JobPhase) -> None:
        """Say where the question stands; why the last one failed is told until one succeeds."""
        self._store.set_job(JobState(phase=phase, failure=self._store.job.failure))

    def _fail(self, message: str, kind: FailureKind, trace: str = "") -> None:
        document = self._store.document
        failure = Failure(document=document, message=message, kind=kind, trace=trace)
        self._store.set_job(JobState(phase=JobPhase.FAILED, failure=failure))

    def _show(self, answer: Answer) -> None:
        self._store.set_answer(answer)
        self._store.set_job(JobState())


def _is_worth_asking_now(asked: Document | None, entry: HistoryEntry) -> bool:
    """Whether a model or a decision is another than what was asked last, and it is no nudge."""
    if asked is None or asked.model != entry.document.model:
        return True
    return not entry.merge_key and entry.document.with_edits(asked.edits) == asked


def _how(code: int) -> str:
    """How a process came to its end."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"signal {-code}, {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
