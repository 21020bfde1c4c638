"""Judges cascades: who hands rows to whom, and that the rows are there when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.base.frozen import replace
from core.base.geometry import Shape4, round_up
from core.base.ids import FmId, NpuOpId
from core.check import overlays
from core.check.finding import Finding
from core.check.lifetimes import Uses, inputs_of, is_fast, map_name, op_name, stored_bytes
from core.check.rings import Runs, played
from core.ir.npugraph import NpuGraph, NpuOp, View
from core.ir.schedule import Cascade, IslandSchedule, MapPlan, RollingBuffer, Schedule, Stripe
from core.target.format import Format
from core.target.target import Target


def verify(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    uses: Uses,
    island: IslandSchedule,
    known: Runs,
) -> Iterator[Finding]:
    """Everything that is wrong with the cascades of an island."""
    stripes = {plan.op: plan.stripe for plan in island.ops}
    members: dict[int, list[int]] = {}
    for plan in island.ops:
        if plan.cascade is not None:
            members.setdefault(plan.cascade, []).append(plan.op)
    for number in sorted(members.keys() - set(range(len(island.cascades)))):
        text = f"operators {members[number]} say that they are in it, but it does not exist"
        yield Finding(f"island {island.island} cascade {number}", text)
    for number, cascade in enumerate(island.cascades):
        where = f"island {island.island} cascade {number}"
        if members.get(number, []) != list(cascade.ops) or len(cascade.ops) < 2:
            text = f"lists operators {list(cascade.ops)}, but {members.get(number, [])} are in it"
            yield Finding(where, text)
            continue
        faults = tuple(_links(graph, schedule, uses, cascade))
        yield from faults or _steps(graph, target, schedule, cascade, stripes, known)
        if cascade.overlays and not faults:
            yield from overlays.verify(graph, schedule, uses, cascade, stripes, known)
    yield from _rolling(graph, schedule, island)


def _links(graph: NpuGraph, schedule: Schedule, uses: Uses, cascade: Cascade) -> Iterator[Finding]:
    """What is handed on belongs to nobody else, and is read as it is made."""
    ops = [graph.ops[number] for number in cascade.ops]
    made = {op.ofm.fm for op in ops}
    rolling = {buffer.fm for buffer in cascade.buffers}
    inner = [fm for fm in dict.fromkeys(op.ofm.fm for op in ops) if _is_inner(uses, ops, fm)]
    buffered = [buffer.fm for buffer in cascade.buffers]
    if inner != buffered:
        where = f"cascade of {op_name(graph, cascade.ops[0])}"
        yield Finding(where, f"hands on maps {inner}, but has buffers for {buffered}")
    for fm in sorted(rolling):
        yield from _handed_on(graph, uses, ops, fm)
    for reader in ops:
        for view in inputs_of(reader):
            if view.fm in made:
                yield from _read(graph, schedule, ops, reader, view)
            if view.fm in rolling and (view.step_h != 1 or reader.pads_with_edge):
                yield Finding(op_name(graph, reader.id), "reads rows that cannot wrap in a ring")
        touched = {view.fm for view in reader.views}
        others = {view.fm for op in ops if op is not reader for view in op.views}
        if touched.isdisjoint(others):
            yield Finding(op_name(graph, reader.id), "has no map in common with its cascade")


def _is_inner(uses: Uses, ops: Sequence[NpuOp], fm: FmId) -> bool:
    """Whether a map is made and last read by operators of a cascade."""
    moments = {uses.moments[op.id] for op in ops}
    users = (*uses.writes[fm], *uses.reads.get(fm, ()))
    is_read = bool(uses.reads.get(fm))
    return is_read and moments.issuperset(users) and fm not in uses.outside | uses.fixed


def _steps(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    cascade: Cascade,
    stripes: Mapping[NpuOpId, Stripe],
    known: Runs,
) -> Iterator[Finding]:
    """Buffers are as large as rows need, and rows are there when they are read."""
    makers = {graph.ops[number].ofm.fm: graph.ops[number] for number in cascade.ops}
    for buffer in cascade.buffers:
        yield from _buffer(graph, target, schedule, buffer, makers[buffer.fm])
    fault = played(graph, cascade, stripes, known).fault
    if fault is not None:
        yield fault


def _handed_on(graph: NpuGraph, uses: Uses, ops: Sequence[NpuOp], fm: FmId) -> Iterator[Finding]:
    """Nobody outside knows of a map that rolls."""
    moments, name = {uses.moments[op.id] for op in ops}, map_name(graph, fm)
    if not moments.issuperset(uses.writes[fm]):
        yield Finding(name, f"is rolling, but has {len(uses.writes[fm])} writers")
    if not moments.issuperset(uses.reads.get(fm, ())):
        yield Finding(name, f"is rolling, but is read {len(uses.reads[fm])} times")
    if fm in uses.outside or fm in uses.fixed:
        yield Finding(name, "is rolling, but has to exist outside its cascade")
    for op in ops:
        view = op.ofm
        if view.fm == fm and (not _goes_downwards(view) or view.step_h != 1 or view.step_w != 1):
            yield Finding(op_name(graph, op.id), f"does not write {name} row by row")


def _read(
    graph: NpuGraph, schedule: Schedule, ops: Sequence[NpuOp], reader: NpuOp, view: View
) -> Iterator[Finding]:
    """A map that is made in a cascade is read in the order in which it is made."""
    shapes = {op.ofm.shape for op in ops if op.ofm.fm == view.fm}
    rows = {_row(shape, schedule.maps[view.fm]) for shape in (*shapes, view.shape)}
    if len(rows) > 1 or not _goes_downwards(view):
        name, seen = map_name(graph, view.fm), " and ".join(map(str, sorted(shapes)))
        text = f"reads {name} as {view.shape}, which is made as {seen}"
        yield Finding(op_name(graph, reader.id), text)


def _row(shape: Shape4, plan: MapPlan) -> tuple[int, ...]:
    """Rows, and what is in each of them: without bricks, elements one after the other."""
    linear = plan.format is Format.LINEAR
    return (shape.n, shape.h, shape.w * shape.c) if linear else tuple(shape)


def _goes_downwards(view: View) -> bool:
    """Whether rows are touched in the order in which they lie."""
    return view.step_h > 0 and not view.is_transposed and not view.base_offset_bytes


def _buffer(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    buffer: RollingBuffer,
    maker: NpuOp,
) -> Iterator[Finding]:
    name, plan = map_name(graph, buffer.fm), schedule.maps[buffer.fm]
    full, shape = maker.ofm.shape, buffer.shape
    depth = round_up(full.c, 16) if plan.format is Format.BRICKS else full.c
    is_seen_otherwise = plan.format is Format.LINEAR and shape.w * shape.c == full.w * full.c
    is_row = is_seen_otherwise or (shape.w >= full.w and shape.c == depth)
    if shape.n != full.n or not is_row:
        yield Finding(name, f"its rolling buffer is {shape}, but rows are {full}")
    size = stored_bytes(graph.feature_maps[buffer.fm], replace(plan, rolling=shape))
    if buffer.size_bytes != size:
        text = f"its rolling buffer takes {size} bytes, but {buffer.size_bytes} are said"
        yield Finding(name, text)
    if plan.rolling != shape:
        yield Finding(name, f"its plan says {plan.rolling} where its rolling buffer is {shape}")
    if not is_fast(target, plan):
        yield Finding(name, f"is rolling, but lies in {plan.region.value}")


def _rolling(graph: NpuGraph, schedule: Schedule, island: IslandSchedule) -> Iterator[Finding]:
    """Only what a cascade hands on may be rolling."""
    buffered = {buffer.fm for cascade in island.cascades for buffer in cascade.buffers}
    touched = {view.fm for plan in island.ops for view in graph.ops[plan.op].views}
    for fm in sorted(touched - buffered):
        if schedule.maps[fm].rolling is not None:
            yield Finding(map_name(graph, fm), "is rolling, but no cascade hands it on")
