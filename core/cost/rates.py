"""How fast each memory of a target is, in units of the accelerator's cycle."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from core.base.frozen import Frozen, replace
from core.base.many import least, most
from core.ir.cost import Direction
from core.target.accelerator import Accelerator
from core.target.family import Dispatch, Family
from core.target.target import Area, Memory, Target

_USUAL_BURST_BYTES = 32
"""Of every SRAM in `resources/configs/ethos-u.ini`."""


class Rate(Frozen):
    """One memory as the accelerator sees it."""

    bytes_per_cycle: float
    burst_bytes: int = 1
    read_latency_cycles: int = 0
    write_latency_cycles: int = 0
    read_bytes_per_cycle: float = math.inf
    """As far as reads that are under way at once wait for their answers."""
    write_bytes_per_cycle: float = math.inf

    def cycles(self, read_bytes: float, written_bytes: float) -> float:
        """Cycles in which it serves so much."""
        cycles = (read_bytes + written_bytes) / self.bytes_per_cycle
        if self.bytes_per_cycle > self.read_bytes_per_cycle:
            cycles = most(cycles, read_bytes / self.read_bytes_per_cycle)
        if self.bytes_per_cycle > self.write_bytes_per_cycle:
            cycles = most(cycles, written_bytes / self.write_bytes_per_cycle)
        return cycles

    def busy_bytes(self, size_bytes: int, run_bytes: int) -> float:
        """What it could have moved while it moves so many that lie together in such runs: of each
        burst it moves all."""
        return size_bytes * (self.burst_bytes / least(self.burst_bytes, run_bytes))

    def most_bytes_per_cycle(self, directions: Collection[Direction]) -> float:
        """The most that it can move in a cycle, if it is asked for these alone."""
        limits = {
            Direction.READ: self.read_bytes_per_cycle,
            Direction.WRITE: self.write_bytes_per_cycle,
        }
        return min(self.bytes_per_cycle, sum(limits[each] for each in directions))


class Rates(Frozen):
    """All memories of a target, with the accelerator that they serve."""

    accelerator: Accelerator
    clock_hz: float
    areas: Mapping[Area, Rate]
    shram: Rate
    """The shared buffer, as the end of a transfer."""
    commands: Area
    """Where commands are read, which are stored beside constants."""
    dispatch: Dispatch

    @classmethod
    def of(cls, target: Target) -> Rates:
        """The rates of a target; a memory that it does not name is as fast as the port."""
        return cls._of(target, _rate)

    @classmethod
    def unlimited(cls, target: Target) -> Rates:
        """The same if any number of reads and writes could be under way."""
        return cls._of(target, _nominal_rate)

    @classmethod
    def _of(cls, target: Target, rate: Callable[[Memory, Family], Rate]) -> Rates:
        family = target.accelerator.family
        port = Rate(bytes_per_cycle=float(family.port_bytes_per_cycle))
        memories = target.system.axi1, target.system.axi0
        named = {memory.area: rate(memory, family) for memory in memories}
        return cls(
            accelerator=target.accelerator,
            clock_hz=target.system.core_clock_hz,
            areas=MappingProxyType({area: named.get(area, port) for area in Area}),
            shram=port,
            commands=target.permanent.area,
            dispatch=family.dispatch.measured(target.system.command_cycles),
        )

    @classmethod
    def at_port_speed(cls, accelerator: Accelerator) -> Rates:
        """The rates of an accelerator on its own, its memories as fast as the port."""
        width = float(accelerator.family.port_bytes_per_cycle)
        memory = Rate(bytes_per_cycle=width, burst_bytes=_USUAL_BURST_BYTES)
        areas = MappingProxyType(dict.fromkeys(Area, memory))
        port = Rate(bytes_per_cycle=width)
        return cls(
            accelerator=accelerator,
            clock_hz=1.0,
            areas=areas,
            shram=port,
            commands=Area.SRAM,
            dispatch=accelerator.family.dispatch,
        )

    def copy_cycles(self, source: Area, destination: Area, size_bytes: int) -> int:
        """Cycles of a transfer by DMA between two memories."""
        return transfer_cycles(self.areas[source], self.areas[destination], size_bytes)

    def table_cycles(self, source: Area, size_bytes: int) -> int:
        """Cycles in which a look-up table is brought into the shared buffer."""
        return transfer_cycles(self.areas[source], self.shram, size_bytes)


def transfer_cycles(source: Rate, destination: Rate, size_bytes: int) -> int:
    """Cycles until the slower side is done; only the first read waits for an answer."""
    reading = int(source.cycles(size_bytes, 0)) + source.read_latency_cycles
    return max(reading, int(destination.cycles(0, size_bytes)))


def _rate(memory: Memory, family: Family) -> Rate:
    """Of what is under way, each has to wait for its answer, and then to pass the port."""
    passing = family.burst_bytes / family.port_bytes_per_cycle

    def at_most(count: int, latency_cycles: int) -> float:
        if not count or not latency_cycles:
            return math.inf
        return count * family.burst_bytes / (latency_cycles + passing)

    return replace(
        _nominal_rate(memory, family),
        read_bytes_per_cycle=at_most(memory.max_reads, memory.read_latency),
        write_bytes_per_cycle=at_most(memory.max_writes, memory.write_latency),
    )


def _nominal_rate(memory: Memory, family: Family) -> Rate:
    return Rate(
        bytes_per_cycle=family.port_bytes_per_cycle * memory.ports_used * memory.clock_scale,
        burst_bytes=memory.burst_length,
        read_latency_cycles=memory.read_latency,
        write_latency_cycles=memory.write_latency,
    )
