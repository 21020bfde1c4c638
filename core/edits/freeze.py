"""The decisions of a schedule as edits: with all of them, a search finds that schedule again."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise

from core.base.ids import NpuOpId
from core.edits.names import Names
from core.edits.plans import Decision, of_map, of_op
from core.edits.processors import put_there
from core.edits.resolve import border_of
from core.ir.edits import (
    Edit,
    Grouping,
    MapNamed,
    OpNamed,
    OpsNamed,
    What,
)
from core.ir.npugraph import NpuGraph
from core.ir.schedule import IslandSchedule, Schedule
from core.target.target import Target


def freeze(
    graph: NpuGraph, schedule: Schedule, target: Target, ops: Container[NpuOpId] | None = None
) -> tuple[Edit, ...]:
    """Edits that ask for what a schedule does; where operators are given, for these and what they
    make.

    They hold for networks that are lowered alike: with the freedoms that this one was lowered with.
    """
    names = Names.of(graph)
    chosen = frozenset(op.id for op in graph.ops) if ops is None else ops
    return (
        *_maps(graph, schedule, names, chosen, has_two=target.is_spilling),
        *(edit for island in schedule.islands for edit in _cascades(graph, island, names, chosen)),
        *(
            edit
            for island in schedule.islands
            for edit in order_of(graph, [p.op for p in island.ops if p.op in chosen], names)
        ),
        *(
            edit
            for plan in schedule.ops
            if plan.op in chosen
            for edit in _edits(names.ops[plan.op], of_op(graph.ops[plan.op], plan))
        ),
    )


def everything(graph: NpuGraph, schedule: Schedule, target: Target) -> tuple[Edit, ...]:
    """The same with what was put on the CPU on purpose, so that networks are lowered alike."""
    return (*put_there(graph), *freeze(graph, schedule, target))


def _maps(
    graph: NpuGraph,
    schedule: Schedule,
    names: Names,
    chosen: Container[NpuOpId],
    *,
    has_two: bool,
) -> Iterator[Edit]:
    made = dict.fromkeys(op.ofm.fm for op in graph.ops if op.id in chosen)
    for fm in made:
        yield from _edits(names.maps[fm], of_map(schedule.maps[fm], has_two=has_two))


def _edits(subject: OpNamed | MapNamed, decided: Iterable[Decision]) -> Iterator[Edit]:
    return (Edit(subject=subject, what=what, value=value) for what, value in decided)


def _cascades(
    graph: NpuGraph, island: IslandSchedule, names: Names, chosen: Container[NpuOpId]
) -> Iterator[Edit]:
    """Each operator that runs alone has an edit of its own: one that cannot be takes no other."""
    for plan in island.ops:
        if plan.cascade is None and plan.op in chosen:
            yield Edit(subject=names.ops[plan.op], what=What.CASCADE, value=Grouping.NEVER)
    for cascade in island.cascades:
        if any(op in chosen for op in cascade.ops):
            ops = OpsNamed(tuple(names.ops[op] for op in cascade.ops))
            yield Edit(subject=ops, what=What.CASCADE, value=Grouping.TOGETHER)
    for before, after in pairwise(island.ops):
        is_border = before.cascade != after.cascade
        if is_border and None not in (before.cascade, after.cascade) and after.op in chosen:
            border = border_of(graph, names, before.op, after.op)
            yield Edit(subject=border, what=What.CASCADE, value=Grouping.APART)


def order_of(graph: NpuGraph, ops: Sequence[NpuOpId], names: Names) -> Iterator[Edit]:
    """What asks for an order, where it is another than the file's: of each two neighbours, but for
    those of which the second reads what the first makes."""
    if list(ops) == sorted(ops):
        return
    for before, after in pairwise(ops):
        read = {view.fm for view in graph.ops[after].views[:-1]}
        if graph.ops[before].ofm.fm not in read:
            yield Edit(subject=names.ops[before], what=What.BEFORE, value=names.ops[after])
