"""The door of the weights stage: an operator's weights and scales as the hardware reads them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.base.digest import digest
from core.base.dtype import DType
from core.base.errors import InputError, InternalError
from core.base.frozen import Changing, Frozen, NamedTuple, field, replace
from core.base.geometry import round_up
from core.ir.constdata import ConstData
from core.ir.npugraph import NpuOp, Weights
from core.ir.weightstream import EncodedWeights, WeightLayout, WeightRange, bytes_by_slice
from core.target.accelerator import Accelerator
from core.target.format import ALIGNMENT_BYTES
from core.target.unit import Unit
from core.weights.bricks import BrickShape, Laid
from core.weights.layout import MAX_WEIGHT
from core.weights.scales import scale_records
from core.weights.slices import Effort
from core.weights.stream import encode_streams, stream_sizes

_Found = TypeVar("_Found")

_WEIGHTS_TOGETHER = 1 << 18
"""Weights that are encoded at once: enough that calls cost little, few enough for the memory."""


class _StreamKey(Frozen):
    """All that a set of streams depends on."""

    values: ConstData
    zero_points: tuple[int, ...]
    bricks: BrickShape
    depth_slices: tuple[int, ...]
    cores: int
    effort: Effort


class _LaidKey(NamedTuple):
    """All that the order of weights depends on that is the same for all blocks and slices."""

    values: ConstData
    zero_points: tuple[int, ...]
    shape: BrickShape


class EncodingCache(Changing):
    """What has been worked out of streams, so that trying another schedule does none of it again.

    Searches ask for the sizes of many streams; bytes are made of those alone that are chosen.
    """

    laid: dict[_LaidKey, Laid] = field(default_factory=dict)
    """Weights that only blocks, cores and slices have to put in order."""
    sizes: dict[_StreamKey, tuple[int, ...]] = field(default_factory=dict)
    """For each depth slice and core the bytes of the weight stream."""
    streams: dict[_StreamKey, tuple[bytes, ...]] = field(default_factory=dict)
    records: dict[Hashable, ConstData] = field(default_factory=dict)
    """Scales and biases."""
    encoded: dict[tuple[_StreamKey, str, WeightLayout], EncodedWeights] = field(
        default_factory=dict
    )


class Measured(NamedTuple):
    """An operator's weights and scales as they would be encoded."""

    encoding: str
    """Digest of all that decides about the bytes."""
    slice_bytes: tuple[int, ...]


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
    weights = _weights(op)
    key = _stream_key(op, weights, ifm, accelerator, layout, effort)
    records = _records(op, weights, ifm, accelerator, cache)
    known = cache.encoded.get((key, records.digest, layout))
    if known is None:
        _check(op, weights, layout)
        if key not in cache.streams:
            bricks = _bricks(key, cache, op.name)
            cache.streams[key] = encode_streams(bricks, key.effort, op.name)
        known = _joined(layout, accelerator, records.array, cache.streams[key])
        cache.encoded[key, records.digest, layout] = known
    return known


def measure(
    op: NpuOp,
    ifm: DType,
    accelerator: Accelerator,
    layout: WeightLayout,
    *,
    cache: EncodingCache,
    effort: Effort = Effort.FAST,
) -> Measured:
    """The same as far as a search has to know it, which takes half the time."""
    weights = _weights(op)
    key = _stream_key(op, weights, ifm, accelerator, layout, effort)
    if key not in cache.sizes:
        _check(op, weights, layout)
        cache.sizes[key] = stream_sizes(_bricks(key, cache, op.name), key.effort, op.name)
    records = _records(op, weights, ifm, accelerator, cache)
    ranges = _ranges(layout, accelerator, cache.sizes[key])
    return Measured(digest((key, records.digest)), bytes_by_slice(layout, ranges))


class Request(NamedTuple):
    """An operator whose streams will be asked for."""

    op: NpuOp
    ifm: DType
    layout: WeightLayout


def encode_many(
    requests: Iterable[Request],
    accelerator: Accelerator,
    *,
    cache: EncodingCache,
    effort: Effort = Effort.FAST,
) -> None:
    """Encode the streams of many operators: together they take less time than one by one."""
    _work_out(requests, accelerator, effort, cache, cache.streams, encode_streams)


def measure_many(
    requests: Iterable[Request],
    accelerator: Accelerator,
    *,
    cache: EncodingCache,
    effort: Effort = Effort.FAST,
) -> None:
    """Measure them."""
    _work_out(requests, accelerator, effort, cache, cache.sizes, stream_sizes)


def _work_out(
    requests: Iterable[Request],
    accelerator: Accelerator,
    effort: Effort,
    cache: EncodingCache,
    known: dict[_StreamKey, tuple[_Found, ...]],
    work: Callable[[Sequence[npt.NDArray[np.int16]], Effort], tuple[_Found, ...]],
) -> None:
    """Add what is not known, for so many weights at once as suits the processor's memory."""
    wanted: dict[_StreamKey, NpuOp] = {}
    waiting = 0

    def finish() -> None:
        nonlocal waiting
        bricks = {key: _bricks(key, cache, op.name) for key, op in wanted.items()}
        if bricks:
            found = iter(work([part for parts in bricks.values() for part in parts], effort))
            known.update({key: tuple(islice(found, len(parts))) for key, parts in bricks.items()})
        wanted.clear()
        waiting = 0

    for op, ifm, layout in requests:
        if op.weights is None:
            continue
        key = _stream_key(op, op.weights, ifm, accelerator, layout, effort)
        if key in known or key in wanted:
            continue
        _check(op, op.weights, layout)
        wanted[key] = op
        waiting += op.weights.values.array.size
        if waiting >= _WEIGHTS_TOGETHER:
            finish()
    finish()


def _weights(op: NpuOp) -> Weights:
    if op.weights is None:
        raise InputError("the operator has no weights", op.name)
    return op.weights


def _records(
    op: NpuOp, weights: Weights, ifm: DType, accelerator: Accelerator, cache: EncodingCache
) -> ConstData:
    """A record with the scale and the bias of each output channel."""
    record = accelerator.family.weights.record
    arithmetic = (op.kind, op.origin, op.ifm.quant, op.ofm.quant, op.scaling, op.rounding, ifm)
    key = (weights.values.shape[0], weights.scales, weights.bias, record, *arithmetic)
    if key not in cache.records:
        cache.records[key] = ConstData.of(scale_records(op, ifm, record))
    return cache.records[key]


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


def _bricks(key: _StreamKey, cache: EncodingCache, where: str) -> list[npt.NDArray[np.int16]]:
    """For each depth slice and core the weights in the order in which they are read."""
    source = _LaidKey(key.values, key.zero_points, replace(key.bricks, block_depth=0))
    laid = cache.laid.get(source)
    if laid is None:
        values = _without_zero_points(key, where)
        laid = cache.laid[source] = Laid.of(values, source.shape)
    return [
        laid.order(channels, _core_block_depth(key, core))
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


def _core_block_depth(key: _StreamKey, core: int) -> int:
    """A core makes its share of the channels of each block; the first core has the odd one."""
    return max((key.bricks.block_depth + key.cores - 1 - core) // key.cores, 1)


def _parts(depth_slices: tuple[int, ...], cores: int) -> Iterator[tuple[int, range]]:
    """For each depth slice the cores that have channels in it, and which: they take turns."""
    for start, end in pairwise(depth_slices):
        for core in range(min(cores, end - start)):
            yield core, range(start + core, end, cores)


def _ranges(
    layout: WeightLayout, accelerator: Accelerator, stream_bytes: Sequence[int]
) -> tuple[WeightRange, ...]:
    """Scales and weights of each part behind each other, all of them aligned."""
    record_bytes, cores = accelerator.family.weights.record.size_bytes, accelerator.cores
    starts = {start: number for number, start in enumerate(layout.depth_slices)}
    ranges, offset = [], 0
    for (core, channels), size in zip(
        _parts(layout.depth_slices, cores), stream_bytes, strict=True
    ):
        scale_bytes = len(channels) * record_bytes
        part = WeightRange(
            core=core,
            slice_index=starts[channels.start - core],
            offset=offset,
            scale_bytes=scale_bytes,
            weight_offset=round_up(offset + scale_bytes, ALIGNMENT_BYTES),
            weight_bytes=size,
        )
        ranges.append(part)
        offset = part.end
    return tuple(ranges)


def _joined(
    layout: WeightLayout,
    accelerator: Accelerator,
    records: npt.NDArray[np.uint8],
    streams: tuple[bytes, ...],
) -> EncodedWeights:
    ranges = _ranges(layout, accelerator, [len(stream) for stream in streams])
    buffer = np.zeros(ranges[-1].end, dtype=np.uint8)
    parts = _parts(layout.depth_slices, accelerator.cores)
    for part, (_, channels), stream in zip(ranges, parts, streams, strict=True):
        scales = records[channels].ravel()
        buffer[part.offset : part.offset + scales.size] = scales
        buffer[part.weight_offset : part.end] = np.frombuffer(stream, dtype=np.uint8)
    buffer.flags.writeable = False
    return EncodedWeights(data=ConstData.of(buffer), layout=layout, ranges=ranges)
