"""What operators cost in parts: in stripes of some rows or whole, with maps near or far, and with
weights that are read where they are stored or kept near."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from itertools import count, takewhile

from core.base.frozen import Frozen, NamedTuple, field, replace
from core.base.geometry import round_up
from core.base.ids import FmId
from core.ir.npugraph import OpKind
from core.ir.schedule import MapPlan
from core.schedule.candidates import plain
from core.schedule.draft import Draft, OpDraft
from core.schedule.estimates import Estimates, StripeCost, Wanted
from core.schedule.problem import IslandProblem, Node
from core.schedule.weight_choice import compares_ways
from core.target.format import ALIGNMENT_BYTES, Format
from core.target.region import Region, memory_of
from core.target.target import Area

_SLICE = 16
"""Channels of the shallowest slice of weights."""


_PlanKey = tuple[int, int, bool]
"""A node, the height of its stripes, and whether weights come in the way in which they usually do
not."""


_CostKey = tuple[int, tuple[bool, ...]]
"""The height of stripes, and which maps are near."""


class NodeCost(NamedTuple):
    """A node with its maps where they are taken to be."""

    cycles: float
    """With weights read where they are stored."""
    kept_cycles: float
    """With weights in fast storage, where that takes fewer."""
    kept_bytes: int
    """What they then take there."""
    is_otherwise: bool = False
    """Whether it is in the block for weights that come in the other way, if they are read where
    they are stored."""


class NodePrices(Frozen, kw_only=False, eq=False):
    """Costs of the nodes of one island, each worked out once."""

    problem: IslandProblem
    estimates: Estimates
    defaults: Sequence[MapPlan]
    whole: Draft
    """Each node by itself."""
    whole_near: Draft
    """The same in blocks that suit maps that are near."""
    far_formats: Sequence[Format]
    """How maps are stored that are not near; those that are have the formats of the problem."""
    _costs: dict[int, dict[_CostKey, NodeCost]] = field(default_factory=dict)
    """By node; those that are alike share them, whichever question they are part of."""
    _plans: dict[_PlanKey, OpDraft] = field(default_factory=dict)
    _ends: dict[int, tuple[Sequence[Area], Sequence[Area]]] = field(default_factory=dict)

    @property
    def compares_weights(self) -> bool:
        """Whether weights may come in one way or the other."""
        return compares_ways(self.estimates)

    def of(self, node: Node, height: int, near: Collection[FmId]) -> NodeCost:
        """A node in stripes; all of it at once where their height is 0."""
        costs = self._costs.get(node.index)
        if costs is None:
            costs = self.estimates.in_parts.setdefault(self.alike(node), {})
            self._costs[node.index] = costs
        key = height, tuple([fm in near for fm in node.fms])
        known = costs.get(key)
        if known is None:
            known = costs[key] = self._price(node, height, key[-1])
        return known

    def alike(self, node: Node) -> Hashable:
        """The same for nodes that cost as much: of those that are alike, an end of the island is in
        another block when it runs whole, as that map cannot be near."""
        far = tuple([self.far_formats[fm] for fm in node.fms])
        return self.estimates.alike_in_parts(node), far, self.whole_near.ops[node.index].cost.moved

    def plan(self, node: Node, height: int, *, is_otherwise: bool = False) -> OpDraft:
        """How it runs with weights read where they are stored."""
        plan = self._plan(node, height, is_otherwise=is_otherwise)
        return plan if plan.weights is None else plain(self.estimates, node, plan.cost)

    def kept_plan(self, node: Node, height: int) -> OpDraft:
        """How a node runs in stripes whose weights stay near while all of them do."""
        plan = self.plan(node, height)
        assert plan.weights is not None
        size = plan.weights.stream.stream_bytes
        return replace(plan, weights=replace(plan.weights, buffers=(size,)))

    def _plan(self, node: Node, height: int, *, is_otherwise: bool = False) -> OpDraft:
        """The same with weights as they are taken to be until somebody runs it so."""
        if height or is_otherwise:
            return self._planned(node, height, is_otherwise=is_otherwise)
        return self.whole.ops[node.index]

    def _price(self, node: Node, height: int, near: tuple[bool, ...]) -> NodeCost:
        cost = self._price_of(node, height, near, self._plan(node, height))
        if height or not any(near):
            return cost
        # What runs whole is in the block that suits where its maps are.
        costs = (cost, self._price_of(node, height, near, self.whole_near.ops[node.index]))
        kept = min(costs, key=lambda each: each.kept_cycles)
        direct = min(costs, key=lambda each: each.cycles)
        return direct._replace(kept_cycles=kept.kept_cycles, kept_bytes=kept.kept_bytes)

    def _price_of(self, node: Node, height: int, near: tuple[bool, ...], plan: OpDraft) -> NodeCost:
        """The price of one plan."""
        if node.op.kind is OpKind.COPY:
            copied = self._copied(node, near)
            return NodeCost(copied, copied, 0)
        weights = plan.weights
        cycles = self.cycles(node, plan, near, keeps_weights=False)
        asked = self.estimates.fixed.weights_of.get(node.op.id)
        may_stay = self.compares_weights and (asked is None or asked.buffers != 0)
        if weights is None or not may_stay:
            return NodeCost(cycles, cycles, 0)
        size = weights.stream.stream_bytes
        model = self.estimates.model
        arriving = model.copy_cycles(model.target.permanent.area, model.target.fast.area, size)
        beside = self.cycles(node, plan, near, keeps_weights=True)
        is_otherwise = False
        if self._has_ways(node):
            other = self._planned(node, height, is_otherwise=True)
            other_cycles = self.cycles(node, other, near, keeps_weights=False)
            if other_cycles < cycles:
                cycles, is_otherwise = other_cycles, True
        if height:
            # All stripes need all of them, and the first waits until they are there.
            kept, taken = beside + arriving, size
        else:
            # Slices come while others are used, through two buffers. Where they are thinner than a
            # block, inputs are read more often.
            depth = max(node.op.weights.values.shape[0], 1) if node.op.weights is not None else 1
            step = max(_SLICE, plan.cost.block.ofm_block.c)
            kept, taken = max(beside, arriving), min(2 * size * step // depth, size)
        if asked is not None and asked.buffers:
            # Whoever asks for a buffer has it, be it no faster.
            return NodeCost(max(cycles, kept), kept, taken, is_otherwise)
        if kept < cycles:
            return NodeCost(cycles, kept, taken, is_otherwise)
        return NodeCost(cycles, cycles, 0, is_otherwise)

    def _copied(self, node: Node, near: tuple[bool, ...]) -> float:
        """The one transfer of a copy; bytes that are where they should be need none."""
        op, (far, close) = node.op, self._areas(node)
        source, end = (node.fms.index(view.fm) for view in (op.ifm, op.ofm))
        if node.overwrites and near[source] == near[end]:
            return 0.0
        bits = self.problem.graph.fm(op.ofm).dtype.bits
        size = round_up(op.ofm.touched.elements * bits // 8, ALIGNMENT_BYTES)
        read, written = ((close if near[place] else far)[place] for place in (source, end))
        return float(self.estimates.model.copy_cycles(read, written, size))

    def _planned(self, node: Node, height: int, *, is_otherwise: bool = False) -> OpDraft:
        """A node in the block that suits its stripes, or where weights come in the other way."""
        key = node.index, height, is_otherwise
        if key not in self._plans:
            keys = [each for each in self._asked_with(node, height) if each not in self._plans]
            nodes = [self.problem.nodes[index] for index, *_ in keys]
            wanted = [
                Wanted(each, rows or each.ofm.shape.h, is_otherwise=otherwise)
                for each, (_, rows, otherwise) in zip(nodes, keys, strict=True)
            ]
            costs = self.estimates.costs(wanted)
            plans = (self._guess(each.node, cost) for each, cost in zip(wanted, costs, strict=True))
            self._plans.update(zip(keys, plans, strict=True))
        return self._plans[key]

    def _guess(self, node: Node, cost: StripeCost) -> OpDraft:
        """A node in a block, with weights that take what they do for the whole node: blocks hardly
        change that, and to encode them for each takes longer than all else."""
        weights = self.whole.ops[node.index].weights
        return OpDraft(cost=cost, weights=weights)

    def _asked_with(self, node: Node, height: int) -> Iterator[_PlanKey]:
        """What is asked for together, as it takes less time: all nodes as a whole, or one node in
        whatever stripes, of which each scale of the part that it is in asks for others."""
        if not height:
            yield from (
                (each.index, 0, True) for each in self.problem.nodes if self._has_ways(each)
            )
            return
        most = node.most_rows
        doubled = takewhile(lambda rows: rows < most, (1 << power for power in count()))
        heights = dict.fromkeys((height, *doubled, most))
        ways = (False, True) if self._has_ways(node) else (False,)
        yield from ((node.index, rows, way) for rows in heights for way in ways if rows)

    def _has_ways(self, node: Node) -> bool:
        """Whether another block may suit weights that come in another way."""
        is_free = self.estimates.options.freedoms.blocks_by_cost
        return is_free and self.compares_weights and node.op.weights is not None

    def cycles(
        self, node: Node, plan: OpDraft, near: tuple[bool, ...], *, keeps_weights: bool
    ) -> float:
        """By the price of commands, with some maps near, in the order in which it sees them."""
        prices, cost = self.estimates.prices, plan.cost
        formats = self.far_formats, self.problem.formats
        orders = tuple([formats[is_near][fm] for fm, is_near in zip(node.fms, near, strict=True)])
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
