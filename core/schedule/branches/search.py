"""A schedule of an island with cascades across branches: the smallest, and then the fastest within
what may be taken."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np

from core.base.frozen import Frozen, field, replace
from core.base.ids import FmId
from core.base.progress import Progress
from core.ir.decisions import Candidate
from core.ir.fixed import Fixed
from core.ir.freedoms import Freedoms
from core.ir.npugraph import OpKind
from core.ir.schedule import MapPlan
from core.schedule.branches.flow import Flow, ring_shape
from core.schedule.branches.groups import (
    Bounds,
    Numbers,
    Part,
    Played,
    Player,
    Ways,
    least_bytes,
    smallest,
)
from core.schedule.branches.heights import heights_of
from core.schedule.candidates import plain
from core.schedule.draft import Draft, OpDraft, Ring, sized
from core.schedule.estimates import Estimates
from core.schedule.problem import IslandProblem, Node
from core.schedule.solved import Solved
from core.target.region import Region

_SCALES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Rows that the last operator of a part makes at once; with 0, all make as few as they can."""

_MOST_LOOKS = 60
"""How often the fastest way is looked for."""

_MOST_RAISED = 24
"""Heights of single operators that are tried in each part."""

_WORTH_IT = 0.99
"""Of the cycles of a part: what saves less leaves its room to the buffers of weights."""

_TOO_SLOW = float("inf")

_STRIPED = 1.0 + 2**-10
"""What whole maps cost is the least that stripes are taken to cost, and a little less is better."""


class Tried(NamedTuple):
    """A part in stripes of some height."""

    heights: list[int]
    played: Played


class Learned(Frozen, kw_only=False):
    """What is worked out of an island once, and holds for every limit."""

    flow: Flow
    player: Player
    whole: Draft
    """Each node by itself."""
    least: Bounds
    """Bytes of each part."""
    smallest: list[tuple[float, list[Part]]] = field(default_factory=list)
    """The parts with which least is live at most, once they are found."""
    fastest: list[Numbers] = field(default_factory=list)
    """By last node: cycles that each part takes at least."""
    tried: dict[Part, list[Tried | None]] = field(default_factory=dict)
    """In the order of `_SCALES`; None behind the highest stripes that there are."""
    cycles: dict[tuple[Part, int], float] = field(default_factory=dict)
    """Of those that were tried."""
    costs: dict[tuple[int, int, tuple[bool, ...]], float] = field(default_factory=dict)
    """Cycles of a node in stripes of some rows, by which of its maps roll."""

    @classmethod
    def of(cls, problem: IslandProblem, fixed: Fixed, whole: Draft, *, lays_over: bool) -> Learned:
        """Nothing but what all the rest is made of."""
        flow = Flow(problem)
        player = Player(flow, dict(fixed.rolling), fixed.height_of, lays_over)
        return cls(flow, player, whole, least_bytes(flow, lays_over=lays_over))

    def beside(self, problem: IslandProblem) -> Learned:
        """The same island where other bytes are live beside its operators."""
        flow, lays_over = Flow(problem), self.player.lays_over
        return Learned(
            flow,
            self.player.beside(flow),
            self.whole,
            least_bytes(flow, lays_over=lays_over),
            fastest=self.fastest,
            cycles=self.cycles,
            costs=self.costs,
        )


def may_go_across(chains: Solved, limit_bytes: int, freedoms: Freedoms) -> bool:
    """Whether a schedule of chains leaves anything to be desired."""
    is_whole = chains.candidate is Candidate.WHOLE_MAPS and chains.now.peak_bytes <= limit_bytes
    is_enough = is_whole and not chains.problem.bonds.ask_for_cascades
    return freedoms.branch_cascades and not is_enough


def across_branches(
    learned: Learned,
    estimates: Estimates,
    defaults: Sequence[MapPlan],
    limit_bytes: int,
    progress: Progress,
) -> tuple[Draft, int] | None:
    """The fastest within what the smallest of its kind takes, or the limit, and that limit; None
    where no cascade is worth it."""
    search = Branches(learned, estimates, defaults, progress)
    smallest_bytes = search.smallest_bytes()
    if smallest_bytes is None:
        return None
    limit_bytes = max(limit_bytes, smallest_bytes)
    draft = search.best(limit_bytes)
    return None if draft is None or not draft.cascades else (draft, limit_bytes)


class Branches(Frozen, kw_only=False):
    """Searches one island."""

    learned: Learned
    estimates: Estimates
    defaults: Sequence[MapPlan]
    progress: Progress

    @property
    def flow(self) -> Flow:
        """The island."""
        return self.learned.flow

    def smallest_bytes(self) -> int | None:
        """The least that is live at most, however operators are grouped in their order; None where
        what is asked for cannot be."""
        size, _ = self._smallest()
        return int(size) if size < _TOO_SLOW else None

    def _smallest(self) -> tuple[float, list[Part]]:
        known, learned = self.learned.smallest, self.learned
        if not known:
            found = smallest(
                learned.flow, learned.player, self._lowest, learned.least, self.progress
            )
            known.append(found)
        return known[0]

    def best(self, limit_bytes: int) -> Draft | None:
        """The fastest that is found within a limit; None where none is."""
        size, parts = self._smallest()
        if size > limit_bytes:
            return None
        chosen: dict[Part, list[int]] = {}

        def look(part: Part) -> float:
            cost, heights = self._fastest(part, limit_bytes)
            chosen[part] = heights
            return cost

        bounds = [
            np.where(least > limit_bytes, _TOO_SLOW, cycles)
            for least, cycles in zip(self.learned.least, self._least_cycles(), strict=True)
        ]
        priced = Ways.of(self.flow, bounds)
        for part in parts:
            if part.first < part.last:
                priced.know(part, look(part))
        _, found = priced.search(look, self.progress, adds_up=True, most=_MOST_LOOKS)
        return self._draft(
            [(part, self._raised(part, chosen.get(part, []), limit_bytes)) for part in found]
        )

    def _raised(self, part: Part, heights: list[int], limit_bytes: int) -> list[int]:
        """Rows with which single nodes of a part make more at once, where there is room and that
        takes fewer cycles; those that take most come first."""
        nodes = self.flow.nodes[part.first : part.last + 1]
        if len(nodes) < 2:
            return heights
        asked, best, left = self.estimates.fixed.height_of, heights, _MOST_RAISED
        least = self._priced(part, best, limit_bytes)
        saved = [
            self._cycles(node, height) - self._cycles(node, 0)
            for node, height in zip(nodes, heights, strict=True)
        ]
        for at in sorted(range(len(nodes)), key=lambda at: -saved[at]):
            most = min(nodes[at].most_rows, nodes[at].op.ofm.touched.h - 1)
            while left and nodes[at].op.id not in asked and best[at] * 2 <= most:
                left -= 1
                higher = [*best[:at], best[at] * 2, *best[at + 1 :]]
                cycles = self._priced(part, higher, limit_bytes)
                if cycles > least * _WORTH_IT:
                    break
                best, least = higher, cycles
        return best

    def _priced(self, part: Part, heights: list[int], limit_bytes: int) -> float:
        """Cycles of a part, where it has room."""
        played = self.learned.player.play(part, heights)
        if not self.learned.player.has_room(played, limit_bytes):
            return _TOO_SLOW
        rolls = {fm for fm, _ in played.rings}
        nodes = self.flow.nodes[part.first : part.last + 1]
        return sum(
            self._cycles(node, height, rolls) for node, height in zip(nodes, heights, strict=True)
        )

    def _least_cycles(self) -> Bounds:
        """Cycles of whole maps."""
        known = self.learned.fastest
        if not known:
            alone = [self._cycles(node, 0) for node in self.flow.nodes]
            for last, first in enumerate(self.flow.earliest):
                cycles = np.cumsum(alone[first : last + 1][::-1])[::-1] * _STRIPED
                cycles[-1] = alone[last]
                known.append(cycles)
        return known

    def _lowest(self, part: Part) -> list[int]:
        return self._heights(part, 0)

    def _heights(self, part: Part, scale: int) -> list[int]:
        """Rows that each node makes at once, so that the last ones make as many as asked for."""
        nodes = self.flow.nodes[part.first : part.last + 1]
        return heights_of(nodes, scale, self.estimates.fixed.height_of)

    def _fastest(self, part: Part, limit_bytes: int) -> tuple[float, list[int]]:
        """The rows with which a part takes the fewest cycles, where it has room."""
        best: tuple[float, list[int]] = (_TOO_SLOW, [])
        for place, scale in enumerate(_SCALES):
            tried = self._tried(part, place)
            if tried is None:
                break
            if tried.played.size_bytes > limit_bytes:
                if scale > 1:
                    break
                continue
            cycles = self._cycles_of(part, place, tried)
            if cycles < best[0]:
                best = cycles, tried.heights
        return best

    def _tried(self, part: Part, place: int) -> Tried | None:
        """A part with its stripes in one of the scales; None where the one before is the same."""
        known = self.learned.tried.setdefault(part, [])
        if place == len(known):
            heights = self._heights(part, _SCALES[place])
            before = known[-1] if known else None
            is_another = before is None or heights != before.heights
            tried = Tried(heights, self.learned.player.play(part, heights)) if is_another else None
            known.append(tried)
        return known[place]

    def _cycles_of(self, part: Part, place: int, tried: Tried) -> float:
        known = self.learned.cycles.get((part, place))
        if known is None:
            rolls = {fm for fm, _ in tried.played.rings}
            nodes = self.flow.nodes[part.first : part.last + 1]
            known = self.learned.cycles[part, place] = sum(
                self._cycles(node, height, rolls)
                for node, height in zip(nodes, tried.heights, strict=True)
            )
        return known

    def _cycles(self, node: Node, height: int, rolls: Container[FmId] = ()) -> float:
        """Cycles of a node in stripes; of all of it at once where their height is 0."""
        near = tuple(view.fm in rolls for view in node.op.views)
        key = node.index, height, near
        known = self.learned.costs.get(key)
        if known is None:
            plan = self.learned.whole.ops[node.index]
            if height:
                plan = self._plan(node, height)
            known = self.learned.costs[key] = self._price(node, plan, rolls)
        return known

    def _plan(self, node: Node, height: int) -> OpDraft:
        return plain(self.estimates, node, self.estimates.stripe(node, height))

    def _price(self, node: Node, plan: OpDraft, rolls: Container[FmId]) -> float:
        def map_of(fm: FmId) -> MapPlan:
            if fm in rolls:
                return MapPlan(format=self.flow.problem.formats[fm], region=Region.SCRATCH_FAST)
            return self.defaults[fm]

        read = None if plan.weights is None else plan.weights.plan
        height, block = plan.cost.stripe.ofm.h, plan.cost.block
        if node.op.kind is OpKind.COPY:
            return float(plan.cost.cycles)
        prices = self.estimates.prices
        return prices.cycles(prices.key(node.op, height, block, read, map_of))

    def _draft(self, parts: Sequence[tuple[Part, list[int]]]) -> Draft:
        """The parts as a draft."""
        draft = Draft(ops={})
        for part, heights in parts:
            if part.first == part.last:
                draft.ops[part.first] = self.learned.whole.ops[part.first]
                continue
            played = self.learned.player.play(part, heights)
            for node, height in zip(
                self.flow.nodes[part.first : part.last + 1], heights, strict=True
            ):
                draft.ops[node.index] = replace(self._plan(node, height), cascade=part.last)
            cascade = sized(
                self.flow.problem, draft.ops, part.first, part.last, self._rings(played)
            )
            draft.cascades[part.last] = replace(cascade, overlays=played.overlays)
        return draft

    def _rings(self, played: Played) -> tuple[Ring, ...]:
        rolling = self.flow.rolling
        return tuple(
            Ring(fm, ring_shape(self.flow.problem, rolling[fm], rows)) for fm, rows in played.rings
        )
