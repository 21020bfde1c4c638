"""Groups that share a member are one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

Member = TypeVar("Member", bound=Any)


def joined(groups: Iterable[Iterable[Member]]) -> tuple[tuple[Member, ...], ...]:
    """Groups of which no two have a member in common, each in order."""
    found: list[set[Member]] = []
    for group in groups:
        own = set(group)
        for other in [each for each in found if not own.isdisjoint(each)]:
            own |= other
            found.remove(other)
        found.append(own)
    return tuple(sorted(tuple(sorted(each)) for each in found))
