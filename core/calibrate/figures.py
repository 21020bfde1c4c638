"""The four figures of a board that are fitted, and between which bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from core.base.frozen import Frozen, replace
from core.base.named import Named
from core.target.family import Family
from core.target.target import Area, Memory, MemoryMode, Port, SystemConfig


class Figure(Named):
    """One of them; where several tell as much, the first does."""

    RATE = "external bytes a cycle"
    LATENCY = "external latency in cycles"
    SRAM = "clock scale of the SRAM"
    COMMAND = "cycles a command"


Values = Mapping[Figure, float]

_HUNDRED = 100.0
_PLACES = 6
_LEVELS = {
    Figure.RATE: (0.02, 0.08, 0.3),
    Figure.LATENCY: (16.0, 160.0, 600.0),
    Figure.SRAM: (1.0, 0.5),
    Figure.COMMAND: (),
}
"""Where the search starts beside what is assumed: shares of what a port has room for, or cycles."""
_LEAST_SHARE = 1 / 400
"""A serial flash on one line, behind a controller."""
_LEAST_SRAM = 1 / 20
"""A memory on a narrow bus of a slow clock."""
_MOST_CYCLES = {Figure.LATENCY: 2000.0, Figure.COMMAND: 400.0}
"""A memory behind a busy bus; five times the cycles that were measured for a command."""


class Figures(Frozen):
    """What of a system they are: as it is written, on accelerators of one family."""

    system: SystemConfig
    family: Family
    external: Port | None
    """Where what is no SRAM is; None where all is in SRAM."""

    @property
    def all(self) -> tuple[Figure, ...]:
        """Those that the system has."""
        if self.external is None:
            return (Figure.SRAM, Figure.COMMAND)
        return tuple(Figure)

    @property
    def start(self) -> dict[Figure, float]:
        """What the system says."""
        command = self.system.command_cycles
        found = {
            Figure.SRAM: next(each.clock_scale for each in self._memories if _is_sram(each)),
            Figure.COMMAND: self.family.dispatch.operation_cycles if command is None else command,
        }
        if self.external is not None:
            memory = self._memory(self.external)
            found[Figure.RATE] = memory.clock_scale * self._width(memory)
            found[Figure.LATENCY] = memory.read_latency
        return {figure: float(found[figure]) for figure in self.all}

    def bounds(self, figure: Figure) -> tuple[float, float]:
        """Between which values it can be."""
        if figure in _MOST_CYCLES:
            return 0.0, _MOST_CYCLES[figure]
        if figure is Figure.SRAM:
            return _LEAST_SRAM, 1.0
        assert self.external is not None
        most = float(self._width(self._memory(self.external)))
        return most * _LEAST_SHARE, most

    def levels(self, figure: Figure) -> tuple[float, ...]:
        """Values to start from; the first is what the system says."""
        low, high = self.bounds(figure)
        scale = high if figure is Figure.RATE else 1.0
        more = [level * scale for level in _LEVELS[figure]]
        inside = [min(max(value, low), high) for value in (self.start[figure], *more)]
        return tuple(dict.fromkeys(inside))

    def system_with(self, values: Values) -> SystemConfig:
        """The system in which they have these values, cycles being whole; of its own cycles only
        others are written."""
        command = round(values[Figure.COMMAND])
        is_assumed = command == self.start[Figure.COMMAND]
        return replace(
            self.system,
            axi0=self._tuned(Port.AXI0, values),
            axi1=self._tuned(Port.AXI1, values),
            command_cycles=self.system.command_cycles if is_assumed else command,
        )

    def _tuned(self, port: Port, values: Values) -> Memory:
        memory = self._memory(port)
        if _is_sram(memory):
            return replace(memory, clock_scale=values[Figure.SRAM])
        if port is not self.external:
            return memory
        latency = round(values[Figure.LATENCY])
        ratio = memory.write_latency / memory.read_latency if memory.read_latency else 1.0
        return replace(
            memory,
            clock_scale=values[Figure.RATE] / self._width(memory),
            read_latency=latency,
            write_latency=round(latency * ratio),
        )

    @property
    def _memories(self) -> tuple[Memory, Memory]:
        return self.system.axi0, self.system.axi1

    def _memory(self, port: Port) -> Memory:
        return self.system.axi0 if port is Port.AXI0 else self.system.axi1

    def _width(self, memory: Memory) -> int:
        return self.family.port_bytes_per_cycle * memory.ports_used


def external_port(system: SystemConfig, mode: MemoryMode) -> Port | None:
    """The port of a mode at which something else than SRAM is."""
    memories = {Port.AXI0: system.axi0, Port.AXI1: system.axi1}
    used = (mode.constants, mode.arena)
    return next((port for port in used if not _is_sram(memories[port])), None)


def _is_sram(memory: Memory) -> bool:
    return memory.area is Area.SRAM


def on_scale(figure: Figure, value: float) -> float:
    """A value where cycles of commands are straight lines, with bends: in cycles, in hundreds, or
    in cycles for so many bytes."""
    return value / _HUNDRED if figure in _MOST_CYCLES else 1.0 / value


def off_scale(figure: Figure, place: float) -> float:
    """The value at a place of that scale."""
    return round(place * _HUNDRED, _PLACES) if figure in _MOST_CYCLES else 1.0 / place


def in_whole(values: Values) -> dict[Figure, float]:
    """The next board whose cycles are whole."""
    return {f: float(round(v)) if f in _MOST_CYCLES else v for f, v in values.items()}


def around(values: Values) -> Iterator[tuple[Values, float]]:
    """Boards with whole cycles, with shares of which a board with fractions is made."""
    board = {f: math.floor(v) if f in _MOST_CYCLES else v for f, v in values.items()}
    fractions = {figure: value - board[figure] for figure, value in values.items()}
    left = 1.0
    for figure in sorted(_MOST_CYCLES, key=lambda each: -fractions.get(each, 0.0)):
        if fractions.get(figure):
            if left > fractions[figure]:
                yield dict(board), left - fractions[figure]
            left = fractions[figure]
            board[figure] += 1
    yield board, left
