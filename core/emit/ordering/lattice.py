"""Bytes at regular distances, and whether two sets of them have one in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

Axis = tuple[int, int]
"""Bytes from one run to the next, and how many there are."""


class Lattice(NamedTuple):
    """Runs of neighbouring bytes; the distances along each axis add up."""

    low: int
    """The first byte."""
    high: int
    """The one after the last."""
    axes: tuple[Axis, ...]
    """With more than one run; distances are positive."""
    run: int
    """Neighbouring bytes."""


def lattice(address: int, axes: Iterable[Axis], run: int) -> Lattice:
    """Runs from an address on; negative distances lead to lower addresses."""
    kept, high = [], address + run
    for step, count in axes:
        if count > 1 and step:
            reach = step * (count - 1)
            if reach < 0:
                address += reach
                kept.append((-step, count))
            else:
                high += reach
                kept.append((step, count))
    return Lattice(address, high, tuple(kept), run)


def meet(one: Lattice, other: Lattice) -> bool:
    """Whether any byte is in both."""
    if one.high <= other.low or other.high <= one.low or not one.run or not other.run:
        return False
    if not one.axes and not other.axes:
        return True
    # Differences between bytes of the one and of the other are a lattice too; is 0 in it?
    counts: dict[int, int] = {}
    for step, count in (*one.axes, *other.axes):
        counts[step] = counts.get(step, 1) + count - 1
    return _has(one.high - 1 - other.low, sorted(counts.items()), one.run + other.run - 1)


def _has(offset: int, axes: list[Axis], run: int) -> bool:
    """Whether a lattice that starts at 0 has a byte; the longest distance is the last."""
    if not axes:
        return 0 <= offset < run
    (step, count), inner = axes[-1], axes[:-1]
    reach = run - 1 + sum(distance * (number - 1) for distance, number in inner)
    first = max(-((reach - offset) // step), 0)
    last = min(offset // step, count - 1)
    return any(_has(offset - step * number, inner, run) for number in range(first, last + 1))
