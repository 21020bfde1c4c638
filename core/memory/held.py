"""Ranges stay where they were, as long as none is in the way of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.base.frozen import replace
from core.ir.held import Held, Spot
from core.liveness.lives import Life
from core.memory.packing import Range, Trail, neighbours_of


def kept_free(lives: Sequence[Life], op_times: Sequence[int], held: Held) -> tuple[Life, ...]:
    """The lives; weights that come ahead have their bytes for as long as they had."""

    def longer(life: Life) -> Life:
        if life.op is None or life.start_time >= op_times[life.op]:
            return life
        spot = held.buffers.get((life.op, life.buffer))
        start = life.start_time if spot is None else op_times[life.op] - spot.ahead_times
        return replace(life, start_time=max(min(life.start_time, start), 0))

    return tuple(longer(life) for life in lives)


def staying(
    lives: Sequence[Life],
    ranges: Sequence[Range],
    held: Held,
    trails: Iterable[Trail] = (),
    *,
    is_fast: bool,
) -> tuple[Range, ...]:
    """The ranges, those that can with the address that they had.

    What has to be somewhere is there; then come those that are as large as they were.
    """
    spots = {
        index: spot
        for index, life in enumerate(lives)
        if ranges[index].address is None and (spot := _spot(life, held, is_fast=is_fast))
    }
    placed = {i: item.address for i, item in enumerate(ranges) if item.address is not None}
    leads = {(trail.lower, trail.upper): trail.lead_bytes for trail in trails}
    order = sorted(spots, key=lambda at: (spots[at].size_bytes != ranges[at].size_bytes, at))
    beside = neighbours_of(ranges)
    for index in order:
        address = spots[index].address
        if address % ranges[index].alignment == 0 and not any(
            _meet(ranges, (index, address), (other, placed[other]), leads)
            for other in beside[index]
            if other in placed
        ):
            placed[index] = address
    return tuple(replace(item, address=placed.get(at)) for at, item in enumerate(ranges))


def _spot(life: Life, held: Held, *, is_fast: bool) -> Spot | None:
    return next(_spots(life, held, is_fast=is_fast), None)


def _spots(life: Life, held: Held, *, is_fast: bool) -> Iterator[Spot]:
    keys = ((fm, is_fast) for fm in life.fms)
    yield from (held.maps[key] for key in keys if key in held.maps)
    if life.op is not None and (life.op, life.buffer) in held.buffers:
        yield held.buffers[life.op, life.buffer]


_Placed = tuple[int, int]
"""A range by its position, and its address."""


def _meet(
    ranges: Sequence[Range], one: _Placed, two: _Placed, leads: dict[tuple[int, int], int]
) -> bool:
    """Whether both, which live at once, would have bytes that only one can have."""
    (index, address), (other, there) = one, two
    mine, its = ranges[index], ranges[other]
    if address >= there + its.size_bytes or there >= address + mine.size_bytes:
        return False
    follows = leads.get((index, other)), leads.get((other, index))
    pairs = zip(follows, ((address, there), (there, address)), strict=True)
    return not any(lead is not None and low + lead <= high for lead, (low, high) in pairs)
