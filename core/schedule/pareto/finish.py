"""From a set of strategies to a schedule: early transfers, the limit, and maps in fast storage."""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.base.progress import Progress
from core.ir.decisions import Candidate
from core.ir.options import EvictionPolicy
from core.schedule.branches.groups import Player
from core.schedule.draft import Draft, OpDraft, Snapshot, copied, rolling_maps, snapshot
from core.schedule.estimates import Estimates
from core.schedule.eviction.policies import POLICIES
from core.schedule.problem import IslandProblem
from core.schedule.reformat import laid_over
from core.schedule.solved import Solved
from core.schedule.spilling import Spill, spill


class Finisher(Frozen):
    """Makes schedules of the drafts of one island."""

    problem: IslandProblem
    estimates: Estimates
    limit_bytes: int
    """What the user allows; what is free is counted from there."""
    eviction: EvictionPolicy
    progress: Progress
    player: Player | None = None
    """Says what may be laid over each other, where that is free."""

    def solved(self, draft: Draft, room_bytes: int) -> Solved:
        """The draft's schedule, within the room as far as weight buffers can make it so."""
        if draft.cascades and self.player is not None:
            draft = laid_over(self.player, draft)
        fitting = self._within(draft, room_bytes)
        now = snapshot(self.problem, fitting)
        cap = room_bytes
        if self.problem.storage.has_all_maps:
            # Nothing can leave for what arrives early.
            cap = min(now.peak_bytes, room_bytes)
        early = self._fetched_early(fitting, now, cap)
        spilled = self.spilled(early, room_bytes)
        return Solved(
            problem=self.problem,
            candidate=Candidate.FROM_FRONT,
            draft=self._with_room_left(early, spilled.now),
            now=spilled.now,
            limit_bytes=self.limit_bytes,
            fast=spilled.fast,
            sent_away=spilled.sent_away,
            decisions=spilled.decisions,
        )

    def spilled(self, draft: Draft, room_bytes: int) -> Spill:
        """The draft with as many maps in fast storage as have room."""
        return spill(
            self.problem,
            self.estimates,
            draft,
            room_bytes,
            POLICIES[self.eviction],
            self.progress,
            self.problem.movable.difference(rolling_maps(draft)),
        )

    def _within(self, draft: Draft, room_bytes: int) -> Draft:
        """The draft without the weight buffers of operators at times that are above the room.

        The search guesses how large slices are; now and then one is larger than that.
        """
        now = snapshot(self.problem, draft)
        if now.peak_bytes <= room_bytes:
            return draft
        result, usage = copied(draft), now.usage
        for index, plan in draft.ops.items():
            is_given = self.problem.nodes[index].op.id in self.estimates.fixed.weights_of
            if plan.buffer_bytes and not is_given and usage[now.times[index]] > room_bytes:
                result.ops[index] = self._unbuffered(index, plan)
        return result

    def _unbuffered(self, index: int, plan: OpDraft) -> OpDraft:
        assert plan.weights is not None
        slices = (0, plan.weights.depth_slices[-1])
        stream = self.estimates.stream(self.problem.nodes[index], plan.cost.block, slices)
        weights = replace(
            plan.weights, stream=stream, depth_slices=slices, buffers=(), transfer_cycles=0
        )
        return replace(plan, weights=weights, slack_cycles=plan.cost.cycles)

    def _fetched_early(self, draft: Draft, now: Snapshot, cap_bytes: int) -> Draft:
        """The draft with first slices that arrive under the operator before, where there is room.

        What runs in a cascade fetches its weights when the cascade begins.
        """
        result = copied(draft)
        usage = list(now.usage)
        for index, plan in sorted(draft.ops.items()):
            before = now.times[index] - 1
            if plan.weights is None or not plan.weights.buffers:
                continue
            first = plan.weights.buffers[0]
            asked = self.estimates.fixed.weights_of.get(self.problem.nodes[index].op.id)
            is_early = usage[before] + first <= cap_bytes
            if asked is not None and asked.is_early is not None:
                is_early = asked.is_early
            if plan.cascade is None and before > 0 and is_early:
                usage[before] += first
                lead_steps = 1 if asked is None else asked.lead_steps or 1
                weights = replace(plan.weights, lead_steps=lead_steps)
                result.ops[index] = replace(plan, weights=weights)
        return result

    def _with_room_left(self, draft: Draft, now: Snapshot) -> Draft:
        """The draft with what is free while each operator runs."""
        result = copied(draft)
        for index, plan in draft.ops.items():
            free = self.limit_bytes - now.usage[now.times[index]]
            result.ops[index] = replace(plan, slack_bytes=free)
        return result
