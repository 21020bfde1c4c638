"""What keeps its order while some of it is moved."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def most_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """As many pairs as can be whose second rises, of some whose first does: those that were moved
    past others are left out."""
    ends: list[int] = []
    places: list[int] = []
    for _, later in pairs:
        place = bisect_left(ends, later)
        ends[place : place + 1] = [later]
        places.append(place)
    kept: list[tuple[int, int]] = []
    wanted = len(ends) - 1
    for pair, place in zip(reversed(pairs), reversed(places), strict=True):
        if place == wanted and (not kept or pair[1] < kept[-1][1]):
            kept.append(pair)
            wanted -= 1
    return kept[::-1]
