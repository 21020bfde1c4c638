"""What the operations of an operator cost wherever, and however stored, its maps and weights are.

A search asks this of one operator for many places. What is made, and how often it is read, does not
depend on them: it is worked out once, then what there is to wait for and to move in each memory,
and these are put together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from core.base.frozen import Frozen, NamedTuple, field, replace
from core.cost.accesses import accesses
from core.cost.bursts import BURSTS
from core.cost.cycles import Unplaced
from core.cost.formulas import unplaced
from core.cost.rates import Rates
from core.cost.spent import (
    Run,
    Spent,
    Sums,
    WeightsMoved,
    spent_on,
    summed,
    weights_moved,
)
from core.cost.traffic import MapMoved, busy_cycles, maps_moved
from core.cost.waits import Waits
from core.cost.work import Work
from core.ir.cost import Traffic
from core.target.format import Format
from core.target.target import Area

Areas = tuple[Area, ...]
"""Where the maps of an operator are, in the order of its views, and then its weights."""


Orders = tuple[Format, ...]
"""Formats of the maps of an operator, in the order of its views."""

Rows = tuple[int, int]
"""That a stripe makes, and reads of what the operator sees of its input."""


class Operations(NamedTuple):
    """All operations of an operator, in their places."""

    stripes: tuple[tuple[Spent, ...], ...]
    """By stripe: the cost of each slice."""
    sums: Sums


class Operation(Frozen, kw_only=False, eq=False):
    """One operation wherever its maps and weights are."""

    rates: Rates
    work: Work
    """In any place."""
    own: Unplaced
    maps: tuple[MapMoved, ...]
    """The output before the inputs."""
    weights: tuple[WeightsMoved, ...]

    @classmethod
    def of(cls, rates: Rates, work: Work, weight_bytes: int) -> Operation:
        """An operation whose encoded weights have so many bytes without scales."""
        accelerator = rates.accelerator
        read = accesses(accelerator, work)
        return cls(
            rates,
            work,
            unplaced(rates, work),
            maps_moved(BURSTS, accelerator.cores, work, read),
            weights_moved(accelerator, work, read, weight_bytes),
        )

    def stored_as(self, orders: Orders) -> Operation:
        """The same with its maps in other formats."""
        whole, rates, accelerator = self.work, self.rates, self.rates.accelerator
        work = replace(
            whole,
            ifm=replace(whole.ifm, format=orders[0]),
            ifm2=None if whole.ifm2 is None else replace(whole.ifm2, format=orders[1]),
            ofm=replace(whole.ofm, format=orders[-1]),
        )
        moved = maps_moved(BURSTS, accelerator.cores, work, accesses(accelerator, work))
        return Operation(rates, work, self.own.stored_as(rates, work), moved, self.weights)

    def cycles(self, areas: Areas) -> float:
        """Until the slowest part is done."""
        own = self.own.cycles(self._waits(areas)) + self.rates.dispatch.operation_cycles
        busy = busy_cycles(self.rates, self._moved(areas))
        return max(float(own), *(float(math.ceil(each)) for each in busy.values()))

    def spent(self, areas: Areas) -> Spent:
        """All that it costs."""
        return spent_on(self.rates, self.own.told(self._waits(areas)), self._moved(areas))

    def _waits(self, areas: Areas) -> Waits:
        first, rates = self.own.first, [self.rates.areas[area] for area in areas]
        return Waits(first.reading(rates[0]), first.writing(rates[-2]), first.scaling(rates[-1]))

    def _moved(self, areas: Areas) -> list[Traffic]:
        rates, (*inputs, output, weights) = self.rates, areas
        maps = zip(self.maps, (output, *inputs), strict=False)
        moved = [each.traffic(rates, area) for each, area in maps]
        return moved + [each.traffic(weights) for each in self.weights]


class ByPlace(Frozen, kw_only=False, eq=False):
    """The operations of an operator in stripes of some height, wherever maps and weights are."""

    stripes: tuple[Rows, ...]
    operations: Mapping[Rows, tuple[Operation, ...]]
    """By the rows of a stripe: those of its slices."""
    _known: dict[Areas, float] = field(default_factory=dict)

    def stored_as(self, orders: Orders) -> ByPlace:
        """The same with maps in other formats."""
        operations = {
            rows: tuple([each.stored_as(orders) for each in slices])
            for rows, slices in self.operations.items()
        }
        return ByPlace(self.stripes, operations)

    def on(self, rates: Rates) -> ByPlace:
        """The same beside other memories."""
        operations = {
            rows: tuple([replace(each, rates=rates) for each in slices])
            for rows, slices in self.operations.items()
        }
        return ByPlace(self.stripes, operations)

    def cycles(self, areas: Areas) -> float:
        """Of all of them."""
        known = self._known.get(areas)
        if known is None:
            known = self._known[areas] = sum(
                times * operation.cycles(areas)
                for rows, times in Counter(self.stripes).items()
                for operation in self.operations[rows]
            )
        return known

    def spent(self, areas: Areas) -> Operations:
        """What each of them costs."""
        costs = {
            rows: tuple([operation.spent(areas) for operation in slices])
            for rows, slices in self.operations.items()
        }
        times = Counter(self.stripes)
        runs = [Run(spent, times[rows]) for rows, slices in costs.items() for spent in slices]
        return Operations(tuple([costs[rows] for rows in self.stripes]), summed(runs))
