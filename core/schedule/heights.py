"""The search for the height of a cascade's last stripe.

Higher stripes need more memory and mostly take less time, but not always: a height that leaves the
last block of each stripe nearly empty is slow. A better search only has to be another function of
this signature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Attempt = TypeVar("Attempt")

_NEIGHBOURS = 3
"""Heights right below the highest that are tried as well."""


def best_height(
    first: int,
    last: int,
    attempt: Callable[[int], Attempt | None],
    cycles: Callable[[Attempt], int],
) -> Attempt | None:
    """The fastest of the attempts that fit; None where not even the first height does.

    Bisection finds the highest that fits, where a height that fits means that all below it do.
    The fastest of those on the way, and of some below the highest, is taken.
    """
    found: dict[int, Attempt] = {}
    low, high, height = first, last, first
    while low <= high:
        tried = attempt(height)
        if tried is not None:
            found[height] = tried
            low = height + 1
        elif height == first:
            return None
        else:
            high = height - 1
        height = (low + high + 1) // 2
    for height in range(max(first, high - _NEIGHBOURS), high):
        if height not in found:
            tried = attempt(height)
            if tried is not None:
                found[height] = tried
    best = min(found, key=lambda height: (cycles(found[height]), -height), default=None)
    return None if best is None else found[best]
