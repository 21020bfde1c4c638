"""What a way to run an operator costs: the estimate of the finished schedule, for it alone.

How much of its weights arrives under the operator before depends on what is chosen there: all of
that operator's cycles leave room for transfers, or those of its last slice. Half of its cycles is
between the two, and so costs add up, whatever is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import Frozen, field, replace
from core.base.ids import FmId
from core.cost.from_graph import whole
from core.cost.from_schedule import steps
from core.ir.cost import OperatorCost
from core.ir.decisions import Streaming
from core.ir.schedule import MapPlan, OpPlan, WeightPlan
from core.schedule.estimates import Estimates
from core.schedule.pareto.strategies import Role, Way
from core.schedule.pareto.weighing import Weighing
from core.schedule.problem import IslandProblem, Node
from core.target.block import BlockConfig
from core.target.region import Region

_SLACK_PART = 2
"""Of the operator before, this part of its cycles is taken to leave time for transfers."""

_Key = tuple[int, BlockConfig, Streaming, tuple[int, ...], int | None, frozenset[FmId]]


class Pricing(Frozen):
    """Prices ways of operators of one network on one target."""

    estimates: Estimates
    defaults: Sequence[MapPlan]
    """Where each map lives that nobody moves."""
    weighing: Weighing
    problem: IslandProblem
    resident: frozenset[FmId]
    """Maps that are taken to be in fast storage."""

    _known: dict[_Key, float] = field(default_factory=dict)
    """Grows with every question; its answers never change."""

    def price(self, node: Node, way: Way, role: Role) -> float:
        """The weighted cost of a way to run a node in a role."""
        fast = self._fast(node, role)
        key = (node.index, way.block, way.streaming, way.slices, way.buffer_count, fast)
        if key not in self._known:
            self._known[key] = self.weighing.cost(self._cost(node, way, fast))
        return self._known[key]

    def _fast(self, node: Node, role: Role) -> frozenset[FmId]:
        """Maps of a node that are in fast storage, and would not be otherwise."""
        is_there = self.problem.storage.holds(frozenset())
        found = {fm for fm in node.maps if fm in self.resident}
        if role.reads_rolling:
            found.add(node.ifm.fm)
        if role.makes_rolling:
            found.add(node.ofm.fm)
        return frozenset(fm for fm in found if not is_there(fm))

    def _cost(self, node: Node, way: Way, fast: frozenset[FmId]) -> OperatorCost:
        model = self.estimates.model

        def map_of(fm: FmId) -> MapPlan:
            plan = self.defaults[fm]
            return replace(plan, region=Region.SCRATCH_FAST) if fm in fast else plan

        plan = OpPlan(
            op=node.op.id,
            stripe=whole(node.op),
            block=way.block,
            cascade=None,
            weights=_weights(self.estimates, way),
            macs=0,
            cycles=0,
            slack_cycles=last_slice_cycles(self.estimates, node, way),
            slack_bytes=0,
            time=0,
        )
        (step,) = steps(self.estimates.graph, model, (plan,), map_of)
        before = self.problem.nodes[node.index - 1] if node.index else None
        slack = 0 if before is None else self.estimates.whole(before).cycles // _SLACK_PART
        step = replace(step, slack_cycles=slack)
        return model.cost(step)


def _weights(estimates: Estimates, way: Way) -> WeightPlan | None:
    if way.stream is None:
        return None
    return WeightPlan(
        encoding=way.stream.encoding,
        depth_slices=way.slices,
        slice_bytes=way.stream.slice_bytes,
        buffer_bytes=way.buffers,
        transfer_cycles=transfer_cycles(estimates, way),
    )


def transfer_cycles(estimates: Estimates, way: Way) -> int:
    """Cycles in which all weights can be brought to fast storage; 0 where they stay."""
    if way.stream is None or way.streaming is Streaming.NOTHING:
        return 0
    target = estimates.model.target
    return estimates.model.copy_cycles(
        target.permanent.area, target.fast.area, way.stream.stream_bytes
    )


def last_slice_cycles(estimates: Estimates, node: Node, way: Way) -> int:
    """Cycles of the last slice where weights pass in slices; no weights arrive meanwhile."""
    if len(way.slices) <= 2:
        return 0
    depth = way.slices[-1] - way.slices[-2]
    return estimates.cycles_of_depth(node, way.block, depth)
