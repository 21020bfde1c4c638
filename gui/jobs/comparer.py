"""Works out beside the window how what is shown differs from A."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QObject, Signal

from core.api import comparisons, schedules
from core.api.comparisons import Account
from core.base.errors import CoreError
from core.base.files import read_bytes
from gui.document.answer import Answer
from gui.document.changes import ChangeSet, Part
from gui.document.document import Document
from gui.document.kept import Kept
from gui.jobs.desk import Desk
from gui.state.store import Store


class Comparer(QObject):
    """Compares with A whenever there is another A or another answer; the latest alone counts."""

    _worked_out = Signal(object, object, object, str)

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
        self._accounts: tuple[Kept, Account] | None = None
        self._is_busy = False
        self._worked_out.connect(self._on_worked_out)
        store.changed.connect(self._on_changed)

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.ANSWER, Part.COMPARISON):
            self._look()

    def _look(self) -> None:
        """Begin, where something is to be compared that has not been."""
        store = self._store
        kept, answer = store.compared.kept, store.answer
        if self._is_busy or kept is None or answer is None or store.compared.is_told(answer):
            return
        self._is_busy = True
        scheduled = kept.scheduled
        if scheduled is None and kept.document is not None:
            before = self._known(kept.document)
            scheduled = None if before is None else before.scheduled
        Thread(target=self._work, args=(kept, scheduled, answer), daemon=True).start()

    def _work(self, kept: Kept, scheduled: schedules.Scheduled | None, answer: Answer) -> None:
        """In a thread of its own: what it asks for are values."""
        try:
            known = self._accounts
            if known is None or known[0] is not kept:
                known = self._accounts = kept, account_of(replace(kept, scheduled=scheduled))
            own = comparisons.account_of_schedule(answer.scheduled, "what is shown")
            found = comparisons.compare(known[1], own)
        except CoreError as error:
            self._worked_out.emit(kept, answer, None, str(error))
        else:
            self._worked_out.emit(kept, answer, found, "")

    def _on_worked_out(self, kept: Kept, answer: Answer, found: object, failure: str) -> None:
        self._is_busy = False
        compared = self._store.compared
        if kept is compared.kept and answer is self._store.answer:
            assert found is None or isinstance(found, comparisons.Comparison)
            compared.tell(answer, found, failure)
        else:
            self._look()


def account_of(kept: Kept) -> Account:
    """What A tells; a CoreError says why it tells nothing."""
    if kept.scheduled is not None:
        return comparisons.account_of_schedule(kept.scheduled, kept.title)
    if kept.document is not None:
        desk = Desk(schedules.kept_by_default(os.environ))
        return comparisons.account_of_schedule(desk.solve(kept.document).scheduled, kept.title)
    return comparisons.account_of_json(read_bytes(Path(kept.path)), kept.title)
