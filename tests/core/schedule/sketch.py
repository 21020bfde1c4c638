"""NPU graphs written down operator by operator, and what the scheduler works out of them.

Weights are encoded as they are, without compression: 16 bytes of scales for each slice and one byte
for each weight. So tests can say how large streams are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Kernel, Resampling, Shape4, round_up, same_padding
from core.base.ids import FmId, IslandId, NpuOpId, OpId, OpRef, SubgraphId
from core.check import npugraph
from core.ir.constdata import ConstData
from core.ir.freedoms import ALL, NONE, Freedoms
from core.ir.npugraph import (
    CpuOp,
    FeatureMap,
    Island,
    NpuGraph,
    NpuOp,
    OpKind,
    Quant,
    Step,
    View,
    Weights,
)
from core.ir.options import Options
from core.ir.schedule import Schedule
from core.schedule import run as scheduler
from core.schedule.candidates import max_schedule, min_schedule
from core.schedule.draft import Draft
from core.schedule.estimates import Estimates, StreamSizes
from core.schedule.fast_storage import fast_storage_of
from core.schedule.formats import choose_formats
from core.schedule.problem import IslandProblem, problems_of
from core.schedule.question import Question
from core.target.block import BlockConfig
from core.target.resolve import resolve
from core.target.target import Target

Given = FmId | View

SHARED = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
"""Feature maps are in fast storage, weights far away."""
NEAR = resolve("ethos-u55-64", "Ethos_U55_Deep_Embedded", "Sram_Only")
"""Weights are as near as feature maps."""
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
"""Feature maps are in DRAM and can move to fast storage."""

SCALES_BYTES = 16

_NONE = Resampling.NONE
_WEIGHTED = frozenset(
    {
        OpKind.CONV_2D,
        OpKind.TRANSPOSE_CONV_2D,
        OpKind.DEPTHWISE_CONV_2D,
        OpKind.FULLY_CONNECTED,
    }
)


class Sketch:
    """A graph in the making; maps are named a, b, c in their order."""

    def __init__(self) -> None:
        self.maps: list[FeatureMap] = []
        self.ops: list[NpuOp] = []
        self._steps: list[list[CpuOp | NpuOpId]] = [[]]
        self._inputs: list[list[FmId]] = [[]]
        self._outputs: list[list[FmId]] = []

    def map(self, shape: Sequence[int], dtype: DType = DType.INT8, **parts: Any) -> FmId:
        """A feature map that somebody has yet to make."""
        number = FmId(len(self.maps))
        parts = {"name": chr(ord("a") + number % 26), "storage": number, **parts}
        self.maps.append(FeatureMap(id=number, shape=tuple(shape), dtype=dtype, **parts))
        return number

    def input(self, shape: Sequence[int], dtype: DType = DType.INT8) -> FmId:
        """A map that the application fills in."""
        number = self.map(shape, dtype)
        self._inputs[-1].append(number)
        return number

    def constant(self, shape: Sequence[int], seed: int = 0, dtype: DType = DType.INT8) -> FmId:
        """A map whose elements are known; equal seeds give equal elements."""
        values = np.random.default_rng(seed).integers(-9, 9, tuple(shape))
        return self.map(shape, dtype, data=ConstData.of(values.astype(dtype.numpy)))

    def view(self, given: Given) -> View:
        """A whole map, or a view as it is."""
        if isinstance(given, View):
            return given
        return View(fm=given, shape=Shape4.of(self.maps[given].shape[-4:]), quant=Quant(scale=1.0))

    def part(self, fm: FmId, start: Sequence[int], extent: Sequence[int]) -> View:
        """A box of a map."""
        return replace(self.view(fm), offset=Shape4(*start), extent=Shape4(*extent))

    def op(self, kind: OpKind, ofm: Given, *given: Given, **parts: Any) -> FmId:
        """One more operator, which makes a map from one or two."""
        views = [self.view(each) for each in given]
        made = self.view(ofm)
        number = NpuOpId(len(self.ops))
        kernel = parts.get("kernel", Kernel())
        if kind in _WEIGHTED and "weights" not in parts:
            depth = 1 if kind is OpKind.DEPTHWISE_CONV_2D else views[0].touched.c
            shape = (made.touched.c, kernel.h, kernel.w, depth)
            parts["weights"] = weights(shape, seed=number)
        self.ops.append(
            NpuOp(
                id=number,
                kind=kind,
                name=f"{kind.value} {number}",
                ifm=views[0],
                ifm2=views[1] if len(views) > 1 else None,
                ofm=made,
                **parts,
            )
        )
        self._steps[-1].append(number)
        return made.fm

    def conv(
        self,
        given: Given,
        channels: int | None = None,
        kernel: Kernel | int = 3,
        kind: OpKind = OpKind.CONV_2D,
        **parts: Any,
    ) -> FmId:
        """A window that is padded so that a stride of one keeps the size; weights where needed."""
        window = Kernel(h=kernel, w=kernel) if isinstance(kernel, int) else kernel
        view = self.view(given)
        source, factor = view.touched, parts.get("resampling", _NONE).factor
        height, width = source.h * factor, source.w * factor
        shape = (
            1,
            -(-height // window.stride_h),
            -(-width // window.stride_w),
            source.c if channels is None else channels,
        )
        made = self.map(shape, self.maps[view.fm].dtype)
        parts.setdefault("padding", same_padding(height, width, window))
        return self.op(kind, made, view, kernel=window, **parts)

    def alone(self, given: Given, kind: OpKind = OpKind.ABS, **parts: Any) -> FmId:
        """An element-wise operator of one input."""
        view = self.view(given)
        return self.op(kind, self.map(view.touched, self.maps[view.fm].dtype), view, **parts)

    def add(self, one: Given, other: Given, **parts: Any) -> FmId:
        """A sum, in the shape of the first."""
        view = self.view(one)
        made = self.map(view.touched, self.maps[view.fm].dtype)
        return self.op(OpKind.ADD, made, view, other, **parts)

    def dense(self, given: Given, units: int = 16) -> FmId:
        """A fully connected operator of one row."""
        return self.op(OpKind.FULLY_CONNECTED, self.map((1, 1, 1, units)), given)

    def cpu(self, given: Iterable[FmId], made: Iterable[FmId]) -> None:
        """An operator that stays on the CPU; what is before it and after it are two islands."""
        steps = self._steps[-1]
        source = OpRef(SubgraphId(len(self._steps) - 1), OpId(len(steps)))
        steps.append(
            CpuOp(
                source=source, kind="CUSTOM", name="cpu", inputs=tuple(given), outputs=tuple(made)
            )
        )

    def next_subgraph(self, *outputs: FmId) -> None:
        """The subgraph is complete, and another begins."""
        self._outputs.append(list(outputs))
        self._steps.append([])
        self._inputs.append([])

    def build(self, *outputs: FmId) -> NpuGraph:
        """The graph; its judge has nothing to say about it."""
        graph = self.unjudged(*outputs)
        assert npugraph.verify(graph) == ()
        return graph

    def unjudged(self, *outputs: FmId) -> NpuGraph:
        """The graph, be it sound or not."""
        ends = [*self._outputs, list(outputs)]
        islands: list[Island] = []
        steps: list[tuple[Step, ...]] = []
        for number, items in enumerate(self._steps):
            found: list[Step] = []
            for run in _runs(items):
                if isinstance(run, CpuOp):
                    found.append(run)
                else:
                    island = self._island(len(islands), number, run, ends[number])
                    islands.append(island)
                    found.append(island.id)
            steps.append(tuple(found))
        return NpuGraph(
            network="sketch",
            feature_maps=tuple(self.maps),
            ops=tuple(self.ops),
            islands=tuple(islands),
            steps=tuple(steps),
            inputs=tuple(map(tuple, self._inputs)),
            outputs=tuple(map(tuple, ends)),
            rejections=(),
            lineage=(),
        )

    def _island(
        self, number: int, subgraph: int, run: Sequence[NpuOpId], ends: Sequence[FmId]
    ) -> Island:
        own = [self.ops[op] for op in run]
        made = dict.fromkeys(op.ofm.fm for op in own)
        read = dict.fromkeys(view.fm for op in own for view in op.views[:-1])
        # Whoever leaves a state takes what it is stored in.
        read |= dict.fromkeys(self.maps[fm].storage for fm in made)
        outside = set(ends)
        for item in self._steps[subgraph]:
            if isinstance(item, CpuOp):
                outside.update(item.inputs)
            elif item not in run:
                outside.update(view.fm for view in self.ops[item].views[:-1])
        return Island(
            id=IslandId(number),
            subgraph=SubgraphId(subgraph),
            ops=tuple(run),
            inputs=tuple(fm for fm in read if fm not in made and self.maps[fm].data is None),
            outputs=tuple(fm for fm in made if fm in outside),
        )


def weights(shape: Sequence[int], seed: int = 0) -> Weights:
    """Weights in OHWI order; equal seeds give equal ones."""
    values = np.random.default_rng(seed).integers(-127, 127, tuple(shape)).astype(np.int8)
    return Weights(
        values=ConstData.of(values),
        scales=(0.01,),
        zero_points=(0,),
        bias=ConstData.of(np.zeros(shape[0], np.int32)),
    )


def encoder(op: NpuOp, block: BlockConfig, slices: tuple[int, ...]) -> StreamSizes:
    """Streams without compression."""
    assert op.weights is not None
    depth, *taps = op.weights.values.shape
    assert slices[0] == 0
    assert slices[-1] == depth
    sizes = tuple(
        SCALES_BYTES + round_up((end - start) * math.prod(taps), 16)
        for start, end in pairwise(slices)
    )
    digest = f"{op.weights.values.digest} {slices} {block.ofm_block.c} {block.is_part_kernel}"
    return StreamSizes(digest, sizes)


class Bench(NamedTuple):
    """The first island of a graph, ready for any step of the search."""

    prepared: scheduler.Prepared
    problem: IslandProblem
    estimates: Estimates

    def whole(self) -> Draft:
        """Every operator makes its whole output at once."""
        return max_schedule(self.problem, self.estimates)

    def smallest(self) -> Draft:
        """Every operator makes as few rows at once as the next one can use."""
        return min_schedule(self.problem, self.estimates)


class Free(Options):
    """Options that leave just this to the search."""

    left: Freedoms

    @property
    def freedoms(self) -> Freedoms:
        """What is left."""
        return self.left


def bench(graph: NpuGraph, target: Target = SHARED, freedoms: Freedoms = ALL) -> Bench:
    """What the search starts from."""
    known = scheduler.Preparations(graph=graph, encoder=encoder)
    prepared = known.of(Question.of(target, Free(left=freedoms)))
    return Bench(prepared, prepared.stored.problems[0], prepared.stored.estimates)


def problems_for(
    graph: NpuGraph, target: Target, freedoms: Freedoms = NONE
) -> tuple[IslandProblem, ...]:
    """What is known of the islands of a graph before the search, with formats by the rules."""
    orders = tuple(each.format for each in choose_formats(graph, target.accelerator))
    return problems_of(graph, orders, fast_storage_of(target), freedoms)


def scheduled(
    graph: NpuGraph, target: Target, limit_bytes: int, options: Options | None = None
) -> Schedule:
    """The whole search."""
    options = options or Options()
    question, most = Question.of(target, options), options.pareto.most_bytes
    return scheduler.run(_known_of(graph), question, limit_bytes, most)


@lru_cache(maxsize=1)
def _known_of(graph: NpuGraph) -> scheduler.Preparations:
    """What whoever asks the same network for one limit after the other need not work out again."""
    return scheduler.Preparations(graph=graph, encoder=encoder)


def _runs(items: Sequence[CpuOp | NpuOpId]) -> list[CpuOp | list[NpuOpId]]:
    runs: list[CpuOp | list[NpuOpId]] = []
    for item in items:
        if isinstance(item, CpuOp):
            runs.append(item)
        elif runs and isinstance(runs[-1], list):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs
