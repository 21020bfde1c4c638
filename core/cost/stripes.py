"""The operations of a scheduled operator, stripe by stripe and slice by slice, with their costs.

Of the stripes of an operator, few differ in what they make and read: mostly the first, the last,
and those between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from core.base.ids import FmId, NpuOpId
from core.cost.by_place import Areas, ByPlace, Operation, Operations, Orders
from core.cost.from_graph import Place
from core.cost.model import CostModel
from core.cost.parts import part_of, rows_read, slices_of, takes_scalar, whole_work
from core.cost.twins import twins_of, weights_twins_of
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.schedule import MapPlan, WeightPlan
from core.liveness.stripes import stripes_of
from core.target.block import BlockConfig
from core.target.format import Format
from core.target.region import Region, memory_of
from core.target.target import Area, Target

MapOf = Callable[[FmId], MapPlan]

OperationsKey = tuple[NpuOpId, int, BlockConfig, tuple[Place, ...], WeightPlan | None]
"""All that the operations of an operator depend on; the number is that of its first twin."""

_Slices = tuple[tuple[int, ...], tuple[int, ...]]
"""Where slices of weights begin, and their bytes."""
_CutKey = tuple[NpuOpId, int, BlockConfig, _Slices | None]
"""The same wherever and however maps are stored."""


class StripePrices:
    """Prices of the operators of one network on one target, each worked out once."""

    def __init__(
        self, graph: NpuGraph, model: CostModel, elsewhere: StripePrices | None = None
    ) -> None:
        self.graph = graph
        self.model = model
        self._elsewhere = elsewhere
        """With other memories: all that does not depend on these is found there."""
        self.twins: Sequence[NpuOpId] = twins_of(graph) if elsewhere is None else elsewhere.twins
        self.weights_twins = weights_twins_of(graph, self.twins)
        self.weighted = sum(op.weights is not None for op in graph.ops)
        """Operators that have weights."""
        self._places = {
            (region, order): Place(memory_of(model.target, region).area, order)
            for region in Region
            for order in Format
        }
        self._by_place: dict[_CutKey, dict[Orders, ByPlace]] = {}
        self._known: dict[OperationsKey, Operations] = {}

    def on(self, target: Target) -> StripePrices:
        """The same with the memories of another target of the same accelerator."""
        return StripePrices(self.graph, CostModel(target), self)

    def of(
        self, op: NpuOp, height: int, block: BlockConfig, weights: WeightPlan | None, map_of: MapOf
    ) -> Operations:
        """The operations of an operator in stripes of a height."""
        return self.at(self.key(op, height, block, weights, map_of))

    def key(
        self, op: NpuOp, height: int, block: BlockConfig, weights: WeightPlan | None, map_of: MapOf
    ) -> OperationsKey:
        """By what the same operations are found again."""
        places = [
            self.place(plan.region, plan.format) for plan in [map_of(view.fm) for view in op.views]
        ]
        return self.twins[op.id], height, block, tuple(places), weights

    def place(self, region: Region, order: Format) -> Place:
        """Where a map is, given the use of memory that it is in."""
        return self._places[region, order]

    def at(self, key: OperationsKey) -> Operations:
        """The operations that a key stands for."""
        known = self._known.get(key)
        if known is None:
            number, height, block, places, weights = key
            op = self.graph.ops[number]
            by_place = self.by_place(op, height, block, _orders(places), weights)
            known = self._known[key] = by_place.spent(self._areas(op, places, weights))
        return known

    def cycles(self, key: OperationsKey) -> float:
        """The sum of their cycles, which is all that most who compare have to know."""
        number, height, block, places, weights = key
        op = self.graph.ops[number]
        by_place = self.by_place(op, height, block, _orders(places), weights)
        return by_place.cycles(self._areas(op, places, weights))

    def by_place(
        self,
        op: NpuOp,
        height: int,
        block: BlockConfig,
        orders: Orders,
        weights: WeightPlan | None,
    ) -> ByPlace:
        """The operations of an operator wherever its maps and weights are."""
        if takes_scalar(self.graph, op):
            orders = (orders[0], Format.LINEAR, *orders[2:])
        slices = None if weights is None else (weights.depth_slices, weights.slice_bytes)
        key = self.twins[op.id], height, block, slices
        stored = self._by_place.setdefault(key, {})
        known = stored.get(orders)
        if known is None:
            known = stored[orders] = self._cut(op, height, block, orders, weights, stored.values())
        return known

    def areas(self, op: NpuOp, maps: Sequence[Area], *, keeps_weights: bool) -> Areas:
        """Where its maps and weights are; a scalar is a part of the command."""
        target = self.model.target
        weights = (target.fast if keeps_weights else target.permanent).area
        if takes_scalar(self.graph, op):
            maps = (maps[0], target.permanent.area, *maps[2:])
        return (*maps, weights)

    def _areas(self, op: NpuOp, places: Sequence[Place], weights: WeightPlan | None) -> Areas:
        is_near = weights is not None and bool(weights.buffer_bytes)
        return self.areas(op, [place.area for place in places], keeps_weights=is_near)

    def _cut(
        self,
        op: NpuOp,
        height: int,
        block: BlockConfig,
        orders: Orders,
        weights: WeightPlan | None,
        otherwise: Iterable[ByPlace],
    ) -> ByPlace:
        """The operations, given some that have maps in other formats."""
        target, rates = self.model.target, self.model.rates
        if self._elsewhere is not None:
            return self._elsewhere.by_place(op, height, block, orders, weights).on(rates)
        for each in otherwise:
            return each.stored_as(orders)
        anywhere = target.permanent.area
        places = tuple([Place(anywhere, order) for order in orders])
        whole = whole_work(self.graph, self.model, op, block, places, anywhere)
        slices = tuple(slices_of(target.accelerator, op, weights))
        stripes = tuple([(s.end - s.first, rows_read(op, s)) for s in stripes_of(op, height)])
        return ByPlace(
            stripes,
            {
                rows: tuple(
                    [
                        Operation.of(rates, part_of(op, whole, *rows, channels), size)
                        for channels, size in slices
                    ]
                )
                for rows in dict.fromkeys(stripes)
            },
        )


def _orders(places: Sequence[Place]) -> Orders:
    return tuple([place.format for place in places])
