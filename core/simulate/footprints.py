"""Which bytes a command, or one block of an operation, reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from core.base.frozen import Frozen
from core.ir.program import AddressRange, Curve, DmaTransfer, MapUse, NpuOperation
from core.simulate.curves import table_bytes, table_start
from core.simulate.faults import SHARED_BUFFER
from core.simulate.maps import pieces_of, whole_of
from core.simulate.memory import Flags, Piece
from core.simulate.transfer import pieces_of_transfer, region_of
from core.target.accelerator import Accelerator

_MOST_BYTES = 1 << 28
"""Between the first and the last of one operand; more have only those that are out of place."""


class Footprint(Frozen):
    """Bytes of one region that one operand touches."""

    region: int
    pieces: tuple[Piece, ...]
    low: int
    high: int

    @classmethod
    def of(cls, region: int, pieces: Iterable[Piece]) -> Footprint:
        """The bytes of pieces."""
        kept = tuple(pieces)
        spans = [piece.span for piece in kept]
        low = min((start for start, _ in spans), default=0)
        return cls(
            region=region, pieces=kept, low=low, high=max((end for _, end in spans), default=0)
        )

    def meets(self, other: Footprint) -> bool:
        """Whether any byte is in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if self.region != other.region or low >= high:
            return False
        if len(self.pieces) == len(other.pieces) == 1 and self.is_solid and other.is_solid:
            return True
        if max(self.high - self.low, other.high - other.low) > _MOST_BYTES:
            return True
        return bool((self._flags(low, high) & other._flags(low, high)).any())

    @property
    def is_solid(self) -> bool:
        """Whether it has every byte from its first to its last, for what is known at a glance."""
        return sum(piece.bytes for piece in self.pieces) == self.high - self.low

    def _flags(self, low: int, high: int) -> Flags:
        """For each byte between two addresses whether it is touched."""
        flags = np.zeros(self.high - self.low, np.bool_)
        for piece in self.pieces:
            shape, strides = (*piece.shape, piece.size_bytes), (*piece.strides, 1)
            view: Flags = np.ndarray(shape, np.bool_, flags.data, piece.address - self.low, strides)
            view[...] = True
        return flags[low - self.low : high - self.low]


def read_by(command: NpuOperation | DmaTransfer, accelerator: Accelerator) -> Iterator[Footprint]:
    """What a command reads."""
    if isinstance(command, DmaTransfer):
        yield Footprint.of(region_of(command.source), pieces_of_transfer(command))
        return
    for use in (command.ifm, command.ifm2):
        if isinstance(use, MapUse):
            yield of_map(use)
    for stream in (*command.weights, *command.scales):
        if stream.size_bytes:
            yield of_range(stream)
    if command.activation.curve is Curve.TABLE:
        size = table_bytes(command)
        start = accelerator.tables.start + table_start(command)
        yield of_range(AddressRange(SHARED_BUFFER, start, size))


def written_by(command: NpuOperation | DmaTransfer) -> Footprint:
    """What a command writes."""
    if isinstance(command, NpuOperation):
        return of_map(command.ofm)
    size = command.size_bytes * sum(1 for _ in pieces_of_transfer(command))
    place = command.destination
    return of_range(AddressRange(region_of(place), place.address, size))


def of_map(use: MapUse) -> Footprint:
    """All of a map."""
    return Footprint.of(use.region, pieces_of(use, whole_of(use)))


def of_range(place: AddressRange) -> Footprint:
    """Neighbouring bytes."""
    return Footprint.of(place.region, (Piece(place.address, (place.size_bytes,), (1,), 1),))
