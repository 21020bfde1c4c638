"""Tells what the decisions of a file come to, against what was shown before they were taken."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject

from core.api import edits
from core.api.schedules import Scheduled
from gui.document.document import Document
from gui.present.edits.rows import TAKEN_KEY, taken_note
from gui.shell.banner import Banner
from gui.state.store import Store


class _Taken(NamedTuple):
    """Decisions of a file that are asked for."""

    name: str
    told: str
    before: Scheduled | None
    """What was shown until then; None once that was told."""
    document: Document


class Adoptions(QObject):
    """What is said of a file's decisions goes when something else is asked."""

    def __init__(self, store: Store, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self._banner = banner
        self._taken: _Taken | None = None
        store.changed.connect(self._tell)

    def expect(self, name: str, told: str, before: Scheduled | None) -> None:
        """What is asked for now are the decisions of a file; `told` is what they are."""
        self._taken = _Taken(name, told, before, self._store.document)
        self._banner.add(taken_note(name, told))
        self._tell()

    def _tell(self) -> None:
        taken, answer = self._taken, self._store.answer
        if taken is None:
            return
        if taken.document != self._store.document:
            self._taken = None
            self._banner.take_back(TAKEN_KEY)
        elif answer is not None and taken.before is not None and self._store.is_current:
            against = edits.adopted_against(answer.scheduled, taken.before)
            self._banner.add(taken_note(taken.name, taken.told, against))
            self._taken = taken._replace(before=None)
