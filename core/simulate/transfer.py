"""Transfers of bytes from one place to another.

Bytes that nothing has written may be copied, as compilers round sizes up; whoever computes with
them is at fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.program import DmaPlace, DmaRepeat, DmaTransfer
from core.simulate.faults import SHARED_BUFFER
from core.simulate.memory import Memory, Piece

_ONCE = DmaRepeat(times=1, skip_bytes=0)


def transfer(memory: Memory, item: DmaTransfer) -> None:
    """Copy the bytes of a transfer, piece by piece."""
    source, destination = region_of(item.source), region_of(item.destination)
    to = item.destination.address
    for start in starts_of(item):
        memory.copy((source, start), (destination, to), item.size_bytes)
        to += item.size_bytes


def region_of(place: DmaPlace) -> int:
    """The number that memory has for a place's region."""
    return SHARED_BUFFER if place.is_internal else place.region


def pieces_of_transfer(item: DmaTransfer) -> Iterator[Piece]:
    """What a transfer reads."""
    for start in starts_of(item):
        yield Piece(start, (item.size_bytes,), (1,), 1)


def starts_of(item: DmaTransfer) -> Iterator[int]:
    """Where each piece starts at the source."""
    at = item.source.address
    inner, outer = (*item.repeats, _ONCE, _ONCE)[:2]
    for _ in range(outer.times):
        for _ in range(inner.times):
            yield at
            at += item.size_bytes + inner.skip_bytes
        at += outer.skip_bytes
