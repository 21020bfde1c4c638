"""Programs that were measured, as a calibration asks for them: models, or what was compiled."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.calibrate.case import Case, PriceOf
from core.cost.island import schedule_cost
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.emit.recover.found import find
from core.emit.recover.run import costs_of
from core.ir.cost import NetworkCost
from core.ir.scheduled import Scheduled
from core.pipeline.compiled import Opened, read_back
from core.report.measured.whole import count_of
from core.target.target import MemoryMode, Target


class Programmed(Frozen):
    """A program in the terms of a schedule, with its price on any board."""

    scheduled: Scheduled
    price: PriceOf


def of_compiled(opened: Opened) -> Programmed:
    """A program that a compiler has made, command by command."""
    scheduled = read_back(opened).scheduled
    found = find(opened.network, opened.program, opened.studies, scheduled.target)

    def price(target: Target) -> NetworkCost:
        return costs_of(found.on(target))[1]

    return Programmed(scheduled=scheduled, price=price)


def of_schedule(scheduled: Scheduled) -> Programmed:
    """The program that a model would become."""

    def price(target: Target) -> NetworkCost:
        prices = StripePrices(scheduled.graph, CostModel(target))
        return schedule_cost(prices, scheduled.schedule, scheduled.layout)[1]

    return Programmed(scheduled=scheduled, price=price)


def case_of(name: str, programmed: Programmed, log: bytes, mode: MemoryMode) -> Case:
    """The program with what was measured of it."""
    return Case(
        name=name,
        measured=count_of(log, programmed.scheduled),
        accelerator=programmed.scheduled.target.accelerator,
        mode=mode,
        price=programmed.price,
    )
