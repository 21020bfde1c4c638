"""A schedule that nobody would choose, with every number in it chosen by hand."""

from __future__ import annotations

from pathlib import Path

from core.base.frozen import replace
from core.base.geometry import Block, Shape4
from core.cost.from_graph import whole
from core.cost.operators import network_cost
from core.cost.rates import Rates
from core.ir.cost import Direction, Limit, OperatorCost, Purpose, Traffic
from core.ir.decisions import Candidate
from core.ir.layout import AreaLayout, MemoryLayout, Placement
from core.ir.layout import Purpose as Content
from core.ir.npugraph import NpuOp
from core.ir.options import LoweringOptions, Options
from core.ir.schedule import (
    Cascade,
    Evicted,
    IslandSchedule,
    MapPlan,
    OpPlan,
    RollingBuffer,
    Schedule,
    WeightPlan,
)
from core.ir.scheduled import Run, Scheduled
from core.lower import run as lower
from core.target.block import BlockConfig
from core.target.format import Format
from core.target.region import Region
from core.target.resolve import resolve
from core.target.shram import Accumulator
from core.target.target import Area
from core.tflite import reader
from tests.core.lower.nets import FREE
from tests.remembered import remembered

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
BLOCK = BlockConfig(
    ofm_block=Block(6, 4, 16),
    ifm_block=Block(8, 6, 32),
    ofm_ublock=Block(2, 2, 8),
    accumulator=Accumulator.ACC40,
    is_part_kernel=True,
)
STREAM = WeightPlan(encoding="s", depth_slices=(0, 32, 64), slice_bytes=(1000, 600))
SINGLE = replace(STREAM, depth_slices=(0, 64), slice_bytes=(1600,), buffer_bytes=(1600,))
DOUBLE = replace(STREAM, buffer_bytes=(1000, 600), lead_steps=1, transfer_cycles=77)
LIVE_BYTES = 12_345
LIMIT_BYTES = 20_000
NEEDED_BYTES = 24_576


@remembered
def material(example: str = "kws_dscnn") -> Scheduled:
    """The first two operators of each island are a cascade; the third reads weights directly."""
    target = resolve(
        "ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram", arena_cache_size=20000
    )
    network = reader.read((EXAMPLES / f"{example}.tflite").read_bytes())
    # What is copied to fast storage would have to have a place there.
    freedoms = replace(FREE, near_constants=False)
    graph = lower.run(network, target.accelerator, LoweringOptions(freedoms=freedoms))
    costs = tuple(cost_of(op) for op in graph.ops)
    base = Scheduled(
        name=f"{example}.tflite",
        run=Run(network=network, accelerator=target.accelerator, graph=graph),
        target=target,
        options=Options(),
        schedule=Schedule(network=graph.network, maps=(), islands=(), decisions=()),
        layout=layout_of(len(graph.ops)),
        costs=costs,
        total=network_cost(Rates.of(target), costs),
    )
    maps = [MapPlan(format=Format.BRICKS, region=Region.SCRATCH)] * len(graph.feature_maps)
    islands = tuple(island_of(base, number) for number in range(len(graph.islands)))
    for island in islands:
        (buffer,) = island.cascades[0].buffers
        maps[buffer.fm] = MapPlan(
            format=Format.BRICKS, region=Region.SCRATCH_FAST, rolling=buffer.shape
        )
    schedule = replace(base.schedule, maps=tuple(maps), islands=islands)
    return replace(base, schedule=schedule)


def cost_of(op: NpuOp) -> OperatorCost:
    """The first one waits for DRAM, the others for the weight decoder."""
    read = Traffic(Area.DRAM, Purpose.FEATURE_MAP, Direction.READ, 4096.0, 4096.0)
    return OperatorCost(
        macs=1000 * op.id,
        own_cycles=1500,
        npu_cycles=1500,
        sram_cycles=10.25,
        dram_cycles=0.0 if op.id else 2000.5,
        on_chip_flash_cycles=0.0,
        off_chip_flash_cycles=0.0,
        limit=Limit.WEIGHTS,
        traffic=() if op.id else (read,),
        terms=(700.0, 10.25, 0.0 if op.id else 2000.5, 1400.0, 300.0, 80.0, 500.0),
    )


def island_of(base: Scheduled, number: int) -> IslandSchedule:
    island = base.graph.islands[number]
    ops = [base.graph.ops[index] for index in island.ops]
    weights = (SINGLE, DOUBLE, STREAM)
    plans = tuple(plan_of(op, position, weights[position % 3]) for position, op in enumerate(ops))
    rows = Shape4(1, 4, 8, 64)
    buffer = RollingBuffer(fm=ops[0].ofm.fm, shape=rows, size_bytes=rows.elements)
    evicted = Evicted(fms=(ops[1].ofm.fm,), start_time=1, end_time=5, size_bytes=8000)
    return IslandSchedule(
        island=island.id,
        candidate=Candidate.AS_COMPILED,
        ops=plans,
        cascades=(Cascade(ops=(ops[0].id, ops[1].id), buffers=(buffer,), size_bytes=9999),),
        limit_bytes=LIMIT_BYTES,
        snapshot=(LIVE_BYTES,) * (2 * len(ops)),
        evicted=(evicted,),
    )


def plan_of(op: NpuOp, position: int, weights: WeightPlan) -> OpPlan:
    stripe = whole(op)
    if position < 2:
        stripe = stripe._replace(ofm=stripe.ofm._replace(h=3))
    return OpPlan(
        op=op.id,
        stripe=stripe,
        block=BLOCK,
        cascade=0 if position < 2 else None,
        weights=weights if op.weights is not None else None,
        macs=1000 * op.id,
        cycles=1500,
        slack_cycles=500,
        slack_bytes=-3,
        time=0 if position < 2 else 2 * position,
    )


def layout_of(ops: int) -> MemoryLayout:
    """Each operator runs at a time of its own; fast storage does not fit."""
    placement = Placement(
        name="rows",
        purpose=Content.FEATURE_MAP,
        region=Region.SCRATCH_FAST,
        address=16,
        size_bytes=NEEDED_BYTES - 16,
        start_time=0,
        end_time=2,
    )
    fast = AreaLayout(
        area=Area.SRAM,
        regions=(Region.SCRATCH_FAST,),
        placements=(placement,),
        height_bytes=NEEDED_BYTES,
        lower_bound_bytes=NEEDED_BYTES - 16,
        limit_bytes=LIMIT_BYTES,
    )
    arena = replace(
        fast,
        area=Area.DRAM,
        regions=(Region.SCRATCH,),
        placements=(),
        height_bytes=1000,
        lower_bound_bytes=1000,
        limit_bytes=None,
    )
    times = tuple(10 + 2 * number for number in range(ops))
    return MemoryLayout(areas=(fast, arena), op_times=times, end_time=10 + 2 * ops)
