"""Programs that were measured, as a calibration asks for them: models, or what was compiled."""

from __future__ import annotations

from functools import cached_property

from core.base.frozen import Frozen
from core.calibrate.case import Case, Price
from core.cost.island import schedule_cost, schedule_cycles
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.emit.recover.found import Found, find
from core.emit.recover.run import costs_of, total_cycles_of
from core.ir.cost import NetworkCost
from core.ir.scheduled import Scheduled
from core.pipeline.compiled import Opened, read_back
from core.report.measured.whole import count_of
from core.target.target import MemoryMode, Target


class Programmed(Frozen):
    """A program in the terms of a schedule, with its price on any board."""

    scheduled: Scheduled
    price: Price


class _OfCompiled(Frozen):
    """Of a program that is found in its commands."""

    found: Found

    def cost(self, target: Target) -> NetworkCost:
        return costs_of(self.found.on(target))[1]

    def total_cycles(self, target: Target) -> float:
        return total_cycles_of(self.found.on(target))


class _OfSchedule(Frozen, dict=True):
    """Of the program that a schedule would become."""

    scheduled: Scheduled

    def cost(self, target: Target) -> NetworkCost:
        prices = self._prices.on(target)
        return schedule_cost(prices, self.scheduled.schedule, self.scheduled.layout)[1]

    @cached_property
    def _prices(self) -> StripePrices:
        return StripePrices(self.scheduled.graph, CostModel(self.scheduled.target))

    def total_cycles(self, target: Target) -> float:
        prices = self._prices.on(target)
        return schedule_cycles(prices, self.scheduled.schedule, self.scheduled.layout)


def of_compiled(opened: Opened) -> Programmed:
    """A program that a compiler has made, command by command."""
    scheduled = read_back(opened).scheduled
    found = find(opened.network, opened.program, opened.studies, scheduled.target)
    return Programmed(scheduled=scheduled, price=_OfCompiled(found=found))


def of_schedule(scheduled: Scheduled) -> Programmed:
    """The program that a model would become."""
    return Programmed(scheduled=scheduled, price=_OfSchedule(scheduled=scheduled))


def case_of(name: str, programmed: Programmed, log: bytes, mode: MemoryMode) -> Case:
    """The program with what was measured of it."""
    return Case(
        name=name,
        measured=count_of(log, programmed.scheduled),
        accelerator=programmed.scheduled.target.accelerator,
        mode=mode,
        price=programmed.price,
    )
