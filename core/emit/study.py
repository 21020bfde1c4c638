"""What a part of a program shows of itself: cycles, live ranges, layers and cascades."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.cost.cycles import OpCycles, operator_cycles
from core.cost.rates import Rates
from core.emit.layers import Structure, structure
from core.emit.lives import Life, trace_lives
from core.emit.touched import Access, accesses
from core.emit.work import transfer_cycles, work_of
from core.ir.program import Command, DmaTransfer, NpuOperation, ProgramPart, RegionRole
from core.target.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionTraffic:
    """How far commands reach into a region, and how often they do."""

    reach_bytes: int
    """From its start to the last byte that any command touches."""
    reads: int
    writes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartStudy:
    """One `ethos-u` operator with all that follows from its commands."""

    part: ProgramPart
    target: Target | None
    """Which memories the estimates assume; None for an unknown accelerator."""
    cycles: tuple[OpCycles | int | None, ...]
    """By command: of an operation or a transfer on its own; None where there is no estimate."""
    lives: tuple[Life, ...]
    touched: tuple[tuple[int, ...], ...]
    """By command, for each of its operands in memory: a live range, or -1 for constants."""
    structure: Structure
    traffic: tuple[tuple[int, RegionTraffic], ...]
    """By number of region."""

    @property
    def npu_cycles(self) -> int:
        """Cycles of all operations that have an estimate."""
        return sum(item.cycles for item in self.cycles if isinstance(item, OpCycles))

    @property
    def dma_cycles(self) -> int:
        """Cycles of all transfers, most of which run beside operations."""
        return sum(item for item in self.cycles if isinstance(item, int))

    @property
    def macs(self) -> int:
        """Multiplications that the operations ask for."""
        return sum(item.macs for item in self.cycles if isinstance(item, OpCycles))


def study(part: ProgramPart, target: Target | None) -> PartStudy:
    """Everything that a part shows."""
    rates = None if target is None else Rates.of(target)
    shown = structure(part.stream)
    changing = (
        number
        for number, region in enumerate(part.regions)
        if region.role is not RegionRole.CONSTANTS
    )
    everything = [tuple(accesses(command)) for command in part.stream.commands]
    traced = trace_lives(everything, shown.layers, changing)
    return PartStudy(
        part=part,
        target=target,
        cycles=tuple(_cycles(part, target, rates, command) for command in part.stream.commands),
        lives=traced.lives,
        touched=traced.touched,
        structure=shown,
        traffic=_traffic(everything),
    )


def _cycles(
    part: ProgramPart, target: Target | None, rates: Rates | None, command: Command
) -> OpCycles | int | None:
    if target is None or rates is None:
        return None
    if isinstance(command, DmaTransfer):
        return transfer_cycles(rates, target, part.regions, command)
    if isinstance(command, NpuOperation):
        work = work_of(target, part.regions, command)
        return None if work is None else operator_cycles(rates, work)
    return None


def _traffic(everything: Sequence[tuple[Access, ...]]) -> tuple[tuple[int, RegionTraffic], ...]:
    reach: dict[int, int] = defaultdict(int)
    counts: dict[tuple[int, bool], int] = defaultdict(int)
    for uses in everything:
        for use in uses:
            for piece in use.ranges:
                reach[piece.region] = max(reach[piece.region], piece.end)
            for region in {piece.region for piece in use.ranges}:
                counts[region, use.is_write] += 1
    return tuple(
        (
            region,
            RegionTraffic(
                reach_bytes=reach[region],
                reads=counts[region, False],
                writes=counts[region, True],
            ),
        )
        for region in sorted(reach)
    )
