"""What a command costs on its own, and what those of one operator cost together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from core.base.frozen import Frozen
from core.cost.accesses import Accesses, accesses
from core.cost.clock import Told, Turn
from core.cost.cycles import OpCycles
from core.cost.rates import Rates
from core.cost.traffic import map_traffic
from core.cost.work import Work
from core.ir.cost import Direction, Limit, OperatorCost, Purpose, Traffic
from core.target.target import Area
from core.target.unit import Unit


class Spent(Frozen):
    """The cost of one command."""

    own_cycles: int = 0
    memory_cycles: tuple[tuple[Area, float], ...] = ()
    """Whole cycles in which a memory serves it."""
    macs: int = 0
    limit: Limit = Limit.NOTHING
    moved: tuple[Traffic, ...] = ()

    @property
    def cycles(self) -> float:
        """Until the slowest part is done."""
        return max((float(self.own_cycles), *(cycles for _, cycles in self.memory_cycles)))


NOTHING = Spent()


class WeightRead(Frozen, kw_only=False):
    """Encoded weights that an operation reads, without its scales."""

    size_bytes: int
    is_direct: bool
    """From where they are stored; what DMA has brought keeps no memory busy."""


def operation_spent(rates: Rates, work: Work, own: OpCycles, weights: WeightRead) -> Spent:
    """The cost of one operation, given the cycles that it takes for itself."""
    read = accesses(rates.accelerator, work)
    moved = (*map_traffic(rates, work, read), *_weights(rates, work, read, weights))
    return Spent(
        own_cycles=own.cycles + rates.accelerator.family.dispatch_cycles,
        memory_cycles=tuple(_memory_cycles(rates, moved)),
        macs=own.macs,
        limit=own.limit,
        moved=moved,
    )


def transfer_spent(
    rates: Rates, cycles: int, size_bytes: int, purpose: Purpose, ends: dict[Direction, Area]
) -> Spent:
    """The cost of one transfer; the shared buffer is no end that counts."""
    size = float(size_bytes)
    return Spent(
        own_cycles=cycles + rates.accelerator.family.dispatch_cycles,
        moved=tuple(Traffic(area, purpose, way, size, 0.0) for way, area in ends.items()),
    )


def _weights(rates: Rates, work: Work, read: Accesses, weights: WeightRead) -> Iterator[Traffic]:
    """Weights and scales as they go to the decoder."""
    if work.constants is None:
        return
    record_bytes = rates.accelerator.family.weights.record.size_bytes
    taps = work.kernel_h * work.kernel_w
    channels = 1 if work.unit is Unit.DEPTHWISE else work.ifm.shape.c
    elements = max(taps * channels * work.ofm.shape.c, 1)
    for purpose, moved in (
        (Purpose.WEIGHTS, read.weights * weights.size_bytes / elements),
        (Purpose.SCALES, float(read.scales * record_bytes)),
    ):
        busy = moved if weights.is_direct else 0.0
        yield Traffic(work.constants, purpose, Direction.READ, moved, busy)


def _memory_cycles(rates: Rates, moved: Iterable[Traffic]) -> Iterator[tuple[Area, float]]:
    busy: defaultdict[Area, float] = defaultdict(float)
    for part in moved:
        busy[part.area] += part.busy_bytes
    for area, size in busy.items():
        if size:
            yield area, float(math.ceil(size / rates.areas[area].bytes_per_cycle))


def operation_told(costs: Sequence[Spent]) -> Told:
    """Operations that run one right after the other, as the clock is told of them."""
    if len(costs) == 1:
        return Told(Turn.OPERATION, costs[0].cycles, busy=costs[0].memory_cycles)
    busy: defaultdict[Area, float] = defaultdict(float)
    for spent in costs:
        for area, cycles in spent.memory_cycles:
            busy[area] += cycles
    return Told(Turn.OPERATION, sum(spent.cycles for spent in costs), busy=tuple(busy.items()))


class Run(NamedTuple):
    """One of the costs that commands have, and how often."""

    spent: Spent
    times: int


class Sums(Frozen, kw_only=False):
    """What commands cost one after the other."""

    cycles: float
    own_cycles: int
    macs: int
    busy: dict[Area, float]
    """Cycles by memory."""
    limit: Limit
    """Of the longest of them."""
    traffic: tuple[Traffic, ...]


def summed(runs: Sequence[Run]) -> Sums:
    """The sums of what commands cost."""
    busy = dict.fromkeys(Area, 0.0)
    for spent, times in runs:
        for area, cycles in spent.memory_cycles:
            busy[area] += times * cycles
    longest = max((run.spent for run in runs), key=lambda spent: spent.own_cycles, default=NOTHING)
    return Sums(
        cycles=sum(times * spent.cycles for spent, times in runs),
        own_cycles=sum(times * spent.own_cycles for spent, times in runs),
        macs=sum(times * spent.macs for spent, times in runs),
        busy=busy,
        limit=longest.limit if longest.own_cycles else Limit.NOTHING,
        traffic=_traffic((moved, times) for spent, times in runs for moved in spent.moved),
    )


class Cycles(NamedTuple):
    """What operators cost, as far as a search has to know it."""

    total: float
    dram: float


def cycles_of_operator(sums: Sums, *, waits: float, lasts: float) -> Cycles:
    """The cycles of `cost_of_commands`."""
    npu_cycles, busy = _parts(sums, waits, lasts)
    return Cycles(max(npu_cycles, *busy.values()), busy[Area.DRAM])


def cost_of_commands(
    sums: Sums, loads: Sequence[Spent], *, waits: float, lasts: float
) -> OperatorCost:
    """The cost of an operator: its commands, with the transfers for it, which others may hide."""
    npu_cycles, busy = _parts(sums, waits, lasts)
    traffic = sums.traffic
    if loads:
        brought = [moved for spent in loads for moved in spent.moved]
        traffic = _traffic((moved, 1) for moved in (*traffic, *brought))
    return OperatorCost(
        macs=sums.macs,
        own_cycles=sums.own_cycles,
        npu_cycles=npu_cycles,
        sram_cycles=busy[Area.SRAM],
        dram_cycles=busy[Area.DRAM],
        on_chip_flash_cycles=busy[Area.ON_CHIP_FLASH],
        off_chip_flash_cycles=busy[Area.OFF_CHIP_FLASH],
        limit=sums.limit,
        traffic=traffic,
    )


def _parts(sums: Sums, waits: float, lasts: float) -> tuple[int, dict[Area, float]]:
    """Cycles of the accelerator and of each memory; the slowest lasts as long as it all does."""
    busy, npu = dict(sums.busy), sums.own_cycles + waits
    # Operations wait for one engine each, and not all for the same.
    if npu >= max(busy.values()):
        npu = lasts
    else:
        busy[max(busy, key=lambda area: busy[area])] = lasts
    return round(npu), busy


def _traffic(parts: Iterable[tuple[Traffic, int]]) -> tuple[Traffic, ...]:
    sums: defaultdict[tuple[Area, Purpose, Direction], list[float]]
    sums = defaultdict(lambda: [0.0, 0.0])
    for moved, times in parts:
        total = sums[moved.area, moved.purpose, moved.direction]
        total[0] += times * moved.size_bytes
        total[1] += times * moved.busy_bytes
    return tuple(Traffic(*key, size, busy) for key, (size, busy) in sums.items())
