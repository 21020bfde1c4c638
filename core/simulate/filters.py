"""Weights and scale records of an operation, read from memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError
from core.base.fixedpoint import Ints
from core.base.frozen import Changing, Frozen, field
from core.ir.program import AddressRange, Job, NpuOperation
from core.simulate.faults import FaultKind
from core.simulate.memory import Memory
from core.simulate.order import StreamShape, places
from core.target.accelerator import Accelerator
from core.target.weight_format import ScaleRecord

Decode = Callable[[bytes], npt.NDArray[np.int16]]
"""The weights that a stream holds, in its order."""

_KEPT_BYTES = 64 << 20


class Filters(Frozen):
    """The weights of an operation, by output channel, row, column and input channel."""

    values: npt.NDArray[np.float32]
    greatest_sum: float
    """Of the magnitudes that go into one output."""


class Records(Frozen):
    """What each output channel adds to its accumulator and scales it with."""

    biases: Ints
    multipliers: Ints
    shifts: Ints


class FilterReader(Changing):
    """Reads weights; those of streams that come again, as for each stripe, are kept."""

    accelerator: Accelerator
    decode: Decode
    _known: dict[tuple[object, ...], Filters] = field(default_factory=dict)
    _kept_bytes: int = 0

    def filters(self, memory: Memory, operation: NpuOperation) -> Filters:
        """The weights of an operation, those of all cores together."""
        streams = tuple(
            memory.take(*place, "weights").tobytes() if place.size_bytes else b""
            for place in operation.weights
        )
        shapes = tuple(
            self._shape(operation, core) for core in range(len(streams)) if _depth(operation, core)
        )
        key = (streams, shapes)
        found = self._known.get(key)
        if found is None:
            found = self._read(memory, streams, shapes, operation)
            self._kept_bytes += found.values.nbytes
            if self._kept_bytes > _KEPT_BYTES:
                self._known.clear()
                self._kept_bytes = found.values.nbytes
            self._known[key] = found
        return found

    def _shape(self, operation: NpuOperation, core: int) -> StreamShape:
        kernel, cores = operation.kernel, len(operation.weights)
        rows, columns = self.accelerator.family.max_subkernel
        is_depthwise = operation.job is Job.DEPTHWISE
        return StreamShape(
            depth=_depth(operation, core),
            height=kernel.h,
            width=kernel.w,
            channels=1 if is_depthwise else operation.ifm.shape.c,
            block_depth=max((operation.block.c + cores - 1 - core) // cores, 1),
            ofm_ublock=self.accelerator.ofm_ublock.c,
            ifm_ublock=1 if is_depthwise else self.accelerator.ifm_ublock.c,
            ifm_bits=operation.ifm.dtype.bits,
            subkernel_h=rows // kernel.dilation_h,
            subkernel_w=columns // kernel.dilation_w,
            is_depthwise=is_depthwise,
            is_part_kernel=operation.is_part_kernel and not is_depthwise,
            format=self.accelerator.family.weights,
        )

    def _read(
        self,
        memory: Memory,
        streams: tuple[bytes, ...],
        shapes: tuple[StreamShape, ...],
        operation: NpuOperation,
    ) -> Filters:
        kernel, first = operation.kernel, shapes[0]
        size = (operation.ofm.shape.c, kernel.h, kernel.w, first.channels)
        values = np.zeros(size, np.float32)
        for core, shape in enumerate(shapes):
            values[core :: len(streams)] = self._of_core(memory, streams[core], shape)
        sums = np.abs(values).sum(axis=(1, 2, 3), dtype=np.float64)
        return Filters(values=values, greatest_sum=float(sums.max()))

    def _of_core(self, memory: Memory, stream: bytes, shape: StreamShape) -> npt.NDArray[np.int16]:
        try:
            decoded = self.decode(stream)
        except InputError as error:
            raise memory.stop(FaultKind.CONTENT, f"weights: {error}") from error
        order = places(shape)
        if decoded.size != order.size:
            found = f"{decoded.size} weights in a stream, where {order.size} are needed"
            raise memory.stop(FaultKind.CONTENT, found)
        count = shape.depth * shape.height * shape.width * shape.channels
        # The last one collects what is there to fill up.
        values = np.zeros(count + 1, np.int16)
        values[order] = decoded
        return values[:-1].reshape(shape.depth, shape.height, shape.width, shape.channels)


def read_records(memory: Memory, operation: NpuOperation, layout: ScaleRecord) -> Records:
    """For each output channel, from the low end: bias, multiplier, shift."""
    depth, cores = operation.ofm.shape.c, len(operation.scales)
    record_bytes, bias_bytes = layout.size_bytes, layout.bias_bits // 8
    raw = np.zeros((depth, record_bytes), np.uint8)
    for core, place in enumerate(operation.scales):
        count = _depth(operation, core)
        if count:
            size = count * record_bytes
            if place.size_bytes < size:
                found = f"scales in {place.size_bytes} bytes, where {size} are needed"
                raise memory.stop(FaultKind.CONTENT, found)
            taken = memory.take(*AddressRange(place.region, place.address, size), "scales")
            raw[core::cores] = taken.reshape(count, record_bytes)
    wide = np.zeros((depth, 2, 8), np.uint8)
    wide[:, 0, :bias_bytes] = raw[:, :bias_bytes]
    wide[:, 1, : record_bytes - bias_bytes - 1] = raw[:, bias_bytes:-1]
    numbers = wide.view("<i8")[:, :, 0]
    sign = 1 << (layout.bias_bits - 1)
    return Records(
        biases=(numbers[:, 0] ^ sign) - sign,
        multipliers=numbers[:, 1].copy(),
        shifts=(raw[:, -1] & (1 << layout.shift_bits) - 1).astype(np.int64),
    )


def _depth(operation: NpuOperation, core: int) -> int:
    """Output channels that a core makes; cores take turns."""
    cores = max(len(operation.weights), 1)
    return (operation.ofm.shape.c + cores - 1 - core) // cores
