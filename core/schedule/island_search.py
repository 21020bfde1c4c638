"""The search of one island: in the file's order, in others where memory is short, and then with
whatever has room in its faster format."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from core.base.frozen import Frozen, replace
from core.base.ids import NpuOpId
from core.ir.decisions import Candidate
from core.ir.search_records import OrderTried
from core.schedule.draft import Draft
from core.schedule.engine import IslandEngine
from core.schedule.estimates import Estimates
from core.schedule.eviction.policies import POLICIES
from core.schedule.limitless import Limitless
from core.schedule.problem import IslandProblem
from core.schedule.reformat import FreeFormats
from core.schedule.solved import Solved
from core.schedule.spilling import Spill, spill


class IslandSearch(Frozen):
    """Searches the schedule of one island."""

    engine: IslandEngine
    others: Callable[[bool], Iterable[tuple[IslandProblem, Limitless]]]
    """The same in orders of its operators in which less is live, or least."""
    free: FreeFormats

    def solve(self) -> Solved:
        """The best schedule that was found; within the limit wherever one of those tried is."""
        solved = self._in_other_orders(self.engine.solve())
        return self._in_faster_formats(solved) if self.free.fms else solved

    def _in_other_orders(self, in_file: Solved) -> Solved:
        """The best schedule of one in the file's order, and of those in others where memory is
        short."""
        engine, best = self.engine, in_file
        if _has_all(best, engine):
            return best
        if not engine.is_size:
            best = self._better(best, in_file, self.others(False))  # noqa: FBT003 - not for the least
        if engine.is_size or best.now.peak_bytes > engine.limit_bytes:
            best = self._better(best, in_file, self.others(True))  # noqa: FBT003 - for the least
        return best

    def _better(
        self, best: Solved, in_file: Solved, others: Iterable[tuple[IslandProblem, Limitless]]
    ) -> Solved:
        engine = self.engine
        for problem, known in others:
            found = replace(engine, problem=problem, known=known).solve()
            best = better_order(best, found, in_file, engine.limit_bytes, engine.cycles)
        return best

    def _in_faster_formats(self, solved: Solved) -> Solved:
        engine, most_bytes = self.engine, _most_bytes(self.engine, solved)
        policy = POLICIES[engine.estimates.options.eviction]

        def again(problem: IslandProblem, estimates: Estimates, draft: Draft) -> Spill:
            return spill(
                problem,
                estimates,
                draft,
                solved.limit_bytes,
                policy,
                engine.progress,
                saved=engine.saved(draft),
            )

        priced = self.free.priced(solved)
        best = self.free.faster(priced, engine.estimates, most_bytes, again, engine.known.restored)
        return replace(best.solved, formats=self.free.records(best))


def _has_all(solved: Solved, engine: IslandEngine) -> bool:
    """Whether nothing was done for lack of memory."""
    fits = solved.now.peak_bytes <= engine.limit_bytes
    return fits and solved.candidate is Candidate.WHOLE_MAPS


def _most_bytes(engine: IslandEngine, solved: Solved) -> int:
    """What a schedule may take once it has been found: what it takes anyway, or is free."""
    peak, limit = solved.now.peak_bytes, engine.limit_bytes
    if engine.is_size:
        return solved.problem.storage.limit_for_size(peak, limit)
    return max(peak, limit)


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
