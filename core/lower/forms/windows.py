"""Forms of operators with windows: of pictures one after the other or all as one, and of windows
that are too high for the hardware, or padded by nothing."""

from __future__ import annotations

from core.base.geometry import total_padding
from core.ir.network import FieldValue, Tensor
from core.lower.forms.form import Forms, Shape, formed, numbers, shaped
from core.lower.source import PADDING_VALID, SourceOp
from core.lower.strides import columns_to_fold

_HEIGHT = 1
_PICTURES = 4
_MOVING = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D"})
_SIDES = (
    ("stride_h", "stride_w", 0),
    ("dilation_h_factor", "dilation_w_factor", 1),
    ("filter_height", "filter_width", 0),
)
"""Options of height and width, and what is meant where a file leaves them out."""
_STEPS = ("stride_h", "stride_w", "dilation_h_factor", "dilation_w_factor")


def of_windows(op: SourceOp) -> Forms:
    """A window that is padded by nothing, one that sees a whole picture, one that moves along a
    single column, and those over a batch."""
    ifm, place = op.ifm, op.roles.ifm
    if ifm is None or place is None or not len(ifm.shape) == len(op.ofm.shape) == _PICTURES:
        return
    if op.kind == "AVERAGE_POOL_2D" and op.window.is_same and not any(_padding(op, ifm)):
        yield formed(op, {}, [op.ofm.shape], options={"padding": PADDING_VALID})
    if op.kind == "CONV_2D":
        yield from _of_all(op, ifm, place)
    yield from _of_a_row(op)
    yield from by_pictures(op)


def with_long_strides(op: SourceOp, longest_stride: int) -> Forms:
    """A window along a single column in steps that the hardware has not, along a row, where
    neighbours can be seen as channels."""
    stride = op.window.kernel.stride_h
    if op.kind in _MOVING and stride > longest_stride:
        yield from (form for form in _of_a_row(op) if columns_to_fold(_width(form), stride) > 1)


def _width(op: SourceOp) -> int:
    return 0 if op.ifm is None else op.ifm.shape[2]


def _padding(op: SourceOp, ifm: Tensor) -> tuple[int, int]:
    kernel = op.window.kernel
    sides = (kernel.stride_h, kernel.dilated_h), (kernel.stride_w, kernel.dilated_w)
    height, width = (
        total_padding(size, *side) for size, side in zip(ifm.shape[1:3], sides, strict=True)
    )
    return height, width


def _of_all(op: SourceOp, ifm: Tensor, place: int) -> Forms:
    """A window of the size of a picture, which sees each as one pixel of as many channels."""
    kernel, weights = op.window.kernel, op.weights
    batch, *sides, depth = ifm.shape
    is_whole = [kernel.h, kernel.w] == [kernel.dilated_h, kernel.dilated_w] == sides
    if weights is None or not is_whole or op.window.is_same or weights.shape[-1] != depth:
        return
    filters, seen = weights.shape[0], sides[0] * sides[1] * depth
    given = {
        place: shaped(ifm, (1, 1, batch, seen)),
        1: shaped(weights, (filters, 1, 1, seen)),
    }
    yield formed(op, given, [(1, 1, batch, filters)], options=dict.fromkeys(_STEPS, 1))


def _of_a_row(op: SourceOp) -> Forms:
    """A window along a column, as one along a row, where it may be longer."""
    ifm, place = op.ifm, op.roles.ifm
    if ifm is None or place is None or not len(ifm.shape) == len(op.ofm.shape) == _PICTURES:
        return
    if not ifm.shape[2] == op.ofm.shape[2] == op.window.kernel.w == 1:
        return
    given, made = {place: shaped(ifm, _turned(ifm.shape))}, _turned(op.ofm.shape)
    if op.weights is not None:
        given[1] = shaped(op.weights, _turned(op.weights.shape))
    if op.kind == "TRANSPOSE_CONV":
        given[0] = numbers("shape", made)
    options: dict[str, FieldValue] = {}
    for high, wide, left_out in _SIDES:
        options |= {high: op.option(wide, left_out), wide: op.option(high, left_out)}
    yield formed(op, given, [made], options=options)


def _turned(shape: Shape) -> Shape:
    return (shape[0], shape[2], shape[1], shape[3])


def by_pictures(op: SourceOp) -> Forms:
    """Pictures of a batch below each other where no window sees two of them, else one by one."""
    ifm, place = op.ifm, op.roles.ifm
    if ifm is None or place is None or len(ifm.shape) != 4 or len(op.ofm.shape) != 4:
        return
    batch = ifm.shape[0]
    if batch < 2 or op.ofm.shape[0] != batch:
        return
    if _sees_one(op):
        shapes = [(1, batch * shape[_HEIGHT], *shape[2:]) for shape in (ifm.shape, op.ofm.shape)]
        yield formed(op, {place: shaped(ifm, shapes[0])}, shapes[1:])
    shapes = [(1, *shape[1:]) for shape in (ifm.shape, op.ofm.shape)]
    yield formed(op, {place: shaped(ifm, shapes[0])}, shapes[1:], pieces=batch)


def _sees_one(op: SourceOp) -> bool:
    """Whether windows touch each other from the first row of a picture to its last."""
    if op.kind not in _MOVING:
        return False
    kernel, rows = op.window.kernel, 0 if op.ifm is None else op.ifm.shape[_HEIGHT]
    touches = kernel.dilated_h == kernel.stride_h > 0
    return touches and rows % kernel.stride_h == 0
