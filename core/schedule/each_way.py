"""An island with its maps stored in one way after the other; the best schedule is taken.

Each search is followed by a look at its result: whatever has room can be in its faster format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from core.base.frozen import Frozen, replace
from core.ir.decisions import Candidate, Decision, FormatsFor, FormatsTried
from core.ir.options import Strategy
from core.schedule.cascading import CascadingEngine
from core.schedule.draft import Draft
from core.schedule.estimates import Estimates
from core.schedule.eviction.policies import POLICIES
from core.schedule.limitless import Limitless
from core.schedule.ordering.rival import better_order
from core.schedule.problem import IslandProblem
from core.schedule.reformat import FreeFormats, Priced, Spilling
from core.schedule.solved import Solved
from core.schedule.spilling import Spill, spill


class Asked(Frozen):
    """An island with its maps stored in one way."""

    aim: FormatsFor
    engine: CascadingEngine
    others: Callable[[bool], Iterable[tuple[IslandProblem, Limitless]]]
    """The same in orders of its operators in which less is live, or least."""

    def in_other_orders(self, in_file: Solved) -> Solved:
        """The best schedule of one in the file's order, and of those in others where memory is
        short."""
        engine, best = self.engine, in_file
        if _has_all(best, engine):
            return best
        is_size = engine.estimates.options.strategy is Strategy.SIZE
        if not is_size:
            best = self._better(best, in_file, self.others(False))  # noqa: FBT003 - not for the least
        if is_size or best.now.peak_bytes > engine.limit_bytes:
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


def _has_all(solved: Solved, engine: CascadingEngine) -> bool:
    """Whether nothing was done for lack of memory."""
    fits = solved.now.peak_bytes <= engine.limit_bytes
    return fits and solved.candidate is Candidate.WHOLE_MAPS


class _InFile(NamedTuple):
    """The best schedule in the file's order with maps stored in one way."""

    asked: Asked
    solved: Solved
    priced: Priced
    """With whatever has room in its faster format."""


class EachWay(Frozen):
    """Searches the schedule of one island."""

    engines: tuple[Asked, ...]
    """The fastest formats first."""
    free: FreeFormats

    @property
    def first(self) -> CascadingEngine:
        """One of the engines, which differ in formats alone."""
        return self.engines[0].engine

    def solve(self) -> Solved:
        """The best schedule that was found; within the limit wherever one of those tried is."""
        if self.engines[0].aim is FormatsFor.RULES:
            return self.engines[0].in_other_orders(self.first.solve())
        tried = list(self._found())
        _, best = min(tried, key=lambda pair: self._rank(pair[1]))
        records: list[Decision] = [
            FormatsTried(
                island=each.solved.problem.island.id,
                aim=aim,
                peak_bytes=each.solved.now.peak_bytes,
                cycles=each.cycles,
                limit_bytes=each.solved.limit_bytes,
                is_taken=each is best,
            )
            for aim, each in tried
            if self.free.fms and len(self.engines) > 1
        ]
        return replace(
            best.solved,
            formats=self.free.records(best),
            decisions=(*records, *best.solved.decisions),
        )

    def _rank(self, found: Priced) -> tuple[int, float]:
        return max(found.solved.now.peak_bytes, self.first.limit_bytes), found.cycles

    def _found(self) -> Iterator[tuple[FormatsFor, Priced]]:
        """Each way in the file's order, and the best of them in other orders, too: where these are
        better, they mostly are so in either way."""
        tried = list(self._in_file())
        best = min(tried, key=lambda each: self._rank(each.priced))
        for each in tried:
            yield each.asked.aim, self._in_other_orders(each) if each is best else each.priced

    def _in_file(self) -> Iterator[_InFile]:
        *others, small = self.engines
        if not others or self.first.estimates.options.strategy is Strategy.SIZE:
            yield self._searched(small)
            return
        (fast,) = others
        found = self._searched(fast)
        yield found
        if not self.free.fms:
            return
        if not _has_all(found.solved, fast.engine):
            yield self._searched(small)

    def _searched(self, asked: Asked) -> _InFile:
        solved = asked.engine.solve()
        return _InFile(asked, solved, self._in_faster_formats(asked.engine, solved))

    def _in_other_orders(self, found: _InFile) -> Priced:
        solved = found.asked.in_other_orders(found.solved)
        if solved is found.solved:
            return found.priced
        return self._in_faster_formats(found.asked.engine, solved)

    def _in_faster_formats(self, engine: CascadingEngine, solved: Solved) -> Priced:
        found, most = self.free.priced(solved), _most_bytes(engine, solved)
        again, restored = _spilling(engine, solved), engine.known.restored
        return self.free.faster(found, engine.estimates, most, again, restored)


def _most_bytes(engine: CascadingEngine, solved: Solved) -> int:
    """What a schedule may take once it has been found: what it takes anyway, or is free."""
    peak, limit = solved.now.peak_bytes, engine.limit_bytes
    if engine.estimates.options.strategy is Strategy.SIZE:
        return solved.problem.storage.limit_for_size(peak, limit)
    return max(peak, limit)


def _spilling(engine: CascadingEngine, solved: Solved) -> Spilling:
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

    return again
