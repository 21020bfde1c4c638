"""How fast each memory of a target is, in units of the accelerator's cycle."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.base.frozen import Frozen
from core.target.accelerator import Accelerator
from core.target.target import Area, Memory, Target

_USUAL_BURST_BYTES = 32
"""Of every SRAM in `resources/configs/ethos-u.ini`."""


class Rate(Frozen):
    """One memory as the accelerator sees it."""

    bytes_per_cycle: float
    burst_bytes: int = 1
    read_latency_cycles: int = 0
    write_latency_cycles: int = 0


class Rates(Frozen):
    """All memories of a target, with the accelerator that they serve."""

    accelerator: Accelerator
    clock_hz: float
    areas: Mapping[Area, Rate]
    shram: Rate
    """The shared buffer, as the end of a transfer."""

    @classmethod
    def of(cls, target: Target) -> Rates:
        """The rates of a target; a memory that it does not name is as fast as the port."""
        width = target.accelerator.family.port_bytes_per_cycle
        port = Rate(bytes_per_cycle=float(width))
        named = {
            memory.area: _rate(memory, width) for memory in (target.system.axi1, target.system.axi0)
        }
        return cls(
            accelerator=target.accelerator,
            clock_hz=target.system.core_clock_hz,
            areas=MappingProxyType({area: named.get(area, port) for area in Area}),
            shram=port,
        )

    @classmethod
    def at_port_speed(cls, accelerator: Accelerator) -> Rates:
        """The rates of an accelerator on its own, its memories as fast as the port."""
        width = float(accelerator.family.port_bytes_per_cycle)
        memory = Rate(bytes_per_cycle=width, burst_bytes=_USUAL_BURST_BYTES)
        areas = MappingProxyType(dict.fromkeys(Area, memory))
        port = Rate(bytes_per_cycle=width)
        return cls(accelerator=accelerator, clock_hz=1.0, areas=areas, shram=port)

    def copy_cycles(self, source: Area, destination: Area, size_bytes: int) -> int:
        """Cycles of a transfer by DMA between two memories."""
        return transfer_cycles(self.areas[source], self.areas[destination], size_bytes)

    def table_cycles(self, source: Area, size_bytes: int) -> int:
        """Cycles in which a look-up table is brought into the shared buffer."""
        return transfer_cycles(self.areas[source], self.shram, size_bytes)


def transfer_cycles(source: Rate, destination: Rate, size_bytes: int) -> int:
    """Cycles until the slower side is done; only the first read waits for an answer."""
    reading = int(size_bytes // source.bytes_per_cycle) + source.read_latency_cycles
    return max(reading, int(size_bytes // destination.bytes_per_cycle))


def _rate(memory: Memory, port_bytes: int) -> Rate:
    return Rate(
        bytes_per_cycle=port_bytes * memory.ports_used * memory.clock_scale,
        burst_bytes=memory.burst_length,
        read_latency_cycles=memory.read_latency,
        write_latency_cycles=memory.write_latency,
    )
