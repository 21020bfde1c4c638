"""Ranges and ghosts that are dragged over a memory map: what letting go would ask for."""

from __future__ import annotations

import enum
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.base.ids import FmId
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region
from gui.present.memory.ghosts import Ghost
from gui.present.memory.map import AreaMap

Mask = npt.NDArray[np.bool_]


class Move(enum.Enum):
    """What a drag asks for."""

    KEEP = "keep in fast storage"
    EVICT = "move out of fast storage"
    ADDRESS = "put there"


class Held(Frozen):
    """What was taken hold of."""

    fm: FmId
    name: str
    is_ghost: bool
    key: int
    """Of its rectangle."""
    size_bytes: int
    address: int
    """Where it lies; 0 for a ghost, which lies elsewhere."""
    start_time: int
    end_time: int


class Preview(Frozen):
    """What would come of letting go."""

    move: Move | None
    """None where nothing would be asked for."""
    hint: str
    address: int | None = None
    blocked: tuple[int, ...] = ()
    """Keys of ranges that are in the way."""


def held_range(drawn: AreaMap, key: int, *, can_move_out: bool) -> Held | None:
    """A range that holds a feature map; others are not a user's to move."""
    placement = drawn.ranges[key].placement
    is_fast = Region.SCRATCH_FAST in drawn.area.regions
    if not placement.fms or placement.region.is_permanent or not (is_fast or not can_move_out):
        return None
    return Held(
        fm=placement.fms[0],
        name=drawn.names[key],
        is_ghost=False,
        key=key,
        size_bytes=int(drawn.size_bytes[key]),
        address=placement.address,
        start_time=placement.start_time,
        end_time=placement.end_time,
    )


def held_ghost(ghosts: Sequence[Ghost], key: int, name: str) -> Held:
    """A feature map that could be in fast storage and is not."""
    ghost = ghosts[key]
    return Held(
        fm=ghost.evicted.fms[0],
        name=name,
        is_ghost=True,
        key=key,
        size_bytes=ghost.evicted.size_bytes,
        address=0,
        start_time=ghost.start_time,
        end_time=ghost.end_time,
    )


def moved_in_or_out(drawn: AreaMap, held: Held, height: float) -> Preview:
    """Let go at a height in bytes: below the limit it is kept, above it is moved out."""
    limit = drawn.limit_bytes
    is_above = height > (drawn.area.height_bytes if limit is None else limit)
    if held.is_ghost:
        if is_above:
            return Preview(move=None, hint=f"{held.name}: drop it below the limit to keep it")
        return Preview(move=Move.KEEP, hint=_room(drawn, held))
    if not is_above:
        return Preview(move=None, hint=f"{held.name}: drop it above the limit to move it out")
    return Preview(
        move=Move.EVICT,
        hint=f"{held.name}: frees {held.size_bytes:,} bytes at steps {_steps(held)}",
    )


def moved_to(drawn: AreaMap, held: Held, address: float) -> Preview:
    """Let go at an address, which snaps to where an accelerator can begin."""
    snapped = max(round(address / ALIGNMENT_BYTES) * ALIGNMENT_BYTES, 0)
    if snapped == held.address:
        return Preview(move=None, hint=f"{held.name}: as it is", address=snapped)
    end = snapped + held.size_bytes
    blocked = _live(drawn, held) & (drawn.rects.bottom < end) & (drawn.rects.top > snapped)
    keys = tuple(int(key) for key in np.flatnonzero(blocked))
    told = f"{held.name} at {snapped:,} ({snapped:#x})"
    if keys:
        more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        told += f"; in the way: {drawn.names[keys[0]]}{more}"
    if drawn.limit_bytes is not None and end > drawn.limit_bytes:
        told += f"; {end - drawn.limit_bytes:,} bytes above the limit"
    return Preview(move=Move.ADDRESS, hint=told, address=snapped, blocked=keys)


def _steps(held: Held) -> str:
    return f"{held.start_time} to {held.end_time}"


def _live(drawn: AreaMap, held: Held) -> Mask:
    """Ranges that are live together with it, without its own."""
    found: Mask = (drawn.start_time <= held.end_time) & (drawn.end_time >= held.start_time)
    if not held.is_ghost:
        found[held.key] = False
    return found


def _room(drawn: AreaMap, held: Held) -> str:
    """How much it needs, how much is free while it lives, and how many would have to go."""
    needs = f"{held.name}: needs {held.size_bytes:,}"
    if drawn.limit_bytes is None:
        return needs
    live = np.flatnonzero(_live(drawn, held))
    times = np.arange(held.start_time, held.end_time + 1)
    is_then = (drawn.start_time[live, None] <= times) & (drawn.end_time[live, None] >= times)
    usage = (drawn.size_bytes[live, None] * is_then).sum(axis=0)
    worst = int(usage.argmax()) if len(usage) else 0
    free = drawn.limit_bytes - int(usage.max(initial=0))
    if free >= held.size_bytes:
        return f"{needs}; free {free:,}"
    missing, displaced = held.size_bytes - max(free, 0), 0
    maps = [key for key in live[is_then[:, worst]].tolist() if drawn.ranges[key].placement.fms]
    for size in sorted((int(drawn.size_bytes[key]) for key in maps), reverse=True):
        if missing <= 0:
            break
        missing, displaced = missing - size, displaced + 1
    told = f"{needs}; free {max(free, 0):,}"
    if missing > 0:
        return f"{told}; buffers would have to become smaller"
    return f"{told}; would displace {displaced} or more"
