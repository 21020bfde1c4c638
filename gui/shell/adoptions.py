"""Tells what was adopted, of a file or of the front, against what is searched without it."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.api import edits
from core.api.schedules import Scheduled
from core.base.frozen import NamedTuple
from core.ir.edits import Edit
from gui.document.decisions import FROM_FRONT, is_from_front
from gui.document.document import Document
from gui.present import units
from gui.present.edits.rows import TAKEN_KEY, taken_note
from gui.shell.banner import Banner
from gui.state.store import Store


class _Searched(NamedTuple):
    """What was searched, as far as it is said."""

    cycles: float
    is_within_limits: bool

    @classmethod
    def of(cls, scheduled: Scheduled) -> _Searched:
        return cls(scheduled.total.total_cycles, scheduled.layout.is_within_limits)


class _Taken(NamedTuple):
    """Decisions that are asked for."""

    name: str
    told: str
    document: Document
    before: _Searched | None
    """Without them; None where that is not known yet, or never will be."""
    is_told: bool = False


class Adoptions(QObject):
    """What is said of decisions goes when something else is asked."""

    def __init__(self, store: Store, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self._banner = banner
        self._taken: _Taken | None = None
        self._point: tuple[str, Document, _Searched | None] | None = None
        """What a schedule of the front is called that is to be adopted; for what that is asked, and
        what was shown instead."""
        store.changed.connect(self._tell)

    def expect(self, name: str, told: str, before: Scheduled | None) -> None:
        """What is asked for now are decisions; `told` is what they are, `before` was shown."""
        self._expect(name, told, None if before is None else _Searched.of(before))

    def expect_searched(self, name: str, told: str, own: tuple[Edit, ...] | None) -> None:
        """The same where nothing was shown before: without them, with `own` edits alone, is still
        to be searched; None where that would be something else."""
        self._expect(name, told, None)
        if own is not None:
            self._store.trials.search(self._store.document.with_edits(own))

    def expect_point(self, label: str) -> None:
        """A schedule of the front is to be adopted, once that is found."""
        answer, document = self._store.answer, self._store.document
        before = None
        if answer is not None and self._store.is_current:
            is_free = not is_from_front(document.edits)
            before = _Searched.of(answer.scheduled) if is_free else self._before
        self._point = label, document, before

    @property
    def _before(self) -> _Searched | None:
        return None if self._taken is None else self._taken.before

    def _expect(self, name: str, told: str, before: _Searched | None) -> None:
        self._taken = _Taken(name, told, self._store.document, before)
        self._store.trials.search(None)
        self._banner.add(taken_note(name, told))
        self._tell()

    def _tell(self) -> None:
        self._heed_point()
        taken, answer, trials = self._taken, self._store.answer, self._store.trials
        if taken is None:
            return
        if taken.document != self._store.document:
            self._taken = None
            trials.search(None)
            self._banner.take_back(TAKEN_KEY)
            return
        if taken.before is None and trials.found is not None:
            found = trials.found
            before = _Searched(found.cycles, found.is_within_limits)
            taken = self._taken = taken._replace(before=before)
        if answer is None or taken.before is None or taken.is_told or not self._store.is_current:
            return
        self._taken = taken._replace(is_told=True)
        cycles, is_within_limits = taken.before
        against = edits.adopted_against(answer.scheduled, cycles, is_within_limits=is_within_limits)
        ways = taken.document.around is not None, bool(self._store.history.past)
        self._banner.add(taken_note(taken.name, taken.told, against, ways))

    def _heed_point(self) -> None:
        """See whether what is asked for now is the schedule of the front."""
        if self._point is None or self._point[1] == self._store.document:
            return
        (label, _, before), self._point = self._point, None
        decided = sum(edit.note == FROM_FRONT for edit in self._store.document.edits)
        if decided:
            self._expect(label, f"{units.counted(decided, 'decision')} are asked for", before)
