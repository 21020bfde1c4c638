"""Fronts as bytes, but for what whoever asks for them knows: the network, the target, the options.

They are taken for the problem that is asked about and for no other, and no schedule is taken that
a judge has anything against.
"""

from __future__ import annotations

from functools import cache

from core.base.columns import Columns
from core.base.errors import CoreError, InputError
from core.base.frozen import Frozen
from core.base.ids import FmId, IslandId, NpuOpId
from core.check import edits as edits_check
from core.check import memory as memory_check
from core.check import schedule as schedule_check
from core.check.finding import hold
from core.check.rings import Runs
from core.ir.cost import NetworkCost, OperatorCost
from core.ir.edits import EditOutcome
from core.ir.front import Ask, Front, Point, Tried
from core.ir.layout import MemoryLayout
from core.ir.schedule import Schedule
from core.ir.scheduled import Run, Scheduled
from core.pipeline.best.problem import Problem

_LEAST_BYTES, _BYTES_PER_OP = 1 << 20, 128 << 10
"""Of fronts of 60 searches an operator has a tenth of that."""


class _Point(Frozen):
    """What is found in no other place."""

    ask: Ask
    changes: int
    limit_bytes: int | None
    """Of the target that it was found for."""
    schedule: Schedule
    layout: MemoryLayout
    costs: tuple[OperatorCost, ...]
    total: NetworkCost
    edits: tuple[EditOutcome, ...]


class _Front(Frozen):
    points: tuple[_Point, ...]
    tried: tuple[Tried, ...]
    is_done: bool


class _Fronts(Frozen):
    by_plan: _Front
    by_limits: _Front


def most_bytes(run: Run) -> int:
    """What the fronts of a network have at most."""
    return _LEAST_BYTES + _BYTES_PER_OP * len(run.graph.ops)


def pack(by_plan: Front, by_limits: Front) -> bytes:
    """The bytes of what is known of one problem."""
    return _columns().pack(_Fronts(by_plan=_plain(by_plan), by_limits=_plain(by_limits)))


def unpack(data: bytes, run: Run, problem: Problem) -> tuple[Front, Front] | None:
    """What is known of a problem; None where these bytes do not tell it."""
    graph = run.graph
    runs: Runs = {}
    counts = {
        NpuOpId: len(graph.ops),
        FmId: len(graph.feature_maps),
        IslandId: len(graph.islands),
    }
    try:
        found = _columns().unpack(data, counts)
        return (
            _front(found.by_plan, run, problem, runs),
            _front(found.by_limits, run, problem, runs),
        )
    # Judges take a value to be of one piece, and do not say how they fail where it is not.
    except (CoreError, LookupError, ValueError, TypeError, ArithmeticError):
        return None


@cache
def _columns() -> Columns[_Fronts]:
    return Columns(_Fronts)


def _plain(front: Front) -> _Front:
    points = tuple(
        _Point(
            ask=point.ask,
            changes=point.changes,
            limit_bytes=point.scheduled.target.mode.arena_cache_size,
            schedule=point.scheduled.schedule,
            layout=point.scheduled.layout,
            costs=point.scheduled.costs,
            total=point.scheduled.total,
            edits=point.scheduled.edits,
        )
        for point in front.points
    )
    return _Front(points=points, tried=front.tried, is_done=front.is_done)


def _front(plain: _Front, run: Run, problem: Problem, runs: Runs) -> Front:
    if bool(plain.points) != bool(plain.tried) or (plain.is_done and not plain.tried):
        raise InputError("has not what was asked for")
    points = [_point(each, run, problem) for each in plain.points]
    for point in points:
        _demand_right(point.scheduled, problem, runs)
    return Front(tried=plain.tried, is_done=plain.is_done).with_points(points)


def _point(plain: _Point, run: Run, problem: Problem) -> Point:
    scheduled = Scheduled(
        run=run,
        target=problem.target.with_limit(plain.limit_bytes),
        options=problem.asking(plain.ask),
        schedule=plain.schedule,
        layout=plain.layout,
        costs=plain.costs,
        total=plain.total,
        edits=plain.edits,
    )
    return Point(scheduled=scheduled, ask=plain.ask, changes=plain.changes)


def _demand_right(found: Scheduled, problem: Problem, runs: Runs) -> None:
    """Refuse a schedule that is wrong, or that is for another question."""
    graph, target, plans, layout = found.graph, found.target, found.schedule, found.layout
    hold("the schedule", schedule_check.verify(graph, target, plans, runs))
    hold("the memory layout", memory_check.verify(graph, target, plans, layout, known=runs))
    hold("the edits", edits_check.verify(graph, target, plans, layout, found.edits))
    if tuple(outcome.edit for outcome in found.edits) != problem.options.edits:
        raise InputError("is about other edits")
    if len(found.costs) != len(graph.ops):
        raise InputError("has not the costs of all operators")
