"""One decision of a schedule is changed, while all others stay as they are: the rows of a stripe, a
border of a cascade, a block, how weights come, the format of a map, or where it lives.

Both engines give the operators of a cascade heights that go together; a schedule between theirs is
often an operator's step away.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence

from core.base.errors import InternalError
from core.base.ids import FmId, NpuOpId
from core.edits.freeze import freeze
from core.edits.grouping import Group, asked_groups, groups_of
from core.edits.names import Names
from core.ir.edits import Edit, Living, What
from core.ir.front import Point, Windows
from core.ir.npugraph import NpuGraph
from core.ir.schedule import OpPlan
from core.ir.scheduled import Scheduled
from core.pipeline.best.windows import Searching, as_one
from core.pipeline.proposals import about
from core.target.format import Format

_JOINED = 4
"""So many groups become one at most."""


def nudged(point: Point, windows: Windows, limit_bytes: int, search: Searching) -> Iterator[Point]:
    """All that is found a step away from a point, each from the best within the limit."""
    order = [plan.op for plan in point.scheduled.plans()]
    for window in windows.of(order):
        for op in window:
            before = best = point
            for edits in _changes(before.scheduled, op):
                try:
                    tried = search(edits, before.scheduled.schedule)
                except InternalError:
                    # Nobody has taken these decisions: what judges refuse of them is no schedule.
                    continue
                if tried is None:
                    continue
                found = Point(
                    scheduled=as_one(before.scheduled, tried, window),
                    ask=before.ask,
                    changes=before.changes + 1,
                )
                yield found
                if found.fast_bytes <= max(limit_bytes, best.fast_bytes) and found.rank < best.rank:
                    best = found
            point = best


def _changes(scheduled: Scheduled, op: NpuOpId) -> Iterator[tuple[Edit, ...]]:
    """Each as all decisions of a schedule but those about whom it changes."""
    island = next(
        island for island in scheduled.schedule.islands if any(plan.op == op for plan in island.ops)
    )
    plan = next(plan for plan in island.ops if plan.op == op)
    others = [
        group
        for other in scheduled.schedule.islands
        if other is not island
        for group in groups_of(other)
    ]
    groups = groups_of(island)
    names = Names.of(scheduled.graph)
    for rows in _other_rows(scheduled, plan):
        for joined in _with_next(next(group for group in groups if op in group), op):
            stripes = [
                Edit(subject=names.ops[each], what=What.STRIPE, value=rows) for each in joined
            ]
            yield (*all_but(scheduled, joined, [*groups, *others]), *stripes)
    for changed in about(scheduled, plan, names):
        if changed.what in (What.BLOCK, What.WEIGHTS):
            kept = all_but(scheduled, (), [*groups, *others])
            yield (*without(kept, changed), changed)
    for edits in _other_maps(scheduled, op, names):
        yield with_other_maps(scheduled, edits, [*groups, *others])
    for borders in _other_groups(scheduled.graph, groups, op):
        moved = {each for group in set(groups) ^ set(borders) for each in group}
        # What was a map in memory may become a ring, and the other way round.
        made = {scheduled.graph.ops[each].ofm.fm for each in moved}
        yield all_but(scheduled, moved, [*borders, *others], made)


def _other_rows(scheduled: Scheduled, plan: OpPlan) -> list[int]:
    """Heights near that of an operator that runs in stripes."""
    if plan.cascade is None:
        return []
    rows, most = plan.stripe.ofm.h, scheduled.graph.ops[plan.op].made.h
    near = {rows // 2, rows - 1, rows + 1, 2 * rows} - {rows}
    return sorted(each for each in near if 1 <= each < most)


def without(edits: Iterable[Edit], *changed: Edit) -> Iterator[Edit]:
    """Those that are not about what is asked for otherwise."""
    replaced = {(edit.what, edit.subject) for edit in changed}
    return (edit for edit in edits if (edit.what, edit.subject) not in replaced)


def _with_next(group: Group, op: NpuOpId) -> Iterator[Group]:
    """An operator of a cascade, then with the one after it, then all from it on: what one of them
    makes alone the other waits for."""
    at = group.index(op)
    yield from dict.fromkeys((group[at : at + 1], group[at : at + 2], group[at:]))


def _other_maps(scheduled: Scheduled, op: NpuOpId, names: Names) -> Iterator[tuple[Edit, ...]]:
    """What an operator makes, in the other format, alone or with what it reads; or in the other
    memory."""
    graph, maps = scheduled.graph, scheduled.schedule.maps
    fm = graph.ops[op].ofm.fm
    made = _in_other_format(scheduled, fm, names)
    yield (made,)
    for view in graph.ops[op].views:
        if view.fm != fm and any(other.ofm.fm == view.fm for other in graph.ops):
            yield made, _in_other_format(scheduled, view.fm, names)
    if scheduled.target.is_spilling and maps[fm].rolling is None:
        is_fast = Living.of(maps[fm].region) is Living.FAST
        where = Living.SLOW if is_fast else Living.FAST
        yield (Edit(subject=names.maps[fm], what=What.REGION, value=where),)


def _in_other_format(scheduled: Scheduled, fm: FmId, names: Names) -> Edit:
    other = next(each for each in Format if each is not scheduled.schedule.maps[fm].format)
    return Edit(subject=names.maps[fm], what=What.FORMAT, value=other)


def with_other_maps(
    scheduled: Scheduled, edits: tuple[Edit, ...], groups: Sequence[Group]
) -> tuple[Edit, ...]:
    """All decisions, with maps as these edits ask: whoever touches one takes another block for it,
    and runs in the same stripes."""
    names = Names.of(scheduled.graph)
    moved = _touching(scheduled.graph, edits, names)
    rows = [
        Edit(subject=names.ops[plan.op], what=What.STRIPE, value=plan.stripe.ofm.h)
        for plan in scheduled.plans()
        if plan.op in moved and plan.cascade is not None
    ]
    return (*without(all_but(scheduled, moved, groups), *edits), *rows, *edits)


def _touching(graph: NpuGraph, edits: Iterable[Edit], names: Names) -> set[NpuOpId]:
    """Whoever makes or reads a map that is changed: these take other blocks."""
    changed = {edit.subject for edit in edits}
    return {op.id for op in graph.ops if any(names.maps[view.fm] in changed for view in op.views)}


def are_linked(graph: NpuGraph, group: Group) -> bool:
    """Whether each has a map in common with another."""
    touched = [{view.fm for view in graph.ops[op].views} for op in group]
    return all(any(own & other for other in touched if other is not own) for own in touched)


def _other_groups(graph: NpuGraph, groups: Sequence[Group], op: NpuOpId) -> Iterator[list[Group]]:
    """A border is put before an operator or taken away there, maybe with those that follow: rows
    are often handed on by three operators or not at all."""
    at = next(at for at, group in enumerate(groups) if op in group)
    group, place = groups[at], groups[at].index(op)
    if place:
        parts = group[:place], group[place:]
        if all(len(part) == 1 or are_linked(graph, part) for part in parts):
            yield [*groups[:at], *parts, *groups[at + 1 :]]
    elif at:
        for end in range(at + 1, min(at + _JOINED, len(groups) + 1)):
            joined = tuple(each for other in groups[at - 1 : end] for each in other)
            if are_linked(graph, joined):
                yield [*groups[: at - 1], joined, *groups[end:]]


def all_but(
    scheduled: Scheduled,
    moved: Container[NpuOpId],
    groups: Sequence[Group],
    made: Collection[FmId] = (),
) -> tuple[Edit, ...]:
    """All decisions, with these groups, and nothing about operators that are moved and maps that
    are made otherwise: rings of their cascades have the rows that are needed then."""
    graph = scheduled.graph
    names = Names.of(graph)
    touched = {op for group in groups if any(op in moved for op in group) for op in group}
    free_rings = {names.maps[graph.ops[op].ofm.fm] for op in touched}
    free_maps = {names.maps[fm] for fm in made}
    free_ops = {names.ops[op.id] for op in graph.ops if op.id in moved}
    kept = (
        edit
        for edit in freeze(graph, scheduled.schedule, scheduled.target)
        if edit.what is not What.CASCADE
        and edit.subject not in free_ops
        and edit.subject not in free_maps
        and not (edit.what is What.ROLLING and edit.subject in free_rings)
    )
    return (*kept, *asked_groups(graph, names, groups))
