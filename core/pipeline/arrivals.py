"""Addresses beside which weights can arrive earlier, where memory is free and time is gained.

Weights that come to a buffer while the operator before runs could often come sooner, but for the
bytes: a transfer waits for all that still read or write where it goes. Who has memory left can
keep those bytes free for longer.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from core.base.frozen import replace
from core.base.recent import Recent
from core.cost.island import schedule_cost
from core.ir.addresses_tried import ArrivalsTried
from core.ir.cost import NetworkCost, OperatorCost
from core.ir.layout import MemoryLayout
from core.ir.options import Engine, Options, Strategy
from core.ir.schedule import Schedule
from core.memory.early import with_room_ahead
from core.pipeline.within import Stages

_WORTH = 0.999
"""Less than a thousandth of the cycles is not worth memory."""


class Prices(NamedTuple):
    """What each operator costs, and all of them."""

    costs: tuple[OperatorCost, ...]
    total: NetworkCost


class Placed(NamedTuple):
    """A schedule with addresses, and what both cost."""

    schedule: Schedule
    layout: MemoryLayout
    prices: Prices


class Arrivals(NamedTuple):
    """A schedule with the addresses that are taken, and with others that may suit other limits."""

    taken: Placed
    other: Placed | None


class Priced(NamedTuple):
    """What commands cost at their addresses, and at those beside which weights arrive earlier."""

    own: Prices
    ahead: tuple[MemoryLayout, Prices] | None

    @property
    def gains(self) -> bool:
        """Whether early arrivals are worth memory."""
        if self.ahead is None:
            return False
        _, prices = self.ahead
        return prices.total.total_cycles <= _WORTH * self.own.total.total_cycles


PricedBefore = Recent[Hashable, Priced]
"""By target, commands, addresses, and all options but edits, which are in these already."""


def with_arrivals(
    stages: Stages, schedule: Schedule, layout: MemoryLayout, known: PricedBefore
) -> Arrivals:
    """A schedule with the faster addresses within the limit; who saves memory gives none for that.

    Most limits ask for commands that another had too, at the same addresses.
    """
    options = stages.options
    is_tried = options.freedoms.early_arrivals and not stages.fixed.addresses
    asked = is_tried, replace(options, edits=())
    key = stages.target.with_limit(None), schedule.commands, layout.addresses, asked
    priced = known.answer(key, lambda: _priced(stages, schedule, layout, is_tried=is_tried))
    own = Placed(schedule, layout, priced.own)
    if priced.ahead is None:
        return Arrivals(own, None)
    ahead, prices = priced.ahead
    early = Placed(schedule, ahead.within(layout), prices)
    if not priced.gains:
        return Arrivals(_told(own, early, is_taken=False), None)
    usual, early = (_told(own, early, is_taken=is_early) for is_early in (False, True))
    # What is needed anyway may be above the limit.
    has_room = early.layout.is_within_limits and not _saves_memory(options)
    if has_room or early.layout.fast_bytes <= layout.fast_bytes:
        return Arrivals(early, usual)
    return Arrivals(usual, early)


def _priced(stages: Stages, schedule: Schedule, layout: MemoryLayout, *, is_tried: bool) -> Priced:
    prices = stages.prepared.prices
    own = Prices(*schedule_cost(prices, schedule, layout))
    weights = (plan.weights for plan in schedule.ops)
    if not (is_tried and any(each is not None and each.is_prefetched for each in weights)):
        return Priced(own, None)
    ahead = with_room_ahead(schedule, layout, stages.options, stages.progress)
    priced = Priced(own, (ahead, Prices(*schedule_cost(prices, schedule, ahead))))
    if priced.gains:
        stages.judge(schedule, ahead)
    return priced


def _saves_memory(options: Options) -> bool:
    """Whether memory within the limit is not to be had for time alone."""
    pareto = options.pareto
    is_chosen = pareto.most_bytes is not None or pareto.weights.are_given
    if options.engine is Engine.PARETO and is_chosen:
        return True
    return options.strategy is Strategy.SIZE


def _told(own: Placed, early: Placed, *, is_taken: bool) -> Placed:
    """The one that is taken, with the record of what was tried."""
    record = ArrivalsTried(
        size_bytes=early.layout.fast_bytes,
        size_bytes_before=own.layout.fast_bytes,
        cycles=early.prices.total.total_cycles,
        cycles_before=own.prices.total.total_cycles,
        is_taken=is_taken,
    )
    taken = early if is_taken else own
    decisions = (*own.schedule.decisions, record)
    return taken._replace(schedule=replace(own.schedule, decisions=decisions))
