"""Of very few operators all ways to group them, and all formats of what they make.

Steps of one decision do not lead everywhere: where several pay together and none by itself, they
have to be taken at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product

from core.base.errors import InternalError
from core.base.ids import NpuOpId
from core.edits.grouping import Group, asked_groups, groups_of
from core.edits.names import Names
from core.ir.edits import Edit, What
from core.ir.front import Point
from core.ir.npugraph import NpuGraph
from core.pipeline.best.nudges import are_linked, with_other_maps
from core.pipeline.best.windows import Searching, as_one
from core.target.format import Format


def grouped(point: Point, search: Searching) -> Iterator[Point]:
    """The best that is found for each way to run neighbours together; all else is searched."""
    scheduled = point.scheduled
    graph, names = scheduled.graph, Names.of(scheduled.graph)
    islands = [groups_of(island) for island in scheduled.schedule.islands]
    for at, groups in enumerate(islands):
        others = [group for other in (*islands[:at], *islands[at + 1 :]) for group in other]
        for borders in _groupings(graph, [op for group in groups for op in group]):
            asked = asked_groups(graph, names, [*borders, *others])
            yield from _found(point, search, tuple(asked))


def _groupings(graph: NpuGraph, order: Sequence[NpuOpId]) -> Iterator[list[Group]]:
    """Every way to cut an order into neighbours that have something to hand on."""
    for count in range(len(order)):
        for cuts in combinations(range(1, len(order)), count):
            groups: list[Group] = [
                tuple(order[first:end]) for first, end in pairwise((0, *cuts, len(order)))
            ]
            if all(len(group) == 1 or are_linked(graph, group) for group in groups):
                yield groups


def stored(point: Point, search: Searching) -> Iterator[Point]:
    """The point with each combination of formats; who touches another format takes other blocks."""
    scheduled = point.scheduled
    graph, maps = scheduled.graph, scheduled.schedule.maps
    names = Names.of(graph)
    # Several operators may make parts of one map.
    made = list(dict.fromkeys(op.ofm.fm for op in graph.ops))
    groups = [group for island in scheduled.schedule.islands for group in groups_of(island)]
    for formats in product(Format, repeat=len(made)):
        changed = tuple(
            Edit(subject=names.maps[fm], what=What.FORMAT, value=order)
            for fm, order in zip(made, formats, strict=True)
            if maps[fm].format is not order
        )
        if len(changed) > 1:
            yield from _found(point, search, with_other_maps(scheduled, changed, groups))


def _found(point: Point, search: Searching, edits: tuple[Edit, ...]) -> Iterator[Point]:
    try:
        tried = search(edits, point.scheduled.schedule)
    except InternalError:
        # Nobody has taken these decisions: what judges refuse of them is no schedule.
        return
    if tried is None:
        return
    order = [plan.op for plan in point.scheduled.plans()]
    yield Point(
        scheduled=as_one(point.scheduled, tried, order),
        ask=point.ask,
        changes=point.changes + 1,
    )
