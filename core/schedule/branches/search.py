"""A schedule of an island with cascades across branches: the smallest, and then the fastest within
what may be taken."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.base.ids import FmId
from core.base.progress import Progress
from core.ir.decisions import Candidate
from core.ir.npugraph import OpKind
from core.ir.schedule import MapPlan
from core.schedule.branches.flow import Flow, ring_shape
from core.schedule.branches.groups import Numbers, Part, Played, Player, Ways, least_bytes, smallest
from core.schedule.candidates import max_schedule, plain
from core.schedule.draft import Draft, OpDraft, Ring, sized
from core.schedule.estimates import Estimates
from core.schedule.problem import IslandProblem, Node
from core.schedule.solved import Solved
from core.target.region import Region

_SCALES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Rows that the last operator of a part makes at once; with 0, all make as few as they can."""

_MOST_LOOKS = 60
"""How often the fastest way is looked for."""

_TOO_SLOW = float("inf")

_STRIPED = 1.0 + 2**-10
"""What whole maps cost is the least that stripes are taken to cost, and a little less is better."""


def across_branches(
    problem: IslandProblem,
    estimates: Estimates,
    defaults: Sequence[MapPlan],
    chains: Solved,
    limit_bytes: int,
    progress: Progress,
) -> tuple[Draft, int] | None:
    """A rival of a schedule of chains within what the smallest of its kind takes, or the limit, and
    that limit; None where chains leave nothing to be desired."""
    is_whole = chains.candidate is Candidate.WHOLE_MAPS
    if not estimates.freedoms.branch_cascades or (
        is_whole and chains.now.peak_bytes <= limit_bytes
    ):
        return None
    whole = max_schedule(problem, estimates, progress)
    search = Branches(problem, estimates, defaults, whole, progress)
    smallest_bytes = search.smallest_bytes()
    if smallest_bytes is None:
        return None
    limit_bytes = max(limit_bytes, smallest_bytes)
    draft = search.best(limit_bytes)
    return None if draft is None or not draft.cascades else (draft, limit_bytes)


@dataclass(slots=True)
class Branches:
    """Searches one island."""

    problem: IslandProblem
    estimates: Estimates
    defaults: Sequence[MapPlan]
    whole: Draft
    """Each node by itself."""
    progress: Progress
    flow: Flow = field(init=False)
    player: Player = field(init=False)
    _costs: dict[tuple[int, int, tuple[bool, ...]], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.flow = Flow(self.problem)
        self.player = Player(self.flow, dict(self.estimates.fixed.rolling))

    def smallest_bytes(self) -> int | None:
        """The least that is live at most, however operators are grouped in their order; None where
        what is asked for cannot be."""
        size, _ = smallest(self.flow, self.player, self._lowest, self.progress)
        return int(size) if size < _TOO_SLOW else None

    def best(self, limit_bytes: int) -> Draft | None:
        """The fastest that is found within a limit; None where none is."""
        size, parts = smallest(self.flow, self.player, self._lowest, self.progress)
        if size > limit_bytes:
            return None
        ways = least_bytes(self.flow)
        chosen: dict[Part, list[int]] = {}

        def look(part: Part) -> float:
            cost, heights = self._fastest(part, limit_bytes)
            chosen[part] = heights
            return cost

        priced = Ways.of(self.flow, lambda first, last: self._bound(ways, first, last, limit_bytes))
        for part in parts:
            if part.first < part.last:
                priced.know(part, look(part))
        _, found = priced.search(look, self.progress, adds_up=True, most=_MOST_LOOKS)
        return self._draft([(part, chosen.get(part, [])) for part in found])

    def _bound(self, ways: Ways, first: int, last: int, limit_bytes: int) -> Numbers:
        """Cycles of whole maps, where a part may have room at all."""
        alone = [self._cycles(node, 0) for node in self.flow.nodes[first : last + 1]]
        cycles = np.cumsum(alone[::-1])[::-1] * _STRIPED
        cycles[-1] = alone[-1]
        cycles[ways.cost[last] > limit_bytes] = _TOO_SLOW
        return cycles

    def _lowest(self, part: Part) -> list[int]:
        return self._heights(part, 0)

    def _heights(self, part: Part, scale: int) -> list[int]:
        """Rows that each node makes at once, so that the last ones make as many as asked for."""
        nodes = self.flow.nodes[part.first : part.last + 1]
        wanted: dict[FmId, int] = {}
        found = []
        for node in reversed(nodes):
            op = node.op
            most = min(node.most_rows, op.ofm.touched.h - 1)
            height = wanted.get(node.ofm.fm, max(scale, 1)) if scale else 1
            if node.needs_even_rows:
                height += height % 2
                most -= most % 2
            height = self.estimates.fixed.height_of.get(op.id, max(min(height, most), 1))
            found.append(height)
            rows = max(height * op.kernel.stride_h // op.resampling.factor, 1)
            for view in op.views[:-1]:
                wanted[view.fm] = max(wanted.get(view.fm, 0), rows)
        return found[::-1]

    def _fastest(self, part: Part, limit_bytes: int) -> tuple[float, list[int]]:
        """The rows with which a part takes the fewest cycles, where it has room."""
        best: tuple[float, list[int]] = (_TOO_SLOW, [])
        before: list[int] = []
        for scale in _SCALES:
            heights = self._heights(part, scale)
            if heights == before:
                break
            before = heights
            played = self.player.play(part, heights)
            if played.size_bytes > limit_bytes:
                if scale > 1:
                    break
                continue
            rolls = {fm for fm, _ in played.rings}
            nodes = self.flow.nodes[part.first : part.last + 1]
            cycles = sum(
                self._cycles(node, height, rolls)
                for node, height in zip(nodes, heights, strict=True)
            )
            best = min(best, (cycles, heights), key=lambda each: each[0])
        return best

    def _cycles(self, node: Node, height: int, rolls: Container[FmId] = ()) -> float:
        """Cycles of a node in stripes; of all of it at once where their height is 0."""
        near = tuple(view.fm in rolls for view in node.op.views)
        key = node.index, height, near
        known = self._costs.get(key)
        if known is None:
            plan = self.whole.ops[node.index]
            if height:
                plan = self._plan(node, height)
            known = self._costs[key] = self._price(node, plan, rolls)
        return known

    def _plan(self, node: Node, height: int) -> OpDraft:
        return plain(self.estimates, node, self.estimates.stripe(node, height))

    def _price(self, node: Node, plan: OpDraft, rolls: Container[FmId]) -> float:
        def map_of(fm: FmId) -> MapPlan:
            if fm in rolls:
                return MapPlan(format=self.problem.formats[fm], region=Region.SCRATCH_FAST)
            return self.defaults[fm]

        read = None if plan.weights is None else plan.weights.plan
        height, block = plan.cost.stripe.ofm.h, plan.cost.block
        if node.op.kind is OpKind.COPY:
            return float(plan.cost.cycles)
        return self.estimates.prices.of(node.op, height, block, read, map_of).sums.cycles

    def _draft(self, parts: Sequence[tuple[Part, list[int]]]) -> Draft:
        """The parts as a draft."""
        draft = Draft(ops={})
        for part, heights in parts:
            if part.first == part.last:
                draft.ops[part.first] = self.whole.ops[part.first]
                continue
            played = self.player.play(part, heights)
            for node, height in zip(
                self.flow.nodes[part.first : part.last + 1], heights, strict=True
            ):
                draft.ops[node.index] = self._plan(node, height)._replace(cascade=part.last)
            draft.cascades[part.last] = sized(
                self.problem, draft.ops, part.first, part.last, self._rings(played)
            )
        return draft

    def _rings(self, played: Played) -> tuple[Ring, ...]:
        rolling = self.flow.rolling
        return tuple(
            Ring(fm, ring_shape(self.problem, rolling[fm], rows)) for fm, rows in played.rings
        )
