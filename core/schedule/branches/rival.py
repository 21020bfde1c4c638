"""A schedule of chains beside one with cascades across branches: the better of both, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.base.frozen import replace
from core.ir.decisions import Decision, FullMapNeeded, GroupsTried, Role, StripesImpossible
from core.schedule.draft import rolling_maps
from core.schedule.solved import Solved, block_records

Cycles = Callable[[Solved], float]


def better_of(chains: Solved, other: Solved, limit_bytes: int, cycles: Cycles) -> Solved:
    """Whichever has what is asked for, needs less as far as there is too little, and is faster."""
    before, after = _rank(chains, limit_bytes, cycles), _rank(other, limit_bytes, cycles)
    is_taken = after < before
    record = GroupsTried(
        island=chains.problem.island.id,
        peak_bytes=other.now.peak_bytes,
        peak_bytes_before=chains.now.peak_bytes,
        cycles=after.cycles,
        cycles_before=before.cycles,
        limit_bytes=limit_bytes,
        is_taken=is_taken,
    )
    if not is_taken:
        return replace(chains, decisions=(*chains.decisions, record))
    log = (*still_true(other), *block_records(other), *other.decisions, record)
    return replace(other, decisions=log)


class _Rank(NamedTuple):
    """The less, the better."""

    is_otherwise: bool
    """Whether it has not what was asked for."""
    size_bytes: int
    cycles: float


def _rank(solved: Solved, limit_bytes: int, cycles: Cycles) -> _Rank:
    cascade_of = {index: plan.cascade for index, plan in solved.draft.ops.items()}
    is_as_asked = solved.problem.bonds.hold_in(cascade_of)
    return _Rank(not is_as_asked, max(solved.now.peak_bytes, limit_bytes), cycles(solved))


def still_true(solved: Solved) -> Iterator[Decision]:
    """What keeps operators from chains, without those that are in a cascade all the same."""
    draft, rolling = solved.draft, rolling_maps(solved.draft)
    striped = {n.op.id for n in solved.problem.nodes if draft.ops[n.index].cascade is not None}
    for each in solved.problem.decisions:
        if isinstance(each, StripesImpossible) and each.op in striped:
            continue
        if isinstance(each, FullMapNeeded):
            op = solved.problem.graph.ops[each.op]
            second = op.ofm if op.ifm2 is None else op.ifm2
            view = {Role.IFM: op.ifm, Role.IFM2: second, Role.OFM: op.ofm}[each.role]
            if view.fm in rolling:
                continue
        yield each
