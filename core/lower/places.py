"""Items of a draft by their places in time, and what is live at each; a place can become empty.

Changes are local: what an item touches says which maps begin or end elsewhere, so that thousands of
changes can be tried in a network of thousands of items.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from core.base.frozen import NamedTuple
from core.base.ids import FmId
from core.ir.npugraph import CpuOp, NpuOp
from core.lower.draft import Draft, Item, reads, writes


class _Life(NamedTuple):
    """The places at which a map is live, from the first on, before the end."""

    first: int
    end: int


class Live(NamedTuple):
    """What is live at most, and in sum over all places."""

    most: int
    total: int


class Places:
    """Items in their order, each at a place that stays its own."""

    def __init__(self, draft: Draft, items: Sequence[Item]) -> None:
        self._draft = draft
        self._items: list[Item | None] = list(items)
        self._readers: defaultdict[FmId, list[int]] = defaultdict(list)
        self._writers: defaultdict[FmId, list[int]] = defaultdict(list)
        for place, item in enumerate(items):
            self._note(place, item)
        is_cpu = [isinstance(item, CpuOp) for item in items]
        self._cpu_before = np.concatenate(([0], np.cumsum(is_cpu)))
        self._inputs, self._outputs = frozenset(draft.inputs), frozenset(draft.outputs)
        self._lives: dict[FmId, _Life] = {}
        self._live_bytes = np.zeros(len(items) + 1, dtype=np.int64)
        self._renew({*draft.inputs, *draft.outputs, *self._readers, *self._writers})

    @property
    def items(self) -> list[Item]:
        """All that there are."""
        return [item for item in self._items if item is not None]

    @property
    def live(self) -> Live:
        """Bytes that are live, if maps are whole and may lie on what is overwritten."""
        return Live(int(self._live_bytes.max()), int(self._live_bytes.sum()))

    @property
    def fullest(self) -> list[int]:
        """What is live at some place or other, the most first."""
        return sorted(map(int, np.unique(self._live_bytes)), reverse=True)

    def reading(self, fm: FmId) -> dict[int, Item]:
        """What reads a map, by place."""
        return self._at(self._readers[fm])

    def writing(self, fm: FmId) -> dict[int, Item]:
        """What writes a map, in whole or in part, by place."""
        return self._at(self._writers[fm])

    def _at(self, places: Iterable[int]) -> dict[int, Item]:
        found = ((place, self._items[place]) for place in places)
        return {place: item for place, item in found if item is not None}

    def meets_cpu(self, place: int, fm: FmId) -> bool:
        """Whether the CPU runs between a place and any at which a map is written."""
        writers = self._writers[fm]
        first, last = min(place, writers[0]), max(place, writers[-1])
        return bool(self._cpu_before[last] > self._cpu_before[first])

    def exchange(self, changes: Mapping[int, Item | None]) -> dict[int, Item | None]:
        """Put other items at some places, or none; what was there, to be put back."""
        before = {place: self._items[place] for place in changes}
        touched = {fm for item in (*before.values(), *changes.values()) for fm in _touched(item)}
        stirred = touched | self._beside_last(touched)
        for place, item in changes.items():
            self._forget(place)
            self._items[place] = item
            self._note(place, item)
        self._renew(stirred | self._beside_last(touched))
        return before

    def _beside_last(self, fms: set[FmId]) -> set[FmId]:
        """What is touched with some maps for the last time: only one can be overwritten then."""
        lasts = {self._last(fm) for fm in fms}
        return {fm for place in lasts if place is not None for fm in _touched(self._items[place])}

    def _note(self, place: int, item: Item | None) -> None:
        if item is not None:
            for uses, fms in ((self._readers, reads(item)), (self._writers, writes(item))):
                for fm in dict.fromkeys(fms):
                    insort(uses[fm], place)

    def _forget(self, place: int) -> None:
        item = self._items[place]
        if item is not None:
            for uses, fms in ((self._readers, reads(item)), (self._writers, writes(item))):
                for fm in dict.fromkeys(fms):
                    del uses[fm][bisect_left(uses[fm], place)]

    def _last(self, fm: FmId) -> int | None:
        """Where a map is touched for the last time."""
        ends = [uses[fm][-1] for uses in (self._readers, self._writers) if uses[fm]]
        return max(ends, default=None)

    def _life(self, fm: FmId) -> _Life | None:
        firsts = [uses[fm][0] for uses in (self._readers, self._writers) if uses[fm]]
        if fm in self._inputs:
            firsts.append(0)
        if not firsts:
            return None
        last = self._last(fm)
        if fm in self._outputs:
            return _Life(min(firsts), len(self._items) + 1)
        if last is None:
            return _Life(min(firsts), min(firsts) + 1)
        return _Life(min(firsts), last if self._overwritten(last) == fm else last + 1)

    def _overwritten(self, place: int) -> FmId | None:
        """The input that an operator can write its output over, if there is one."""
        item = self._items[place]
        if not isinstance(item, NpuOp) or not item.kind.is_elementwise:
            return None
        if item.ofm.offset is not None:
            return None
        dtype = self._draft.dtype(item.ofm.fm)
        for view in item.views[:-1]:
            fits = view.shape == item.ofm.shape and view.offset is None
            is_last = view.fm not in self._outputs and self._last(view.fm) == place
            if fits and is_last and self._draft.dtype(view.fm) is dtype:
                return view.fm
        return None

    def _renew(self, fms: set[FmId]) -> None:
        """Begin and end the lives of maps where they are touched now."""
        for fm in fms:
            source = self._draft.feature_maps[fm]
            if source.data is not None:
                continue
            before, life = self._lives.pop(fm, None), self._life(fm)
            size = math.prod(source.shape) * source.dtype.size_bytes
            if before is not None:
                self._live_bytes[before.first : before.end] -= size
            if life is not None:
                self._live_bytes[life.first : life.end] += size
                self._lives[fm] = life


def _touched(item: Item | None) -> Iterator[FmId]:
    if item is not None:
        yield from reads(item)
        yield from writes(item)
