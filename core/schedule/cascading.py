"""The cascading engine: the order in which an island's schedule is searched.

Between whole maps everywhere, which is fastest and largest, and the smallest stripes everywhere,
it looks for the fastest schedule whose peak of fast storage stays within a limit.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from core.base.frozen import Frozen, field, replace
from core.base.ids import FmId
from core.base.progress import Progress
from core.cost.spent import Cycles
from core.ir.decisions import BuffersReduced, Candidate, CandidateSized, Decision
from core.ir.freedoms import Freedoms
from core.ir.options import Strategy
from core.ir.schedule import MapPlan
from core.schedule.buffering import Room, with_buffers
from core.schedule.candidates import plain_draft
from core.schedule.draft import Draft, Snapshot, snapshot
from core.schedule.estimates import Estimates, Wanted, moved_of
from core.schedule.eviction.policies import POLICIES
from core.schedule.limitless import Limitless, Ready
from core.schedule.problem import IslandProblem
from core.schedule.solved import (
    Solved,
    block_records,
    evicted_maps,
    island_cycles,
    moved_maps,
    slow_maps,
)
from core.schedule.spilling import SavedCycles, evicted_beside, spill
from core.schedule.stripes import copied, with_higher_stripes
from core.schedule.weight_choice import compares_ways

_NO_LIMIT = 1 << 62


class CascadingEngine(Frozen, eq=False):
    """Searches the schedule of one island."""

    problem: IslandProblem
    estimates: Estimates
    defaults: Sequence[MapPlan]
    """Where each map lives that no island moves."""
    limit_bytes: int
    """What the island may take; with Size, what it may take at no cost, as others need it too."""
    progress: Progress
    known: Limitless = field(default_factory=Limitless)

    def solve(self) -> Solved:
        """The best schedule that was found; within the limit wherever one of those tried is."""
        found = self._once()
        is_above = self.needs_all_maps and found.now.peak_bytes > self.limit_bytes
        if not is_above or self.estimates.options.strategy is Strategy.SIZE or not self.limit_bytes:
            return found
        # The search for a limit is not always the one that comes nearest to it.
        least = replace(self, limit_bytes=0).solve()
        is_less = least.now.peak_bytes < found.now.peak_bytes
        return replace(least, limit_bytes=self.limit_bytes) if is_less else found

    def _once(self) -> Solved:
        """What one search finds, with all that it has to tell."""
        tried: list[Decision] = []
        solved = self._search(tried)
        log = (*self.problem.decisions, *tried, *block_records(solved))
        return replace(solved, decisions=(*log, *solved.decisions))

    def _search(self, tried: list[Decision]) -> Solved:
        """What is found between whole maps and the smallest stripes; both are told in `tried`."""
        limit = self.limit_bytes
        is_size = self.estimates.options.strategy is Strategy.SIZE
        fastest = None if is_size else self.whole_within(limit, tried)
        if fastest is not None:
            return fastest
        cascaded = self._cascaded_min(limit, tried)
        if is_size:
            limit = self.problem.storage.limit_for_size(cascaded.now.peak_bytes, limit)
            fastest = self.whole_within(limit, tried)
            if fastest is not None:
                return fastest
        draft, now = cascaded
        draft, higher = with_higher_stripes(self.problem, self.estimates, draft, now, limit)
        tried += higher
        return self._with_room(draft, limit)

    def _with_room(self, draft: Draft, limit_bytes: int) -> Solved:
        """The draft with buffers for weights, as far as these leave more room than they take."""
        ready, solved = self.moved(draft, limit_bytes)
        if solved.sent_away and self.estimates.options.strategy is not Strategy.SIZE:
            return self._with_smaller_buffers(ready, solved)
        return solved

    def moved(self, draft: Draft, limit_bytes: int) -> tuple[Ready, Solved]:
        """The draft before its weights are buffered, and with all that fast storage can take.

        Which blocks suit depends on where maps are, and where there is room for these, on the
        blocks: first all that can move are taken to have moved, then those that have.
        """
        movable = self.problem.movable
        first = self.fitted(draft, movable)
        solved = self.finished(self.buffered(first, limit_bytes, {}), limit_bytes)
        if not slow_maps(solved) or not self.estimates.options.freedoms.blocks_by_cost:
            return first, solved
        second = self.fitted(draft, moved_maps(solved))
        other = self.finished(self.buffered(second, limit_bytes, {}), limit_bytes)
        is_better = self.cycles(other) < self.cycles(solved)
        return (second, other) if is_better else (first, solved)

    def fitted(self, draft: Draft, near: frozenset[FmId]) -> Ready:
        """The draft in blocks that suit maps that have moved to fast storage."""
        if near and self.estimates.options.freedoms.blocks_by_cost:
            draft = _in_blocks(self.problem, self.estimates, draft, near)
        return Ready(draft, snapshot(self.problem, draft))

    @property
    def needs_all_maps(self) -> bool:
        return self.problem.storage.has_all_maps

    def buffered(self, ready: Ready, limit_bytes: int, evicted_bytes: dict[int, int]) -> Draft:
        draft, now = ready
        room = Room(limit_bytes=limit_bytes, now=now, evicted_bytes=evicted_bytes)
        nodes, estimates = self.problem.nodes, self.estimates
        first = with_buffers(draft, nodes, estimates, room)
        if not compares_ways(estimates) or self._all_weights_are_asked:
            return first
        # Time that is left for the next weights is worth something, but not always what is lost.
        ahead = with_buffers(draft, nodes, estimates, replace(room, looks_ahead=True))
        if ahead.ops == first.ops:
            return first
        return min(first, ahead, key=lambda each: self._cycles_before_spilling(each, room))

    @property
    def _all_weights_are_asked(self) -> bool:
        """Whether edits leave nothing open about weights, as those of what is shown do."""
        asked = self.estimates.fixed.weights_of
        weighted = (node.op.id for node in self.problem.nodes if node.op.weights is not None)
        return all(op in asked and asked[op].is_all for op in weighted)

    def _cycles_before_spilling(self, draft: Draft, room: Room) -> float:
        """What the island would cost with those maps in fast storage that the draft counts on, or
        else all that can move there."""
        solved = _whole_maps(self.problem, Ready(draft, room.now), room.limit_bytes)
        return self.cycles(replace(solved, fast=draft.near or self.problem.movable))

    def _buffered_without_limit(self, whole: Ready) -> Ready:
        """As if there were no limit."""
        key, known = self.problem.island.id, self.known.fastest
        if key not in known:
            draft = self.buffered(whole, _NO_LIMIT, {})
            known[key] = Ready(draft, snapshot(self.problem, draft))
        return known[key]

    def whole_within(self, limit_bytes: int, tried: list[Decision]) -> Solved | None:
        """Whole maps everywhere, where all that can be in fast storage fits, with buffers for all
        weights that are faster for it."""
        if self.problem.bonds.ask_for_cascades:
            return None
        if not self.needs_all_maps:
            # Each operator by itself then has room, and none needs a cascade.
            has_room = self.known.moved_bytes(self.problem, self.estimates) < limit_bytes
            whole = self.known.whole_maps(self.problem, self.estimates)
            return self._with_room(whole, limit_bytes) if has_room else None
        candidate = self.known.bare_maps(self.problem, self.estimates)
        if candidate[1].peak_bytes <= limit_bytes:
            candidate = self._buffered_without_limit(candidate)
        kind, fits = Candidate.WHOLE_MAPS, candidate.now.peak_bytes <= limit_bytes
        tried.append(_sized(self.problem, kind, candidate.now, limit_bytes, is_taken=fits))
        return _whole_maps(self.problem, candidate, limit_bytes) if fits else None

    def _cascaded_min(self, limit_bytes: int, tried: list[Decision]) -> Ready:
        """The smallest stripes, with cascades wherever the limit asks for them."""
        is_size = self.estimates.options.strategy is Strategy.SIZE
        guide = self.problem.smallest_bytes if is_size else limit_bytes
        cascaded = self.known.in_cascades(self.problem, self.estimates, guide)
        tried.append(_sized(self.problem, Candidate.SMALLEST_STRIPES, cascaded.now, guide))
        if not self.needs_all_maps and cascaded.now.peak_bytes > limit_bytes:
            # Buffers above the limit help nobody: maps can stay where they are.
            guide = min(guide, limit_bytes)
            cascaded = self.known.in_cascades(self.problem, self.estimates, guide)
            within = Candidate.SMALLEST_WITHIN_LIMIT
            tried.append(_sized(self.problem, within, cascaded.now, guide))
        tried += cascaded.draft.grown
        return cascaded

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
        candidate = Candidate.WHOLE_MAPS if is_whole else _partly(self.estimates, draft)
        taken = _sized(self.problem, candidate, spilled.now, limit_bytes, is_taken=True)
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

    def saved(self, draft: Draft) -> SavedCycles | None:
        """What maps save in fast storage, for whoever does not go by their accesses."""
        del draft
        return None

    def _with_smaller_buffers(self, unbuffered: Ready, solved: Solved) -> Solved:
        """The schedule with weight buffers that leave room for what was evicted, if that pays."""
        lives = snapshot(self.problem, solved.draft).lives
        evicted = evicted_beside(self.problem, lives, solved.sent_away)
        if not evicted:
            return solved
        draft = self.buffered(unbuffered, solved.limit_bytes, evicted)
        is_same = draft.ops == solved.draft.ops
        other = solved if is_same else self.finished(draft, solved.limit_bytes)
        before, after = (
            island_cycles(each, self.estimates, self.defaults) for each in (solved, other)
        )
        chosen = other if is_better(after, before, self.estimates.options.freedoms) else solved
        record = BuffersReduced(
            island=self.problem.island.id,
            ops=tuple(self.problem.nodes[index].op.id for index in sorted(evicted)),
            evicted_bytes=sum(item.size_bytes for item in evicted_maps(other)),
            evicted_bytes_before=sum(item.size_bytes for item in evicted_maps(solved)),
            cycles=after.total,
            cycles_before=before.total,
            dram_cycles=after.dram,
            dram_cycles_before=before.dram,
            is_kept=chosen is not solved,
        )
        return replace(chosen, decisions=(*chosen.decisions, record))

    def cycles(self, solved: Solved) -> float:
        """What the island costs."""
        return island_cycles(solved, self.estimates, self.defaults).total


def _has_plenty(draft: Draft) -> bool:
    """Whether there are no cascades, and no way of bringing weights was left out for lack of
    memory: that is so where two of the whole stream have room."""
    most = ((each.weights.stream.stream_bytes, each.limit_bytes) for each in draft.buffered)
    return not draft.cascades and all(2 * stream <= limit for stream, limit in most)


def _sized(
    problem: IslandProblem,
    candidate: Candidate,
    now: Snapshot,
    limit_bytes: int,
    *,
    is_taken: bool = False,
) -> CandidateSized:
    return CandidateSized(
        island=problem.island.id,
        candidate=candidate,
        peak_bytes=now.peak_bytes,
        limit_bytes=limit_bytes,
        is_taken=is_taken,
    )


def _whole_maps(problem: IslandProblem, candidate: Ready, limit_bytes: int) -> Solved:
    draft, now = candidate
    return Solved(
        problem=problem,
        candidate=Candidate.WHOLE_MAPS,
        draft=draft,
        now=now,
        limit_bytes=limit_bytes,
        decisions=tuple(each.record for each in draft.buffered),
    )


def _in_blocks(
    problem: IslandProblem, estimates: Estimates, draft: Draft, near: Container[FmId]
) -> Draft:
    """The draft in blocks that suit maps that have moved to fast storage."""
    fitted = copied(draft)
    nodes = [node for node in problem.nodes if draft.ops[node.index].cascade is None]
    heights = [draft.ops[node.index].cost.stripe.ofm.h for node in nodes]
    wanted = [
        Wanted(node, rows, moved_of(node, near)) for node, rows in zip(nodes, heights, strict=True)
    ]
    fitted.ops |= plain_draft(estimates, wanted).ops
    return fitted


def is_better(price: Cycles, than: Cycles, freedoms: Freedoms) -> bool:
    """Whether smaller weight buffers pay.

    The ecosystem's compiler asks for DRAM that is less busy, and for not more cycles, both to
    a hundredth. Prices of commands need no such margin.
    """
    if freedoms.priced_stripes:
        return price.total < than.total
    is_no_slower = _gain(price.total, than.total) >= 0
    return is_no_slower and _gain(price.dram, than.dram) > 0


def _gain(price: float, than: float) -> float:
    """The part of a price that is saved, to a hundredth."""
    return round((than - price) / than, 2) if than else 0.0


def _partly(estimates: Estimates, draft: Draft) -> Candidate:
    """What a draft is of which not all has room; the ecosystem's compiler has one word."""
    is_named = estimates.options.freedoms.whole_cuts and not draft.cascades
    return Candidate.WHOLE_WITHIN_LIMIT if is_named else Candidate.CASCADES
