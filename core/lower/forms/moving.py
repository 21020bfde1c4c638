"""Forms of operators that move elements: borders, parts, other orders, squares of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from core.base.frozen import NamedTuple
from core.ir.network import Tensor
from core.lower.forms.form import Forms, Shape, formed, numbers, shaped, turned_into
from core.lower.slicing import SliceBox, integers, reversed_axis, slice_box
from core.lower.source import SourceOp

_MOST_RUNS = 3
_PICTURE = 4


def padded(op: SourceOp) -> Forms:
    """Neighbouring dimensions without borders are one, with those that they lie behind."""
    ifm, sides = op.ifm, op.input(1)
    given = integers(sides)
    if ifm is None or sides is None or given is None:
        return
    if sides.shape != (len(ifm.shape), 2):
        return
    amounts = list(zip(given[::2], given[1::2], strict=True))
    is_cut = [any(pair) for pair in amounts]
    is_mirrored = op.kind == "MIRROR_PAD"
    fixed = is_cut if is_mirrored else [False] * len(is_cut)
    runs = _runs(ifm.shape, is_cut, fixed)
    if len(runs) <= _MOST_RUNS:
        borders = [
            (amounts[run.axis][0] * run.behind, amounts[run.axis][1] * run.behind) for run in runs
        ]
        before = _MOST_RUNS - len(runs)
        shape = (*[1] * before, *(run.size for run in runs))
        sums = [*[(0, 0)] * before, *borders]
        made = tuple(size + sum(pair) for size, pair in zip(shape, sums, strict=True))
        yield formed(op, {0: shaped(ifm, shape), 1: numbers("amounts", sums)}, [made])
    if len(ifm.shape) == _PICTURE and ifm.shape[0] > 1 and not is_cut[0]:
        one = [(0, 0), *amounts[1:]]
        inputs = {0: shaped(ifm, (1, *ifm.shape[1:])), 1: numbers("amounts", one)}
        yield formed(op, inputs, [(1, *op.ofm.shape[1:])], pieces=ifm.shape[0])


class _Run(NamedTuple):
    """Neighbouring dimensions that are seen as one."""

    axis: int
    """The first of them, which alone may be cut."""
    size: int
    behind: int
    """Elements of one place along the first."""


def _runs(shape: Shape, is_cut: Sequence[bool], is_fixed: Sequence[bool]) -> list[_Run]:
    """Dimensions seen as one until no more than three are left; the front first.

    What is whole moves along with what it lies behind, but behind a fixed one.
    """
    groups = [[axis] for axis in range(len(shape))]
    while len(groups) > _MOST_RUNS:
        pair = next(
            (
                at
                for at, (one, other) in enumerate(pairwise(groups))
                if not is_cut[other[0]] and not is_fixed[one[0]]
            ),
            None,
        )
        if pair is None:
            break
        groups[pair : pair + 2] = [groups[pair] + groups[pair + 1]]
    sizes = [[shape[axis] for axis in group] for group in groups]
    return [_Run(g[0], prod(s), prod(s[1:])) for g, s in zip(groups, sizes, strict=True)]


def sliced(op: SourceOp) -> Forms:
    """Whole dimensions are one with those that they lie behind; one that is read from its end to
    its start is what REVERSE_V2 makes."""
    axis = reversed_axis(op)
    if op.ifm is not None and axis is not None:
        yield _backwards(op, op.ifm, axis)
        return
    ifm, parameters = op.ifm, [integers(tensor) for tensor in op.inputs[1:]]
    entries = {len(each) for each in parameters if each is not None}
    is_known = ifm is not None and None not in parameters and len(entries) == 1
    if ifm is None or not is_known or max(entries) > len(ifm.shape) or _is_odd(op):
        return
    if op.kind == "SLICE" and max(entries) < len(ifm.shape):
        return
    box = slice_box(op)
    if not _is_inside(box, ifm.shape):
        return
    sides = list(zip(box.begin, box.end, box.strides, ifm.shape, strict=True))
    is_cut = [(begin, end, step) != (0, size, 1) for begin, end, step, size in sides]
    runs = _runs(ifm.shape, is_cut, [step != 1 for step in box.strides])
    if len(runs) > _MOST_RUNS:
        return
    begin, end = ([each[run.axis] * run.behind for run in runs] for each in (box.begin, box.end))
    steps = [box.strides[run.axis] for run in runs]
    shape = tuple(run.size for run in runs)
    made = tuple(len(range(*part)) for part in zip(begin, end, steps, strict=True))
    inputs = {0: shaped(ifm, shape), 1: numbers("begin", begin)}
    if op.kind == "SLICE":
        yield formed(op, {**inputs, 2: numbers("size", made)}, [made])
        return
    masks = ("begin", "end", "new_axis", "shrink_axis")
    inputs = {**inputs, 2: numbers("end", end), 3: numbers("steps", steps)}
    yield formed(op, inputs, [made], options={f"{mask}_mask": 0 for mask in masks})


def _backwards(op: SourceOp, ifm: Tensor, axis: int) -> SourceOp:
    """REVERSE_V2 of what is before an axis, the axis as width, and what is behind it."""
    shape = (prod(ifm.shape[:axis]), ifm.shape[axis], prod(ifm.shape[axis + 1 :]))
    return turned_into(op, "REVERSE_V2", (shaped(ifm, shape), numbers("axis", (1,))), shape)


def _is_odd(op: SourceOp) -> bool:
    """Whether a slice is of a kind that the NPU does not have in any form."""
    new, dropped = op.options.integer("new_axis_mask"), op.options.integer("shrink_axis_mask")
    return bool(
        op.options.integer("ellipsis_mask") or (new and dropped) or op.options.flag("offset")
    )


def _is_inside(box: SliceBox, shape: Shape) -> bool:
    sides = zip(box.begin, box.end, box.strides, shape, strict=True)
    return all(0 <= begin < end <= size and step > 0 for begin, end, step, size in sides)


def transposed(op: SourceOp) -> Forms:
    """With a first dimension more: only the runs of dimensions count, not the batch."""
    ifm, order = op.ifm, integers(op.input(1))
    if ifm is None or order is None:
        return
    one_more = (0, *(axis + 1 for axis in order))
    inputs = {0: shaped(ifm, (1, *ifm.shape)), 1: numbers("order", one_more)}
    yield formed(op, inputs, [(1, *op.ofm.shape)])


def repeated(op: SourceOp) -> Forms:
    """The same for TILE, whose batch may be one of what is repeated."""
    ifm, times = op.ifm, integers(op.input(1))
    if ifm is None or times is None or len(times) != len(ifm.shape):
        return
    missing = max(5 - len(ifm.shape), 1)
    shape = (*[1] * missing, *ifm.shape)
    inputs = {0: shaped(ifm, shape), 1: numbers("times", (*[1] * missing, *times))}
    yield formed(op, inputs, [(*[1] * missing, *op.ofm.shape)])


def squares_of_depth(op: SourceOp) -> Forms:
    """DEPTH_TO_SPACE is a transposition of the depth's rows and columns."""
    block = op.options.integer("block_size")
    if op.ifm is None or len(op.ifm.shape) != 4 or block < 1:
        return
    n, h, w, c = op.ifm.shape
    depth = c // (block * block)
    if op.ofm.shape == (n, h * block, w * block, depth) and depth * block * block == c:
        yield _turned(op, (n, h, w, block, block, depth))


def depth_of_squares(op: SourceOp) -> Forms:
    """SPACE_TO_DEPTH is the other way round."""
    block = op.options.integer("block_size")
    if op.ifm is None or len(op.ifm.shape) != 4 or block < 1:
        return
    n, h, w, c = op.ifm.shape
    if h % block == 0 == w % block and op.ofm.elements == op.ifm.elements:
        yield _turned(op, (n, h // block, block, w // block, block, c))


def _turned(op: SourceOp, shape: Shape) -> SourceOp:
    order = (0, 1, 3, 2, 4, 5)
    given = op.inputs[0]
    assert given is not None
    made = tuple(shape[axis] for axis in order)
    return turned_into(op, "TRANSPOSE", (shaped(given, shape), numbers("order", order)), made)


def spread_out(op: SourceOp) -> Forms:
    """BROADCAST_TO repeats what has one element along a dimension."""
    ifm, made = op.ifm, op.ofm.shape
    if ifm is None or len(ifm.shape) > len(made) or not made:
        return
    shape = (*[1] * (len(made) - len(ifm.shape)), *ifm.shape)
    if any(size not in (1, side) for size, side in zip(shape, made, strict=True)):
        return
    times = tuple(side if size == 1 else 1 for size, side in zip(shape, made, strict=True))
    tile = turned_into(op, "TILE", (shaped(ifm, shape), numbers("times", times)), made)
    yield tile
    yield from repeated(tile)


def reversed_along_an_axis(op: SourceOp) -> Forms:
    """Along the width, whatever the axis is."""
    ifm, axes = op.ifm, integers(op.input(1))
    if ifm is None or axes is None or len(axes) != 1 or ifm.shape != op.ofm.shape:
        return
    if -len(ifm.shape) <= axes[0] < len(ifm.shape):
        yield _backwards(op, ifm, axes[0] % len(ifm.shape))
