"""One measurement: what was counted, and what its program would take on any board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from core.base.frozen import Frozen
from core.ir.cost import Direction, NetworkCost
from core.report.measured.count import Count
from core.target.accelerator import Accelerator
from core.target.resolve import assembled
from core.target.target import MemoryMode, Port, SystemConfig, Target


class Price(Protocol):
    """What the same commands cost where the memories are others."""

    def cost(self, target: Target, /) -> NetworkCost:
        """All that is said of it."""

    def total_cycles(self, target: Target, /) -> float:
        """The total cycles alone, which fits ask of thousands of boards."""


class PortCheck(Frozen):
    """Bytes that went through a port one way, and those that the price has."""

    port: Port
    direction: Direction
    counted_bytes: float
    priced_bytes: float


class Case(Frozen):
    """A program that was measured."""

    name: str
    measured: Count
    accelerator: Accelerator
    mode: MemoryMode
    """As it is written."""
    price: Price

    def cycles(self, clock_hz: float) -> float:
        """The cycles that were measured."""
        return self.measured.cycles_at(clock_hz)

    def cost(self, system: SystemConfig) -> NetworkCost:
        """What it costs on a board."""
        return self.price.cost(assembled(self.accelerator, system, self.mode))

    def total_cycles(self, system: SystemConfig) -> float:
        """The total cycles of that."""
        return self.price.total_cycles(assembled(self.accelerator, system, self.mode))

    def checks(self, system: SystemConfig) -> Iterator[PortCheck]:
        """What was counted at ports beside what the price has there."""
        target = assembled(self.accelerator, system, self.mode)
        cost = self.price.cost(target)
        for beats in self.measured.beats:
            yield PortCheck(
                port=beats.port,
                direction=beats.direction,
                counted_bytes=beats.count * self.accelerator.family.port_bytes_per_cycle,
                priced_bytes=cost.moved_bytes(
                    target.memory(beats.port).area, direction=beats.direction
                ),
            )
