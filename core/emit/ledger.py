"""Who wrote each byte of a region last."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Ledger:
    """Ranges of bytes with the number of their owner; ranges do not overlap."""

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
