"""Other models of the device in a memory map: what of their arenas lies where this one has none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.frozen import Frozen, NamedTuple
from core.ir.together import Arena, Calls
from gui.document.answer import Answer
from gui.present.company import others_of, shared_memory
from gui.present.memory.map import NEAR_ENOUGH, AreaMap
from gui.present.rects import Rects, empty_rects
from gui.theme.tones import Tone


class Beside(Frozen, eq=False):
    """Arenas beside that of the model that is shown, by addresses of its own."""

    rects: Rects
    bottom_bytes: float = 0.0
    """How far down there is something to see: below the arena that is shown are negative ones."""
    top_bytes: float = 0.0
    limit_bytes: int | None = None
    """For all of them."""


OTHERS = "other models"
NOBODY = Beside(rects=empty_rects())


class _Part(NamedTuple):
    bottom: int
    top: int
    label: str


def beside_of(answer: Answer, drawn: AreaMap) -> Beside:
    """What is beside the arena of a map."""
    memory, calls = shared_memory(answer, drawn.area), answer.together and answer.together.calls
    if memory is None:
        return NOBODY
    own, others = others_of(memory)
    apart = others if calls is Calls.NESTED else ()
    parts = [_Part(each.base - own.base, each.end - own.base, _label(each)) for each in apart]
    if calls is Calls.IN_TURN:
        parts = [*_above(own, others), *_below(own, others)]
    limit = None if memory.limit_bytes is None else memory.limit_bytes - own.base
    top = max((part.top for part in parts), default=0)
    if limit is not None and limit <= top * NEAR_ENOUGH:
        top = max(top, limit)
    return Beside(
        rects=_rects(parts, float(drawn.edges[0]), drawn.end),
        bottom_bytes=float(min((0, *(part.bottom for part in parts)))),
        top_bytes=float(top),
        limit_bytes=limit,
    )


def _above(own: Arena, others: tuple[Arena, ...]) -> Iterator[_Part]:
    """Arenas that lie over this one end in steps above it."""
    low = own.end
    for each in sorted(others, key=lambda other: other.end):
        if each.end > low:
            yield _Part(max(low, each.base) - own.base, each.end - own.base, _label(each))
            low = each.end


def _below(own: Arena, others: tuple[Arena, ...]) -> Iterator[_Part]:
    high = own.base
    for each in sorted(others, key=lambda other: -other.base):
        if each.base < high:
            yield _Part(each.base - own.base, min(high, each.end) - own.base, _label(each))
            high = each.base


def _label(arena: Arena) -> str:
    states = f", {arena.state_bytes:,} B of it states" if arena.state_bytes else ""
    return f"{arena.model}{states}"


def _rects(parts: list[_Part], start: float, end: float) -> Rects:
    count = len(parts)
    numbers = np.arange(count, dtype=np.int32)
    return Rects(
        left=np.full(count, start),
        right=np.full(count, end),
        bottom=np.array([part.bottom for part in parts], dtype=np.float64),
        top=np.array([part.top for part in parts], dtype=np.float64),
        ink=np.zeros(count, dtype=np.uint8),
        key=numbers,
        row=numbers,
        inks=(Tone.RESERVED.value,),
        labels=[part.label for part in parts],
    )
