"""Numbers that a rule judges and a rewrite then uses: boxes of slices, factors of resizing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.frozen import Frozen
from core.ir.network import Tensor
from core.lower.source import SourceOp, values

_INTEGERS = frozenset({DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64})


def integers(tensor: Tensor | None) -> tuple[int, ...] | None:
    """The constant integers that a tensor holds, in order; None where they are not known."""
    array = values(tensor)
    if tensor is None or array is None or tensor.dtype not in _INTEGERS:
        return None
    return tuple(int(value) for value in np.asarray(array).reshape(-1).tolist())


class SliceBox(Frozen, kw_only=False):
    """What a slice takes of its input: from `begin` up to `end`, each `strides`-th element."""

    begin: tuple[int, ...]
    end: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def extent(self) -> tuple[int, ...]:
        """How many elements it takes along each dimension; none or less where it is empty."""
        return tuple(
            -((begin - end) // step) if step else 0
            for begin, end, step in zip(self.begin, self.end, self.strides, strict=True)
        )


def slice_box(op: SourceOp) -> SliceBox:
    """The box that SLICE or STRIDED_SLICE takes, one entry for each dimension of the input.

    Its parameters must be constant and as many as there are dimensions, or fewer for
    STRIDED_SLICE, which takes all of the dimensions that it does not mention.
    """
    parameters = [integers(tensor) for tensor in op.inputs[1:]]
    if op.ifm is None or any(numbers is None for numbers in parameters):
        raise InternalError(f"{op.kind} '{op.name}' has no constant box")
    numbers = [part for part in parameters if part is not None]
    if op.kind == "SLICE":
        return _plain_box(op.ifm.shape, numbers[0], numbers[1])
    return _strided_box(op, op.ifm.shape, *numbers[:3])


def _plain_box(shape: tuple[int, ...], begin: tuple[int, ...], size: tuple[int, ...]) -> SliceBox:
    end = tuple(
        dim if count == -1 else start + count
        for dim, start, count in zip(shape, begin, size, strict=True)
    )
    return SliceBox(begin, end, (1,) * len(shape))


def _strided_box(
    op: SourceOp,
    shape: tuple[int, ...],
    begin: tuple[int, ...],
    end: tuple[int, ...],
    strides: tuple[int, ...],
) -> SliceBox:
    """Without the dimensions that the slice adds; those that it drops have one element."""
    shrinks = op.options.integer("shrink_axis_mask")
    begins, ends, steps = [0] * len(shape), list(shape), [1] * len(shape)
    for entry, axis in mentioned_axes(op, len(begin)):
        size = shape[axis]
        steps[axis] = strides[entry]
        if not _is_set(op, "begin_mask", entry):
            begins[axis] = _position(begin[entry], size)
        if not _is_set(op, "end_mask", entry):
            ends[axis] = _position(end[entry], size)
        if shrinks >> entry & 1:
            if not _is_set(op, "begin_mask", entry):
                begins[axis] = begin[entry] + (size if begin[entry] < 0 else 0)
            ends[axis], steps[axis] = begins[axis] + 1, 1
    return SliceBox(tuple(begins), tuple(ends), tuple(steps))


def reversed_axis(op: SourceOp) -> int | None:
    """The one dimension that a STRIDED_SLICE reads from its end to its start, where it takes all of
    every dimension."""
    parameters = [integers(tensor) for tensor in op.inputs[1:]]
    if op.kind != "STRIDED_SLICE" or op.ifm is None or None in parameters or len(parameters) != 3:
        return None
    begin, end, steps = (part or () for part in parameters)
    if not len(begin) == len(end) == len(steps) <= len(op.ifm.shape):
        return None
    masks = [op.options.integer(f"{mask}_mask") for mask in ("new_axis", "shrink_axis", "ellipsis")]
    found = []
    for entry, size in enumerate(op.ifm.shape[: len(steps)]):
        is_open = _is_set(op, "begin_mask", entry) and _is_set(op, "end_mask", entry)
        if steps[entry] == -1 and is_open:
            found.append(entry)
        elif not (steps[entry] == 1 and _is_whole(op, entry, begin[entry], end[entry], size)):
            return None
    return found[0] if len(found) == 1 and not any(masks) else None


def _is_whole(op: SourceOp, entry: int, begin: int, end: int, size: int) -> bool:
    """Whether a dimension is taken from its start to its end."""
    starts = _is_set(op, "begin_mask", entry) or _position(begin, size) == 0
    return starts and (_is_set(op, "end_mask", entry) or _position(end, size) == size)


def mentioned_axes(op: SourceOp, entries: int) -> Iterator[tuple[int, int]]:
    """Each entry of a STRIDED_SLICE's parameters with the dimension of the input that it is for."""
    axis = 0
    for entry in range(entries):
        if not _is_set(op, "new_axis_mask", entry):
            yield entry, axis
            axis += 1


def _is_set(op: SourceOp, mask: str, entry: int) -> bool:
    return bool(op.options.integer(mask) >> entry & 1)


def _position(value: int, size: int) -> int:
    """Negative positions count from the end; those beyond the ends are at the ends."""
    return min(max(value + (size if value < 0 else 0), 0), size)


def scale_factor(given: int, made: int, *, is_aligned: bool) -> int | None:
    """How much longer the output is along a dimension; None where it is not a whole multiple.

    With aligned corners it is the distance of the first element from the last that grows.
    """
    if is_aligned:
        given, made = given - 1, made - 1
        if given == 0:
            return 1 if made == 0 else None
    return made // given if given > 0 and made % given == 0 else None


def scale_factors(op: SourceOp) -> tuple[int | None, int | None]:
    """Factors of a resize along height and width."""
    is_aligned = op.options.flag("align_corners")
    given: Sequence[int] = () if op.ifm is None else op.ifm.shape
    return (
        scale_factor(given[1], op.ofm.shape[1], is_aligned=is_aligned),
        scale_factor(given[2], op.ofm.shape[2], is_aligned=is_aligned),
    )


def upscale_factor(op: SourceOp) -> int:
    """The factor of a resize in the dimensions that it changes."""
    return max(factor or 1 for factor in scale_factors(op))
