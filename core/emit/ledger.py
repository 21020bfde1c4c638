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
        pieces: list[tuple[int, int, int]] = []
        if first < last:
            if self._starts[first] < start:
                pieces.append((self._starts[first], start, self._owners[first]))
            pieces.append((start, end, owner))
            if self._ends[last - 1] > end:
                pieces.append((end, self._ends[last - 1], self._owners[last - 1]))
        else:
            pieces.append((start, end, owner))
        self._starts[first:last] = [piece[0] for piece in pieces]
        self._ends[first:last] = [piece[1] for piece in pieces]
        self._owners[first:last] = [piece[2] for piece in pieces]

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """Positions of the ranges that have bytes from start to end."""
        return bisect_right(self._ends, start), bisect_left(self._starts, end)
