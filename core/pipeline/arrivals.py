"""Addresses beside which weights can arrive earlier, where memory is free and time is gained.

Weights that come to a buffer while the operator before runs could often come sooner, but for the
bytes: a transfer waits for all that still read or write where it goes. Who has memory left can
keep those bytes free for longer.
"""

from __future__ import annotations

from typing import NamedTuple

from core.base.frozen import replace
from core.base.progress import Progress
from core.check import memory as memory_check
from core.check.finding import hold
from core.cost.island import schedule_cost
from core.ir.addresses_tried import ArrivalsTried
from core.ir.cost import NetworkCost, OperatorCost
from core.ir.fixed import Fixed
from core.ir.layout import MemoryLayout
from core.ir.options import Engine, Options, Strategy
from core.ir.schedule import Schedule
from core.memory.early import with_room_ahead
from core.schedule.run import Prepared
from core.target.target import Target

_WORTH = 0.999
"""Less than a thousandth of the cycles is not worth memory."""


class Placed(NamedTuple):
    """A schedule with addresses, and what both cost."""

    schedule: Schedule
    layout: MemoryLayout
    costs: tuple[OperatorCost, ...]
    total: NetworkCost


class Arrivals(NamedTuple):
    """A schedule with the addresses that are taken, and with others that may suit other limits."""

    taken: Placed
    other: Placed | None


def with_arrivals(
    prepared: Prepared,
    target: Target,
    options: Options,
    fixed: Fixed,
    own: Placed,
    progress: Progress,
) -> Arrivals:
    """A schedule with the faster addresses within the limit; who saves memory gives none for that.

    Nothing is tried where addresses are asked for.
    """
    schedule = own.schedule
    if (
        not options.freedoms.early_arrivals
        or fixed.addresses
        or not any(op.weights is not None and op.weights.is_prefetched for op in schedule.ops)
    ):
        return Arrivals(own, None)
    layout = with_room_ahead(schedule, own.layout, options, progress)
    early = Placed(schedule, layout, *schedule_cost(prepared.prices, schedule, layout))
    if early.total.total_cycles > _WORTH * own.total.total_cycles:
        return Arrivals(_told(own, early, is_taken=False), None)
    hold("the memory layout", memory_check.verify(prepared.graph, target, schedule, layout, fixed))
    usual, early = (_told(own, early, is_taken=is_early) for is_early in (False, True))
    # What is needed anyway may be above the limit.
    has_room = layout.is_within_limits and not _saves_memory(options)
    if has_room or layout.fast_bytes <= own.layout.fast_bytes:
        return Arrivals(early, usual)
    return Arrivals(usual, early)


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
        cycles=early.total.total_cycles,
        cycles_before=own.total.total_cycles,
        is_taken=is_taken,
    )
    taken = early if is_taken else own
    decisions = (*own.schedule.decisions, record)
    return taken._replace(schedule=replace(own.schedule, decisions=decisions))
