"""Arenas of several models in one memory.

The addresses in a compiled model are fixed, so that its arena is moved as a whole. Where models run
in turn, an arena may lie over another, but never over bytes in which that one keeps a state.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from core.base.frozen import replace
from core.ir.together import Arena, Calls
from core.target.format import ALIGNMENT_BYTES

_MOST_ORDERED = 5
"""Models that are tried in every order."""


def place(arenas: Sequence[Arena], calls: Calls) -> tuple[Arena, ...]:
    """The arenas with bases, in their order, so that the least memory is needed."""
    if calls is Calls.NESTED:
        return _stacked(arenas)
    indices = range(len(arenas))
    orders = permutations(indices) if len(arenas) <= _MOST_ORDERED else (tuple(indices),)
    found = (_overlaid(arenas, order) for order in orders)
    return min(found, key=lambda placed: max((arena.end for arena in placed), default=0))


def _stacked(arenas: Sequence[Arena]) -> tuple[Arena, ...]:
    placed: list[Arena] = []
    base = 0
    for arena in arenas:
        placed.append(replace(arena, base=base))
        base = _aligned(placed[-1].end)
    return tuple(placed)


def _overlaid(arenas: Sequence[Arena], order: Sequence[int]) -> tuple[Arena, ...]:
    """One after the other at the lowest base at which no state is written over."""
    placed: dict[int, Arena] = {}
    for number in order:
        arena = arenas[number]
        bases = {0}
        for other in placed.values():
            bases |= {other.base, other.end, *(other.base + end for _, end in other.states)}
            bases |= {other.end - first for first, _ in arena.states}
        possible = (replace(arena, base=_aligned(base)) for base in sorted(bases))
        placed[number] = next(
            each for each in possible if all(_are_apart(each, other) for other in placed.values())
        )
    return tuple(placed[number] for number in range(len(arenas)))


def _are_apart(one: Arena, other: Arena) -> bool:
    """Whether neither arena lies over a state of the other."""
    return all(
        owner.base + end <= beside.base or beside.end <= owner.base + first
        for owner, beside in ((one, other), (other, one))
        for first, end in owner.states
    )


def _aligned(address: int) -> int:
    return -(-address // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
