"""What edits cost, and what would let a refused one be: all of it tried, nothing extrapolated."""

from __future__ import annotations

from collections.abc import Container, Iterator

from core.base.frozen import Frozen, replace
from core.base.geometry import round_up
from core.base.progress import SILENT, Progress
from core.ir.edits import Edit, EditFate, EditOutcome, EditPrice, Value, Way, WayOut
from core.ir.options import Options, Search
from core.ir.scheduled import Scheduled
from core.ir.shown import Sum
from core.pipeline.around import price_of, sum_of
from core.pipeline.moving_out import movable, moving
from core.pipeline.scheduled import Workbench
from core.target.target import Target

_MOST_VALUES = 4
"""Of the values that are possible, those that are tried."""
_LIMITS = 6
"""Limits that are tried from one that is too low to one that is high enough."""
_UNPRICED = (EditFate.OFF, EditFate.ORPHAN)
_LIMIT_STEP = 1024


def tried(bench: Workbench, scheduled: Scheduled, progress: Progress = SILENT) -> Scheduled:
    """The same schedule, whose edits say what they cost and, where refused, what lets them be; and
    what it would bring to search the rest anew, where they are around one that was shown."""
    *_, outcomes = (scheduled.edits, *trying(bench, scheduled, progress))
    priced = replace(scheduled, edits=outcomes)
    if priced.around is None:
        return priced
    return replace(priced, around=replace(priced.around, anew=anew(bench, priced, progress)))


def anew(bench: Workbench, scheduled: Scheduled, progress: Progress = SILENT) -> Sum:
    """What a search with the same edits comes to that keeps nothing of what was shown."""
    return sum_of(bench.glance(scheduled.target, scheduled.options, progress))


def trying(
    bench: Workbench,
    scheduled: Scheduled,
    progress: Progress = SILENT,
    places: Container[int] | None = None,
) -> Iterator[tuple[EditOutcome, ...]]:
    """The outcomes again and again, each time with one more thing that was tried: what would let
    an edit be that was refused, then what it costs; of `places` alone, where these are given.

    The latest edit comes first, as its user waits for it.
    """
    wanted = [
        (place, outcome)
        for place, outcome in enumerate(scheduled.edits)
        if outcome.fate not in _UNPRICED and (places is None or place in places)
    ]
    if not wanted:
        return
    trials = _Trials.of(bench, scheduled, progress)
    outcomes = list(scheduled.edits)
    for done, (place, outcome) in enumerate(reversed(wanted)):
        if outcome.fate is EditFate.REFUSED:
            progress.advance("trying ways out", done, len(wanted))
            outcomes[place] = replace(outcome, ways=tuple(_ways(trials, place, outcome)))
            yield tuple(outcomes)
        progress.advance("trying without edits", done, len(wanted))
        outcomes[place] = replace(outcomes[place], price=_price(trials, place))
        yield tuple(outcomes)


def _price(trials: _Trials, place: int) -> EditPrice:
    """The edit is left out, and the network scheduled again."""
    return price_of(trials.scheduled, trials.without(place))


class _Trials(Frozen, kw_only=False):
    """Schedules that differ in an edit or in the limit."""

    bench: Workbench
    scheduled: Scheduled
    progress: Progress

    @classmethod
    def of(cls, bench: Workbench, scheduled: Scheduled, progress: Progress) -> _Trials:
        """Trials beside a schedule; where a front answered, one search is held against others, but
        around what was shown all is held against that."""
        options = scheduled.options
        if options.is_best and scheduled.around is None:
            direct = replace(options, search=Search.DIRECT)
            scheduled = bench.schedule(scheduled.target, direct, progress)
        return cls(bench, scheduled, progress)

    def without(self, *places: int) -> Scheduled:
        """With some edits off, so that the others keep their places."""
        return self.changed({place: replace(self._edit(place), is_on=False) for place in places})

    def with_value(self, place: int, edit: Edit) -> Scheduled:
        """With another edit in the place of one."""
        return self.changed({place: edit})

    def changed(self, instead: dict[int, Edit]) -> Scheduled:
        """With other edits in some places."""
        options = self.scheduled.options
        edits = tuple(instead.get(place, edit) for place, edit in enumerate(options.edits))
        return self._answer(self.scheduled.target, replace(options, edits=edits))

    def beside(self, place: int, more: tuple[Edit, ...]) -> Scheduled:
        """With further edits; others that are refused are not had either way, and are off."""
        options = self.scheduled.options
        edits = tuple(
            replace(edit, is_on=False) if at != place and became.fate is EditFate.REFUSED else edit
            for at, (edit, became) in enumerate(
                zip(options.edits, self.scheduled.edits, strict=True)
            )
        )
        return self._answer(self.scheduled.target, replace(options, edits=(*edits, *more)))

    def within(self, limit_bytes: int) -> Scheduled:
        """With another limit."""
        target = self.scheduled.target.with_limit(limit_bytes)
        return self._answer(target, self.scheduled.options)

    def _answer(self, target: Target, options: Options) -> Scheduled:
        around = self.scheduled.around
        if around is None:
            return self.bench.schedule(target, options, self.progress)
        return self.bench.around(around.shown, target, options, self.progress)

    def _edit(self, place: int) -> Edit:
        return self.scheduled.options.edits[place]


def _ways(trials: _Trials, place: int, outcome: EditOutcome) -> Iterator[WayOut]:
    """Without another edit, with the next legal value, with other maps moved out, within a higher
    limit: those that help."""
    against = sorted({other for reason in outcome.reasons for other in reason.edits})
    helped = False
    for other in against:
        if way := _way(trials, place, trials.without(other), Way.WITHOUT, edits=(other,)):
            helped = True
            yield way
    if len(against) > 1 and not helped:
        way = _way(trials, place, trials.without(*against), Way.WITHOUT, edits=tuple(against))
        if way:
            yield way
    legal = dict.fromkeys(value for reason in outcome.reasons for value in reason.legal)
    for value in list(legal)[:_MOST_VALUES]:
        tried = trials.with_value(place, replace(outcome.edit, value=value))
        if way := _way(trials, place, tried, Way.VALUE, value=value):
            yield way
    yield from _moved_out(trials, place, outcome)
    yield from _higher_limit(trials, place)


def _moved_out(trials: _Trials, place: int, outcome: EditOutcome) -> Iterator[WayOut]:
    """The fastest of the schedules that have the edit, and other maps out of its way."""
    best: WayOut | None = None
    for maps in movable(trials.scheduled, outcome):
        way = _way(trials, place, trials.beside(place, moving(maps)), Way.MOVED)
        if way is None or not way.is_within_limits:
            continue
        if best is None or way.cycles < best.cycles:
            best = replace(way, moved=maps)
    if best is not None:
        yield best


def _higher_limit(trials: _Trials, place: int) -> Iterator[WayOut]:
    """The lowest limit of those that are tried that lets the edit be."""
    target = trials.scheduled.target
    low, most = target.fast_limit_bytes, target.accelerator.max_address
    best = None if low >= most else _way(trials, place, trials.within(most), Way.LIMIT)
    if best is None:
        return
    lowest, limit = most, round_up(best.fast_bytes, _LIMIT_STEP)
    for _ in range(_LIMITS):
        if not low < limit < lowest:
            break
        found = _way(trials, place, trials.within(limit), Way.LIMIT, limit_bytes=limit)
        if found is not None and found.is_within_limits:
            best, lowest = found, limit
        else:
            low = limit
        limit = round_up((low + lowest) // 2, _LIMIT_STEP)
    if lowest < most:
        yield best


def _way(
    trials: _Trials,
    place: int,
    tried: Scheduled,
    way: Way,
    *,
    edits: tuple[int, ...] = (),
    value: Value | None = None,
    limit_bytes: int | None = None,
) -> WayOut | None:
    """What was tried, where it lets the edit be."""
    if tried.edits[place].fate is not EditFate.HONOURED:
        return None
    before = trials.scheduled.edits
    return WayOut(
        way=way,
        edits=edits,
        value=value,
        limit_bytes=limit_bytes,
        cycles=tried.total.total_cycles,
        fast_bytes=tried.fast_bytes,
        evicted_bytes=tried.schedule.evicted_bytes,
        is_within_limits=tried.layout.is_within_limits,
        lost=tuple(
            other
            for other, outcome in enumerate(before)
            if outcome.fate is EditFate.HONOURED
            and other not in edits
            and tried.edits[other].fate is not EditFate.HONOURED
        ),
    )
