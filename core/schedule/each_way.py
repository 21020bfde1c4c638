"""An island with its maps stored in one way after the other; the best schedule is taken.

Each search is followed by a look at its result: whatever has room can be in its faster format.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.ir.decisions import Candidate, FormatsFor, FormatsTried
from core.ir.options import Strategy
from core.schedule.cascading import CascadingEngine
from core.schedule.draft import Draft
from core.schedule.estimates import Estimates
from core.schedule.eviction.policies import POLICIES
from core.schedule.problem import IslandProblem
from core.schedule.reformat import FreeFormats, Priced, Spilling
from core.schedule.solved import Solved
from core.schedule.spilling import Spill, spill


@dataclass(frozen=True, slots=True, kw_only=True)
class EachWay:
    """Searches the schedule of one island."""

    engines: tuple[tuple[FormatsFor, CascadingEngine], ...]
    """The fastest formats first."""
    free: FreeFormats

    @property
    def first(self) -> CascadingEngine:
        """One of the engines, which differ in formats alone."""
        return self.engines[0][1]

    def solve(self) -> Solved:
        """The best schedule that was found; within the limit wherever one of those tried is."""
        if not self.free.fms:
            return self.first.solve()
        tried = list(self._found())
        _, best = min(tried, key=lambda pair: self._rank(pair[1]))
        records = tuple(
            FormatsTried(
                island=each.solved.problem.island.id,
                aim=aim,
                peak_bytes=each.solved.now.peak_bytes,
                cycles=each.cycles,
                limit_bytes=each.solved.limit_bytes,
                is_taken=each is best,
            )
            for aim, each in tried
        )
        return replace(
            best.solved,
            formats=self.free.records(best),
            decisions=(*records, *best.solved.decisions),
        )

    def _rank(self, found: Priced) -> tuple[int, float]:
        return max(found.solved.now.peak_bytes, self.first.limit_bytes), found.cycles

    def _found(self) -> Iterator[tuple[FormatsFor, Priced]]:
        is_size = self.first.options.strategy is Strategy.SIZE
        for aim, engine in self.engines:
            if is_size and aim is FormatsFor.CYCLES:
                continue
            solved = engine.solve()
            most = self._most_bytes(solved)
            found = self.free.faster(
                self.free.priced(solved), engine.estimates, most, _spilling(engine, solved)
            )
            yield aim, found
            fits = found.solved.now.peak_bytes <= engine.limit_bytes
            if fits and solved.candidate is Candidate.WHOLE_MAPS:
                # Nothing was done for lack of memory.
                return

    def _most_bytes(self, solved: Solved) -> int:
        """What a schedule may take once it has been found: what it takes anyway, or is free."""
        peak, limit = solved.now.peak_bytes, self.first.limit_bytes
        if self.first.options.strategy is Strategy.SIZE:
            return solved.problem.storage.limit_for_size(peak, limit)
        return max(peak, limit)


def _spilling(engine: CascadingEngine, solved: Solved) -> Spilling:
    policy = POLICIES[engine.options.eviction]

    def again(problem: IslandProblem, estimates: Estimates, draft: Draft) -> Spill:
        return spill(problem, estimates, draft, solved.limit_bytes, policy, engine.progress)

    return again
