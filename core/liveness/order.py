"""Which operators of an island must run before which, and orders in which all of them can."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, Frozen, field
from core.base.geometry import Shape4
from core.base.ids import FmId, NpuOpId
from core.base.memo import of_the_very
from core.ir.fixed import Precedence
from core.ir.npugraph import NpuGraph, View

_ISLANDS_AT_HAND = 8
"""Edits and limits ask for the same again and again."""


class Always(Frozen, kw_only=False):
    """What holds in every order in which operators can run; sets of them are numbers with a bit
    for each."""

    ops: tuple[NpuOpId, ...]
    place: Mapping[NpuOpId, int]
    before: Sequence[int]
    """By operator: those that run before it."""
    behind: Sequence[int]

    def is_first(self, op: NpuOpId) -> bool:
        """Whether an operator runs before all others."""
        at = self.place[op]
        return self.behind[at] | 1 << at == (1 << len(self.ops)) - 1

    def between(self, ops: Iterable[NpuOpId]) -> frozenset[NpuOpId]:
        """These operators, and all that run between two of them."""
        begun = needed = own = 0
        for op in ops:
            at = self.place[op]
            begun |= self.behind[at]
            needed |= self.before[at]
            own |= 1 << at
        return frozenset(self.ops[at] for at in members(own | begun & needed))


def members(bits: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class Needs(Frozen, kw_only=False, dict=True):
    """The operators of an island in an order in which they can run, and why it is none other."""

    ops: tuple[NpuOpId, ...]
    of: Mapping[NpuOpId, Mapping[NpuOpId, FmId | None]]
    """By operator: those that run before it, each with a map because of which that is so; or none,
    where it is only asked for."""

    @property
    def is_open(self) -> bool:
        """Whether there is more than one order at all."""
        return any(one not in self.of[other] for one, other in pairwise(self.ops))

    @of_the_very(_ISLANDS_AT_HAND)
    def with_wishes(self, wishes: Sequence[Precedence]) -> Needs:
        """The same where somebody's wishes hold, in an order that is right then."""
        if not wishes:
            return self
        ops = arranged(self, wishes)
        found = {op: dict(self.of[op]) for op in ops}
        for wish in wishes:
            if wish.first in found and wish.then in found:
                found[wish.then].setdefault(wish.first, None)
        return Needs(ops, found)

    @cached_property
    def always(self) -> Always:
        """What holds in every order."""
        place = {op: at for at, op in enumerate(self.ops)}
        before, behind = [0] * len(place), [0] * len(place)
        for op, at in place.items():
            for other in self.of[op]:
                before[at] |= before[place[other]] | 1 << place[other]
        for op, at in reversed(place.items()):
            for other in self.of[op]:
                behind[place[other]] |= behind[at] | 1 << at
        return Always(self.ops, place, before, behind)

    def path(self, first: NpuOpId, last: NpuOpId) -> tuple[NpuOpId, ...]:
        """Operators from one to another, each of which needs the one before; none if there are
        none."""
        came: dict[NpuOpId, NpuOpId] = {last: last}
        waiting = [last]
        while waiting and first not in came:
            now = waiting.pop(0)
            for before in self.of[now]:
                if before not in came:
                    came[before] = now
                    waiting.append(before)
        if first not in came:
            return ()
        found = [first]
        while found[-1] != last:
            found.append(came[found[-1]])
        return tuple(found)


@of_the_very(_ISLANDS_AT_HAND)
def needs_of(graph: NpuGraph, ops: Sequence[NpuOpId]) -> Needs:
    """What each operator needs, given the operators of an island in an order that is right."""
    writers: defaultdict[FmId, _Written] = defaultdict(_Written)
    readers: defaultdict[FmId, list[NpuOpId]] = defaultdict(list)
    found: dict[NpuOpId, dict[NpuOpId, FmId | None]] = {}
    for number in ops:
        op = graph.ops[number]
        own: dict[NpuOpId, FmId | None] = {}
        for view in op.views[:-1]:
            storage = graph.fm(view).storage
            own.update(dict.fromkeys(writers[storage].ops, view.fm))
        made = graph.fm(op.ofm).storage
        own.update(dict.fromkeys(readers[made], op.ofm.fm))
        own.update(dict.fromkeys(writers[made].meeting(op.ofm), op.ofm.fm))
        own.pop(number, None)
        found[number] = own
        for view in op.views[:-1]:
            readers[graph.fm(view).storage].append(number)
        writers[made].add(number, op.ofm)
    return Needs(tuple(ops), found)


class _Written(Changing):
    """Operators that write to some bytes, and by way of which map and shape which part of it.

    A product of many matrices has thousands, so that parts are compared all at once.
    """

    ops: list[NpuOpId] = field(default_factory=list)
    _forms: list[tuple[FmId, Shape4] | None] = field(default_factory=list)
    """None where a part is not all that is between two corners."""
    _corners: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2, 4), np.int64))
    """Room for more than there are."""

    def add(self, op: NpuOpId, view: View) -> None:
        """One more, behind the others."""
        count = len(self.ops)
        if count == len(self._corners):
            self._corners = np.concatenate((self._corners, np.empty((count + 1, 2, 4), np.int64)))
        self._corners[count] = _corners(view)
        self.ops.append(op)
        self._forms.append(_form(view))

    def meeting(self, view: View) -> Iterator[NpuOpId]:
        """Those of which it is not sure that a new part does not meet theirs."""
        if not self.ops:
            return
        form, (first, end) = _form(view), np.array(_corners(view))
        given = self._corners[: len(self.ops)]
        are_apart = ((given[:, 1] <= first) | (end <= given[:, 0])).any(axis=1)
        for op, other, is_apart in zip(self.ops, self._forms, are_apart.tolist(), strict=True):
            if form is None or form != other or not is_apart:
                yield op


def _form(view: View) -> tuple[FmId, Shape4] | None:
    is_plain = (view.step_h, view.step_w, view.base_offset_bytes) == (1, 1, 0)
    return (view.fm, view.shape) if is_plain and not view.is_transposed else None


def _corners(view: View) -> tuple[Sequence[int], Sequence[int]]:
    ends = [start + size for start, size in zip(view.start, view.touched, strict=True)]
    return view.start, ends


def arranged(needs: Needs, wishes: Iterable[Precedence]) -> tuple[NpuOpId, ...]:
    """The order as it is, but that each wish holds; they must not contradict the needs."""
    line = _Line(needs, wishes)
    put_off: list[NpuOpId] = []
    for op in needs.ops:
        if not line.run(op):
            put_off.append(op)
            continue
        while ready := [each for each in put_off if line.run(each)]:
            put_off = [each for each in put_off if each not in ready]
    return tuple(line.done)


class _Line:
    """Operators that run one behind the other."""

    def __init__(self, needs: Needs, wishes: Iterable[Precedence]) -> None:
        self.done: dict[NpuOpId, None] = {}
        self._place = {op: at for at, op in enumerate(needs.ops)}
        self._before = {op: set(needs.of[op]) for op in needs.ops}
        self._holds_back: dict[NpuOpId, set[NpuOpId]] = {op: set() for op in needs.ops}
        for wish in wishes:
            if wish.first in self._place and wish.then in self._place:
                kind = self._holds_back if wish.waits else self._before
                kind[wish.then].add(wish.first)

    def run(self, op: NpuOpId) -> bool:
        """Let an operator run after all that it needs, if nothing of that has to wait."""
        if op in self.done:
            return True
        own, waiting = {op}, [op]
        while waiting:
            fresh = self._before[waiting.pop()].difference(self.done) - own
            own |= fresh
            waiting += fresh
        if any(self._holds_back[each].difference(self.done) - own for each in own):
            return False
        missing = {each: (self._before[each] | self._holds_back[each]) & own for each in own}
        self.done.update(dict.fromkeys(_sorted(missing, self._place)))
        return True


def _sorted(
    missing: Mapping[NpuOpId, set[NpuOpId]], place: Mapping[NpuOpId, int]
) -> Iterator[NpuOpId]:
    """Operators, each behind those that it is told to be missing, else as they were."""
    by_place = {place[op]: op for op in missing}
    ready = [at for at, op in by_place.items() if not missing[op]]
    heapq.heapify(ready)
    while ready:
        now = by_place[heapq.heappop(ready)]
        yield now
        for op, rest in missing.items():
            if now in rest:
                rest.discard(now)
                if not rest:
                    heapq.heappush(ready, place[op])
