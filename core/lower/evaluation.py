"""What operators make of constants and shapes alone, as LiteRT's reference kernels make it.

None where a kernel would refuse, where its result is undefined, or where we do not know it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.ir.network import Tensor
from core.lower.source import SourceOp, values

Array = npt.NDArray[Any]
Made = Sequence[Array] | None
"""An array for each output."""
Evaluate = Callable[[SourceOp, Sequence[Array]], Made]

MOST_GROWN_BYTES = 1 << 20
"""Of a constant that is larger than those that it is made of: it takes flash."""

_WHOLE = frozenset({DType.INT32, DType.INT64})
_COMPUTED = _WHOLE | {DType.FLOAT32}


def evaluated(op: SourceOp) -> Made:
    """The arrays of its outputs, in their shapes and types; None where they are not known."""
    if op.kind not in EVALUATED or any(tensor.dtype.numpy is None for tensor in op.outputs):
        return None
    made = _OF_SHAPES[op.kind](op) if op.kind in _OF_SHAPES else _of_constants(op)
    if made is None or len(made) != len(op.outputs):
        return None
    return made if all(map(_is_as_told, made, op.outputs)) else None


def _of_constants(op: SourceOp) -> Made:
    arrays = [array for tensor in op.inputs if (array := _constant(tensor)) is not None]
    is_known = len(arrays) == len(op.inputs) == _INPUTS.get(op.kind, len(op.inputs))
    if not (is_known and arrays and _fits(op) and _is_small(op)):
        return None
    return _OF_CONSTANTS[op.kind](op, arrays)


def _constant(tensor: Tensor | None) -> Array | None:
    is_fixed = tensor is not None and not tensor.is_variable and tensor.dtype.numpy is not None
    return values(tensor) if is_fixed else None


def _is_as_told(array: Array, tensor: Tensor) -> bool:
    return array.shape == tensor.shape and array.dtype == tensor.dtype.numpy


def _fits(op: SourceOp) -> bool:
    """Whether numbers are those of the file: computed ones plain, moved ones of one scale."""
    maps = [tensor for tensor in op.inputs[:1] if tensor is not None] + list(op.outputs)
    if op.kind in _COMPUTING:
        return all(t.dtype in _COMPUTED or t.quantization is None for t in maps)
    if op.kind in {"CONCATENATION", "PACK"}:
        maps += [tensor for tensor in op.inputs if tensor is not None]
    scalings = {_scaling(tensor) for tensor in maps if tensor.dtype.bits < 32}
    return len(scalings) <= 1


def _scaling(tensor: Tensor) -> tuple[object, ...]:
    given = tensor.quantization
    return () if given is None else (given.scales, given.zero_points, given.axis)


def _is_small(op: SourceOp) -> bool:
    made = sum(prod(tensor.shape) * tensor.dtype.size_bytes for tensor in op.outputs)
    given = sum(t.elements * t.dtype.size_bytes for t in op.inputs if t is not None)
    return made <= max(given, MOST_GROWN_BYTES)


def _axis(axis: int, rank: int) -> int | None:
    return axis % rank if -rank <= axis < rank else None


def _integers(array: Array) -> tuple[int, ...]:
    return tuple(int(value) for value in array.reshape(-1).tolist())


def _shape(op: SourceOp) -> Made:
    if op.ifm is None or op.ofm.dtype not in _WHOLE:
        return None
    return [np.array(op.ifm.shape, op.ofm.dtype.numpy)]


def _rank(op: SourceOp) -> Made:
    return None if op.ifm is None else [np.array(len(op.ifm.shape), op.ofm.dtype.numpy)]


def _reshaped(op: SourceOp, given: Sequence[Array]) -> Made:
    return [given[0].reshape(op.ofm.shape)] if given[0].size == op.ofm.elements else None


def _transposed(_: SourceOp, given: Sequence[Array]) -> Made:
    order = _integers(given[1])
    is_order = sorted(order) == list(range(given[0].ndim))
    return [np.ascontiguousarray(given[0].transpose(order))] if is_order else None


def _concatenated(op: SourceOp, given: Sequence[Array]) -> Made:
    axis = _axis(op.options.integer("axis"), given[0].ndim)
    if axis is None or op.activation != "NONE":
        return None
    frames = {(*each.shape[:axis], -1, *each.shape[axis + 1 :]) for each in given}
    return [np.concatenate(given, axis)] if len(frames) == 1 else None


def _packed(op: SourceOp, given: Sequence[Array]) -> Made:
    axis = _axis(op.options.integer("axis"), given[0].ndim + 1)
    if axis is None or len({each.shape for each in given}) != 1:
        return None
    return [np.stack(given, axis)]


def _unpacked(op: SourceOp, given: Sequence[Array]) -> Made:
    axis = _axis(op.options.integer("axis"), given[0].ndim)
    return None if axis is None else [each.copy() for each in np.moveaxis(given[0], axis, 0)]


def _split(op: SourceOp, given: Sequence[Array]) -> Made:
    axis = _axis(int(given[0].reshape(-1)[0]), given[1].ndim) if given[0].size == 1 else None
    if axis is None or given[1].shape[axis] % len(op.outputs):
        return None
    return [part.copy() for part in np.split(given[1], len(op.outputs), axis)]


def _sliced(_: SourceOp, given: Sequence[Array]) -> Made:
    array, begin, size = given[0], _integers(given[1]), _integers(given[2])
    if not array.ndim == len(begin) == len(size):
        return None
    ends = [
        dim if count == -1 else at + count
        for at, count, dim in zip(begin, size, array.shape, strict=True)
    ]
    box = list(zip(begin, ends, array.shape, strict=True))
    if not all(0 <= at <= end <= dim for at, end, dim in box):
        return None
    return [array[tuple(slice(at, end) for at, end, _ in box)].copy()]


def _strided(op: SourceOp, given: Sequence[Array]) -> Made:
    array, (begin, end, steps) = given[0], (_integers(each) for each in given[1:4])
    masks = [op.options.integer(f"{name}_mask") for name in ("begin", "end", "shrink_axis")]
    is_odd = op.options.integer("ellipsis_mask") or op.options.flag("offset") or 0 in steps
    if is_odd or not len(begin) == len(end) == len(steps):
        return None
    added, axis = op.options.integer("new_axis_mask"), 0
    taken: list[int | slice | None] = []
    for entry in range(len(begin)):
        if added >> entry & 1:
            taken.append(None)
            continue
        if axis == array.ndim:
            return None
        no_begin, no_end, is_gone = (bool(mask >> entry & 1) for mask in masks)
        if is_gone:
            at = 0 if no_begin else begin[entry]
            if not -array.shape[axis] <= at < array.shape[axis]:
                return None
            taken.append(at)
        else:
            first = None if no_begin else begin[entry]
            last = None if no_end else end[entry]
            taken.append(slice(first, last, steps[entry]))
        axis += 1
    return [np.asarray(array[tuple(taken)]).copy()]


def _tiled(_: SourceOp, given: Sequence[Array]) -> Made:
    times = _integers(given[1])
    is_whole = len(times) == given[0].ndim and min(times, default=1) >= 0
    return [np.tile(given[0], times)] if is_whole else None


def _filled(op: SourceOp, given: Sequence[Array]) -> Made:
    is_told = _integers(given[0]) == op.ofm.shape and given[1].size == 1
    return [np.full(op.ofm.shape, given[1].reshape(-1)[0])] if is_told else None


def _broadcast(op: SourceOp, given: Sequence[Array]) -> Made:
    shape = _integers(given[1])
    dims = zip(reversed(given[0].shape), reversed(shape), strict=False)
    fits = shape == op.ofm.shape and given[0].ndim <= len(shape)
    if not fits or any(dim not in (1, made) for dim, made in dims):
        return None
    return [np.broadcast_to(given[0], shape).copy()]


def _gathered(op: SourceOp, given: Sequence[Array]) -> Made:
    array, picks = given[0], given[1]
    axis = _axis(op.options.integer("axis"), array.ndim)
    if axis is None or op.options.integer("batch_dims"):
        return None
    is_within = picks.size == 0 or (picks.min() >= 0 and picks.max() < array.shape[axis])
    return [np.take(array, picks, axis)] if is_within else None


def _zeros(op: SourceOp, _: Sequence[Array]) -> Made:
    return [np.zeros(op.ofm.shape, op.ofm.dtype.numpy)]


def _ranged(op: SourceOp, given: Sequence[Array]) -> Made:
    if op.ofm.dtype not in _WHOLE or any(each.size != 1 for each in given):
        return None
    start, limit, step = (int(each.reshape(-1)[0]) for each in given)
    if step == 0 or len(range(start, limit, step)) != op.ofm.elements:
        return None
    return [np.array(range(start, limit, step), op.ofm.dtype.numpy)]


def _cast(op: SourceOp, given: Sequence[Array]) -> Made:
    made = op.ofm.dtype
    if given[0].dtype.kind == "f" and made.is_integer:
        low, high = made.limits
        # What is beyond the type, or no number, is cast as each machine likes.
        if not ((given[0] > low - 1) & (given[0] < high)).all():
            return None
    return [given[0].astype(made.numpy)]


def _arithmetic(compute: Callable[[Any, Any], Any], *, is_whole: bool = False) -> Evaluate:
    def evaluate(op: SourceOp, given: Sequence[Array]) -> Made:
        dtype = op.ofm.dtype
        if op.activation != "NONE" or dtype not in (_WHOLE if is_whole else _COMPUTED):
            return None
        if {each.dtype for each in given} != {dtype.numpy} or not _spreads(given):
            return None
        if not dtype.is_integer:
            with np.errstate(all="ignore"):
                return [np.asarray(compute(given[0], given[1]), dtype.numpy)]
        exact = _exact(compute, given)
        return None if exact is None else _within(exact, dtype)

    return evaluate


def _spreads(given: Sequence[Array]) -> bool:
    shapes = zip_longest(*(reversed(each.shape) for each in given), fillvalue=1)
    return all(len({dim for dim in dims if dim != 1}) <= 1 for dims in shapes)


def _exact(compute: Callable[[Any, Any], Any], given: Sequence[Array]) -> Array | None:
    """In Python's integers, which do not overflow."""
    try:
        return np.asarray(compute(given[0].astype(object), given[1].astype(object)), object)
    except ZeroDivisionError:
        return None


def _within(exact: Array, dtype: DType) -> Made:
    low, high = dtype.limits
    fits = all(low <= value <= high for value in exact.reshape(-1).tolist())
    return [exact.astype(dtype.numpy)] if fits else None


def _quotient(one: Array, other: Array) -> Array:
    """Whole numbers are cut off towards zero."""
    return np.asarray(_cut_off(one, other) if one.dtype == np.object_ else one / other)


def _cut_off_one(one: int, other: int) -> int:
    size = abs(one) // abs(other)
    return size if (one < 0) == (other < 0) else -size


_cut_off = np.frompyfunc(_cut_off_one, 2, 1)


def _compared(compare: Callable[[Array, Array], Any]) -> Evaluate:
    def evaluate(_: SourceOp, given: Sequence[Array]) -> Made:
        is_alike = given[0].dtype == given[1].dtype and _spreads(given)
        return [np.asarray(compare(given[0], given[1]))] if is_alike else None

    return evaluate


def _selected(_: SourceOp, given: Sequence[Array]) -> Made:
    is_flag = given[0].dtype == np.bool_ and given[1].dtype == given[2].dtype and _spreads(given)
    return [np.where(given[0], given[1], given[2])] if is_flag else None


def _reduced(reduce: Callable[..., Any]) -> Evaluate:
    def evaluate(op: SourceOp, given: Sequence[Array]) -> Made:
        array, rank = given[0], given[0].ndim
        axes = tuple(
            axis for each in _integers(given[1]) if (axis := _axis(each, rank)) is not None
        )
        is_told = len(axes) == given[1].size and len(set(axes)) == len(axes)
        if not is_told or op.ofm.dtype not in _WHOLE or array.size == 0:
            return None
        keeps = op.options.flag("keep_dims")
        return _within(np.asarray(reduce(array.astype(object), axis=axes, keepdims=keeps), object),
                       op.ofm.dtype)  # fmt: skip

    return evaluate


_OF_SHAPES: Mapping[str, Callable[[SourceOp], Made]] = MappingProxyType(
    {"SHAPE": _shape, "RANK": _rank}
)
_MOVING: dict[str, Evaluate] = {
    "BROADCAST_TO": _broadcast,
    "CONCATENATION": _concatenated,
    "EXPAND_DIMS": _reshaped,
    "FILL": _filled,
    "GATHER": _gathered,
    "PACK": _packed,
    "RESHAPE": _reshaped,
    "SLICE": _sliced,
    "SPLIT": _split,
    "SQUEEZE": _reshaped,
    "STRIDED_SLICE": _strided,
    "TILE": _tiled,
    "TRANSPOSE": _transposed,
    "UNPACK": _unpacked,
    "ZEROS_LIKE": _zeros,
}
_COMPUTING: dict[str, Evaluate] = {
    "ADD": _arithmetic(lambda a, b: a + b),
    "CAST": _cast,
    "DIV": _arithmetic(_quotient),
    "EQUAL": _compared(np.equal),
    "FLOOR_DIV": _arithmetic(lambda a, b: a // b, is_whole=True),
    "FLOOR_MOD": _arithmetic(lambda a, b: a % b, is_whole=True),
    "GREATER": _compared(np.greater),
    "GREATER_EQUAL": _compared(np.greater_equal),
    "LESS": _compared(np.less),
    "LESS_EQUAL": _compared(np.less_equal),
    "MAXIMUM": _arithmetic(np.maximum, is_whole=True),
    "MINIMUM": _arithmetic(np.minimum, is_whole=True),
    "MUL": _arithmetic(lambda a, b: a * b),
    "NOT_EQUAL": _compared(np.not_equal),
    "RANGE": _ranged,
    "REDUCE_MAX": _reduced(np.max),
    "REDUCE_MIN": _reduced(np.min),
    "REDUCE_PROD": _reduced(np.prod),
    "SELECT_V2": _selected,
    "SUB": _arithmetic(lambda a, b: a - b),
    "SUM": _reduced(np.sum),
}
_OF_CONSTANTS: Mapping[str, Evaluate] = MappingProxyType({**_MOVING, **_COMPUTING})
_INPUTS: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(_COMPUTING, 2),
        **dict.fromkeys(("BROADCAST_TO", "EXPAND_DIMS", "FILL", "GATHER", "SPLIT", "TILE"), 2),
        **dict.fromkeys(("RANGE", "SELECT_V2", "SLICE"), 3),
        **dict.fromkeys(("CAST", "SQUEEZE", "UNPACK", "ZEROS_LIKE"), 1),
        "STRIDED_SLICE": 4,
        "TRANSPOSE": 2,
    }
)
"""How many inputs a kind has, where that is one number."""
EVALUATED = frozenset((*_OF_SHAPES, *_OF_CONSTANTS))
"""Kinds that may be known beforehand."""
