"""The blocks in which an operation makes its output: channels first, then columns, then rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.geometry import Box, ceil_div, round_up
from core.ir.program import Job, MapUse, NpuOperation
from core.simulate.footprints import Footprint
from core.simulate.maps import pieces_of, whole_of
from core.target.weight_format import WeightFormat


def last_outputs(operation: NpuOperation, most: int) -> list[Footprint]:
    """What the last blocks write, the very last first."""
    total = _count(operation)
    numbers = range(total - 1, max(total - 1 - most, -1), -1)
    use = operation.ofm
    return [
        Footprint.of(use.region, pieces_of(use, _output_box(operation, number)))
        for number in numbers
    ]


def first_inputs(
    operation: NpuOperation, maps: Sequence[MapUse], most: int, order: WeightFormat
) -> Iterator[tuple[Footprint, ...]]:
    """What the first steps read of some inputs; a block that sums over channels takes several."""
    segments = _segments(operation, order)
    for step in range(min(_count(operation) * len(segments), most)):
        block, segment = divmod(step, len(segments))
        output = _output_box(operation, block)
        yield tuple(
            Footprint.of(use.region, pieces_of(use, _input_box(operation, use, output, part)))
            for use in maps
            for part in (segments[segment],)
        )


def _count(operation: NpuOperation) -> int:
    rows, columns, layers = _grid(operation)
    return rows * columns * layers


def _grid(operation: NpuOperation) -> tuple[int, int, int]:
    shape, block = operation.ofm.shape, operation.block
    return ceil_div(shape.h, block.h), ceil_div(shape.w, block.w), ceil_div(shape.c, block.c)


def _output_box(operation: NpuOperation, number: int) -> Box:
    shape, block = operation.ofm.shape, operation.block
    _, columns, layers = _grid(operation)
    rest, layer = divmod(number, layers)
    row, column = divmod(rest, columns)
    return Box(
        _cut(row * block.h, block.h, shape.h),
        _cut(column * block.w, block.w, shape.w),
        _cut(layer * block.c, block.c, shape.c),
    )


def _segments(operation: NpuOperation, order: WeightFormat) -> list[range]:
    """Ranges of input channels that a block takes in turn; an empty one where it has its own."""
    if operation.job not in {Job.CONVOLUTION, Job.REDUCE_SUM}:
        return [range(0)]
    is_wide = operation.ifm.dtype.bits > 8 or operation.is_part_kernel
    step = order.short_ifm_block_depth if is_wide else order.ifm_block_depth
    channels = operation.ifm.shape.c
    return [_cut(start, step, channels) for start in range(0, round_up(channels, step), step)]


def _input_box(operation: NpuOperation, use: MapUse, output: Box, segment: range) -> Box:
    """What a block of output needs of an input."""
    whole = whole_of(use)
    channels = segment or _within(output.channels, whole.channels)
    if operation.job.is_elementwise:
        return Box(
            _within(output.rows, whole.rows), _within(output.columns, whole.columns), channels
        )
    kernel, padding, factor = operation.kernel, operation.padding, operation.upscale.factor
    return Box(
        _seen(output.rows, kernel.stride_h, kernel.dilated_h, padding.top, whole.rows, factor),
        _seen(
            output.columns, kernel.stride_w, kernel.dilated_w, padding.left, whole.columns, factor
        ),
        channels,
    )


def _within(wanted: range, there: range) -> range:
    """A range of the output in an input that may have one element for all."""
    return there if len(there) == 1 else range(wanted.start, min(wanted.stop, there.stop))


def _seen(
    outputs: range, stride: int, window: int, before: int, there: range, factor: int
) -> range:
    start = outputs.start * stride - before
    stop = (outputs.stop - 1) * stride + window - before
    return range(max(start, 0) // factor, min(ceil_div(max(stop, 1), factor), there.stop))


def _cut(start: int, size: int, limit: int) -> range:
    return range(start, min(start + size, limit))
