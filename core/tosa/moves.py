"""Operators that move elements and change none: by axes, by shapes, by indices."""

from __future__ import annotations

import numpy as np

from core.tosa.call import Array, Call, Unpredictable


def concat(call: Call) -> Array:
    """CONCAT."""
    axis = call.axis()
    shapes = [each.shape for each in call.inputs]
    rest = {(*each[:axis], *each[axis + 1 :]) for each in shapes if len(each) > axis}
    if len(rest) != 1 or len({len(each) for each in shapes}) != 1:
        raise call.refuse("its inputs do not fit beside each other")
    first = shapes[0]
    call.demand_shape(*first[:axis], sum(each[axis] for each in shapes), *first[axis + 1 :])
    return np.concatenate(call.inputs, axis)


def pad(call: Call) -> Array:
    """PAD, with a number."""
    values = call.given(3)[0]
    sizes = call.whole(1)
    if len(sizes) != 2 * values.ndim or any(size < 0 for size in sizes):
        raise call.refuse(f"{sizes} is no padding of {values.ndim} dimensions")
    pairs = list(zip(sizes[::2], sizes[1::2], strict=True))
    call.demand_shape(*(n + sum(pair) for n, pair in zip(values.shape, pairs, strict=True)))
    return np.pad(values, pairs, constant_values=call.one(2)).astype(call.element.numpy)


def reshape(call: Call) -> Array:
    """RESHAPE."""
    values, _ = call.given(2)
    shape = call.whole(1)
    call.demand_shape(*shape)
    if values.size != np.prod(shape, dtype=np.int64):
        raise call.refuse(f"makes {shape} of {values.size} elements")
    return values.reshape(shape)


def reverse(call: Call) -> Array:
    """REVERSE."""
    call.given(1)
    return np.flip(call.inputs[0], call.axis())


def slice_(call: Call) -> Array:
    """SLICE."""
    values, _, _ = call.given(3)
    start, size = call.whole(1), call.whole(2)
    if not len(start) == len(size) == values.ndim:
        raise call.refuse(f"has {len(start)} starts for {values.ndim} dimensions")
    for at, (first, count) in enumerate(zip(start, size, strict=True)):
        if first < 0 or count < 0 or first + count > values.shape[at]:
            raise call.refuse(f"axis {at} has no {count} elements from {first} on")
    ends = zip(start, size, strict=True)
    return values[tuple(slice(first, first + count) for first, count in ends)]


def tile(call: Call) -> Array:
    """TILE."""
    values, _ = call.given(2)
    times = call.whole(1)
    if len(times) != values.ndim or any(each < 0 for each in times):
        raise call.refuse(f"{times} are no repeats of {values.ndim} dimensions")
    call.demand_shape(*(n * each for n, each in zip(values.shape, times, strict=True)))
    return np.tile(values, times)


def transpose(call: Call) -> Array:
    """TRANSPOSE."""
    (values,) = call.given(1)
    order = call.numbers("perms", values.ndim) if values.ndim else ()
    if sorted(order) != list(range(values.ndim)):
        raise call.refuse(f"{order} is no order of {values.ndim} dimensions")
    return values.transpose(order)


def _indices(call: Call, position: int, count: int) -> Array:
    found = call.inputs[position].astype(np.int64)
    if found.size and not 0 <= int(found.min()) <= int(found.max()) < count:
        raise Unpredictable(f"an index is not among {count}")
    return found


def gather(call: Call) -> Array:
    """GATHER: rows by their numbers, for each batch."""
    values, _ = call.given(2)
    call.demand_rank(3, 2)
    index = _indices(call, 1, values.shape[1])
    if index.shape[0] != values.shape[0]:
        raise call.refuse("its inputs have other batches")
    call.demand_shape(*index.shape, values.shape[2])
    return np.take_along_axis(values, index[..., None], 1)


def scatter(call: Call) -> Array:
    """SCATTER: rows into places by their numbers, which differ from each other."""
    values, _, rows = call.given(3)
    call.demand_rank(3, 2, 3)
    index = _indices(call, 1, values.shape[1])
    if rows.shape != (*index.shape, values.shape[2]) or index.shape[0] != values.shape[0]:
        raise call.refuse("its inputs do not fit each other")
    call.demand_shape(*values.shape)
    if any(len(np.unique(each)) != len(each) for each in index):
        raise Unpredictable("an index is there twice")
    result = values.copy()
    np.put_along_axis(result, np.broadcast_to(index[..., None], rows.shape), rows, 1)
    return result


def identity(call: Call) -> Array:
    """IDENTITY."""
    return call.given(1)[0]
