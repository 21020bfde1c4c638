"""Our search of one island: where it is cut, which maps stay near, and then what else has room.

Cuts are exact for given maps that live on in fast storage, and which of these are worth it depends
on the cuts: whole maps tell the first ones, then the best cuts tell others, until none are better.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import replace
from core.base.ids import FmId
from core.ir.decisions import Decision
from core.schedule.branches.rival import still_true
from core.schedule.branches.search import Branches
from core.schedule.cascading import CascadingEngine
from core.schedule.draft import Draft, rolling_maps, snapshot
from core.schedule.eviction.policies import POLICIES
from core.schedule.front.crossing import Crossing
from core.schedule.front.cuts import Cut, Cuts
from core.schedule.front.drafts import draft_of
from core.schedule.front.endings import Ground
from core.schedule.front.prices import NodePrices
from core.schedule.front.raised import parts_of, raised
from core.schedule.limitless import Ready, Striped
from core.schedule.solved import Solved, block_records
from core.schedule.spilling import spill

_MOST_ROUNDS = 3
"""How often cuts tell which maps stay, and these the next cuts."""


class FrontEngine(CascadingEngine, eq=False):
    """Searches the schedule of one island for speed."""

    def solve(self) -> Solved:
        """The fastest within the limit, or within what the smallest cuts take."""
        tried: list[Decision] = []
        whole = self.whole_within(self.limit_bytes, tried)
        if whole is not None:
            log = (*self.problem.decisions, *tried, *block_records(whole))
            return replace(whole, decisions=(*log, *whole.decisions))
        most_bytes = self._most_bytes()
        cuts = self._cuts()
        cut = None if most_bytes is None else self._best_cut(cuts, most_bytes)
        if cut is None or most_bytes is None:
            return super().solve()
        cut = raised(cuts, cut)
        best = min(self._finishes(cuts, cut, most_bytes), key=self._rank)
        log = (*still_true(best), *tried, *parts_of(cuts, cut, most_bytes), *block_records(best))
        return replace(best, limit_bytes=self.limit_bytes, decisions=(*log, *best.decisions))

    def whole_maps_beside(self, cascaded: Solved) -> Solved | None:
        """Whole maps are among the cuts."""
        del cascaded
        return None

    def _rank(self, found: Solved) -> tuple[int, float]:
        return max(found.now.peak_bytes, self.limit_bytes), self.cycles(found)

    def _finishes(self, cuts: Cuts, cut: Cut, most_bytes: int) -> Iterator[Solved]:
        """Cuts with all that has room beside them: what weights leave is for maps, or what maps
        leave that the cuts count on is for weights."""
        draft = draft_of(cuts, cut, most_bytes)
        striped = Striped(draft)
        yield self.moved(striped, most_bytes)[1]
        near = cut.near.difference(rolling_maps(draft))
        if near:
            fitted = self.fitted(striped, near)
            counted_on = Ready(fitted.draft, snapshot(self.problem, fitted.draft, near))
            buffered = self.buffered(counted_on, most_bytes, {})
            buffered.near = near
            found = self.finished(buffered, most_bytes)
            if found.now.peak_bytes <= most_bytes:
                yield found

    def _most_bytes(self) -> int | None:
        """The limit, or what the smallest cuts take; None where what is asked for cannot be."""
        learned = self.known.learned(self.problem, self.estimates)
        search = Branches(learned, self.estimates, self.defaults, self.progress)
        smallest = search.smallest_bytes()
        return None if smallest is None else max(self.limit_bytes, smallest)

    def _cuts(self) -> Cuts:
        problem, island = self.problem, self.problem.island.id
        if island not in self.known.cuts:
            learned = self.known.learned(problem, self.estimates)
            crossing = Crossing.of(problem, self.estimates.fixed.living_of)
            prices = NodePrices(
                problem=problem,
                estimates=self.estimates,
                defaults=self.defaults,
                whole=learned.whole,
            )
            ground = Ground(
                flow=learned.flow,
                player=learned.player,
                crossing=crossing,
                prices=prices,
                nearest=problem.movable.union(learned.flow.rolling),
            )
            self.known.cuts[island] = Cuts(ground, learned.least)
        return self.known.cuts[island]

    def _best_cut(self, cuts: Cuts, limit_bytes: int) -> Cut | None:
        """The fastest cuts with those maps near that are worth it."""
        lasting, asked = cuts.ground.crossing.lasting, cuts.ground.crossing.asked
        best = cuts.best(asked, limit_bytes, self.progress)
        if lasting == asked:
            return best
        whole = self.known.whole_maps(self.problem, self.estimates)
        near, tried = self._near(whole, lasting, limit_bytes), {asked}
        while near not in tried and len(tried) <= _MOST_ROUNDS:
            tried.add(near)
            cut = cuts.best(near, limit_bytes, self.progress)
            if cut is None or (best is not None and best.cycles <= cut.cycles):
                break
            best = cut
            near = self._near(draft_of(cuts, cut, limit_bytes), lasting, limit_bytes)
        return best

    def _near(self, draft: Draft, lasting: frozenset[FmId], limit_bytes: int) -> frozenset[FmId]:
        """Maps that live on and find room beside a draft."""
        policy = POLICIES[self.estimates.options.eviction]
        found = spill(self.problem, self.estimates, draft, limit_bytes, policy, self.progress)
        return lasting & found.fast
