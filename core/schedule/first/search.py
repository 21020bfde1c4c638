"""The first scheduler: the order in which it searches, island after island.

`--search compatible` is what the ecosystem's compiler decides today; this is what its first
cascading scheduler decided. Whole maps are taken where all that was scheduled so far stays below
the limit with them; else the smallest stripes are joined to cascades, these get higher stripes,
then weights buffers, and maps move to fast storage. With Size, the smallest stripes are the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.frozen import Frozen, replace
from core.base.progress import Progress
from core.ir.decisions import (
    BuffersReduced,
    Candidate,
    CandidateSized,
    Decision,
    Fate,
    MapPlaced,
)
from core.ir.options import EvictionPolicy, Strategy
from core.ir.schedule import Evicted, MapPlan
from core.schedule.buffering import Room, with_buffers
from core.schedule.candidates import max_schedule, min_schedule
from core.schedule.cascading.engine import is_better
from core.schedule.draft import Draft, Snapshot, snapshot
from core.schedule.estimates import Estimates
from core.schedule.eviction.policies import POLICIES
from core.schedule.first import eviction
from core.schedule.first.cascades import Surroundings, with_cascades
from core.schedule.first.stripes import with_higher_stripes
from core.schedule.problem import IslandProblem
from core.schedule.solved import Solved, block_records, evicted_maps, island_cycles
from core.schedule.spilling import spill

_NO_LIMIT = 1 << 32
_POLICIES = {**POLICIES, EvictionPolicy.COMPONENT: eviction.evict}


def solve(
    problems: Sequence[IslandProblem],
    estimates: Estimates,
    defaults: Sequence[MapPlan],
    limit_bytes: int,
    progress: Progress,
) -> tuple[Solved, ...]:
    """The schedules of a network's islands, each found beside those before it."""
    found: list[Solved] = []
    for problem in problems:
        progress.advance("scheduling", problem.island.id, len(problems))
        island = _Island(
            problem=problem,
            estimates=estimates,
            defaults=defaults,
            limit_bytes=limit_bytes,
            peak_before_bytes=max((each.now.peak_bytes for each in found), default=0),
            progress=progress,
        )
        found.append(island.solved())
    return tuple(found)


class _Island(Frozen, eq=False):
    problem: IslandProblem
    estimates: Estimates
    defaults: Sequence[MapPlan]
    limit_bytes: int
    peak_before_bytes: int
    """Most that is live while islands before it run."""
    progress: Progress

    @property
    def _is_size(self) -> bool:
        return self.estimates.options.strategy is Strategy.SIZE

    def solved(self) -> Solved:
        """The schedule, with all that the search has to tell."""
        whole = max_schedule(self.problem, self.estimates)
        fastest = self._buffered(whole, snapshot(self.problem, whole), _NO_LIMIT)
        now = snapshot(self.problem, fastest)
        peak = max(now.peak_bytes, self.peak_before_bytes)
        has_all = self.problem.storage.has_all_maps
        is_whole = (
            has_all
            and not self._is_size
            and peak < self.limit_bytes
            and not self.problem.bonds.ask_for_cascades
        )
        told: list[Decision] = [*self.problem.decisions]
        if has_all:
            told.append(self._sized(Candidate.WHOLE_MAPS, peak, is_taken=is_whole))
        if is_whole:
            found = self._of(Candidate.WHOLE_MAPS, fastest, now)
        else:
            found = self._in_cascades(whole, told)
        return replace(found, decisions=(*told, *block_records(found), *found.decisions))

    def _in_cascades(self, whole: Draft, told: list[Decision]) -> Solved:
        """The smallest stripes, in cascades and in higher ones as far as the limit allows."""
        around = Surroundings(
            problem=self.problem,
            estimates=self.estimates,
            nodes=self.problem.nodes,
            whole=whole.ops,
            guide_bytes=self.problem.smallest_bytes if self._is_size else self.limit_bytes,
            beside_bytes={},
        )
        draft = with_cascades(min_schedule(self.problem, self.estimates), around)
        now = snapshot(self.problem, draft)
        told.append(self._sized(Candidate.SMALLEST_STRIPES, now.peak_bytes))
        told += draft.grown
        if self._is_size:
            return self._spilled(draft)
        higher, tried = with_higher_stripes(draft, now, around, self.limit_bytes)
        told += tried
        now = snapshot(self.problem, higher)
        solved = self._spilled(self._buffered(higher, now, self.limit_bytes))
        return self._with_smaller_buffers(higher, now, solved)

    def _buffered(
        self,
        draft: Draft,
        now: Snapshot,
        limit_bytes: int,
        evicted_bytes: Mapping[int, int] | None = None,
    ) -> Draft:
        room = Room(limit_bytes=limit_bytes, now=now, evicted_bytes=evicted_bytes or {})
        return with_buffers(draft, self.problem.nodes, self.estimates, room)

    def _spilled(self, draft: Draft) -> Solved:
        """The draft with as many bytes of feature maps in fast storage as have room."""
        policy = _POLICIES[self.estimates.options.eviction]
        found = spill(self.problem, self.estimates, draft, self.limit_bytes, policy, self.progress)
        kind = Candidate.SMALLEST_STRIPES if self._is_size else Candidate.CASCADES
        solved = self._of(kind, draft, found.now)
        return replace(
            solved,
            fast=found.fast,
            sent_away=found.sent_away,
            decisions=(*solved.decisions, *found.decisions),
        )

    def _with_smaller_buffers(self, unbuffered: Draft, now: Snapshot, solved: Solved) -> Solved:
        """The schedule with weight buffers that leave room for maps that never had any, if that
        pays."""
        evicted = _never_fitting_beside(solved)
        if not evicted:
            return solved
        other = self._spilled(self._buffered(unbuffered, now, self.limit_bytes, evicted))
        before, after = (
            island_cycles(each, self.estimates, self.defaults) for each in (solved, other)
        )
        is_kept = is_better(after, before)
        record = BuffersReduced(
            island=self.problem.island.id,
            ops=tuple(self.problem.nodes[index].op.id for index in sorted(evicted)),
            evicted_bytes=sum(item.size_bytes for item in evicted_maps(other)),
            evicted_bytes_before=sum(item.size_bytes for item in evicted_maps(solved)),
            cycles=after.total,
            cycles_before=before.total,
            dram_cycles=after.dram,
            dram_cycles_before=before.dram,
            is_kept=is_kept,
        )
        chosen = other if is_kept else solved
        return replace(chosen, decisions=(*chosen.decisions, record))

    def _of(self, candidate: Candidate, draft: Draft, now: Snapshot) -> Solved:
        taken = self._sized(candidate, now.peak_bytes, is_taken=True)
        records = (each.record for each in draft.buffered)
        return Solved(
            problem=self.problem,
            candidate=candidate,
            draft=draft,
            now=now,
            limit_bytes=self.limit_bytes,
            decisions=(*((taken,) * (candidate is not Candidate.WHOLE_MAPS)), *records),
        )

    def _sized(
        self, candidate: Candidate, peak_bytes: int, *, is_taken: bool = False
    ) -> CandidateSized:
        return CandidateSized(
            island=self.problem.island.id,
            candidate=candidate,
            peak_bytes=peak_bytes,
            limit_bytes=self.limit_bytes,
            is_taken=is_taken,
        )


def _never_fitting_beside(solved: Solved) -> dict[int, int]:
    """By node: bytes of maps that never fit, once for each of its buffers that they meet."""
    never = {
        fm
        for record in solved.decisions
        if isinstance(record, MapPlaced) and record.reason is Fate.NEVER_FITS
        for fm in record.fms
    }
    away: list[Evicted] = [each for each in solved.sent_away if not never.isdisjoint(each.fms)]
    place = {node.op.id: node.index for node in solved.problem.nodes}
    found: dict[int, int] = {}
    for life in snapshot(solved.problem, solved.draft).lives:
        if life.op is None:
            continue
        for each in away:
            start = max(each.start_time, life.start_time)
            if start < min(each.end_time, life.end_time):
                index = place[life.op]
                found[index] = found.get(index, 0) + each.size_bytes
    return found
