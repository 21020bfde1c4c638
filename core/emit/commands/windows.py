"""What an operation reads for a box of its output, and the padding around that."""

from __future__ import annotations

from core.base.errors import InternalError
from core.base.frozen import NamedTuple
from core.base.geometry import NO_PADDING, Box, Padding, Resampling, Span, span_under
from core.ir.npugraph import NpuOp, View
from core.target.unit import Unit

_SUMS_CHANNELS = frozenset({Unit.CONVOLUTION, Unit.VECTOR_PRODUCT, Unit.REDUCE_SUM})


class InputWindow(NamedTuple):
    """A box of an input, counted from where its view starts, and the padding that is left."""

    box: Box
    padding: Padding


def first_input(op: NpuOp, made: Box) -> InputWindow:
    """What an operation reads of its first input."""
    if op.kind.is_elementwise:
        return InputWindow(same_box(op.ifm, made), NO_PADDING)
    touched, kernel = op.ifm.touched, op.kernel
    rows = _span(
        made.rows, kernel.stride_h, kernel.dilated_h, op.padding.top, touched.h, op.resampling
    )
    columns = _span(
        made.columns, kernel.stride_w, kernel.dilated_w, op.padding.left, touched.w, op.resampling
    )
    everything = range(touched.c)
    channels = everything if op.kind.unit in _SUMS_CHANNELS else _within(made.channels, touched.c)
    return InputWindow(
        Box(rows.inputs, columns.inputs, channels),
        Padding(top=rows.before, left=columns.before, bottom=rows.after, right=columns.after),
    )


def same_box(view: View, made: Box) -> Box:
    """The elements of an input in the places of a box, or the one that stands for all of them."""
    touched = view.touched
    return Box(
        _within(made.rows, touched.h),
        _within(made.columns, touched.w),
        _within(made.channels, touched.c),
    )


def _within(made: range, size: int) -> range:
    return range(1) if size == 1 else range(made.start, min(made.stop, size))


def _span(
    made: range, stride: int, window: int, padding: int, size: int, resampling: Resampling
) -> Span:
    """Rows, or columns, under the windows of some outputs; `padding` is that of the first."""
    factor = resampling.factor
    found = span_under(made, stride, window, padding, size, factor)
    if max(made.start * stride - padding, 0) % factor == 0:
        return found
    if resampling is not Resampling.TRANSPOSE:
        raise InternalError(f"a stripe begins in the middle of a row that is doubled, {made.start}")
    # Every second row is a row of zeros, and so is padding.
    inputs = range(found.inputs.start + 1, found.inputs.stop)
    return found._replace(inputs=inputs, before=found.before + 1)
