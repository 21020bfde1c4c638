"""What the operations of an operator cost wherever its maps and weights are.

A search asks this of one operator for many places. What it makes and how often it reads does not
depend on them, so each map is measured in both memories once, and then they are put together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from core.base.frozen import Frozen, field, replace
from core.cost.accesses import accesses
from core.cost.bursts import BURSTS
from core.cost.from_graph import Place
from core.cost.model import CostModel
from core.cost.rates import Rates
from core.cost.spent import weight_traffic
from core.cost.stripes import part_of, rows_read, slices_of, whole_work
from core.cost.traffic import busy_cycles, map_traffic
from core.cost.work import Work
from core.ir.cost import Traffic
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.schedule import WeightPlan
from core.liveness.stripes import stripes_of
from core.target.block import BlockConfig


class _Moved(NamedTuple):
    """An operation with all that it needs in one of two memories."""

    work: Work
    maps: tuple[Traffic, ...]
    """In the order of the operator's views."""
    weights: tuple[Traffic, ...]


class _Operation(NamedTuple):
    """One of the operations that an operator has, and how often."""

    times: int
    far: _Moved
    near: _Moved


class ByPlace(Frozen, kw_only=False, eq=False):
    """The operations of an operator in stripes of some height."""

    model: CostModel
    operations: tuple[_Operation, ...]
    _known: dict[tuple[tuple[bool, ...], bool], float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        model: CostModel,
        graph: NpuGraph,
        op: NpuOp,
        height: int,
        block: BlockConfig,
        weights: WeightPlan | None,
        places: tuple[Sequence[Place], Sequence[Place]],
    ) -> ByPlace:
        """With maps where they are when they are far, and when they are near."""
        target = model.target
        areas = target.permanent.area, target.fast.area
        ends = []
        for own, area in zip(places, areas, strict=True):
            ends.append(whole_work(graph, model, op, block, tuple(own), area))
        slices = tuple(slices_of(target.accelerator, op, weights))
        steps = stripes_of(op, height)
        stripes = Counter((step.end - step.first, rows_read(op, step)) for step in steps)
        found = []
        for rows, times in stripes.items():
            for channels, size in slices:
                parts = (part_of(op, work, *rows, channels) for work in ends)
                found.append(
                    _Operation(times, *(_moved(model.rates, part, size) for part in parts))
                )
        return cls(model, tuple(found))

    def cycles(self, near: tuple[bool, ...], *, keeps_weights: bool) -> float:
        """With some maps near, in the order of the views, and weights near or far."""
        key = near, keeps_weights
        if key not in self._known:
            self._known[key] = sum(
                operation.times * self._cycles(operation, near, keeps_weights=keeps_weights)
                for operation in self.operations
            )
        return self._known[key]

    def _cycles(self, operation: _Operation, near: Sequence[bool], *, keeps_weights: bool) -> float:
        ends = operation.far, operation.near
        moved = [ends[is_near].maps[place] for place, is_near in enumerate(near)]
        moved += ends[keeps_weights].weights
        first, last = ends[near[0]].work, ends[near[-1]].work
        work = replace(
            first,
            ofm=last.ofm,
            ifm2=ends[near[1]].work.ifm2,
            constants=ends[keeps_weights].work.constants,
        )
        own = self.model.cycles(work).cycles + self.model.rates.dispatch.operation_cycles
        busy = busy_cycles(self.model.rates, moved)
        return max(float(own), *(float(math.ceil(each)) for each in busy.values()))


def _moved(rates: Rates, work: Work, weight_bytes: int) -> _Moved:
    read = accesses(rates.accelerator, work)
    ofm, *inputs = map_traffic(BURSTS, rates, work, read)
    return _Moved(work, (*inputs, ofm), tuple(weight_traffic(rates, work, read, weight_bytes)))
