"""The other compiler's schedules as our values, for judges to be silent about."""

from __future__ import annotations

from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from core.base.geometry import Shape4
from core.base.ids import FmId, IslandId
from core.cost.from_graph import block_query
from core.ir.decisions import Candidate
from core.ir.npugraph import NpuGraph
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
from core.target.format import Format
from core.target.region import Region
from core.target.shared_buffer_search import find_block
from core.target.target import Target
from tests.peer import Pair, load, pairs, target_of


class Case(NamedTuple):
    graph: NpuGraph
    target: Target
    schedule: Schedule


def case_of(path: Path) -> Case:
    """A schedule of the other compiler; its times and snapshots are cut into islands."""
    peer, listed = load(path), list(pairs(path))
    graph, target = listed[0].graph, target_of(peer)
    plans = _maps(graph, listed)
    islands, rest = [], iter(listed)
    for number, part in enumerate(peer["schedules"]):
        ours = [next(rest) for _ in part["ops"]]
        islands.append(_island(IslandId(number), part, ours, plans))
    maps = tuple(plans[fm.id] for fm in graph.feature_maps)
    schedule = Schedule(network=graph.network, maps=maps, islands=tuple(islands), decisions=())
    return Case(graph, target, schedule)


def _maps(graph: NpuGraph, listed: list[Pair]) -> dict[FmId, MapPlan]:
    plans = {
        fm.id: MapPlan(
            format=Format.LINEAR,
            region=Region.SCRATCH if fm.data is None else Region.PERMANENT_CPU,
        )
        for fm in graph.feature_maps
    }
    for pair in listed:
        maps = pair.peer["feature_maps"]
        roles = [maps[role] for role in ("ifm", "ifm2", "ofm") if role in maps]
        for view, fm in zip(pair.op.views, roles, strict=True):
            plans[view.fm] = MapPlan(format=Format(fm["format"]), region=Region(fm["mem_type"]))
    return plans


def _island(
    number: IslandId, part: dict[str, Any], ours: list[Pair], plans: dict[FmId, MapPlan]
) -> IslandSchedule:
    first = part["ops"][0]["time_index"]
    cascades, numbers = [], {}
    for key, members in groupby(ours, key=lambda pair: pair.peer["cascade"]):
        if key:
            numbers[key] = len(cascades)
            cascades.append(_cascade(part, list(members), plans))
    ops = tuple(_plan(pair, numbers, pair.peer["time_index"] - first) for pair in ours)
    ids = {pair.graph.fm(view).name: view.fm for pair in ours for view in pair.op.views}
    return IslandSchedule(
        island=number,
        candidate=Candidate.AS_COMPILED,
        ops=ops,
        cascades=tuple(cascades),
        limit_bytes=0,
        snapshot=tuple(part["memory_snapshot"][first:]),
        evicted=tuple(_evicted(item, ids) for item in part["evicted"]),
    )


def _evicted(item: dict[str, Any], ids: dict[str, FmId]) -> Evicted:
    names = item.get("tensors") or [item["name"]]
    return Evicted(
        fms=tuple(ids[name] for name in names if name in ids),
        start_time=item["start"],
        end_time=item["end"],
        size_bytes=item["bytes"],
    )


def _cascade(part: dict[str, Any], members: list[Pair], plans: dict[FmId, MapPlan]) -> Cascade:
    info = next(one for one in part["cascades"] if one["key"] == members[0].peer["cascade"])
    buffers = []
    for before, pair in pairwise(members):
        fm, shape = before.op.ofm.fm, Shape4(*info["buffers"][str(pair.peer["index"])])
        size = shape.elements * pair.graph.feature_maps[fm].dtype.size_bytes
        buffers.append(RollingBuffer(fm=fm, shape=shape, size_bytes=size))
        plans[fm] = MapPlan(format=plans[fm].format, region=plans[fm].region, rolling=shape)
    return Cascade(
        ops=tuple(pair.op.id for pair in members),
        buffers=tuple(buffers),
        size_bytes=info["mem_usage"],
    )


def _plan(pair: Pair, numbers: dict[int, int], time: int) -> OpPlan:
    block = find_block(pair.target.accelerator, block_query(pair.graph, pair.op, pair.stripe))
    assert block is not None
    return OpPlan(
        op=pair.op.id,
        stripe=pair.stripe,
        block=block,
        cascade=numbers.get(pair.peer["cascade"]),
        weights=_weights(pair),
        macs=pair.peer["op_macs"],
        cycles=pair.peer["op_cycles"],
        slack_cycles=pair.peer["slack_buffering_cycles"],
        slack_bytes=pair.peer["slack_buffering_memory"],
        time=time,
    )


def _weights(pair: Pair) -> WeightPlan | None:
    if pair.op.weights is None:
        return None
    cuts, buffers = pair.peer["depth_slices"], pair.peer["weight_buffers"]
    return WeightPlan(
        encoding="",
        depth_slices=tuple(cuts),
        # The sizes of single slices are not written down.
        slice_bytes=(1,) * (len(cuts) - 1),
        buffer_bytes=tuple(buffer["bytes"] for buffer in buffers),
        lead_steps=int(any(buffer["pre_buffer"] for buffer in buffers)),
    )
