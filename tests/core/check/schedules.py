"""Small networks with schedules and layouts written by hand, for judges to be tried on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from core.base.frozen import replace
from core.base.geometry import Shape4, round_up
from core.base.ids import FmId, IslandId, NpuOpId
from core.cost.from_graph import block_query, whole
from core.ir.decisions import Candidate
from core.ir.layout import AreaLayout, MemoryLayout, Placement, Purpose
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.options import LoweringOptions
from core.ir.schedule import (
    Cascade,
    IslandSchedule,
    MapPlan,
    OpPlan,
    RollingBuffer,
    Schedule,
    Stripe,
    WeightPlan,
)
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.format import Format
from core.target.region import Region
from core.target.resolve import resolve
from core.target.shared_buffer_search import find_block
from core.target.target import Target

SHARED = resolve("ethos-u55-256")
DEDICATED = resolve("ethos-u65-256")


class Case(NamedTuple):
    graph: NpuGraph
    target: Target
    schedule: Schedule


@cache
def chain() -> NpuGraph:
    """Three convolutions of 3 x 3 over 16 x 16 pixels; maps: 2048 bytes, then 4096 each."""
    b = Builder(1)
    x = b.input((1, 16, 16, 8))
    for _ in range(3):
        x = b.conv(x, 16, window(3))
    return lower.run(b.build((x,), "chain"), SHARED.accelerator, LoweringOptions())


@cache
def fork() -> NpuGraph:
    """Two convolutions, a sum of their outputs, and a convolution; maps as in the chain."""
    b = Builder(2)
    x = b.input((1, 16, 16, 8))
    one = b.conv(x, 16, window(3))
    two = b.conv(one, 16, window(3))
    x = b.conv(b.add(one, two), 16, window(3))
    return lower.run(b.build((x,), "fork"), SHARED.accelerator, LoweringOptions())


@cache
def doubled() -> NpuGraph:
    """A convolution, a resize to twice the height and width, and a convolution."""
    b = Builder(3)
    x = b.conv(b.input((1, 8, 8, 8)), 16, window(3))
    x = b.conv(b.resize_nearest(x, (16, 16)), 16, window(3))
    return lower.run(b.build((x,), "doubled"), SHARED.accelerator, LoweringOptions())


def plan_of(op: NpuOp, graph: NpuGraph, target: Target, stripe: Stripe, **parts: Any) -> OpPlan:
    """A plan in which weights are one slice that is read where it is."""
    block = find_block(target.accelerator, block_query(graph, op, stripe))
    assert block is not None
    weights = None
    if op.weights is not None:
        depth = op.weights.values.shape[0]
        weights = WeightPlan(encoding=f"e{op.id}", depth_slices=(0, depth), slice_bytes=(1000,))
    common = {"macs": 0, "cycles": 0, "slack_cycles": 0, "slack_bytes": 0}
    values = {"cascade": None, "weights": weights, "time": 2 * op.id, **common, **parts}
    return OpPlan(op=op.id, stripe=stripe, block=block, **values)


def maps_of(graph: NpuGraph, target: Target) -> tuple[MapPlan, ...]:
    """What stays inside is in bricks; all is in the arena, or, where that is apart, in DRAM."""
    ends = {*graph.inputs[0], *graph.outputs[0]}
    plans = []
    for fm in graph.feature_maps:
        if fm.data is not None:
            plans.append(MapPlan(format=Format.LINEAR, region=Region.PERMANENT_NPU))
            continue
        is_inner = fm.id not in ends and not fm.linear_reason
        is_fast = is_inner and target.is_spilling
        plans.append(
            MapPlan(
                format=Format.BRICKS if is_inner else Format.LINEAR,
                region=Region.SCRATCH_FAST if is_fast else Region.SCRATCH,
            )
        )
    return tuple(plans)


def uncascaded(graph: NpuGraph, target: Target, snapshot: Sequence[int]) -> Case:
    """One operator after the other, each whole."""
    ops = tuple(plan_of(op, graph, target, whole(op)) for op in graph.ops)
    return Case(graph, target, _schedule(graph, maps_of(graph, target), ops, (), snapshot))


def cascaded(
    graph: NpuGraph,
    target: Target,
    heights: Mapping[int, tuple[int, int]],
    buffers: Sequence[int],
    snapshot: Sequence[int],
) -> Case:
    """All operators in one cascade; heights are those of stripes and of their inputs."""
    ops, rolling, maps = [], [], list(maps_of(graph, target))
    for op in graph.ops:
        made, read = heights[op.id]
        ofm, ifm = op.ofm.shape, op.ifm.shape
        stripe = Stripe(ofm.with_hw(made, ofm.w), ifm.with_hw(read, ifm.w), None)
        ops.append(plan_of(op, graph, target, stripe, cascade=0, time=0))
    for op, height in zip(graph.ops, buffers, strict=False):
        full = op.ofm.shape
        shape = Shape4(full.n, height, full.w, round_up(full.c, 16))
        rolling.append(RollingBuffer(fm=op.ofm.fm, shape=shape, size_bytes=shape.elements))
        maps[op.ofm.fm] = replace(maps[op.ofm.fm], rolling=shape)
    names = tuple(op.id for op in graph.ops)
    cascade = Cascade(ops=names, buffers=tuple(rolling), size_bytes=0)
    return Case(graph, target, _schedule(graph, tuple(maps), tuple(ops), (cascade,), snapshot))


def _schedule(
    graph: NpuGraph,
    maps: tuple[MapPlan, ...],
    ops: tuple[OpPlan, ...],
    cascades: tuple[Cascade, ...],
    snapshot: Sequence[int],
) -> Schedule:
    island = IslandSchedule(
        island=IslandId(0),
        candidate=Candidate.AS_COMPILED,
        ops=ops,
        cascades=cascades,
        limit_bytes=1 << 20,
        snapshot=tuple(snapshot),
        evicted=(),
    )
    return Schedule(network=graph.network, maps=maps, islands=(island,), decisions=())


def pairs_of(snapshot: Sequence[int]) -> list[int]:
    """Each number twice, as an operator has two times."""
    return [size for size in snapshot for _ in range(2)]


def chain_whole(target: Target = SHARED) -> Case:
    inner, ends = 4096, (2048, 4096)
    if target.is_spilling:
        ends = (0, 0)
    sizes = [ends[0] + inner, inner + inner, inner + ends[1], ends[1]]
    return uncascaded(chain(), target, pairs_of(sizes))


def chain_cascaded() -> Case:
    """Stripes of 4 rows: 9 rows have to be kept, as 6 are read and 3 more are made by then."""
    heights = {0: (4, 6), 1: (4, 6), 2: (4, 6)}
    size = 2048 + 2 * 9 * 16 * 16 + 4096
    return cascaded(chain(), SHARED, heights, (9, 9), pairs_of([size, 4096]))


def fork_whole() -> Case:
    """The sum writes over one of its inputs, so that two maps are live with it, not three."""
    sizes = [2048 + 4096, 2 * 4096, 2 * 4096, 2 * 4096, 4096]
    return uncascaded(fork(), SHARED, pairs_of(sizes))


def doubled_cascaded() -> Case:
    """A resize makes 2 rows of 1, and of these the last operator reads 4 for 2 of its own."""
    heights = {0: (1, 3), 1: (2, 1), 2: (2, 4)}
    size = 512 + 1 * 8 * 16 + 5 * 16 * 16 + 4096
    return cascaded(doubled(), SHARED, heights, (1, 5), pairs_of([size, 4096]))


def layout_of(case: Case) -> MemoryLayout:
    """Every map and buffer at an address of its own, for as long as the network runs."""
    graph, target, schedule = case
    end_time = 2 * len(graph.ops) + 1
    by_region: dict[Region, list[Placement]] = {}

    def put(region: Region, size: int, purpose: Purpose, **parts: Any) -> None:
        placed = by_region.setdefault(region, [])
        top = placed[-1].address + placed[-1].size_bytes if placed else 0
        placed.append(
            Placement(
                name=f"{region.value} {len(placed)}",
                purpose=purpose,
                region=region,
                address=top,
                size_bytes=round_up(size, 16),
                start_time=0,
                end_time=end_time,
                **parts,
            )
        )

    for fm, plan in zip(graph.feature_maps, schedule.maps, strict=True):
        shape = plan.rolling or plan.format.stored(Shape4.of(fm.shape))
        size = shape.elements * fm.dtype.size_bytes
        put(plan.region, size, Purpose.FEATURE_MAP, fms=(FmId(fm.id),))
    for op in schedule.ops:
        if op.weights is not None:
            streams = op.weights.stream_bytes
            put(Region.PERMANENT_NPU, streams, Purpose.WEIGHTS, op=NpuOpId(op.op))
            for number, size in enumerate(op.weights.buffer_bytes):
                put(Region.SCRATCH_FAST, size, Purpose.WEIGHTS, op=op.op, buffer=number)
    return MemoryLayout(
        areas=tuple(_area(target, region, placed) for region, placed in by_region.items()),
        op_times=tuple(plan.time for plan in schedule.ops),
        end_time=end_time,
    )


def _area(target: Target, region: Region, placed: list[Placement]) -> AreaLayout:
    memory = {Region.SCRATCH: target.arena, Region.SCRATCH_FAST: target.fast}
    return AreaLayout(
        area=memory.get(region, target.permanent).area,
        regions=(region,),
        placements=tuple(placed),
        height_bytes=placed[-1].address + placed[-1].size_bytes,
        lower_bound_bytes=0,
        limit_bytes=None,
    )
