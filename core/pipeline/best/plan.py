"""What to ask next: the question that promises most for its time, by what was found before.

Each source (an engine with a policy) is asked for a ladder of limits, coarse steps first, and then
between limits whose answers differ. Which source goes on is told by what its last answers gained.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

from core.base.frozen import replace
from core.ir.front import GROUPED, STORED, Ask, Front, Tried, Windows
from core.ir.options import Engine, EvictionPolicy, ParetoMetric, Strategy

LOWEST_RUNG_BYTES = 8 << 10
_STEPS_IN_AN_OCTAVE = 4
_OCTAVES, _LEAST_BITS = 6, 6
"""A ladder has so many octaves at least, from 64 bytes on."""
_NARROW = 1 / 64
"""Limits that are nearer than this share are not told apart."""
_LEAST_GAIN = 1e-5
_LAST = 4
"""So many answers of a source say what its next is worth."""
_PARETO_TIME = 3.0
"""The Pareto engine takes so many times as long as the other for one limit, of whose front most is
known by then."""
_PARETO_FIRST_TIME = 8.0
"""The same where all of its front is new."""

_WINDOWS_TIME = 4.0
"""The same of some parts that are searched again."""
_AT_ONCE = 8
_SIZES = (2, 4, 8)
"""Operators that are searched again together."""
_CHANGED_AT_ONCE = 2
"""Operators of which one decision at a time is changed, in one step."""
_FEW = 16
"""Of so few operators all points of the front are gone over, not only those of the ladder."""
_VERY_FEW = 7
"""Of so few every way to group them is tried, and every way to store what they make."""
GROWN = 8
"""After so many searches parts are searched again; one more for a new limit is seldom better."""
_FIRST_GAIN, _FIRST_GAIN_OF_FEW = 2e-3, 5e-2
"""What parts, and other ways to ask an engine, are taken to gain before any was tried; and what
parts of few operators are, each of which is a large part of all."""

_ANY_GAIN = 4e-3
"""What a rung may gain although those beside it gained nothing."""

FIRST = Ask()
PARETO = Ask(engine=Engine.PARETO)
SMALLEST = Ask(strategy=Strategy.SIZE)


def rungs_below(limit_bytes: int) -> Iterator[int]:
    """Four limits in each octave: 8 KiB, 10, 12, 14, 16, 20 and so on; lower ones of small ones."""
    octave = min(LOWEST_RUNG_BYTES, 1 << max(limit_bytes.bit_length() - _OCTAVES, _LEAST_BITS))
    while octave < limit_bytes:
        for step in range(_STEPS_IN_AN_OCTAVE):
            rung = octave + octave * step // _STEPS_IN_AN_OCTAVE
            if rung < limit_bytes:
                yield rung
        octave *= 2


def next_ask(front: Front, *, is_spilling: bool, windowed_ops: int = 0) -> Ask | None:
    """What to ask next; None where nothing is left that promises anything.

    So many operators can be searched again a few at a time.
    """
    known = {each.ask: each for each in front.tried}
    for ask in (FIRST, SMALLEST):
        if ask not in known:
            return ask
    most, least = known[FIRST].fast_bytes, 1 if is_spilling else known[SMALLEST].fast_bytes
    best: tuple[float, Ask] | None = None
    for source in _sources(is_spilling=is_spilling):
        own = [
            each
            for each in front.tried
            if each.ask.windows is None and replace(each.ask, limit_bytes=None) == source
        ]
        limit = _next_limit(front, own, least, most)
        promise = _promise(own, source)
        if source == FIRST and limit not in (0, None) and limit in rungs_below(most):
            # No front is worse than the ladder of limits that the engine was asked for one by one.
            promise = max(promise, _LEAST_GAIN / _PARETO_FIRST_TIME)
        if limit == 0 or not promise:
            continue
        if best is None or promise > best[0]:
            best = promise, replace(source, limit_bytes=limit)
    windows = _next_windows(front, windowed_ops)
    is_early = best is not None and len(front.tried) < GROWN
    if windows is not None and not is_early and (best is None or windows[0] > best[0]):
        best = windows
    return None if best is None else best[1]


def _next_windows(front: Front, ops: int) -> tuple[float, Ask] | None:
    """What to search again, and what that promises: each limit has its turn, small parts first."""
    own = [each for each in front.tried if each.ask.windows is not None]
    limits, most = _limits_by_answer(front, ops), len(window_asks(None, ops))
    turns = Counter(
        each.ask.limit_bytes
        for each in own
        # Of few operators all are gone over again where one of them was changed.
        if ops > _FEW or each.cycles == front.answer(_most_bytes(each.ask)).cycles
    )
    left = [limit for limit in limits if turns[limit] < most]
    once = (most if ops <= _FEW else most // len(_SIZES)) * len(limits)
    last = own[-_LAST * len(limits) :]
    gain = math.fsum(each.gain for each in last) / max(len(last), 1)
    has_dried = len(own) >= once and math.fsum(each.gain for each in own[-once:]) < _LEAST_GAIN
    if not left or has_dried:
        return None
    limit = min(left, key=lambda each: turns[each])
    first_gain = _FIRST_GAIN_OF_FEW if ops <= _FEW else _FIRST_GAIN
    promise = max(gain if last else first_gain, _LEAST_GAIN) / _WINDOWS_TIME
    return promise, window_asks(limit, ops)[turns[limit]]


def window_asks(limit_bytes: int | None, ops: int) -> tuple[Ask, ...]:
    """All parts of the schedule for a limit that can be searched again, small ones first; then
    single decisions that can be changed; of very few operators, then every way to take some."""
    parts = (
        Ask(engine=engine, limit_bytes=limit_bytes, windows=Windows(size, first, _AT_ONCE))
        for size in _SIZES
        for engine in Engine
        for first in range(0, 2 * ops // size, _AT_ONCE)
    )
    single = (
        Ask(limit_bytes=limit_bytes, windows=Windows(1, first, _CHANGED_AT_ONCE))
        for first in range(0, ops, _CHANGED_AT_ONCE)
    )
    every = (
        Ask(limit_bytes=limit_bytes, windows=ways)
        for ways in (GROUPED, STORED)
        if 0 < ops <= _VERY_FEW
    )
    return (*parts, *single, *every)


def _most_bytes(ask: Ask) -> float:
    return math.inf if ask.limit_bytes is None else ask.limit_bytes


def _limits_by_answer(front: Front, ops: int) -> list[int | None]:
    """The highest limit of the ladder that each schedule of the front answers; where there are few
    operators, for those that answer none, what they take."""
    limits = [
        each.ask.limit_bytes
        for each in front.tried
        if each.ask == replace(FIRST, limit_bytes=each.ask.limit_bytes)
    ]
    found: dict[int, int | None] = {}
    for limit in sorted(limits, key=lambda each: math.inf if each is None else each):
        point = front.points[-1] if limit is None else front.answer(limit)
        found[point.fast_bytes] = limit
    if ops <= _FEW:
        for point in front.points:
            found.setdefault(point.fast_bytes, point.fast_bytes or 1)
    return list(found.values())


def _sources(*, is_spilling: bool) -> Iterator[Ask]:
    yield PARETO
    yield FIRST
    if is_spilling:
        for eviction in (EvictionPolicy.LIFETIME, EvictionPolicy.OVER_LIMIT):
            yield replace(FIRST, eviction=eviction)
            yield replace(PARETO, eviction=eviction)
    yield replace(PARETO, blocks_per_end=24)
    yield replace(PARETO, metric=ParetoMetric.MEMORY_AND_HEIGHT)


def _promise(own: Sequence[Tried], source: Ask) -> float:
    """What the next answer of a source may gain for its time.

    Both engines are tried at once, and the quick one on a few rungs, which tell most of a front;
    other ways to ask them when these gain no more than they are taken to.
    """
    time = 1.0
    if source.engine is Engine.PARETO:
        blocks = source.blocks_per_end / FIRST.blocks_per_end
        time = blocks * (_PARETO_TIME if own else _PARETO_FIRST_TIME)
    if not own and source not in (FIRST, PARETO):
        return _FIRST_GAIN / time
    if not own or (source == FIRST and len(own) <= _LAST):
        return 1.0 / time
    # What a whole front gained says nothing of what a limit will.
    last = own[-_LAST:]
    gain = math.fsum(each.gain for each in last if each.ask.limit_bytes) / len(last)
    if len(last) < _LAST:
        gain = max(gain, _FIRST_GAIN)
    return gain / time if gain > _LEAST_GAIN else 0.0


def _next_limit(
    front: Front, own: Sequence[Tried], least_bytes: int, most_bytes: int
) -> int | None:
    """A limit that a source was not asked for: None is no limit, 0 that there is none left."""
    if not own:
        return None
    asked = {each.ask.limit_bytes or most_bytes: each.cycles for each in own}
    # In the bytes of the smallest schedule there may be a faster one.
    ladder = (least_bytes, *rungs_below(most_bytes)) if least_bytes > 1 else rungs_below(most_bytes)
    rungs: list[int] = [rung for rung in ladder if rung >= least_bytes and rung not in asked]
    if rungs:
        # Without a limit an engine has a front of its own, whose gain is of no limit in particular.
        gains = {
            each.ask.limit_bytes or most_bytes: each.gain if each.ask.limit_bytes else 0.0
            for each in own
        }
        return max(rungs, key=lambda rung: (_worth(rung, gains), rung))
    gaps = [
        (_worth_between(front, below, above, min(asked[below], asked[above])), below, above)
        for below, above in itertools.pairwise(sorted(asked))
        if above - below > below * _NARROW
    ]
    worth, below, above = max(gaps, default=(0.0, 0, 0))
    return math.isqrt(below * above) if worth > 0 else 0


def _worth_between(front: Front, below_bytes: int, above_bytes: int, least_cycles: float) -> float:
    """What is gained at most between two limits, where none takes less; more of it the farther
    they are from each other."""
    width = math.log(above_bytes / below_bytes)
    mean = front.mean_log_cycles(below_bytes, above_bytes) - math.log(max(least_cycles, 1.0))
    return width * width * mean


def _worth(rung: int, gains: dict[int, float]) -> float:
    """The farther from limits that were asked for, the better; more so where these gained."""
    below = max((limit for limit in gains if limit < rung), default=None)
    above = min((limit for limit in gains if limit > rung), default=None)
    beside = [limit for limit in (below, above) if limit is not None]
    distance = min(abs(math.log(rung / limit)) for limit in beside)
    return distance * (_ANY_GAIN + max(gains[limit] for limit in beside))
