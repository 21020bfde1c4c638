"""The ecosystem's cascading scheduler: the order in which it searches an island.

Between whole maps everywhere, which is fastest and largest, and the smallest stripes everywhere,
it looks for the fastest schedule whose peak of fast storage stays within a limit.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import replace
from core.cost.spent import Cycles
from core.ir.decisions import BuffersReduced, Candidate, Decision
from core.schedule.buffering import Room, with_buffers
from core.schedule.cascading.cascades import in_cascades
from core.schedule.cascading.stripes import with_higher_stripes
from core.schedule.draft import Draft, snapshot
from core.schedule.engine import IslandEngine, size_record
from core.schedule.limitless import Ready
from core.schedule.solved import Solved, block_records, evicted_maps, island_cycles
from core.schedule.spilling import SavedCycles, evicted_beside


class CascadingEngine(IslandEngine, eq=False):
    """Searches the schedule of one island."""

    def solve(self) -> Solved:
        """The best schedule that was found; within the limit wherever one of those tried is."""
        found = self._once()
        is_above = self.needs_all_maps and found.now.peak_bytes > self.limit_bytes
        if not is_above or self.is_size or not self.limit_bytes:
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
        fastest = None if self.is_size else self.whole_within(limit, tried)
        if fastest is not None:
            return fastest
        cascaded = self._smallest(limit, tried)
        if self.is_size:
            limit = self.problem.storage.limit_for_size(cascaded.now.peak_bytes, limit)
            fastest = self.whole_within(limit, tried)
            if fastest is not None:
                return fastest
        draft, now = cascaded
        draft, higher = with_higher_stripes(self.problem, self.estimates, draft, now, limit)
        tried += higher
        return self.with_room(draft, limit)

    def _smallest(self, limit_bytes: int, tried: list[Decision]) -> Ready:
        """The smallest stripes, with cascades wherever the limit asks for them."""
        guide = self.problem.smallest_bytes if self.is_size else limit_bytes
        cascaded = in_cascades(self.known, self.problem, self.estimates, guide)
        tried.append(size_record(self.problem, Candidate.SMALLEST_STRIPES, cascaded.now, guide))
        if not self.needs_all_maps and cascaded.now.peak_bytes > limit_bytes:
            # Buffers above the limit help nobody: maps can stay where they are.
            guide = min(guide, limit_bytes)
            cascaded = in_cascades(self.known, self.problem, self.estimates, guide)
            within = Candidate.SMALLEST_WITHIN_LIMIT
            tried.append(size_record(self.problem, within, cascaded.now, guide))
        tried += cascaded.draft.grown
        return cascaded

    def buffered(self, ready: Ready, limit_bytes: int) -> Draft:
        """The draft with buffers for weights, as far as there is room and they pay."""
        return self._buffered_beside(ready, limit_bytes, {})

    def _buffered_beside(
        self, ready: Ready, limit_bytes: int, evicted_bytes: Mapping[int, int]
    ) -> Draft:
        room = Room(limit_bytes=limit_bytes, now=ready.now, evicted_bytes=evicted_bytes)
        return with_buffers(ready.draft, self.problem.nodes, self.estimates, room)

    def with_room(self, draft: Draft, limit_bytes: int) -> Solved:
        """The draft with buffers for weights, as far as these leave more room than they take."""
        ready = Ready(draft, snapshot(self.problem, draft))
        solved = self.finished(self.buffered(ready, limit_bytes), limit_bytes)
        if solved.sent_away and not self.is_size:
            return self._with_smaller_buffers(ready, solved)
        return solved

    def _with_smaller_buffers(self, unbuffered: Ready, solved: Solved) -> Solved:
        """The schedule with weight buffers that leave room for what was evicted, if that pays."""
        lives = snapshot(self.problem, solved.draft).lives
        evicted = evicted_beside(self.problem, lives, solved.sent_away)
        if not evicted:
            return solved
        draft = self._buffered_beside(unbuffered, solved.limit_bytes, evicted)
        is_same = draft.ops == solved.draft.ops
        other = solved if is_same else self.finished(draft, solved.limit_bytes)
        before, after = (
            island_cycles(each, self.estimates, self.defaults) for each in (solved, other)
        )
        chosen = other if is_better(after, before) else solved
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

    def saved(self, draft: Draft) -> SavedCycles | None:
        """Nothing: it goes by accesses."""
        del draft
        return None

    def candidate(self, draft: Draft) -> Candidate:
        """One word for all, with or without cascades."""
        del draft
        return Candidate.CASCADES


def is_better(price: Cycles, than: Cycles) -> bool:
    """Whether smaller weight buffers pay: the ecosystem's compiler asks for DRAM that is less busy,
    and for not more cycles, both to a hundredth."""
    is_no_slower = _gain(price.total, than.total) >= 0
    return is_no_slower and _gain(price.dram, than.dram) > 0


def _gain(price: float, than: float) -> float:
    """The part of a price that is saved, to a hundredth."""
    return round((than - price) / than, 2) if than else 0.0
