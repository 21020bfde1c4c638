"""Which orders that are asked for are possible: what an operator needs comes before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from core.base.frozen import replace
from core.base.ids import FmId, NpuOpId
from core.ir.edits import Ground
from core.ir.fixed import Against, Fixed, Precedence
from core.liveness.order import Needs
from core.schedule.problem import IslandProblem

_ELSEWHERE = "another command stream"


def judged_order(
    problems: Sequence[IslandProblem], fixed: Fixed
) -> tuple[Fixed, tuple[Against, ...]]:
    """What is fixed with the orders that are possible, and why the others are not."""
    if not fixed.order:
        return fixed, ()
    needs_by_op = {op: each for problem in problems for each in (problem.needs,) for op in each.ops}
    against: list[Against] = []
    possible = []
    for wish in fixed.order:
        reason = _reason(needs_by_op, wish)
        if reason is None:
            possible.append(wish)
        else:
            against.append(reason)
    torn = _torn(needs_by_op, possible)
    against += (
        Against(
            what=wish.decided[0],
            ids=wish.decided[1],
            ground=Ground.CONTRADICTED,
            is_proved=True,
            beside=tuple(other.decided for other in ring if other is not wish),
        )
        for ring in torn
        for wish in ring
    )
    kept = tuple(wish for wish in possible if not any(wish in ring for ring in torn))
    return replace(fixed, order=kept), tuple(against)


def _reason(needs_by_op: Mapping[NpuOpId, Needs], wish: Precedence) -> Against | None:
    what, ids = wish.decided
    needs = needs_by_op[wish.first]
    if needs is not needs_by_op[wish.then]:
        return Against(
            what=what, ids=ids, ground=Ground.NOT_LEGAL, is_proved=True, detail=_ELSEWHERE
        )
    path = needs.path(wish.then, wish.first)
    if not path:
        return None
    maps = tuple(_maps(needs, path))
    return Against(what=what, ids=ids, ground=Ground.DEPENDS, is_proved=True, ops=path, maps=maps)


def _maps(needs: Needs, path: Sequence[NpuOpId]) -> Iterator[FmId]:
    """Because of which each operator comes behind the one before."""
    for before, after in pairwise(path):
        fm = needs.of[after][before]
        if fm is not None:
            yield fm


def _torn(
    needs_by_op: Mapping[NpuOpId, Needs], wishes: Sequence[Precedence]
) -> list[list[Precedence]]:
    """Wishes that cannot all be, each with those that it cannot be beside."""
    if _are_one_order(needs_by_op, wishes):
        return []
    reach = {wish: _behind(needs_by_op[wish.then], wish.then, wishes) for wish in wishes}
    rings: list[list[Precedence]] = []
    for wish in wishes:
        if wish.first not in reach[wish] or any(wish in ring for ring in rings):
            continue
        rings.append(
            [other for other in wishes if other.first in reach[wish] and wish.first in reach[other]]
        )
    return rings


def _are_one_order(needs_by_op: Mapping[NpuOpId, Needs], wishes: Sequence[Precedence]) -> bool:
    """Whether operators can run in an order in which all wishes hold."""
    before = {op: {*needs.of[op]} for op, needs in needs_by_op.items()}
    for wish in wishes:
        before[wish.then].add(wish.first)
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return False
    return True


def _behind(needs: Needs, op: NpuOpId, wishes: Sequence[Precedence]) -> frozenset[NpuOpId]:
    """An operator, and all that run behind it by what they need and by wishes."""
    after: dict[NpuOpId, list[NpuOpId]] = {each: [] for each in needs.ops}
    for each in needs.ops:
        for before in needs.of[each]:
            after[before].append(each)
    for wish in wishes:
        if wish.first in after:
            after[wish.first].append(wish.then)
    found, waiting = {op}, [op]
    while waiting:
        for each in after[waiting.pop()]:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return frozenset(found)
