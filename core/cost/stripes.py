"""The operations of a scheduled operator, stripe by stripe and slice by slice, with their costs.

Of the stripes of an operator, few differ in what they make and read: mostly the first, the last,
and those between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from core.base.frozen import replace
from core.base.geometry import Shape4, ceil_div, round_up, span_under
from core.base.ids import FmId, NpuOpId
from core.cost.from_graph import Place
from core.cost.model import CostModel
from core.cost.spent import Run, Spent, Sums, summed
from core.cost.twins import twins_of, weights_twins_of
from core.cost.work import FmUse, Work
from core.ir.npugraph import NpuGraph, NpuOp, View
from core.ir.schedule import MapPlan, WeightPlan
from core.liveness.stripes import RowStep, stripes_of
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig
from core.target.format import ALIGNMENT_BYTES, Format
from core.target.region import Region, memory_of
from core.target.target import Area, Target
from core.target.unit import Unit

MapOf = Callable[[FmId], MapPlan]

_SUMS_CHANNELS = frozenset({Unit.CONVOLUTION, Unit.VECTOR_PRODUCT, Unit.REDUCE_SUM})


class Operations(NamedTuple):
    """All operations of an operator."""

    stripes: tuple[tuple[Spent, ...], ...]
    """By stripe: the cost of each slice."""
    sums: Sums


OperationsKey = tuple[NpuOpId, int, BlockConfig, tuple[Place, ...], WeightPlan | None]
"""All that the operations of an operator depend on; the number is that of its first twin."""


class StripePrices:
    """Prices of the operators of one network on one target, each worked out once."""

    def __init__(self, graph: NpuGraph, model: CostModel) -> None:
        self.graph = graph
        self.model = model
        self.twins = twins_of(graph)
        self.weights_twins = weights_twins_of(graph, self.twins)
        self._places = {
            (region, order): Place(memory_of(model.target, region).area, order)
            for region in Region
            for order in Format
        }
        self._known: dict[OperationsKey, Operations] = {}

    def of(
        self, op: NpuOp, height: int, block: BlockConfig, weights: WeightPlan | None, map_of: MapOf
    ) -> Operations:
        """The operations of an operator in stripes of a height."""
        return self.at(self.key(op, height, block, weights, map_of))

    def key(
        self, op: NpuOp, height: int, block: BlockConfig, weights: WeightPlan | None, map_of: MapOf
    ) -> OperationsKey:
        """By what the same operations are found again."""
        places = [
            self.place(plan.region, plan.format) for plan in [map_of(view.fm) for view in op.views]
        ]
        return self.twins[op.id], height, block, tuple(places), weights

    def place(self, region: Region, order: Format) -> Place:
        """Where a map is, given the use of memory that it is in."""
        return self._places[region, order]

    def at(self, key: OperationsKey) -> Operations:
        """The operations that a key stands for."""
        known = self._known.get(key)
        if known is None:
            number, height, block, places, weights = key
            op = self.graph.ops[number]
            known = self._known[key] = self._operations(op, height, block, weights, places)
        return known

    def _operations(
        self,
        op: NpuOp,
        height: int,
        block: BlockConfig,
        weights: WeightPlan | None,
        places: tuple[Place, ...],
    ) -> Operations:
        target = self.model.target
        is_direct = weights is None or not weights.buffer_bytes
        constants = (target.permanent if is_direct else target.fast).area
        whole = whole_work(self.graph, self.model, op, block, places, constants)
        slices = tuple(slices_of(target.accelerator, op, weights))
        stripes = [(step.end - step.first, rows_read(op, step)) for step in stripes_of(op, height)]
        costs = {
            rows: tuple(
                self.model.spent(part_of(op, whole, *rows, channels), read)
                for channels, read in slices
            )
            for rows in set(stripes)
        }
        counts = Counter(stripes)
        return Operations(
            stripes=tuple(costs[rows] for rows in stripes),
            sums=summed([Run(spent, counts[rows]) for rows in counts for spent in costs[rows]]),
        )


def whole_work(
    graph: NpuGraph,
    model: CostModel,
    op: NpuOp,
    block: BlockConfig,
    places: tuple[Place, ...],
    constants: Area,
) -> Work:
    """An operator over all of its output, which its operations are parts of."""
    whole = model.work(graph, op, block, places, constants)
    return replace(whole, ifm2=_second(graph, model.target, op, whole.ifm2))


def _second(graph: NpuGraph, target: Target, op: NpuOp, use: FmUse | None) -> FmUse | None:
    """A scalar is a part of the command."""
    if use is None or op.ifm2 is None or not graph.fm(op.ifm2).is_scalar:
        return use
    return replace(use, shape=Shape4(), format=Format.LINEAR, area=target.permanent.area)


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
