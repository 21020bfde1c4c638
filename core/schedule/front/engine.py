"""Our search of one island: where it is cut, which maps stay near, and then what else has room.

Cuts are exact for given maps that live on in fast storage, and which of these are worth it depends
on the cuts: whole maps tell some, the best cuts without any tell others, and so does each that is
better, until none is.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from core.base.frozen import replace
from core.base.ids import FmId
from core.base.progress import SILENT
from core.ir.decisions import Candidate, Decision, FullMapNeeded, Role, StripesImpossible
from core.ir.edits import Living
from core.schedule.branches.groups import Part
from core.schedule.branches.heights import heights_of
from core.schedule.candidates import plain_draft
from core.schedule.cascading.cascades import in_cascades
from core.schedule.draft import Draft, copied, rolling_maps, snapshot
from core.schedule.engine import IslandEngine
from core.schedule.estimates import Estimates, Wanted, moved_of
from core.schedule.eviction.contest import EvictionOptions
from core.schedule.eviction.policies import POLICIES
from core.schedule.front.buffers import faster_buffers
from core.schedule.front.crossing import Crossing
from core.schedule.front.cuts import Cut, Cuts
from core.schedule.front.drafts import draft_of
from core.schedule.front.ground import TOO_MUCH, Ground
from core.schedule.front.prices import NodePrices
from core.schedule.front.raised import parts_of, raised
from core.schedule.front.worth import Saved, slower
from core.schedule.limitless import Ready
from core.schedule.problem import IslandProblem
from core.schedule.reformat import Formats, Restored, in_formats
from core.schedule.solved import Solved, block_records, moved_maps, slow_maps
from core.schedule.spilling import SavedCycles, spill

_MOST_ROUNDS = 3
"""How often cuts tell which maps stay, and these the next cuts."""

_LITTLE = 0.001
"""Of the cycles of an island: for less than that, no map with room leaves fast storage, as traffic
of slow memories costs more than cycles."""

_TO_COUNT_ON = EvictionOptions(node_limit=40_000)
"""How far that is searched: what stays in the end is decided again, with all the effort. Of 135
cells of 15 networks none differs, and of long skips the first answer takes two thirds."""


class FrontEngine(IslandEngine, eq=False):
    """Searches the schedule of one island."""

    far_formats: Formats = ()
    """How maps are stored that are not in fast storage, which those that are need not be."""

    def solve(self) -> Solved:
        """The fastest within what it may take, or within what the smallest cuts take."""
        is_beside = self.is_size and not self.needs_all_maps
        most_bytes = min(self._ring_bytes(), self.limit_bytes) if is_beside else self.limit_bytes
        found = self._within(most_bytes) or self._within(self._least_bytes())
        return found or self._of_whole_maps()

    def _of_whole_maps(self) -> Solved:
        """Where what is asked for holds in no cut: whoever asked is told that it does not."""
        whole = self.known.whole_maps(self.problem, self.estimates)
        found = self.with_room(whole, self.limit_bytes)
        log = (*self.problem.decisions, *block_records(found), *found.decisions)
        return replace(found, decisions=log)

    def _ring_bytes(self) -> int:
        """What Size takes where maps may stay far away, which need none of it, however it is cut:
        as much as the ecosystem's smallest cascades within the limit, with rings as low as they can
        be."""
        problem, player = self.problem, self.known.learned(self.problem, self.estimates).player
        guide_bytes = min(problem.smallest_bytes, self.limit_bytes)
        smallest = in_cascades(self.known, problem, self.estimates, guide_bytes)
        most_bytes = 0
        for first, last in ((each.first, each.last) for each in smallest.draft.cascades.values()):
            lowest = heights_of(problem.nodes[first : last + 1], 0, player.asked_heights)
            most_bytes = max(most_bytes, player.play(Part(first, last), lowest).size_bytes)
        return most_bytes

    def _within(self, most_bytes: int) -> Solved | None:
        """The fastest that takes so much at most; None where there are no such cuts."""
        tried: list[Decision] = []
        whole = self.whole_within(most_bytes, tried)
        if whole is not None and not whole.sent_away:
            log = (*self.problem.decisions, *tried, *block_records(whole), *whole.decisions)
            return replace(whole, limit_bytes=self.limit_bytes, decisions=log)
        cuts = self._cuts()
        cut = self._best_cut(cuts, most_bytes)
        if cut is None:
            return None
        best = min(self._finishes(cuts, cut, most_bytes), key=self._rank)
        log = (*_still_true(best), *tried, *parts_of(cuts, cut, most_bytes), *block_records(best))
        return replace(best, limit_bytes=self.limit_bytes, decisions=(*log, *best.decisions))

    def with_room(self, draft: Draft, limit_bytes: int) -> Solved:
        """The draft with all that has room; but maps that are faster where they live stay there."""
        solved = self._moved(draft, limit_bytes)
        away = self.faster_away(solved)
        if not away:
            return solved
        other = self._fitted(draft, moved_maps(solved) - away)
        found = self.finished(self.buffered(other, limit_bytes), limit_bytes, away)
        return min(solved, found, key=self.cycles)

    def _moved(self, draft: Draft, limit_bytes: int) -> Solved:
        """The draft with all that has room.

        Which blocks suit depends on where maps are, and where there is room for these, on the
        blocks: first all that can move are taken to have moved, then those that have.
        """
        living = self.estimates.fixed.living_of
        able = frozenset(fm for fm in self.problem.movable if living.get(fm) is not Living.SLOW)
        first = self._fitted(draft, able)
        solved = self.finished(self.buffered(first, limit_bytes), limit_bytes)
        if slow_maps(solved).isdisjoint(able):
            return solved
        second = self._fitted(draft, moved_maps(solved))
        other = self.finished(self.buffered(second, limit_bytes), limit_bytes)
        return min(solved, other, key=self.cycles)

    def _fitted(self, draft: Draft, near: frozenset[FmId]) -> Ready:
        """The draft in blocks that suit maps that have moved to fast storage."""
        if near:
            draft = _in_blocks(self.problem, self.estimates, draft, near)
        return Ready(draft, snapshot(self.problem, draft))

    def buffered(self, ready: Ready, limit_bytes: int) -> Draft:
        """The draft with buffers for weights, as late as can be or with time for the next ones."""
        return faster_buffers(self.problem, self.estimates, ready, limit_bytes, self.cycles)

    def faster_away(self, solved: Solved) -> frozenset[FmId]:
        """Near maps that cost cycles there, as one does that is then only copied out."""
        saved = self.saved(solved.draft)
        if saved is None or min(saved.beside(solved.fast).values(), default=0) >= 0:
            return frozenset()
        return slower(saved, solved.fast, _LITTLE * self.cycles(solved))

    def _rank(self, found: Solved) -> tuple[int, float]:
        return max(found.now.peak_bytes, self.limit_bytes), self.cycles(found)

    def _finishes(self, cuts: Cuts, cut: Cut, most_bytes: int) -> Iterator[Solved]:
        """Cuts with all that has room beside them: what weights leave is for maps, or what maps
        leave that the cuts count on is for weights."""
        draft = draft_of(cuts, cut, most_bytes)
        rolling = rolling_maps(draft)
        engine, draft = self._stored(draft, cut.near.union(rolling))
        near = cut.near.difference(rolling)
        yield engine.with_room(draft, most_bytes)
        if near:
            found = [engine.counting_on(draft, near, most_bytes, frozenset())]
            if away := engine.faster_away(found[0]) - near:
                found.append(engine.counting_on(draft, near, most_bytes, away))
            yield from (each for each in found if each.now.peak_bytes <= most_bytes)

    def counting_on(
        self, draft: Draft, near: frozenset[FmId], most_bytes: int, away: frozenset[FmId]
    ) -> Solved:
        """With those maps near for certain, and others not."""
        counted_on = copied(self._fitted(draft, near).draft)
        counted_on.near = near
        ready = Ready(counted_on, snapshot(self.problem, counted_on, near))
        return self.finished(self.buffered(ready, most_bytes), most_bytes, away)

    def _stored(self, draft: Draft, near: frozenset[FmId]) -> tuple[FrontEngine, Draft]:
        """A draft, and who searches on, with each map in the format that suits where it is."""
        pairs = zip(self.problem.formats, self.far_formats, strict=True)
        formats = tuple([own if fm in near else far for fm, (own, far) in enumerate(pairs)])
        if formats == self.problem.formats:
            return self, draft
        restored = self.known.restored.answer(
            (self.problem, formats), lambda: Restored.of(self.problem, self.estimates, formats)
        )
        # They are remembered for longer than whoever listens now.
        estimates = replace(restored.estimates, progress=self.progress)
        engine = replace(self, problem=restored.problem, estimates=estimates)
        return engine, in_formats(self.problem, draft, restored)

    def _least_bytes(self) -> int:
        """What the smallest cuts take, or what is asked for."""
        learned = self.known.learned(self.problem, self.estimates)
        smallest_bytes = learned.smallest_bytes(self.progress)
        if smallest_bytes == TOO_MUCH:
            return self.limit_bytes
        return int(smallest_bytes) + (0 if self.needs_all_maps else self._asked_bytes())

    def _asked_bytes(self) -> int:
        """What buffers and maps take at most that somebody asks for."""
        fixed, sizes = self.estimates.fixed, self.problem.sizes
        whole = self.known.whole_maps(self.problem, self.estimates)
        weights = [
            whole.ops[node.index].weights
            for node in self.problem.nodes
            if node.op.id in fixed.weights_of and fixed.weights_of[node.op.id].buffers
        ]
        streams = (each.stream.stream_bytes for each in weights if each is not None)
        return max(streams, default=0) + sum(sizes[fm] for fm in self._cuts().ground.crossing.asked)

    def _cuts(self) -> Cuts:
        problem = self.problem

        def fresh() -> Cuts:
            learned = self.known.learned(problem, self.estimates)
            prices = NodePrices(
                problem=problem,
                # They outlive the question, and whoever listens to it.
                estimates=replace(self.estimates, progress=SILENT),
                defaults=self.defaults,
                whole=learned.whole,
                whole_near=self._fitted(learned.whole, problem.movable).draft,
                far_formats=self.far_formats,
            )
            ground = Ground(
                flow=learned.flow,
                player=learned.player,
                crossing=Crossing.of(problem, self.estimates.fixed.living_of),
                prices=prices,
                nearest=problem.movable.union(learned.flow.rolling),
            )
            return Cuts(ground, learned.least, self.known.cuts_before.find(problem.island.id))

        return self.known.cuts.answer(problem.island.id, fresh)

    def _best_cut(self, cuts: Cuts, limit_bytes: int) -> Cut | None:
        """The fastest cuts with those maps near that are worth it."""
        lasting, asked = cuts.ground.crossing.lasting, cuts.ground.crossing.asked

        def fastest(near: frozenset[FmId]) -> Cut | None:
            cut = cuts.best(near, limit_bytes, self.progress)
            return None if cut is None else raised(cuts, cut)

        best = fastest(asked)
        if lasting == asked:
            return best
        drafts = [self.known.whole_maps(self.problem, self.estimates)]
        if best is not None:
            drafts.append(draft_of(cuts, best, limit_bytes))
        tried = {asked}
        while drafts and len(tried) <= _MOST_ROUNDS:
            near = self._near(drafts.pop(0), lasting, limit_bytes)
            if near in tried:
                continue
            tried.add(near)
            cut = fastest(near)
            if cut is not None and (best is None or cut.cycles < best.cycles):
                best = cut
                drafts.append(draft_of(cuts, cut, limit_bytes))
        return best

    def _near(self, draft: Draft, lasting: frozenset[FmId], limit_bytes: int) -> frozenset[FmId]:
        """Maps that live on and find room beside a draft."""
        policy = POLICIES[self.estimates.options.eviction]
        found = spill(
            self.problem,
            self.estimates,
            draft,
            limit_bytes,
            policy,
            self.progress,
            effort=_TO_COUNT_ON,
            saved=self.saved(draft),
        )
        return lasting & found.fast

    def saved(self, draft: Draft) -> SavedCycles | None:
        """By the price that the cuts go by."""
        if self.needs_all_maps:
            return None
        return Saved(self._cuts().ground.prices, draft)

    def candidate(self, draft: Draft) -> Candidate:
        """What a draft is called of which not all has room."""
        return Candidate.CASCADES if draft.cascades else Candidate.WHOLE_WITHIN_LIMIT


def _still_true(solved: Solved) -> Iterator[Decision]:
    """What keeps operators from chains, without those that are in a cascade all the same."""
    draft, rolling = solved.draft, rolling_maps(solved.draft)
    striped = {n.op.id for n in solved.problem.nodes if draft.ops[n.index].cascade is not None}
    for each in solved.problem.decisions:
        if isinstance(each, StripesImpossible) and each.op in striped:
            continue
        if isinstance(each, FullMapNeeded):
            op = solved.problem.graph.ops[each.op]
            second = op.ofm if op.ifm2 is None else op.ifm2
            view = {Role.IFM: op.ifm, Role.IFM2: second, Role.OFM: op.ofm}[each.role]
            if view.fm in rolling:
                continue
        yield each


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
