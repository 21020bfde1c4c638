"""What operators cost in parts: in stripes of some rows or whole, with maps near or far, and with
weights that are read where they are stored or kept near."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from core.base.frozen import Frozen, field, replace
from core.base.ids import FmId
from core.ir.npugraph import OpKind
from core.ir.schedule import MapPlan
from core.schedule.candidates import plain
from core.schedule.draft import Draft, OpDraft
from core.schedule.estimates import Estimates, Wanted
from core.schedule.problem import IslandProblem, Node
from core.schedule.weight_choice import compares_ways
from core.target.region import Region, memory_of
from core.target.target import Area

_SLICE = 16
"""Channels of the shallowest slice of weights."""


class NodeCost(NamedTuple):
    """A node with its maps where they are taken to be."""

    cycles: float
    """With weights read where they are stored."""
    kept_cycles: float
    """With weights in fast storage, where that takes fewer."""
    kept_bytes: int
    """What they then take there."""
    plan: OpDraft
    """How it runs with weights read where they are stored."""


class NodePrices(Frozen, kw_only=False, eq=False):
    """Costs of the nodes of one island, each worked out once."""

    problem: IslandProblem
    estimates: Estimates
    defaults: Sequence[MapPlan]
    whole: Draft
    """Each node by itself."""
    _known: dict[tuple[int, int, tuple[bool, ...]], NodeCost] = field(default_factory=dict)
    _plans: dict[tuple[int, int, bool], OpDraft] = field(default_factory=dict)
    _ends: dict[int, tuple[Sequence[Area], Sequence[Area]]] = field(default_factory=dict)

    @property
    def compares_weights(self) -> bool:
        """Whether weights may come in one way or the other."""
        return compares_ways(self.estimates)

    def of(self, node: Node, height: int, near: Collection[FmId]) -> NodeCost:
        """A node in stripes; all of it at once where their height is 0."""
        key = node.index, height, tuple([fm in near for fm in node.fms])
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._price(node, height, key[-1])
        return known

    def plan(self, node: Node, height: int) -> OpDraft:
        """How it runs."""
        if not height:
            return self.whole.ops[node.index]
        key = node.index, height, False
        known = self._plans.get(key)
        if known is None:
            stripe = self.estimates.stripe(node, height)
            known = self._plans[key] = plain(self.estimates, node, stripe)
        return known

    def kept_plan(self, node: Node, height: int) -> OpDraft:
        """How a node runs in stripes whose weights stay near while all of them do."""
        plan = self.plan(node, height)
        assert plan.weights is not None
        size = plan.weights.stream.stream_bytes
        return replace(plan, weights=replace(plan.weights, buffers=(size,)))

    def _price(self, node: Node, height: int, near: tuple[bool, ...]) -> NodeCost:
        plan = self.plan(node, height)
        if node.op.kind is OpKind.COPY:
            return NodeCost(float(plan.cost.cycles), float(plan.cost.cycles), 0, plan)
        weights = plan.weights
        cycles = self.cycles(node, plan, near, keeps_weights=False)
        if weights is None or not self.compares_weights:
            return NodeCost(cycles, cycles, 0, plan)
        size = weights.stream.stream_bytes
        model = self.estimates.model
        arriving = model.copy_cycles(model.target.permanent.area, model.target.fast.area, size)
        beside = self.cycles(node, plan, near, keeps_weights=True)
        direct = plan
        if self.estimates.options.freedoms.blocks_by_cost:
            other = self._otherwise(node, height)
            other_cycles = self.cycles(node, other, near, keeps_weights=False)
            if other_cycles < cycles:
                cycles, direct = other_cycles, other
        if height:
            # All stripes need all of them, and the first waits until they are there.
            kept, taken = beside + arriving, size
        else:
            # Slices come while others are used, through two buffers.
            depth = max(node.op.weights.values.shape[0], 1) if node.op.weights is not None else 1
            kept, taken = max(beside, arriving), min(2 * size * _SLICE // depth, size)
        if kept < cycles:
            return NodeCost(cycles, kept, taken, direct)
        return NodeCost(cycles, cycles, 0, direct)

    def _otherwise(self, node: Node, height: int) -> OpDraft:
        """A node in the block that suits weights which come in the other way."""
        key = node.index, height, True
        known = self._plans.get(key)
        if known is None:
            rows = height or node.ofm.shape.h
            (cost,) = self.estimates.costs([Wanted(node, rows, is_otherwise=True)])
            known = self._plans[key] = plain(self.estimates, node, cost)
        return known

    def cycles(
        self, node: Node, plan: OpDraft, near: tuple[bool, ...], *, keeps_weights: bool
    ) -> float:
        """By the price of commands, with some maps near, in the order in which it sees them."""
        prices, cost = self.estimates.prices, plan.cost
        orders = tuple([self.problem.formats[fm] for fm in node.fms])
        read = None if plan.weights is None else plan.weights.plan
        by_place = prices.by_place(node.op, cost.stripe.ofm.h, cost.block, orders, read)
        far, close = self._areas(node)
        maps = [(close if is_near else far)[place] for place, is_near in enumerate(near)]
        return by_place.cycles(prices.areas(node.op, maps, keeps_weights=keeps_weights))

    def _areas(self, node: Node) -> tuple[Sequence[Area], Sequence[Area]]:
        """The memories of its maps when they are far, and when they are near."""
        known = self._ends.get(node.index)
        if known is None:
            target = self.estimates.prices.model.target
            far = [self.defaults[fm].region for fm in node.fms]
            # A constant that is stored in the memory of the arena stays there.
            close = [Region.SCRATCH_FAST if each is Region.SCRATCH else each for each in far]
            known = self._ends[node.index] = (
                [memory_of(target, region).area for region in far],
                [memory_of(target, region).area for region in close],
            )
        return known
