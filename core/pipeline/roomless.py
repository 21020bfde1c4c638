"""Which edits have no room: the limit rules, and whatever keeps a schedule from it is left out.

Of edits that only together are too much none wins: the smallest group that still is too much is
left out as a whole, each with the others as what stands against it. Groups of which that is proved
come first; for others a schedule was searched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from core.base.frozen import Changing, field, later, replace
from core.base.memo import Memo
from core.base.progress import Progress
from core.edits.names import Names
from core.edits.resolve import decisions, fixed_by
from core.ir.edits import Edit, Ground, Grouping, What
from core.ir.fixed import NOTHING_FIXED, Against, Fixed, Kind
from core.ir.options import Engine, Options
from core.schedule import run as schedule
from core.schedule.question import Question
from core.schedule.room import proved_need
from core.schedule.run import Preparations, Prepared
from core.target.target import Target

_MOST_SEARCHES = {Engine.CASCADING: 40, Engine.PARETO: 10}
"""After so many, all that is left of a kind is left out together."""

_KINDS: tuple[Kind, ...] = (
    What.ROLLING,
    What.STRIPE,
    What.WEIGHTS,
    What.REGION,
    What.FORMAT,
    What.BEFORE,
    What.AFTER,
    Grouping.TOGETHER,
    Grouping.APART,
    Grouping.NEVER,
    What.BLOCK,
    What.TRAVERSAL,
    What.RESERVE,
)
"""What is left out first, where time runs out, comes first; addresses leave room by themselves."""

_Unit = tuple[int, ...]
"""Places of edits that ask for the same."""

Judge = Callable[[Sequence[_Unit]], bool]
"""Whether some of them are too much together."""


class Roomless(Changing, kw_only=True):
    """Finds the edits that have no room."""

    edits: Mapping[int, Edit]
    """By place: those that are possible."""
    names: Names
    searches: Preparations
    target: Target
    options: Options
    progress: Progress
    free_peaks: Memo[tuple[Target, Options], int] = field(default_factory=Memo)
    """What schedules without edits take, as far as somebody has asked."""
    _left: int = later()
    _peaks: Memo[Fixed, int] = field(default_factory=Memo)

    def __post_init__(self) -> None:
        self._left = _MOST_SEARCHES[self.options.engine]

    def left_out(self, peak_bytes: int) -> dict[int, tuple[Against, ...]]:
        """By place: edits without which all others have room, and why. With all of them a schedule
        takes so many bytes."""
        limit, units = self.target.fast_limit_bytes, self._units()
        self._peaks.keep(self._of(units), peak_bytes)
        if peak_bytes <= limit or self._free_peak() > limit:
            # What cannot be met without edits either is not theirs to meet.
            return {}
        found: dict[int, tuple[Against, ...]] = {}
        while self._needs_too_much(units) or self._takes_too_much(units):
            group = self._group(units)
            found.update(self._reasons(group))
            units = [unit for unit in units if unit not in group]
        return found

    def _units(self) -> list[_Unit]:
        """In an order that does not depend on that of the edits."""
        alike: defaultdict[tuple[int, object, str, int], list[int]] = defaultdict(list)
        for place, edit in self.edits.items():
            if edit.what is not What.ADDRESS:
                which = tuple(ids for _, ids in decisions(edit, self.names))
                # Bytes that are reserved twice are so many more.
                own = place if edit.what is What.RESERVE else -1
                kind = _KINDS.index(edit.kind)
                alike[kind, which, repr(edit.value), own].append(place)
        return [tuple(places) for _, places in sorted(alike.items())]

    def _of(self, units: Iterable[_Unit]) -> Fixed:
        """What so many of the edits fix, and all addresses."""
        places = {place for unit in units for place in unit}
        kept = (
            edit
            for place, edit in self.edits.items()
            if place in places or edit.what is What.ADDRESS
        )
        return fixed_by(kept, self.names)

    def _obeying(self, fixed: Fixed) -> Prepared:
        """What the search knows where some decisions are taken."""
        return self.searches.of(Question.of(self.target, self.options, fixed))

    def _free_peak(self) -> int:
        """Bytes that a schedule takes where nothing but addresses is asked for."""
        proved = proved_need(self._obeying(NOTHING_FIXED)).size_bytes
        if proved > self.target.fast_limit_bytes:
            return proved
        key, free = (self.target, replace(self.options, edits=())), self._of([])
        # It is not counted, as whether it is known depends on what was asked before.
        peak_bytes = self.free_peaks.answer(key, lambda: self._found_peak(free))
        return self._peaks.answer(free, lambda: peak_bytes)

    def _peak(self, units: Iterable[_Unit]) -> int:
        """Bytes that a schedule with these edits takes."""
        fixed = self._of(units)

        def counted() -> int:
            self._left -= 1
            return self._found_peak(fixed)

        return self._peaks.answer(fixed, counted)

    def _found_peak(self, fixed: Fixed) -> int:
        found = schedule.run(
            self.searches,
            Question.of(self.target, self.options, fixed),
            self.target.fast_limit_bytes,
            self.options.pareto.most_bytes,
            self.progress,
        )
        return max((each.peak_bytes for each in found.islands), default=0)

    def _group(self, units: Sequence[_Unit]) -> list[_Unit]:
        """Some that are too much together, of which each has its part in that."""
        if self._needs_too_much(units):
            return self._smallest([], units, self._needs_too_much, is_new=False) or [*units]
        found = self._smallest([], units, self._takes_too_much, is_new=False)
        if found is not None:
            return self._checked(found)
        group: list[_Unit] = []
        for kind in _KINDS:
            group += [unit for unit in units if self.edits[unit[0]].kind is kind]
            rest = [unit for unit in units if unit not in group]
            if group and not self._takes_too_much(rest):
                break
        return group

    def _takes_too_much(self, units: Iterable[_Unit]) -> bool:
        """Whether no schedule within the limit is found that has these."""
        return self._peak(units) > self.target.fast_limit_bytes

    def _needs_too_much(self, units: Iterable[_Unit]) -> bool:
        """Whether it is proved that there is none."""
        need = proved_need(self._obeying(self._of(units)))
        return need.size_bytes > self.target.fast_limit_bytes

    def _checked(self, group: list[_Unit]) -> list[_Unit]:
        """A group without members that it is too much without: a search may find more room where
        more is asked for, so that each is tried."""
        for unit in group:
            if self._left > 0 and self._takes_too_much([unit]):
                return [unit]
        for unit in tuple(group):
            rest = [other for other in group if other is not unit]
            if rest and self._left > 0 and self._takes_too_much(rest):
                return self._checked(rest)
        return group

    def _smallest(
        self, given: list[_Unit], units: Sequence[_Unit], is_too_much: Judge, *, is_new: bool
    ) -> list[_Unit] | None:
        """The fewest of the units that are too much beside those given; None for lack of time."""
        if self._left <= 0:
            return None
        if is_new and is_too_much(given):
            return []
        if len(units) == 1:
            return list(units)
        first, second = units[: len(units) // 2], units[len(units) // 2 :]
        after = self._smallest([*given, *first], second, is_too_much, is_new=True)
        if after is None:
            return None
        before = self._smallest([*given, *after], first, is_too_much, is_new=bool(after))
        return None if before is None else [*before, *after]

    def _reasons(self, group: Sequence[_Unit]) -> Iterator[tuple[int, tuple[Against, ...]]]:
        """Why edits are left out: with the least that any schedule needs which has all of them,
        where that is too much; else with what the search came to."""
        limit = self.target.fast_limit_bytes
        proof = proved_need(self._obeying(self._of(group)))
        is_proved = proof.size_bytes > limit
        tried = proof.size_bytes if is_proved else self._peak(group)
        of = {unit: decisions(self.edits[unit[0]], self.names) for unit in group}
        for unit in group:
            what, ids = of[unit][0]
            reason = Against(
                what=what,
                ids=ids,
                ground=Ground.NO_ROOM if tried > limit else Ground.NOT_FOUND,
                is_proved=is_proved,
                needed_bytes=proof.size_bytes if is_proved else None,
                tried_bytes=None if is_proved or tried <= limit else tried,
                available_bytes=limit,
                ops=(proof.op,) if is_proved and proof.op is not None else (),
                maps=proof.maps if is_proved else (),
                beside=tuple(each for other in group if other is not unit for each in of[other]),
            )
            yield from ((place, (reason,)) for place in unit)
