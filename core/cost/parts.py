"""The operations that an operator is cut into, by stripe of rows and slice of weights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.base.frozen import replace
from core.base.geometry import Shape4, ceil_div, round_up, span_under
from core.cost.from_graph import Place
from core.cost.model import CostModel
from core.cost.work import Work
from core.ir.npugraph import NpuGraph, NpuOp, View
from core.ir.schedule import WeightPlan
from core.liveness.stripes import RowStep
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig
from core.target.format import ALIGNMENT_BYTES, Format
from core.target.target import Area
from core.target.unit import Unit

_SUMS_CHANNELS = frozenset({Unit.CONVOLUTION, Unit.VECTOR_PRODUCT, Unit.REDUCE_SUM})


def whole_work(
    graph: NpuGraph,
    model: CostModel,
    op: NpuOp,
    block: BlockConfig,
    places: tuple[Place, ...],
    constants: Area,
) -> Work:
    """An operator over all of its output, which its operations are parts of."""
    whole, area = model.work(graph, op, block, places, constants), model.target.permanent.area
    if whole.ifm2 is None or not takes_scalar(graph, op):
        return whole
    second = replace(whole.ifm2, shape=Shape4(), format=Format.LINEAR, area=area)
    return replace(whole, ifm2=second)


def takes_scalar(graph: NpuGraph, op: NpuOp) -> bool:
    """Whether its second input is one, which is a part of the command."""
    return op.ifm2 is not None and graph.fm(op.ifm2).is_scalar


def slices_of(
    accelerator: Accelerator, op: NpuOp, weights: WeightPlan | None
) -> Iterator[tuple[range, int]]:
    """The channels of each slice, and bytes of the weights for them, without scales."""
    if weights is None:
        yield range(op.ofm.touched.c), 0
        return
    for (first, end), size in zip(pairwise(weights.depth_slices), weights.slice_bytes, strict=True):
        scales = scale_bytes(accelerator, end - first)
        yield range(first, end), max(size - scales, 0)


def scale_bytes(accelerator: Accelerator, channels: int) -> int:
    """Bytes of the scales of so many channels, which are dealt to the cores in turn."""
    record, cores = accelerator.family.weights.record.size_bytes, accelerator.cores
    return sum(
        round_up(ceil_div(max(channels - core, 0), cores) * record, ALIGNMENT_BYTES)
        for core in range(cores)
    )


def rows_read(op: NpuOp, step: RowStep) -> int:
    """Rows that a stripe reads of what the operator sees of its input."""
    return ceil_div(step.reads_end - step.reads_first, abs(op.ifm.step_h))


def part_of(op: NpuOp, whole: Work, rows: int, rows_read: int, channels: range) -> Work:
    """One operation of an operator."""
    made, read, kernel = op.ofm.touched, op.ifm.touched, op.kernel
    columns = span_under(
        range(made.w), kernel.stride_w, kernel.dilated_w, op.padding.left, read.w,
        op.resampling.factor,
    ).inputs  # fmt: skip
    box = Shape4(1, rows, made.w, len(channels))
    all_channels = op.kind.unit in _SUMS_CHANNELS
    depth = read.c if all_channels else _within(channels, read.c)
    second = whole.ifm2
    if second is not None and op.ifm2 is not None and second.shape != Shape4():
        second = replace(second, shape=_same(op.ifm2, box))
    return replace(
        whole,
        ofm=replace(whole.ofm, shape=box),
        ifm=replace(whole.ifm, shape=Shape4(1, rows_read, len(columns), depth)),
        ifm2=second,
    )


def _same(view: View, box: Shape4) -> Shape4:
    return Shape4(*(min(made, size) for made, size in zip(box, view.touched, strict=True)))


def _within(channels: range, size: int) -> int:
    return 1 if size == 1 else len(range(channels.start, min(channels.stop, size)))
