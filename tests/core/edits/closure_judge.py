"""Judges edits around a schedule, by plans and addresses alone: what differs, and what may.

It shares no code with what it judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.ir.edits import EdgeNamed, Edit, MapNamed, OpNamed, OpsNamed, What
from core.ir.npugraph import NpuGraph
from core.ir.scheduled import Scheduled
from core.target.region import Region

Fact = tuple[str, str, int]
"""What is decided, whether of an operator or of a map, and its id."""


def facts(done: Scheduled) -> dict[Fact, object]:
    """All that a schedule decides, and where it has everything."""
    return {**_of_ops(done), **_of_maps(done), **_addresses(done)}


def _of_ops(done: Scheduled) -> dict[Fact, object]:
    found: dict[Fact, object] = {}
    for island in done.schedule.islands:
        order = [plan.op for plan in island.ops]
        for plan, then in zip(island.ops, [*order[1:], None], strict=True):
            cascade = None if plan.cascade is None else island.cascades[plan.cascade].ops
            found["cascade", "op", plan.op] = cascade
            found["before", "op", plan.op] = then
            found["stripe", "op", plan.op] = None if cascade is None else plan.stripe.ofm.h
            found["block", "op", plan.op] = plan.block.ofm_block
            if plan.weights is not None:
                found["traversal", "op", plan.op] = plan.block.is_part_kernel
                weights = plan.weights
                found["weights", "op", plan.op] = (
                    len(weights.buffer_bytes),
                    weights.depth_slices,
                    weights.lead_steps,
                )
    return found


def _of_maps(done: Scheduled) -> dict[Fact, object]:
    found: dict[Fact, object] = {}
    for fm in {op.ofm.fm for op in done.graph.ops}:
        plan = done.schedule.maps[fm]
        found["format", "map", fm] = plan.format
        found["rolling", "map", fm] = None if plan.rolling is None else plan.rolling.h
        if done.target.is_spilling and plan.rolling is None:
            found["region", "map", fm] = plan.region
    return found


def _addresses(done: Scheduled) -> dict[Fact, object]:
    found: dict[Fact, object] = {}
    for area in done.layout.areas:
        if {Region.SCRATCH, Region.SCRATCH_FAST}.isdisjoint(area.regions):
            continue
        for place in area.placements:
            found |= {("address", "map", fm): place.address for fm in place.fms}
            if place.op is not None and not place.buffer:
                found["address", "op", place.op] = place.address
    return found


def differences(one: Scheduled, other: Scheduled) -> dict[Fact, tuple[object, object]]:
    """What two schedules decide otherwise."""
    mine, its = facts(one), facts(other)
    return {
        fact: (mine.get(fact), its.get(fact))
        for fact in mine.keys() | its.keys()
        if mine.get(fact) != its.get(fact)
    }


def asked_facts(graph: NpuGraph, edit: Edit) -> set[Fact]:
    """What an edit itself decides."""
    op_ids, map_ids = _ids(graph)
    match edit.subject:
        case MapNamed() as name:
            return {(edit.what.value, "map", map_ids[name])}
        case OpsNamed(ops) if edit.what is What.STRIPE:
            return {("stripe", "op", max(op_ids[op] for op in ops))}
        case OpNamed() | OpsNamed() | EdgeNamed():
            what = "before" if edit.what in (What.BEFORE, What.AFTER) else edit.what.value
            return {(what, "op", op_ids[op]) for op in _ops(edit)}
        case _:
            return set()


def closure(ground: Scheduled, edit: Edit) -> set[Fact]:
    """The most that may follow: decisions of those whom the edit is about, of their cascades, of
    those right before and after, and what these make; addresses of all."""
    op_ids, map_ids = _ids(ground.graph)
    graph = ground.graph
    about = {op_ids[op] for op in (*_ops(edit), *_value_ops(edit))}
    maps: set[int] = set()
    if isinstance(edit.subject, MapNamed):
        storage = graph.feature_maps[map_ids[edit.subject]].storage
        maps = {fm.id for fm in graph.feature_maps if fm.storage == storage}
        touched = {map_ids[edit.subject]}
        about |= {op.id for op in graph.ops if touched & {view.fm for view in op.views}}
    groups = [*_groups(ground)]
    near: set[int] = set()
    places = [at for at, group in enumerate(groups) if about & {*group}]
    if edit.what in (What.ADDRESS, What.RESERVE):
        places, about, maps = [], set(), set()
    span = range(min(places), max(places) + 1) if places and edit.what is What.CASCADE else ()
    for at in {*places, *span}:
        for other in range(max(at - 1, 0), min(at + 2, len(groups))):
            near |= {*groups[other]}
    maps |= {graph.ops[op].ofm.fm for op in near}
    every = facts(ground).keys()
    return {
        *(("address", kind, index) for _, kind, index in every),
        *(
            (what, "op", op)
            for what in ("cascade", "before", "stripe", "block", "traversal", "weights")
            for op in near
        ),
        *((what, "map", fm) for what in ("format", "rolling", "region") for fm in maps),
    }


def told(done: Scheduled) -> dict[Fact, tuple[object, object]]:
    """What is said to have followed."""
    assert done.around is not None
    op_ids, map_ids = _ids(done.graph)
    found = {}
    for each in done.around.followed:
        is_map = isinstance(each.subject, MapNamed)
        index = map_ids[each.subject] if is_map else op_ids[each.subject]
        found[each.what.value, "map" if is_map else "op", index] = (each.before, each.now)
    return found


def faults(ground: Scheduled, done: Scheduled, edits: Iterable[Edit]) -> Iterator[str]:
    """All that is wrong with a schedule that these edits, which are honoured, have made of one."""
    edits = tuple(edits)
    differing = differences(ground, done)
    asked = {fact for edit in edits for fact in asked_facts(done.graph, edit)}
    allowed = {fact for edit in edits for fact in closure(ground, edit)}
    followed = told(done)
    for fact in differing.keys() - asked - followed.keys():
        yield f"{fact} differs, and is not said to: {differing[fact]}"
    for fact in followed.keys() - differing.keys():
        if fact[0] != "address":
            yield f"{fact} is said to have followed, and is as it was"
    for fact in followed.keys() - allowed:
        yield f"{fact} has followed from what it has nothing to do with"


def _ids(graph: NpuGraph) -> tuple[dict[OpNamed, int], dict[MapNamed, int]]:
    op_ids: dict[OpNamed, int] = {}
    for op in graph.ops:
        op_ids[OpNamed(op.name, sum(key.name == op.name for key in op_ids))] = op.id
    map_ids: dict[MapNamed, int] = {}
    for fm in graph.feature_maps:
        map_ids[MapNamed(fm.name, sum(key.name == fm.name for key in map_ids))] = fm.id
    return op_ids, map_ids


def _ops(edit: Edit) -> tuple[OpNamed, ...]:
    match edit.subject:
        case OpNamed() as name:
            return (name,)
        case OpsNamed(ops):
            return ops
        case EdgeNamed(maker, reader):
            return maker, reader
        case _:
            return ()


def _value_ops(edit: Edit) -> tuple[OpNamed, ...]:
    return (edit.value,) if isinstance(edit.value, OpNamed) else ()


def _groups(done: Scheduled) -> Iterator[tuple[int, ...]]:
    for island in done.schedule.islands:
        group: list[int] = []
        before = None
        for plan in island.ops:
            if group and (plan.cascade is None or plan.cascade != before):
                yield tuple(group)
                group = []
            group.append(plan.op)
            before = plan.cascade
        if group:
            yield tuple(group)
