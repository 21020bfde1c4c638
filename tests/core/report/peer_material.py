"""The other compiler's schedules as values of ours, to hold our reports against its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.base.digest import digest
from core.base.geometry import Shape4
from core.base.ids import FmId
from core.cost.ecosystem.estimate import ECOSYSTEM
from core.cost.operators import network_cost, operator_cost
from core.ir.decisions import Candidate, FormatChosen, FormatReason
from core.ir.layout import AreaLayout, MemoryLayout, Placement, Purpose
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
from core.target.format import Format
from core.target.region import Region
from core.target.target import Area
from tests.core.cost.ecosystem.test_totals_like_the_peer import block_of, step_of
from tests.peer import COMPATIBLE, Pair, load, pairs

LINEAR_SCRATCH = MapPlan(format=Format.LINEAR, region=Region.SCRATCH)


def material_of(path: Path) -> Scheduled:
    """What the reports would get, had we decided as the other compiler did."""
    peer, all_pairs = load(path), list(pairs(path))
    first = all_pairs[0]
    rates = ECOSYSTEM.rates_of(first.target)
    costs = tuple(operator_cost(ECOSYSTEM, rates, step_of(pair)) for pair in all_pairs)
    layout = layout_of(peer, all_pairs)
    return Scheduled(
        name=peer["model"],
        run=Run(network=first.network, accelerator=first.target.accelerator, graph=first.graph),
        target=first.target,
        options=COMPATIBLE,
        schedule=schedule_of(peer, all_pairs),
        layout=layout,
        costs=costs,
        total=network_cost(rates, costs),
    )


def schedule_of(peer: dict[str, Any], all_pairs: list[Pair]) -> Schedule:
    graph = all_pairs[0].graph
    maps = [LINEAR_SCRATCH] * len(graph.feature_maps)
    rest = iter(all_pairs)
    islands = []
    for number, part in enumerate(peer["schedules"]):
        mine = [next(rest) for _ in part["ops"]]
        for pair in mine:
            for role, fm in pair.peer["feature_maps"].items():
                plan = MapPlan(format=Format(fm["format"]), region=Region(fm["mem_type"]))
                maps[getattr(pair.op, role).fm] = plan
        limit = peer["sram_limit"][part["subgraph"]]
        islands.append(island_of(number, part, mine, limit))
    chosen = FormatChosen(fm=FmId(0), format=Format.LINEAR, reason=FormatReason.OUTSIDE)
    return Schedule(
        network=graph.network, maps=tuple(maps), islands=tuple(islands), decisions=(chosen,)
    )


def island_of(number: int, part: dict[str, Any], mine: list[Pair], limit: int) -> IslandSchedule:
    start = mine[0].peer["time_index"]
    keys = [cascade["key"] for cascade in part["cascades"]]
    return IslandSchedule(
        island=mine[0].graph.islands[number].id,
        candidate=Candidate.AS_COMPILED,
        ops=tuple(plan_of(pair, keys, start) for pair in mine),
        cascades=tuple(cascade_of(cascade, mine) for cascade in part["cascades"]),
        limit_bytes=limit,
        snapshot=tuple(part["memory_snapshot"][start:]),
        evicted=tuple(
            Evicted(
                fms=(mine[0].op.ifm.fm,),
                start_time=evicted["start"] - start,
                end_time=evicted["end"] - start,
                size_bytes=evicted["bytes"],
            )
            for evicted in part["evicted"]
        ),
    )


def plan_of(pair: Pair, keys: list[int], start: int) -> OpPlan:
    peer = pair.peer
    return OpPlan(
        op=pair.op.id,
        stripe=pair.stripe,
        block=block_of(pair),
        cascade=keys.index(peer["cascade"]) if peer["cascade"] else None,
        weights=weights_of(pair),
        macs=peer["op_macs"],
        cycles=peer["op_cycles"],
        slack_cycles=peer["slack_buffering_cycles"],
        slack_bytes=peer["slack_buffering_memory"],
        time=peer["time_index"] - start,
    )


def weights_of(pair: Pair) -> WeightPlan | None:
    """The sizes of single slices are not known; here the first one is all of the stream."""
    op, peer = pair.op, pair.peer
    if op.weights is None:
        return None
    slices, buffers = peer["depth_slices"], peer["weight_buffers"]
    what = (op.weights.values, op.weights.bias, op.weights.scales, op.ifm.quant, op.ofm.quant)
    return WeightPlan(
        encoding=digest((*what, tuple(slices), peer["block_config"][3])),
        depth_slices=tuple(slices),
        slice_bytes=(peer["encoded_weight_bytes"], *[0] * (len(slices) - 2)),
        buffer_bytes=tuple(buffer["bytes"] for buffer in buffers),
        lead_steps=int(any(buffer["pre_buffer"] for buffer in buffers)),
        transfer_cycles=peer["full_weight_transfer_cycles"],
    )


def cascade_of(peer: dict[str, Any], mine: list[Pair]) -> Cascade:
    ops = [pair.op for pair in mine[peer["start"] : peer["end"] + 1]]
    shapes = [Shape4(*peer["buffers"][str(index)]) for index in sorted(map(int, peer["buffers"]))]
    return Cascade(
        ops=tuple(op.id for op in ops),
        buffers=tuple(
            RollingBuffer(fm=op.ofm.fm, shape=shape, size_bytes=shape.elements)
            for op, shape in zip(ops, shapes, strict=False)
        ),
        size_bytes=peer["mem_usage"],
    )


def layout_of(peer: dict[str, Any], all_pairs: list[Pair]) -> MemoryLayout:
    """Without what it keeps for the accelerator, of which there is a copy for the CPU."""
    return MemoryLayout(
        areas=tuple(
            area_of(allocation)
            for allocation in peer["allocations"]
            if allocation["mem_types"] != [Region.PERMANENT_NPU.value]
        ),
        op_times=tuple(pair.peer["time_index"] for pair in all_pairs),
        end_time=max(pair.peer["time_index"] for pair in all_pairs) + 2,
    )


def area_of(peer: dict[str, Any]) -> AreaLayout:
    regions = tuple(Region(name) for name in peer["mem_types"])
    return AreaLayout(
        area=Area(peer["mem_area"]),
        regions=regions,
        placements=tuple(
            Placement(
                name=live["name"],
                purpose=Purpose(live["purpose"]),
                region=regions[0],
                address=live["address"],
                size_bytes=live["bytes"],
                start_time=live["start"],
                end_time=live["end"],
            )
            for live in peer["live_ranges"]
        ),
        height_bytes=peer["total"],
        lower_bound_bytes=peer["total"],
        limit_bytes=None,
    )
