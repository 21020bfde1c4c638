"""Which edits have no room: the limit rules, and whatever keeps a schedule from it is left out.

Of decisions that only together are too much none wins: the smallest group that still is too much is
left out as a whole, each with the others as what stands against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.base.frozen import replace
from core.base.progress import Progress
from core.ir.edits import Ground, What
from core.ir.fixed import NOTHING_FIXED, Against, Decided, Fixed
from core.ir.options import Engine, Options
from core.schedule import run as schedule
from core.schedule.order_legality import decided_by
from core.schedule.question import Question
from core.schedule.room import proved_need
from core.schedule.run import Preparations, Prepared
from core.target.target import Target

_MOST_SEARCHES = {Engine.CASCADING: 40, Engine.PARETO: 10}
"""After so many, all that is left of a kind is left out together."""

_KINDS = {
    "rolling": What.ROLLING,
    "heights": What.STRIPE,
    "weights": What.WEIGHTS,
    "living": What.REGION,
    "formats": What.FORMAT,
    "order": What.BEFORE,
    "together": What.CASCADE,
    "apart": What.CASCADE,
    "never": What.CASCADE,
    "blocks": What.BLOCK,
    "traversals": What.TRAVERSAL,
    "reserves": What.RESERVE,
}
"""What is fixed, by its field; what is left out first, where time runs out, comes first."""


class _Unit(NamedTuple):
    """One decision of all that are fixed."""

    kind: str
    item: Any

    @property
    def decided(self) -> Decided:
        """Whom it is about."""
        if self.kind == "never":
            return What.CASCADE, (self.item,)
        if self.kind in ("together", "apart"):
            return What.CASCADE, tuple(self.item)
        if self.kind == "reserves":
            return What.RESERVE, (self.item.first, self.item.last)
        if self.kind == "order":
            return decided_by(self.item)
        return _KINDS[self.kind], (self.item[0],)


@dataclass(slots=True, kw_only=True)
class Roomless:
    """Finds the decisions that have no room."""

    searches: Preparations
    target: Target
    options: Options
    progress: Progress
    free_peaks: dict[tuple[Target, Options], int] = field(default_factory=dict)
    """What schedules without edits take, as far as somebody has asked."""
    _left: int = field(init=False)
    _peaks: dict[Fixed, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._left = _MOST_SEARCHES[self.options.engine]

    def without(self, fixed: Fixed, peak_bytes: int) -> tuple[Fixed, tuple[Against, ...]]:
        """What has room of what is fixed, of which a schedule takes so much, and why not all."""
        limit = self.target.fast_limit_bytes
        self._peaks[fixed] = peak_bytes
        if peak_bytes <= limit or self._free_peak(_free(fixed)) > limit:
            # What cannot be met without edits either is not theirs to meet.
            return fixed, ()
        units = list(_units(fixed, self._obeying(fixed).against))
        against: list[Against] = []
        while self._peak(_of(fixed, units)) > limit:
            group = self._group(fixed, units)
            against += self._reasons(fixed, group)
            units = [unit for unit in units if unit not in group]
        return _of(fixed, units), tuple(against)

    def _obeying(self, fixed: Fixed) -> Prepared:
        """What the search knows where some decisions are taken."""
        return self.searches.of(Question.of(self.target, self.options, fixed))

    def _free_peak(self, free: Fixed) -> int:
        """Bytes that a schedule takes where nothing but addresses is asked for."""
        proved = proved_need(self._obeying(NOTHING_FIXED)).size_bytes
        if proved > self.target.fast_limit_bytes:
            return proved
        key = self.target, replace(self.options, edits=())
        if key not in self.free_peaks:
            # It is not counted, as whether it is known depends on what was asked before.
            self.free_peaks[key] = self._found_peak(free)
        return self._peaks.setdefault(free, self.free_peaks[key])

    def _peak(self, fixed: Fixed) -> int:
        """Bytes that a schedule with these decisions takes."""
        if fixed not in self._peaks:
            self._left -= 1
            self._peaks[fixed] = self._found_peak(fixed)
        return self._peaks[fixed]

    def _found_peak(self, fixed: Fixed) -> int:
        found = schedule.run(
            self.searches,
            Question.of(self.target, self.options, fixed),
            self.target.fast_limit_bytes,
            self.options.pareto.most_bytes,
            self.progress,
        )
        return max((each.peak_bytes for each in found.islands), default=0)

    def _group(self, fixed: Fixed, units: Sequence[_Unit]) -> list[_Unit]:
        """Some that are too much together, of which each has its part in that."""
        found = self._smallest(fixed, [], units, is_new=False)
        if found is not None:
            return self._checked(fixed, found)
        group: list[_Unit] = []
        for kind in _KINDS:
            group += [unit for unit in units if unit.kind == kind]
            rest = [unit for unit in units if unit not in group]
            if group and self._peak(_of(fixed, rest)) <= self.target.fast_limit_bytes:
                break
        return group

    def _checked(self, fixed: Fixed, group: list[_Unit]) -> list[_Unit]:
        """A group without members that it is too much without: a search may find more room where
        more is asked for, so that each is tried."""
        limit = self.target.fast_limit_bytes
        for unit in group:
            if self._left > 0 and self._peak(_of(fixed, [unit])) > limit:
                return [unit]
        for unit in tuple(group):
            rest = [other for other in group if other is not unit]
            if rest and self._left > 0 and self._peak(_of(fixed, rest)) > limit:
                return self._checked(fixed, rest)
        return group

    def _smallest(
        self, fixed: Fixed, given: list[_Unit], units: Sequence[_Unit], *, is_new: bool
    ) -> list[_Unit] | None:
        """The fewest of the units that are too much beside those given; None for lack of time."""
        if self._left <= 0:
            return None
        if is_new and self._peak(_of(fixed, given)) > self.target.fast_limit_bytes:
            return []
        if len(units) == 1:
            return list(units)
        first, second = units[: len(units) // 2], units[len(units) // 2 :]
        after = self._smallest(fixed, [*given, *first], second, is_new=True)
        if after is None:
            return None
        before = self._smallest(fixed, [*given, *after], first, is_new=bool(after))
        return None if before is None else [*before, *after]

    def _reasons(self, fixed: Fixed, group: Sequence[_Unit]) -> Iterator[Against]:
        alone = _of(fixed, group)
        limit, needed = self.target.fast_limit_bytes, self._peak(alone)
        proof = proved_need(self._obeying(alone))
        is_proved = proof.size_bytes > limit
        # What is proved is what is needed; else it is what the search came to.
        least = proof.size_bytes if is_proved else needed
        for unit in group:
            what, ids = unit.decided
            yield Against(
                what=what,
                ids=ids,
                ground=Ground.NO_ROOM if needed > limit else Ground.NOT_FOUND,
                is_proved=is_proved,
                needed_bytes=least if least > limit else None,
                available_bytes=limit,
                ops=() if proof.op is None or not is_proved else (proof.op,),
                maps=proof.maps if is_proved else (),
                beside=tuple(other.decided for other in group if other is not unit),
            )


def _units(fixed: Fixed, impossible: Iterable[Against]) -> Iterator[_Unit]:
    lost = {each.decided for each in impossible}
    for kind in _KINDS:
        for item in sorted(getattr(fixed, kind), key=_ids):
            unit = _Unit(kind, item)
            if unit.decided not in lost:
                yield unit


def _ids(item: Any) -> tuple[int, ...]:
    return (item,) if isinstance(item, int) else tuple(part for part in item if type(part) is int)


def _free(fixed: Fixed) -> Fixed:
    return replace(NOTHING_FIXED, addresses=fixed.addresses)


def _of(fixed: Fixed, units: Iterable[_Unit]) -> Fixed:
    """So much of what is fixed."""
    kept: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    for unit in units:
        kept[unit.kind].append(unit.item)
    never = frozenset(kept.pop("never"))
    parts = {kind: tuple(items) for kind, items in kept.items()}
    return replace(fixed, never=never, **parts)
