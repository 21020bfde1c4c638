"""Works out beside the window how what is shown differs from A."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from PySide6.QtCore import QObject, Signal

from core.api import comparisons, schedules
from core.api.comparisons import Account
from core.base.errors import CoreError
from core.base.files import read_bytes
from core.base.frozen import NamedTuple, replace
from core.base.progress import SILENT, Cancelled, Progress
from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.document import Document
from gui.document.kept import Kept
from gui.jobs.desk import Desk
from gui.state.store import Store


class Comparer(QObject):
    """Compares with A whenever there is another A or another answer; the latest alone counts."""

    _worked_out = Signal(object, object, object, str, object)

    def __init__(
        self,
        store: Store,
        parent: QObject | None = None,
        *,
        known: Callable[[Document], Answer | None] = lambda _: None,
    ) -> None:
        """What was answered not long ago may be known, and need not be worked out again."""
        super().__init__(parent)
        self._known = known
        self._store = store
        self._side: tuple[Kept, Side] | None = None
        self._is_busy = False
        self._thread: Thread | None = None
        self._stopped = Event()
        self._worked_out.connect(self._on_worked_out)
        store.changed.connect(self._on_changed)

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.ANSWER, Part.PRICES, Part.COMPARISON):
            self._look()

    def _look(self) -> None:
        """Begin, where something is to be compared that has not been."""
        store = self._store
        kept, answer = store.compared.kept, store.answer
        if self._is_busy or self._stopped.is_set() or kept is None or answer is None:
            return
        if store.compared.is_told(answer):
            return
        self._is_busy = True
        scheduled = kept.scheduled
        if scheduled is None and kept.document is not None:
            before = self._known(kept.document)
            scheduled = None if before is None else before.scheduled
        self._thread = Thread(
            target=self._work, args=(kept, scheduled, answer), name="compare", daemon=True
        )
        self._thread.start()

    def shutdown(self) -> None:
        """End what is being worked out: nothing is told any more."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def advance(self, stage: str, done: int, total: int) -> None:
        """Hear from the thread how far it is, and end it where nobody waits any more."""
        del stage, done, total
        if self._stopped.is_set():
            raise Cancelled

    def _work(self, kept: Kept, scheduled: schedules.Scheduled | None, answer: Answer) -> None:
        """In a thread of its own: what it asks for are values."""
        try:
            known = self._side
            if known is None or known[0] is not kept:
                known = self._side = kept, side_of(replace(kept, scheduled=scheduled), self)
            own = comparisons.account_of_schedule(answer.scheduled, "what is shown")
            found = comparisons.compare(known[1].account, own)
        except Cancelled:
            return
        except CoreError as error:
            self._worked_out.emit(kept, answer, None, str(error), None)
        else:
            self._worked_out.emit(kept, answer, found, "", known[1].answer)

    def _on_worked_out(
        self, kept: Kept, answer: Answer, found: object, failure: str, before: Answer | None
    ) -> None:
        self._is_busy = False
        compared = self._store.compared
        shown = self._store.answer
        is_shown = shown is not None and shown.scheduled is answer.scheduled
        if kept is compared.kept and is_shown:
            assert found is None or isinstance(found, comparisons.Comparison)
            compared.tell(answer, found, failure, before)
        else:
            self._look()


class Side(NamedTuple):
    """All that is known of A."""

    account: Account
    answer: Answer | None
    """None where it is a schedule as JSON, which has no times to draw."""


def side_of(kept: Kept, progress: Progress = SILENT) -> Side:
    """What A tells; a CoreError says why it tells nothing."""
    scheduled = kept.scheduled
    if scheduled is None and kept.document is not None:
        desk = Desk(schedules.kept_by_default(os.environ))
        scheduled = desk.solve(kept.document, progress).scheduled
    if scheduled is None:
        return Side(comparisons.account_of_json(read_bytes(Path(kept.path)), kept.title), None)
    answer = Answer.of(scheduled, kept.document or Document())
    return Side(comparisons.account_of_schedule(scheduled, kept.title), answer)
