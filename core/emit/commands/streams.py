"""Weights and scales of a depth slice: where each core reads them, and what brings them there."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import NamedTuple
from core.base.ids import NpuOpId
from core.emit.commands.addresses import Address, Addresses
from core.ir.program import AddressRange, DmaPlace, DmaTransfer
from core.ir.schedule import WeightPlan
from core.ir.weightstream import EncodedWeights, WeightRange


class Streams(NamedTuple):
    """One range of each kind for each core."""

    weights: tuple[AddressRange, ...] = ()
    scales: tuple[AddressRange, ...] = ()


class WeightFeed:
    """Brings slices to an operator's buffers, and knows which ones are there."""

    def __init__(
        self,
        op: NpuOpId,
        plan: WeightPlan,
        encoded: EncodedWeights,
        addresses: Addresses,
        cores: int,
    ) -> None:
        self._encoded = encoded
        self._stored = addresses.weights[op]
        self._buffers = [addresses.buffers[op, number] for number in range(len(plan.buffer_bytes))]
        self._held: dict[int, int] = {}
        self._cores = cores

    def bring(self, slice_index: int) -> Iterator[DmaTransfer]:
        """The transfer that fills a buffer with a slice, unless it is there or needs none."""
        if not self._buffers:
            return
        number = slice_index % len(self._buffers)
        if self._held.get(number) == slice_index:
            return
        self._held[number] = slice_index
        parts, buffer = self._encoded.of_slice(slice_index), self._buffers[number]
        yield DmaTransfer(
            source=DmaPlace(self._stored.region, self._stored.address + parts[0].offset),
            destination=DmaPlace(buffer.region, buffer.address),
            size_bytes=parts[-1].end - parts[0].offset,
        )

    def streams(self, slice_index: int) -> Streams:
        """Where the cores read a slice, once it is where it should be."""
        parts = self._encoded.of_slice(slice_index)
        place = self._stored
        if self._buffers:
            buffer = self._buffers[slice_index % len(self._buffers)]
            place = Address(buffer.region, buffer.address - parts[0].offset)
        weights = [_range(place, part.weight_offset, part.weight_bytes) for part in parts]
        scales = [_range(place, part.offset, _scale_bytes(part)) for part in parts]
        # A core without channels is told so; else it would take what it was told before.
        idle = self._cores - len(parts)
        weights += [weights[0]._replace(size_bytes=0)] * idle
        scales += [scales[0]._replace(size_bytes=0)] * idle
        return Streams(tuple(weights), tuple(scales))


def _scale_bytes(part: WeightRange) -> int:
    """Scales with what is behind them up to the weights, which begin at an aligned address."""
    return part.weight_offset - part.offset


def _range(place: Address, offset: int, size_bytes: int) -> AddressRange:
    return AddressRange(place.region, place.address + offset, size_bytes)
