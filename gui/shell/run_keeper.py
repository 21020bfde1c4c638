"""Notes every answer that the user has had time to see, or keeps as A."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QObject, QTimer

from gui.document.changes import ChangeSet, Part
from gui.present.runs.list import settled
from gui.state.store import Store

QUIET_MS = 1_000
"""What is shown for less than this was passed by, as while a limit is dragged."""


class RunKeeper(QObject):
    """Follows the store, and puts what has settled among the runs."""

    def __init__(
        self, store: Store, parent: QObject | None = None, *, quiet_ms: int = QUIET_MS
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(quiet_ms)
        self._timer.timeout.connect(self._note)
        store.changed.connect(self._on_changed)

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.ANSWER, Part.DOCUMENT):
            self._timer.start()
        elif changes.has(Part.COMPARISON) and self._timer.isActive() and self._is_kept:
            self._timer.stop()
            self._note()

    @property
    def _is_kept(self) -> bool:
        kept, answer = self._store.compared.kept, self._store.answer
        return kept is not None and answer is not None and kept.scheduled is answer.scheduled

    def _note(self) -> None:
        store = self._store
        if store.answer is None or not store.is_current:
            return
        when = QDateTime.currentDateTime().toString("yyyy-MM-dd HH:mm:ss")
        label = store.history.present.label
        store.runs.set(store.runs.runs.with_run(settled(store.answer, when, label)))
