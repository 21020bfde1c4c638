"""An order of an island's operators in which less is live, found best first.

What is done says what is live, so sets of operators are searched, and each is gone on from once:
the one in which least has been live at most comes first. Whatever can run without more being live
runs at once. Beyond a number of sets, or of looks, the order stays as it is.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId, NpuOpId
from core.base.progress import Progress
from core.liveness.order import Needs
from core.schedule.problem import IslandProblem

_MOST_SETS = 4_000
_MOST_STEPS = 300_000
"""Looks at one operator; sets of wide graphs, in which hundreds can be next, take many."""


def smaller_orders(
    problem: IslandProblem, needs: Needs, rolling: Mapping[FmId, int], progress: Progress
) -> tuple[tuple[NpuOpId, ...], ...]:
    """Orders in which less is live at most than in that of the problem: with whole maps, and with
    the least bytes that maps take which can pass through rings."""
    place = {op: at for at, op in enumerate(needs.ops)}
    bounds = [tuple(sorted(map(place.__getitem__, needs.of[op]))) for op in needs.ops]
    whole = {fm: problem.sizes[fm] for node in problem.nodes for fm in node.maps}
    least = {fm: min(size, rolling.get(fm, size)) for fm, size in whole.items()}
    ways = (whole,) if least == whole else (whole, least)
    found = (_smallest(problem, bounds, sizes, progress) for sizes in ways)
    return tuple(dict.fromkeys(order for order in found if order is not None))


class _Map(Frozen, kw_only=False):
    """A map, as sets of operators see it."""

    size_bytes: int
    users: int
    """A bit for each operator that touches it."""
    is_there: bool
    """Before the first operator runs."""
    stays: bool
    """Behind the last."""


class _Added(NamedTuple):
    """How much more is live while an operator runs, and behind it."""

    now: int
    behind: int


class _Memory:
    """What is live while operators run, given those that are done."""

    def __init__(self, problem: IslandProblem, sizes: Mapping[FmId, int]) -> None:
        users: dict[FmId, int] = {}
        for node in problem.nodes:
            for fm in node.maps:
                users[fm] = users.get(fm, 0) | 1 << node.index
        storages = problem.graph.feature_maps
        handed_on = {storages[fm].storage for fm in problem.island.outputs}
        kept = problem.beside.after | handed_on
        self.maps = {
            fm: _Map(sizes[fm], bits, fm in problem.beside.before, fm in kept)
            for fm, bits in users.items()
            if not storages[fm].is_variable
        }
        self.touched = [
            [self.maps[fm] for fm in node.maps if fm in self.maps] for node in problem.nodes
        ]
        self.replaced = [
            (self.maps[node.ofm.fm], [self.maps[fm] for fm in node.overwrites if fm in self.maps])
            if node.ofm.fm in self.maps
            else None
            for node in problem.nodes
        ]
        self.start_bytes = sum(each.size_bytes for each in self.maps.values() if each.is_there)

    def added(self, at: int, done: int) -> _Added:
        """What an operator adds once others are done."""
        bit = 1 << at
        now = behind = 0
        for each in self.touched[at]:
            if not each.is_there and not each.users & done:
                now += each.size_bytes
                behind += each.size_bytes
            if not each.stays and not each.users & ~(done | bit):
                behind -= each.size_bytes
        replaced = self.replaced[at]
        if replaced is not None and not replaced[0].is_there and not replaced[0].users & done:
            for each in replaced[1]:
                if not each.stays and not each.users & ~(done | bit):
                    now -= min(each.size_bytes, replaced[0].size_bytes)
                    break
        return _Added(now, behind)

    def changed(self, at: int, done: int) -> Iterator[int]:
        """Operators that add something else once one more has run: those that share a map with it
        which it is the first to touch, and whoever is the last that is left of a map's users."""
        for each in self.touched[at]:
            left = each.users & ~(done | 1 << at)
            is_new = not each.is_there and not each.users & done
            if is_new or not left & (left - 1):
                while left:
                    yield left.bit_length() - 1
                    left ^= 1 << left.bit_length() - 1

    def peak(self, order: Sequence[int]) -> int:
        """The most that is live in an order."""
        done, live, peak = 0, self.start_bytes, 0
        for at in order:
            now, behind = self.added(at, done)
            peak, done, live = max(peak, live + now), done | 1 << at, live + behind
        return peak


class _State(NamedTuple):
    """Operators that are done, with the way there."""

    peak: int
    done: int
    live: int
    ready: tuple[int, ...]
    """Those that can run next, in the order of the problem."""
    added: tuple[_Added, ...]
    """What each of these adds."""
    last: tuple[int, ...]
    """Those that ran since the state before."""
    before: _State | None

    def order(self) -> list[int]:
        """All that ran, from the first on."""
        parts: list[tuple[int, ...]] = []
        state: _State | None = self
        while state is not None:
            parts.append(state.last)
            state = state.before
        return [at for part in reversed(parts) for at in part]


class _Search:
    """Goes from sets of operators that are done to larger ones."""

    def __init__(self, memory: _Memory, before: Sequence[tuple[int, ...]]) -> None:
        self._memory = memory
        self._needed = [sum(1 << each for each in places) for places in before]
        self._next: list[list[int]] = [[] for _ in before]
        for at, places in enumerate(before):
            for each in places:
                self._next[each].append(at)
        self.steps = 0

    def first(self) -> _State:
        """Nothing is done."""
        memory = self._memory
        ready = tuple(at for at, needed in enumerate(self._needed) if not needed)
        added = tuple(memory.added(at, 0) for at in ready)
        return _State(0, 0, memory.start_bytes, ready, added, (), None)

    def after(self, state: _State, place: int) -> _State:
        """One operator further, the one at a place among those that are ready, and all that can
        then run without more being live than has been."""
        ready, added, last = [*state.ready], [*state.added], list[int]()
        peak, live, done = max(state.peak, state.live + added[place].now), state.live, state.done
        following: int | None = place
        while following is not None:
            live += added[following].behind
            last.append(ready[following])
            done = self._ran(ready, added, following, done)
            self.steps += len(ready)
            takes_no_more = (
                at for at, (now, behind) in enumerate(added) if behind <= 0 and live + now <= peak
            )
            following = next(takes_no_more, None)
        return _State(peak, done, live, tuple(ready), tuple(added), tuple(last), state)

    def _ran(self, ready: list[int], added: list[_Added], place: int, done: int) -> int:
        """Take out an operator, and put in those that can run behind it, in the order of the
        problem; what is done then."""
        memory, ran = self._memory, ready.pop(place)
        del added[place]
        after = done | 1 << ran
        for at in memory.changed(ran, done):
            place = bisect_left(ready, at)
            if place < len(ready) and ready[place] == at:
                added[place] = memory.added(at, after)
        for at in self._next[ran]:
            if self._needed[at] & after == self._needed[at]:
                place = bisect_left(ready, at)
                ready.insert(place, at)
                added.insert(place, memory.added(at, after))
        return after


def _smallest(
    problem: IslandProblem,
    before: Sequence[tuple[int, ...]],
    sizes: Mapping[FmId, int],
    progress: Progress,
) -> tuple[NpuOpId, ...] | None:
    """The order with the smallest peak; None where that of the problem is as good, or none is
    found in time."""
    memory, ops = _Memory(problem, sizes), problem.island.ops
    known = memory.peak(range(len(ops)))
    search, number = _Search(memory, before), count()
    everything = (1 << len(ops)) - 1
    waiting = [(0, 0, next(number), search.first())]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_SETS and search.steps < _MOST_STEPS:
        *_, state = heapq.heappop(waiting)
        if state.done == everything:
            return tuple(ops[at] for at in state.order())
        if state.done in seen:
            continue
        seen.add(state.done)
        progress.advance("ordering operators", len(seen), _MOST_SETS)
        for place, (now, _) in enumerate(state.added):
            if search.steps >= _MOST_STEPS:
                return None
            search.steps += 1
            if max(state.peak, state.live + now) >= known:
                continue
            after = search.after(state, place)
            if after.done not in seen:
                heapq.heappush(waiting, (after.peak, -after.done.bit_count(), next(number), after))
    return None
