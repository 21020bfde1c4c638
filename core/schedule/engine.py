"""Whoever searches one island: what it is asked, and what drafts are with all that has room."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import Frozen, field
from core.base.ids import FmId
from core.base.progress import Progress
from core.ir.decisions import Candidate, CandidateSized, Decision
from core.ir.options import Strategy
from core.ir.schedule import MapPlan
from core.schedule.draft import Draft, Snapshot, snapshot
from core.schedule.estimates import Estimates
from core.schedule.eviction.policies import POLICIES
from core.schedule.limitless import Limitless, Ready
from core.schedule.problem import IslandProblem
from core.schedule.solved import Solved, island_cycles
from core.schedule.spilling import SavedCycles, spill

_NO_LIMIT = 1 << 62


class IslandEngine(Frozen, eq=False):
    """Searches the schedule of one island."""

    problem: IslandProblem
    estimates: Estimates
    defaults: Sequence[MapPlan]
    """Where each map lives that no island moves."""
    limit_bytes: int
    """What the island may take; with Size, what it may take at no cost, as others need it too."""
    progress: Progress
    known: Limitless = field(default_factory=Limitless)

    # What each engine does in its own way.

    def solve(self) -> Solved:
        """The best schedule that was found; within the limit wherever one of those tried is."""
        raise NotImplementedError

    def buffered(self, ready: Ready, limit_bytes: int) -> Draft:
        """The draft with buffers for weights, as far as there is room and they pay."""
        raise NotImplementedError

    def with_room(self, draft: Draft, limit_bytes: int) -> Solved:
        """The draft with all that has room: buffers for weights, and maps."""
        raise NotImplementedError

    def saved(self, draft: Draft) -> SavedCycles | None:
        """What maps save in fast storage, for whoever does not go by their accesses."""
        raise NotImplementedError

    def candidate(self, draft: Draft) -> Candidate:
        """What a draft is called of which not all has room."""
        raise NotImplementedError

    # What is the same for all.

    @property
    def is_size(self) -> bool:
        """Whether as little memory as can be is asked for."""
        return self.estimates.options.strategy is Strategy.SIZE

    @property
    def needs_all_maps(self) -> bool:
        """Whether fast storage is the arena itself, and no memory beside it."""
        return self.problem.storage.has_all_maps

    def cycles(self, solved: Solved) -> float:
        """What the island costs."""
        return island_cycles(solved, self.estimates, self.defaults).total

    def whole_within(self, limit_bytes: int, tried: list[Decision]) -> Solved | None:
        """Whole maps everywhere, where all that can be in fast storage fits, with buffers for all
        weights that are faster for it."""
        if self.problem.bonds.ask_for_cascades:
            return None
        if not self.needs_all_maps:
            # Each operator by itself then has room, and none needs a cascade.
            has_room = self.known.moved_bytes(self.problem, self.estimates) < limit_bytes
            whole = self.known.whole_maps(self.problem, self.estimates)
            return self.with_room(whole, limit_bytes) if has_room else None
        candidate = self.known.bare_maps(self.problem, self.estimates)
        if candidate[1].peak_bytes <= limit_bytes:
            candidate = self._buffered_without_limit(candidate)
        kind, fits = Candidate.WHOLE_MAPS, candidate.now.peak_bytes <= limit_bytes
        tried.append(size_record(self.problem, kind, candidate.now, limit_bytes, is_taken=fits))
        return whole_maps(self.problem, candidate, limit_bytes) if fits else None

    def _buffered_without_limit(self, whole: Ready) -> Ready:
        """As if there were no limit."""

        def ready() -> Ready:
            draft = self.buffered(whole, _NO_LIMIT)
            return Ready(draft, snapshot(self.problem, draft))

        return self.known.fastest.answer(self.problem.island.id, ready)

    def finished(
        self, draft: Draft, limit_bytes: int, away: frozenset[FmId] = frozenset()
    ) -> Solved:
        """The draft with as many feature maps in fast storage as have room, but for some."""
        spilled = spill(
            self.problem,
            self.estimates,
            draft,
            limit_bytes,
            POLICIES[self.estimates.options.eviction],
            self.progress,
            away=away,
            saved=self.saved(draft),
        )
        is_whole = not spilled.sent_away and _has_plenty(draft)
        candidate = Candidate.WHOLE_MAPS if is_whole else self.candidate(draft)
        taken = size_record(self.problem, candidate, spilled.now, limit_bytes, is_taken=True)
        buffered = (each.record for each in draft.buffered)
        return Solved(
            problem=self.problem,
            candidate=candidate,
            draft=draft,
            now=spilled.now,
            limit_bytes=limit_bytes,
            fast=spilled.fast,
            sent_away=spilled.sent_away,
            decisions=(taken, *buffered, *spilled.decisions),
        )


def whole_maps(problem: IslandProblem, candidate: Ready, limit_bytes: int) -> Solved:
    """A draft with all maps where its snapshot has them."""
    draft, now = candidate
    return Solved(
        problem=problem,
        candidate=Candidate.WHOLE_MAPS,
        draft=draft,
        now=now,
        limit_bytes=limit_bytes,
        decisions=tuple(each.record for each in draft.buffered),
    )


def size_record(
    problem: IslandProblem,
    candidate: Candidate,
    now: Snapshot,
    limit_bytes: int,
    *,
    is_taken: bool = False,
) -> CandidateSized:
    """What a candidate takes, for the log."""
    return CandidateSized(
        island=problem.island.id,
        candidate=candidate,
        peak_bytes=now.peak_bytes,
        limit_bytes=limit_bytes,
        is_taken=is_taken,
    )


def _has_plenty(draft: Draft) -> bool:
    """Whether there are no cascades, and no way of bringing weights was left out for lack of
    memory: that is so where two of the whole stream have room."""
    most = ((each.weights.stream.stream_bytes, each.limit_bytes) for each in draft.buffered)
    return not draft.cascades and all(2 * stream <= limit for stream, limit in most)
