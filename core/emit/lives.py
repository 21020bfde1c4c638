"""Live ranges as a command stream shows them: bytes that are written and then read.

Writes whose bytes one operand reads together are one buffer, and so is what an operand is for all
stripes and slices of a layer. Bytes that are read before anyone wrote them come from outside.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable

from core.base.frozen import Frozen, NamedTuple
from core.emit.layers import Layer
from core.emit.touched import Access, accesses
from core.ir.program import (
    AddressRange,
    CommandStream,
    DmaTransfer,
    NpuOperation,
    Strides,
)

BEFORE = -1
"""The time of what is there before the first command."""
NOBODY = -1
"""The live range of bytes that nobody writes."""


class Life(Frozen):
    """Bytes of a region from the first command that writes them to the last that reads them."""

    region: int
    address: int
    size_bytes: int
    first: int
    """A command; -1 for what comes from outside."""
    last: int
    """A command; as many as there are for what is never read, and so may be a result."""
    writes: int
    reads: int

    @property
    def is_from_outside(self) -> bool:
        """Whether it is there before the stream starts."""
        return self.first == BEFORE


class Traced(NamedTuple):
    """Live ranges in order of time, and which of them each command touches."""

    lives: tuple[Life, ...]
    touched: tuple[tuple[int, ...], ...]
    """By command, for each of its operands: a live range, or -1 for bytes that nobody writes."""


def lives(stream: CommandStream, layers: tuple[Layer, ...] = ()) -> tuple[Life, ...]:
    """The live ranges in regions that the stream writes to, in order of time."""
    everything = [tuple(accesses(command)) for command in stream.commands]
    return trace_lives(everything, written_regions(stream), layers).lives


def written_regions(stream: CommandStream) -> frozenset[int]:
    """The regions that commands write to."""
    return frozenset(
        item.ofm.region if isinstance(item, NpuOperation) else item.destination.region
        for item in stream.commands
        if isinstance(item, NpuOperation)
        or (isinstance(item, DmaTransfer) and not item.destination.is_internal)
    )


def trace_lives(
    everything: Iterable[tuple[Access, ...]],
    changing: Collection[int],
    layers: tuple[Layer, ...] = (),
) -> Traced:
    """The live ranges in regions that change; of each command the operands are given."""
    book = _Book()
    layer_of = {at: number for number, layer in enumerate(layers) for at in layer.commands}
    touched: list[tuple[int, ...]] = []
    for time, uses in enumerate(everything):
        numbers, layer = [], layer_of.get(time)
        for operand, use in enumerate(uses):
            parts = [part for part in use.ranges if part.region in changing]
            number = NOBODY
            if parts:
                key = (layer, operand) if use.is_map and layer is not None else None
                if use.is_write:
                    number = book.write(time, parts, use.gaps, key)
                else:
                    number = book.read(time, parts, key)
            numbers.append(number)
        touched.append(tuple(numbers))
    return book.close(touched)


_OperandKey = tuple[int, int]
"""A layer, and which of the operands of its operations."""


class _Draft:
    """A live range that still grows."""

    __slots__ = ("end", "first", "gaps", "last", "reads", "region", "start", "writes")

    def __init__(self, region: int, start: int, end: int, first: int) -> None:
        self.region, self.start, self.end, self.first = region, start, end, first
        self.last = BEFORE
        self.writes, self.reads = int(first != BEFORE), 0
        self.gaps: Strides | None = None

    def grow(self, start: int, end: int) -> None:
        self.start, self.end = min(self.start, start), max(self.end, end)
        self.writes += 1

    def absorb(self, other: _Draft) -> None:
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.writes += other.writes
        self.reads += other.reads


class Ledger:
    """Who wrote each byte of a region last: ranges with the number of their owner."""

    __slots__ = ("_ends", "_owners", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._owners: list[int] = []

    def owners(self, start: int, end: int) -> list[int]:
        """Owners of any bytes from start to end."""
        first, last = self._span(start, end)
        return self._owners[first:last]

    def gaps(self, start: int, end: int) -> list[tuple[int, int]]:
        """What nobody owns from start to end."""
        first, last = self._span(start, end)
        found, at = [], start
        for index in range(first, last):
            if self._starts[index] > at:
                found.append((at, self._starts[index]))
            at = max(at, self._ends[index])
        return [*found, (at, end)] if at < end else found

    def take(self, start: int, end: int, owner: int) -> None:
        """Give bytes to an owner; what others had of them is theirs no more."""
        first, last = self._span(start, end)
        starts, ends, owners = [start], [end], [owner]
        if first < last and self._starts[first] < start:
            starts, ends = [self._starts[first], *starts], [start, *ends]
            owners = [self._owners[first], *owners]
        if first < last and self._ends[last - 1] > end:
            starts, ends = [*starts, end], [*ends, self._ends[last - 1]]
            owners = [*owners, self._owners[last - 1]]
        self._starts[first:last] = starts
        self._ends[first:last] = ends
        self._owners[first:last] = owners

    def unite(self, start: int, end: int, owner: int) -> None:
        """Make one range of all that have bytes from start to end, and leave no gap there."""
        first, last = self._span(start, end)
        if last - first > 1:
            self._starts[first:last] = [self._starts[first]]
            self._ends[first:last] = [self._ends[last - 1]]
            self._owners[first:last] = [owner]

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """Positions of the ranges that have bytes from start to end."""
        return bisect_right(self._ends, start), bisect_left(self._starts, end)


class _Book:
    """Live ranges by number; those that turn out to be one name the one that stands for them."""

    def __init__(self) -> None:
        self._ledgers: dict[int, Ledger] = defaultdict(Ledger)
        self._drafts: dict[int, _Draft] = {}
        """By the number that stands for it."""
        self._parents: list[int] = []
        self._gathered: dict[_OperandKey, int] = {}
        """What one operand of a layer is for all its operations."""

    def write(
        self, time: int, parts: list[AddressRange], gaps: Strides | None, key: _OperandKey | None
    ) -> int:
        """A command writes ranges, which are one map or one transfer; its number."""
        number = NOBODY if key is None else self._gathered.get(key, NOBODY)
        for part in parts:
            if number < 0:
                number = self._open(part.region, part.address, part.end, time)
                self._drafts[number].gaps = gaps
            else:
                self._drafts[self._root(number)].grow(part.address, part.end)
            if gaps is not None:
                # What lies between rows or channels may be another part of the same map,
                # unless somebody has read it: then this is the next map in its place.
                for other in self._ledgers[part.region].owners(part.address, part.end):
                    draft = self._drafts[self._root(other)]
                    if draft.gaps == gaps and not draft.reads:
                        number = self._join(number, other)
            self._ledgers[part.region].take(part.address, part.end, number)
        if key is not None:
            self._gathered[key] = number
        return number

    def read(self, time: int, parts: list[AddressRange], key: _OperandKey | None) -> int:
        """A command reads ranges, which are one operand; its number."""
        number = NOBODY
        for part in parts:
            ledger = self._ledgers[part.region]
            for start, end in ledger.gaps(part.address, part.end):
                ledger.take(start, end, self._open(part.region, start, end, BEFORE))
            for owner in ledger.owners(part.address, part.end):
                number = self._root(owner) if number < 0 else self._join(number, owner)
            # They are one from now on, so nobody has to look at each of them again.
            ledger.unite(part.address, part.end, number)
        if number >= 0:
            draft = self._drafts[number]
            draft.last, draft.reads = time, draft.reads + 1
            if key is not None:
                known = self._gathered.get(key, number)
                number = self._gathered[key] = self._join(known, number)
        return number

    def close(self, touched: list[tuple[int, ...]]) -> Traced:
        """All live ranges, and what became of the numbers by which they were known."""
        drafts = self._drafts
        roots = sorted(
            drafts, key=lambda at: (drafts[at].first, drafts[at].region, drafts[at].start)
        )
        places = {root: place for place, root in enumerate(roots)}
        named = {at: places[self._root(at)] for at in range(len(self._parents))}
        named[NOBODY] = NOBODY
        found = tuple(
            Life(
                region=draft.region,
                address=draft.start,
                size_bytes=draft.end - draft.start,
                first=draft.first,
                last=draft.last if draft.reads else len(touched),
                writes=draft.writes,
                reads=draft.reads,
            )
            for draft in (drafts[root] for root in roots)
        )
        return Traced(
            lives=found,
            touched=tuple(tuple([named[at] for at in numbers]) for numbers in touched),
        )

    def _open(self, region: int, start: int, end: int, first: int) -> int:
        number = len(self._parents)
        self._drafts[number] = _Draft(region, start, end, first)
        self._parents.append(number)
        return number

    def _root(self, number: int) -> int:
        while self._parents[number] != number:
            self._parents[number] = self._parents[self._parents[number]]
            number = self._parents[number]
        return number

    def _join(self, one: int, other: int) -> int:
        one, other = self._root(one), self._root(other)
        if one == other:
            return one
        first, second = min(one, other), max(one, other)
        self._parents[second] = first
        self._drafts[first].absorb(self._drafts.pop(second))
        return first
