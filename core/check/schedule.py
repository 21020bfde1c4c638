"""Judges a schedule from first principles: nothing is lost, read too early, or counted too low."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.base.geometry import Shape4
from core.base.ids import FmId
from core.check import cascade, order
from core.check.finding import Finding
from core.check.lifetimes import Uses, inputs_of, map_name, op_name, uses_of
from core.check.rings import Runs
from core.check.snapshot import least_bytes
from core.ir.npugraph import NpuGraph
from core.ir.schedule import IslandSchedule, OpPlan, Schedule, WeightPlan
from core.target.format import BRICK_DEPTH, Format
from core.target.region import Region
from core.target.target import Area, Target

_SLOW = frozenset({Area.DRAM, Area.OFF_CHIP_FLASH})
"""Permanent memories that are slow enough to bring weights to fast storage."""


def verify(
    graph: NpuGraph, target: Target, schedule: Schedule, known: Runs | None = None
) -> tuple[Finding, ...]:
    """Everything that is wrong with the schedule; where ids lead nowhere, only that.

    Cascades of the network that are known are not played again.
    """
    lost = tuple(_ids(graph, schedule))
    if lost:
        return lost
    uses = uses_of(graph, schedule)
    return (
        *_maps(graph, target, schedule, uses),
        *(
            found
            for island in schedule.islands
            for found in _island(
                graph, target, schedule, uses, island, {} if known is None else known
            )
        ),
    )


def _ids(graph: NpuGraph, schedule: Schedule) -> Iterator[Finding]:
    if schedule.network != graph.network:
        yield Finding("network", f"{schedule.network} is scheduled instead of {graph.network}")
    if len(schedule.maps) != len(graph.feature_maps):
        text = f"{len(schedule.maps)} plans for {len(graph.feature_maps)} feature maps"
        yield Finding("maps", text)
    islands = [island.island for island in schedule.islands]
    if islands != list(range(len(graph.islands))):
        yield Finding("islands", f"{islands} are scheduled instead of all in their order")
        return
    for island in schedule.islands:
        ops, expected = [plan.op for plan in island.ops], graph.islands[island.island].ops
        if sorted(ops) != sorted(expected):
            text = f"runs operators {ops} instead of {list(expected)}"
            yield Finding(f"island {island.island}", text)
            continue
        yield from order.verify(graph, expected, ops)


def _maps(graph: NpuGraph, target: Target, schedule: Schedule, uses: Uses) -> Iterator[Finding]:
    shapes: dict[FmId, set[Shape4]] = {}
    for op in graph.ops:
        for view in op.views:
            shapes.setdefault(view.fm, set()).add(view.shape)
    for fm, plan in zip(graph.feature_maps, schedule.maps, strict=True):
        where, region = map_name(graph, fm.id), plan.region
        if region.is_permanent != (fm.data is not None):
            kind = "no constant" if fm.data is None else "a constant"
            yield Finding(where, f"is {kind}, but lies in {region.value}")
        is_outside = fm.id in uses.outside
        if is_outside and target.is_spilling and region is Region.SCRATCH_FAST:
            yield Finding(where, "is used outside its island, but lies in fast storage")
        if plan.format is Format.BRICKS:
            reason = "" if fm.linear_reason is None else fm.linear_reason.value
            reason = reason or ("constant" if fm.data is not None else "")
            reason = reason or ("used outside its island" if is_outside else "")
            if reason:
                yield Finding(where, f"is in bricks, but has to be linear: {reason}")
            if len(shapes.get(fm.id, ())) > 1:
                seen = sorted(map(tuple, shapes[fm.id]))
                yield Finding(where, f"is in bricks, but is seen in the shapes {seen}")


def _island(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    uses: Uses,
    island: IslandSchedule,
    known: Runs,
) -> Iterator[Finding]:
    for plan in island.ops:
        yield from _operator(graph, plan)
        yield from _block(graph, target, plan)
        yield from _weights(graph, target, plan)
    yield from cascade.verify(graph, target, schedule, uses, island, known)
    for evicted in island.evicted:
        for fm in evicted.fms:
            if schedule.maps[fm].region is Region.SCRATCH_FAST:
                yield Finding(map_name(graph, fm), "is evicted, but lies in fast storage")
    late = tuple(_times(graph, island))
    yield from late or _snapshot(graph, target, schedule, uses, island)


def _operator(graph: NpuGraph, plan: OpPlan) -> Iterator[Finding]:
    where, op, stripe = op_name(graph, plan.op), graph.ops[plan.op], plan.stripe
    second = None if op.ifm2 is None else op.ifm2.shape
    whole = (op.made, op.ifm.shape, second)
    if plan.cascade is None:
        if tuple(stripe) != whole:
            text = f"is in no cascade, but its stripe is {tuple(stripe)} instead of {whole}"
            yield Finding(where, text)
        return
    full = op.made
    if stripe.ofm != full.with_hw(stripe.ofm.h, full.w):
        yield Finding(where, f"its stripe {stripe.ofm} is not as wide and deep as {full}")
    if not 1 <= stripe.ofm.h < full.h:
        yield Finding(where, f"its stripe has {stripe.ofm.h} rows of {full.h}")


def _block(graph: NpuGraph, target: Target, plan: OpPlan) -> Iterator[Finding]:
    accelerator, where = target.accelerator, op_name(graph, plan.op)
    block = plan.block.ofm_block
    limits = zip(block, accelerator.family.max_ofm_block, accelerator.ofm_ublock, strict=True)
    if not all(0 < size <= most and size % unit == 0 for size, most, unit in limits):
        text = f"its block {tuple(block)} is not made of {tuple(accelerator.ofm_ublock)}"
        yield Finding(where, f"{text} up to {tuple(accelerator.family.max_ofm_block)}")
    if min(plan.block.ifm_block) < 1:
        yield Finding(where, f"its input block {tuple(plan.block.ifm_block)} is empty")


def _weights(graph: NpuGraph, target: Target, plan: OpPlan) -> Iterator[Finding]:
    """Everything that is wrong with the slices and buffers of an operator's weights."""
    where, weights, op = op_name(graph, plan.op), plan.weights, graph.ops[plan.op]
    if (weights is None) != (op.weights is None):
        yield Finding(where, "a weight plan belongs to operators with weights, and only to them")
    if weights is None or op.weights is None:
        return
    depth, cuts = op.weights.values.shape[0], weights.depth_slices
    is_ascending = all(low < high for low, high in pairwise(cuts))
    if len(cuts) < 2 or (cuts[0], cuts[-1]) != (0, depth) or not is_ascending:
        yield Finding(where, f"its slices {cuts} do not go from 0 to {depth}")
    if any(cut % BRICK_DEPTH for cut in cuts[1:-1]):
        yield Finding(where, f"its slices {cuts} do not end at multiples of {BRICK_DEPTH}")
    if len(weights.slice_bytes) != len(cuts) - 1 or min(weights.slice_bytes, default=0) < 1:
        yield Finding(where, f"its slices {cuts} have the sizes {weights.slice_bytes}")
    if plan.cascade is not None and len(cuts) != 2:
        yield Finding(where, f"is in a cascade, but its weights are cut at {cuts}")
    yield from _buffers(where, target, weights)


def _buffers(where: str, target: Target, weights: WeightPlan) -> Iterator[Finding]:
    buffers = weights.buffer_bytes
    if len(buffers) > 2:
        yield Finding(where, f"has {len(buffers)} weight buffers")
    if weights.is_prefetched and not buffers:
        yield Finding(where, "its weights are fetched early, but to no buffer")
    if buffers and (target.permanent.area not in _SLOW or target.permanent == target.fast):
        text = f"buffers weights that are in {target.permanent.area.value}"
        yield Finding(where, text)
    for number, size in enumerate(buffers):
        needed = max(weights.slice_bytes[number :: len(buffers)], default=0)
        if size < needed:
            yield Finding(where, f"weight buffer {number} has {size} bytes for {needed}")


def _times(graph: NpuGraph, island: IslandSchedule) -> Iterator[Finding]:
    """Two times for each operator or cascade, in their order, and nothing is read before it is."""
    times: dict[tuple[int, bool], int] = {}
    for plan in island.ops:
        key = (plan.op, False) if plan.cascade is None else (plan.cascade, True)
        time = times.setdefault(key, 2 * len(times))
        if plan.time != time:
            yield Finding(op_name(graph, plan.op), f"runs at time {plan.time} instead of {time}")
    made_at: dict[FmId, list[OpPlan]] = {}
    for plan in island.ops:
        made_at.setdefault(graph.ops[plan.op].ofm.fm, []).append(plan)
    for plan in island.ops:
        for view in inputs_of(graph.ops[plan.op]):
            for maker in made_at.get(view.fm, ()):
                is_inside = plan.cascade is not None and maker.cascade == plan.cascade
                if maker.op < plan.op and maker.time >= plan.time and not is_inside:
                    text = f"reads {map_name(graph, view.fm)} at time {plan.time},"
                    where = op_name(graph, plan.op)
                    yield Finding(where, f"{text} which is made at {maker.time}")


def _snapshot(
    graph: NpuGraph, target: Target, schedule: Schedule, uses: Uses, island: IslandSchedule
) -> Iterator[Finding]:
    where = f"island {island.island} snapshot"
    needed = least_bytes(graph, target, schedule, uses, island)
    for time, size in enumerate(needed):
        said = island.snapshot[time] if time < len(island.snapshot) else 0
        if said < size:
            yield Finding(where, f"says {said} bytes at time {time}, but {size} are live")
