"""The door of the weights stage: an operator's weights and scales as the hardware reads them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.errors import InputError, InternalError
from core.ir.constdata import ConstData
from core.ir.npugraph import NpuOp, Weights
from core.ir.weightstream import EncodedWeights, WeightLayout, WeightRange
from core.target.accelerator import Accelerator
from core.target.format import ALIGNMENT_BYTES
from core.target.unit import Unit
from core.weights.bricks import BrickShape, brick_order
from core.weights.layout import MAX_WEIGHT
from core.weights.scales import scale_records
from core.weights.slices import Effort
from core.weights.stream import encode_streams

_WEIGHTS_TOGETHER = 1 << 17
"""Weights that are encoded at once: enough that calls cost little, few enough for the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _StreamKey:
    """All that a set of streams depends on."""

    values: ConstData
    zero_points: tuple[int, ...]
    bricks: BrickShape
    depth_slices: tuple[int, ...]
    cores: int
    effort: Effort


@dataclass(slots=True)
class EncodingCache:
    """Encodings that have been made, so that trying another schedule makes none of them again."""

    streams: dict[_StreamKey, tuple[bytes, ...]] = field(default_factory=dict)
    encoded: dict[Hashable, EncodedWeights] = field(default_factory=dict)


def encode(
    op: NpuOp,
    ifm: DType,
    accelerator: Accelerator,
    layout: WeightLayout,
    *,
    cache: EncodingCache,
    effort: Effort = Effort.FAST,
) -> EncodedWeights:
    """Weights and scales of an operator that reads elements of type `ifm`, in this layout."""
    if op.weights is None:
        raise InputError("the operator has no weights", op.name)
    streams = _stream_key(op, op.weights, ifm, accelerator, layout, effort)
    arithmetic = (op.kind, op.origin, op.ifm.quant, op.ofm.quant, op.scaling, op.rounding, ifm)
    key = (streams, layout, op.weights.scales, op.weights.bias, *arithmetic)
    if key not in cache.encoded:
        _check(op, op.weights, layout)
        records = scale_records(op, ifm, accelerator.family.weights.record)
        cache.encoded[key] = _joined(
            layout, accelerator.cores, records, _streams(streams, op, cache)
        )
    return cache.encoded[key]


class Request(NamedTuple):
    """An operator whose streams will be asked for."""

    op: NpuOp
    ifm: DType
    layout: WeightLayout


def prepare(
    requests: Iterable[Request],
    accelerator: Accelerator,
    *,
    cache: EncodingCache,
    effort: Effort = Effort.FAST,
) -> None:
    """Encode the streams of many operators: together they take less time than one by one."""
    wanted: dict[_StreamKey, NpuOp] = {}
    waiting = 0
    for op, ifm, layout in requests:
        if op.weights is None:
            continue
        key = _stream_key(op, op.weights, ifm, accelerator, layout, effort)
        if key in cache.streams or key in wanted:
            continue
        _check(op, op.weights, layout)
        wanted[key] = op
        waiting += op.weights.values.array.size
        if waiting >= _WEIGHTS_TOGETHER:
            _encode_together(wanted, cache)
            wanted, waiting = {}, 0
    _encode_together(wanted, cache)


def _encode_together(wanted: Mapping[_StreamKey, NpuOp], cache: EncodingCache) -> None:
    bricks = {key: _bricks(key, op.name) for key, op in wanted.items()}
    if not bricks:
        return
    streams = iter(
        encode_streams(
            [part for parts in bricks.values() for part in parts],
            next(iter(wanted)).effort,
        )
    )
    for key, parts in bricks.items():
        cache.streams[key] = tuple(next(streams) for _ in parts)


def _stream_key(
    op: NpuOp,
    weights: Weights,
    ifm: DType,
    accelerator: Accelerator,
    layout: WeightLayout,
    effort: Effort,
) -> _StreamKey:
    return _StreamKey(
        values=weights.values,
        zero_points=weights.zero_points,
        bricks=BrickShape.of(
            accelerator,
            op.kind.unit,
            op.kernel,
            ifm_bits=ifm.bits,
            block_depth=min(layout.block_depth, weights.values.shape[0]),
            is_part_kernel=layout.is_part_kernel,
        ),
        depth_slices=layout.depth_slices,
        cores=accelerator.cores,
        effort=effort,
    )


def _check(op: NpuOp, weights: Weights, layout: WeightLayout) -> None:
    """Refuse weights that contradict themselves or the operator."""
    shape = weights.values.shape
    if len(shape) != 4 or not all(shape):
        raise InputError(f"weights of the shape {shape}", op.name)
    if shape[1:3] != (op.kernel.h, op.kernel.w):
        expected = f"a kernel of {op.kernel.h} x {op.kernel.w}"
        raise InputError(f"weights of the shape {shape} for {expected}", op.name)
    if op.kind.unit is Unit.DEPTHWISE and shape[3] != 1:
        raise InputError(f"depthwise weights of {shape[3]} input channels", op.name)
    if len(weights.zero_points) not in {1, shape[0]}:
        raise InputError(
            f"{len(weights.zero_points)} zero points for {shape[0]} output channels", op.name
        )
    slices = layout.depth_slices
    is_ascending = all(low < high for low, high in pairwise(slices))
    if slices[0] != 0 or slices[-1] != shape[0] or not is_ascending:
        raise InternalError(f"'{op.name}': depth slices {slices} for {shape[0]} output channels")


def _streams(key: _StreamKey, op: NpuOp, cache: EncodingCache) -> tuple[bytes, ...]:
    """For each depth slice and core the weight stream."""
    if key not in cache.streams:
        cache.streams[key] = encode_streams(_bricks(key, op.name), key.effort, op.name)
    return cache.streams[key]


def _bricks(key: _StreamKey, where: str) -> list[npt.NDArray[np.int16]]:
    """For each depth slice and core the weights in the order in which they are read."""
    values = _without_zero_points(key, where)
    return [
        brick_order(values[channels], _core_bricks(key, core))
        for core, channels in _parts(key.depth_slices, key.cores)
    ]


def _without_zero_points(key: _StreamKey, name: str) -> npt.NDArray[np.int16]:
    zero_points = np.array(key.zero_points, dtype=np.int64).reshape(-1, 1, 1, 1)
    values = (
        key.values.array.astype(np.int64) - zero_points if zero_points.any() else key.values.array
    )
    least, greatest = int(values.min()), int(values.max())
    if least < -MAX_WEIGHT or greatest > MAX_WEIGHT:
        found = least if least < -MAX_WEIGHT else greatest
        raise InputError(
            f"a weight less its zero point is {found}; it must be within {MAX_WEIGHT} of 0", name
        )
    return values.astype(np.int16)


def _core_bricks(key: _StreamKey, core: int) -> BrickShape:
    """A core makes its share of the channels of each block; the first core has the odd one."""
    depth = (key.bricks.block_depth + key.cores - 1 - core) // key.cores
    return replace(key.bricks, block_depth=max(depth, 1))


def _parts(depth_slices: tuple[int, ...], cores: int) -> Iterator[tuple[int, slice]]:
    """For each depth slice the cores that have channels in it, and which: they take turns."""
    for start, end in pairwise(depth_slices):
        for core in range(min(cores, end - start)):
            yield core, slice(start + core, end, cores)


def _joined(
    layout: WeightLayout,
    cores: int,
    records: npt.NDArray[np.uint8],
    streams: tuple[bytes, ...],
) -> EncodedWeights:
    """Scales and weights of each part behind each other, all of them aligned."""
    parts = list(_parts(layout.depth_slices, cores))
    buffer = bytearray()
    ranges = []
    for (core, channels), stream in zip(parts, streams, strict=True):
        offset = len(buffer)
        scales = records[channels].tobytes()
        buffer += scales
        buffer += bytes(-len(buffer) % ALIGNMENT_BYTES)
        ranges.append(
            WeightRange(
                core=core,
                slice_index=layout.depth_slices.index(channels.start - core),
                offset=offset,
                scale_bytes=len(scales),
                weight_offset=len(buffer),
                weight_bytes=len(stream),
            )
        )
        buffer += stream
    data = ConstData.of(np.frombuffer(bytes(buffer), dtype=np.uint8))
    return EncodedWeights(data=data, layout=layout, ranges=tuple(ranges))
