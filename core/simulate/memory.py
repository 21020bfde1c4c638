"""Regions of memory as bytes, each of which knows whether anything has been written to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError
from core.base.frozen import Changing, Frozen, NamedTuple, field
from core.simulate.faults import SHARED_BUFFER, Fault, FaultKind, StopHere
from core.target.tables import TableMemory

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

_MOST_BYTES = 1 << 30
"""No accelerator has as much beside it; tensors of a file that says so are corrupt."""
_MOST_FAULTS = 100
"""No more are kept: a program with a wrong address has one in nearly every command."""


class Region(Frozen):
    """Bytes that addresses count in; regions may be views of the same memory."""

    data: Bytes
    written: Flags
    is_read_only: bool = False

    @classmethod
    def empty(cls, size_bytes: int) -> Region:
        """Memory that nothing has been written to."""
        if size_bytes > _MOST_BYTES:
            raise InputError(f"a region takes {size_bytes} bytes, where {_MOST_BYTES} can be run")
        return cls(data=np.zeros(size_bytes, np.uint8), written=np.zeros(size_bytes, np.bool_))

    @classmethod
    def constant(cls, data: Bytes) -> Region:
        """Memory that can only be read."""
        return cls(data=data, written=np.ones(data.size, np.bool_), is_read_only=True)

    def part(self, start: int, size_bytes: int) -> Region:
        """A window on this memory."""
        end = start + size_bytes
        return Region(data=self.data[start:end], written=self.written[start:end])

    def fill(self, values: npt.NDArray[Any]) -> None:
        """Write an array from the first byte on."""
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        self.data[: data.size] = data
        self.written[: data.size] = True


class Piece(NamedTuple):
    """Elements at regular distances from each other; the last axis is one after the other."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    size_bytes: int
    """Of one element."""

    @property
    def bytes(self) -> int:
        """Bytes of all elements."""
        return math.prod(self.shape) * self.size_bytes

    @property
    def span(self) -> tuple[int, int]:
        """The first byte and the one after the last."""
        low, high = self.address, self.address + self.size_bytes
        for count, stride in zip(self.shape, self.strides, strict=True):
            if stride < 0:
                low += (count - 1) * stride
            else:
                high += (count - 1) * stride
        return low, high


class Memory(Changing):
    """All regions, and the faults of what has been done with them."""

    regions: Sequence[Region]
    shared_buffer: Region
    tables: TableMemory
    """Where in the shared buffer tables are."""
    faults: list[Fault] = field(default_factory=list)
    command: int = 0
    """The command that is under way, for faults."""

    def report(self, kind: FaultKind, what: str, *place: int) -> None:
        """Note a fault of the command under way."""
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(Fault(self.command, kind, what, *place))

    def stop(self, kind: FaultKind, what: str, *place: int) -> StopHere:
        """An end of the simulation at the command under way."""
        return StopHere(Fault(self.command, kind, what, *place))

    def reading(
        self, number: int, piece: Piece, dtype: npt.DTypeLike, what: str
    ) -> npt.NDArray[Any]:
        """A view of elements that are read."""
        region = self._inside(number, piece, what)
        low, high = piece.span
        if not region.written[low:high].all():
            self._report_unwritten(number, region, piece, what)
        return _view(region.data, piece, dtype)

    def writing(
        self, number: int, piece: Piece, dtype: npt.DTypeLike, what: str
    ) -> npt.NDArray[Any]:
        """A view of elements that are about to be written."""
        region = self._inside(number, piece, what)
        if region.is_read_only:
            low, high = piece.span
            raise self.stop(FaultKind.READ_ONLY, what, number, low, high - low)
        _flags(region, piece)[...] = True
        return _view(region.data, piece, dtype)

    def take(self, number: int, address: int, size_bytes: int, what: str) -> Bytes:
        """Neighbouring bytes that are read."""
        return self.reading(number, _row(address, size_bytes), np.uint8, what)

    def copy(self, source: tuple[int, int], destination: tuple[int, int], size_bytes: int) -> None:
        """Copy neighbouring bytes, and whether they have been written."""
        piece = _row(source[1], size_bytes)
        giver = self._inside(source[0], piece, "source of a transfer")
        view = _view(giver.data, piece, np.uint8).copy()
        is_written = _flags(giver, piece).copy()
        target = _row(destination[1], size_bytes)
        what = "destination of a transfer"
        self.writing(destination[0], target, np.uint8, what)[...] = view
        _flags(self._inside(destination[0], target, what), target)[...] = is_written

    def forget_tables(self) -> None:
        """Leave no table where an operation without one has its accumulators."""
        if not self.tables.is_apart:
            self.shared_buffer.part(self.tables.start, self.tables.size_bytes).written[:] = False

    def _inside(self, number: int, piece: Piece, what: str) -> Region:
        low, high = piece.span
        if number >= len(self.regions):
            raise self.stop(FaultKind.OUTSIDE, f"{what}: no such region", number, low, high - low)
        region = self.shared_buffer if number == SHARED_BUFFER else self.regions[number]
        if low < 0 or high > region.data.size:
            reach = f"{what}, in a region of {region.data.size} bytes"
            raise self.stop(FaultKind.OUTSIDE, reach, number, low, high - low)
        return region

    def _report_unwritten(self, number: int, region: Region, piece: Piece, what: str) -> None:
        missing = ~_flags(region, piece)
        count = int(missing.sum())
        if count:
            steps = (*piece.strides, 1)
            places = zip(steps, np.unravel_index(int(missing.argmax()), missing.shape), strict=True)
            address = piece.address + sum(step * int(index) for step, index in places)
            self.report(FaultKind.NEVER_WRITTEN, what, number, address, count)


def _row(address: int, size_bytes: int) -> Piece:
    return Piece(address, (size_bytes,), (1,), 1)


def _view(data: Bytes, piece: Piece, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    return np.ndarray(piece.shape, dtype, data.data, piece.address, piece.strides)


def _flags(region: Region, piece: Piece) -> Flags:
    """Whether each byte of each element has been written, as a view."""
    shape, strides = (*piece.shape, piece.size_bytes), (*piece.strides, 1)
    return np.ndarray(shape, np.bool_, region.written.data, piece.address, strides)
