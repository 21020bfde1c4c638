"""A schedule in the order of the file beside one in another order: the better of both, and why."""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import replace
from core.base.ids import NpuOpId
from core.ir.search_records import OrderTried
from core.schedule.solved import Solved


def better_order(
    before: Solved,
    other: Solved,
    in_file: Solved,
    limit_bytes: int,
    cycles: Callable[[Solved], float],
) -> Solved:
    """Whichever needs less as far as there is too little, and is faster; the first where both are
    as good. What is told of the other stands beside the order of the file (`in_file`)."""
    ranks = [(max(each.now.peak_bytes, limit_bytes), cycles(each)) for each in (before, other)]
    is_taken = ranks[1] < ranks[0]
    record = OrderTried(
        island=before.problem.island.id,
        ops=tuple(put_off(other.problem.island.ops)),
        peak_bytes=other.now.peak_bytes,
        peak_bytes_before=in_file.now.peak_bytes,
        cycles=ranks[1][1],
        cycles_before=cycles(in_file),
        limit_bytes=limit_bytes,
        is_taken=is_taken,
    )
    best = other if is_taken else before
    return replace(best, decisions=(*best.decisions, record))


def put_off(ops: tuple[NpuOpId, ...]) -> list[NpuOpId]:
    """Operators that run behind one that the file has behind them."""
    latest, found = -1, []
    for op in ops:
        if op < latest:
            found.append(op)
        latest = max(latest, op)
    return found
