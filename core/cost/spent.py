"""What a command costs on its own, and what those of one operator cost together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from core.base.frozen import Frozen, NamedTuple
from core.cost.accesses import Accesses
from core.cost.bursts import BURSTS
from core.cost.clock import Told, Turn
from core.cost.cycles import NOTHING_OWN, OpCycles, OwnTerms
from core.cost.rates import Rates
from core.cost.traffic import busy_cycles, map_traffic
from core.cost.work import Work
from core.ir.cost import (
    NO_TERMS,
    Direction,
    Limit,
    OperatorCost,
    Purpose,
    Term,
    Terms,
    Traffic,
)
from core.target.accelerator import Accelerator
from core.target.target import Area
from core.target.unit import Unit

_PLACE_OF = {term: place for place, term in enumerate(Term)}

HIDDEN_LATENCY = 100
"""Cycles: of memories that answer sooner nothing is seen in what was measured."""


class Spent(Frozen):
    """The cost of one command."""

    own_cycles: int = 0
    memory_cycles: tuple[tuple[Area, float], ...] = ()
    """Whole cycles in which a memory serves it."""
    macs: int = 0
    limit: Limit = Limit.NOTHING
    moved: tuple[Traffic, ...] = ()
    terms: Terms = NO_TERMS
    latency_cycles: int = 0
    """Until its first bytes come from a memory far away, unless they come under the one before."""

    @property
    def cycles(self) -> float:
        """Until the slowest part is done."""
        return max((float(self.own_cycles), *(cycles for _, cycles in self.memory_cycles)))


NOTHING = Spent()


def spent_on(rates: Rates, own: OpCycles, moved: Sequence[Traffic]) -> Spent:
    """The cost of one operation, given the cycles that it takes for itself and what it moves."""
    busy, dispatch = busy_cycles(rates, moved), rates.dispatch
    return Spent(
        own_cycles=own.cycles + dispatch.operation_cycles,
        memory_cycles=tuple(
            (area, float(math.ceil(cycles))) for area, cycles in busy.items() if cycles
        ),
        macs=own.macs,
        limit=own.limit,
        moved=(*moved, _command(rates)),
        terms=_terms(own.terms, busy, dispatch.operation_cycles),
        latency_cycles=max(_latencies(rates, moved), default=0),
    )


def operation_moves(
    rates: Rates, work: Work, read: Accesses, weight_bytes: float
) -> tuple[Traffic, ...]:
    """What one operation moves of its maps, scales, and weights, which have so many bytes encoded
    and without scales."""
    maps = map_traffic(BURSTS, rates, work, read)
    if work.constants is None:
        return tuple(maps)
    weights = weights_moved(rates.accelerator, work, read, weight_bytes)
    return (*maps, *(each.traffic(work.constants) for each in weights))


def transfer_spent(
    rates: Rates, cycles: int, size_bytes: int, purpose: Purpose, ends: dict[Direction, Area]
) -> Spent:
    """The cost of one transfer; the shared buffer is no end that counts."""
    size, dispatch = float(size_bytes), rates.dispatch
    return Spent(
        own_cycles=cycles + dispatch.transfer_cycles,
        terms=_terms(
            NOTHING_OWN, dict.fromkeys(ends.values(), float(cycles)), dispatch.transfer_cycles
        ),
        moved=(
            *(Traffic(area, purpose, way, size, 0.0) for way, area in ends.items()),
            _command(rates),
        ),
        latency_cycles=_latency_cycles(rates, ends.get(Direction.READ)),
    )


def _latency_cycles(rates: Rates, source: Area | None) -> int:
    return 0 if source is None else rates.areas[source].read_latency_cycles


def _terms(own: OwnTerms, busy: Mapping[Area, float], commands_cycles: int) -> Terms:
    """In the order of `Term`."""
    outside = max([0.0, *(cycles for area, cycles in busy.items() if area is not Area.SRAM)])
    ports = busy.get(Area.SRAM, 0.0), outside
    return (own.macs, *ports, own.decoder, own.output, float(commands_cycles), own.latency)


def _command(rates: Rates) -> Traffic:
    """The registers of a command, which are read ahead of it."""
    size = float(rates.dispatch.command_bytes)
    return Traffic(rates.commands, Purpose.COMMANDS, Direction.READ, size, 0.0)


def _latencies(rates: Rates, moved: Iterable[Traffic]) -> Iterator[int]:
    """Of memories that are read and are so far away that small operators do not hide it: rnnoise,
    48 of them, takes 1.24 of the estimate on the Ethos-U65-256 with this, and 1.32 without."""
    for part in moved:
        latency = rates.areas[part.area].read_latency_cycles
        if part.direction is Direction.READ and part.busy_bytes and latency > HIDDEN_LATENCY:
            yield latency


class WeightsMoved(NamedTuple):
    """Weights or scales as they go to the decoder, wherever they are."""

    purpose: Purpose
    size_bytes: float

    def traffic(self, area: Area) -> Traffic:
        """The same from a memory."""
        return Traffic(area, self.purpose, Direction.READ, self.size_bytes, self.size_bytes)


def weights_moved(
    accelerator: Accelerator, work: Work, read: Accesses, weight_bytes: float
) -> tuple[WeightsMoved, ...]:
    """Weights and scales, if there are any."""
    if work.constants is None:
        return ()
    record_bytes = accelerator.family.weights.record.size_bytes
    taps = work.kernel_h * work.kernel_w
    channels = 1 if work.unit is Unit.DEPTHWISE else work.ifm.shape.c
    elements = max(taps * channels * work.ofm.shape.c, 1)
    return (
        WeightsMoved(Purpose.WEIGHTS, read.weights * weight_bytes / elements),
        WeightsMoved(Purpose.SCALES, float(read.scales * record_bytes)),
    )


def operation_told(costs: Sequence[Spent]) -> Told:
    """Operations that run one right after the other, as the clock is told of them."""
    if len(costs) == 1:
        (cost,) = costs
        latency = cost.latency_cycles
        return Told(Turn.OPERATION, cost.cycles, busy=cost.memory_cycles, latency=latency)
    busy: defaultdict[Area, float] = defaultdict(float)
    for spent in costs:
        for area, cycles in spent.memory_cycles:
            busy[area] += cycles
    cycles = sum(spent.cycles for spent in costs)
    waits = sum(max(b.latency_cycles - a.cycles, 0.0) for a, b in pairwise(costs))
    latency = costs[0].latency_cycles if costs else 0
    return Told(Turn.OPERATION, cycles + waits, busy=tuple(busy.items()), latency=latency)


def transfer_told(cost: Spent, turn: Turn = Turn.TRANSFER) -> Told:
    """A transfer, or a copy of a map, as the clock is told of it."""
    read = (each.area for each in cost.moved if each.direction is Direction.READ)
    latency = min(cost.latency_cycles, cost.cycles)
    return Told(turn, cost.cycles, source=next(read, None), latency=latency)


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
    runs: tuple[Run, ...]

    @property
    def traffic(self) -> tuple[Traffic, ...]:
        """All that they move; a search does not ask."""
        return _traffic((moved, times) for spent, times in self.runs for moved in spent.moved)

    @property
    def terms(self) -> Terms:
        """What each part takes; a search does not ask."""
        told = [[times * term for term in spent.terms] for spent, times in self.runs]
        return tuple(map(math.fsum, zip(NO_TERMS, *told, strict=True)))


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
        runs=tuple(runs),
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
        terms=_with_waits(sums, loads, waits),
    )


def _with_waits(sums: Sums, loads: Sequence[Spent], waits: float) -> Terms:
    """Those of an operator, where what it waits for is the port that something comes through, for
    itself or, where it asks nothing of a memory far away, for operators behind it."""
    sources = {
        moved.area
        for spent in loads
        for moved in spent.moved
        if moved.direction is Direction.READ and moved.purpose is not Purpose.COMMANDS
    }
    has_answer = any(spent.latency_cycles for spent, _ in sums.runs)
    term = Term.LATENCY if has_answer else Term.EXTERNAL
    if sources:
        term = Term.SRAM if sources == {Area.SRAM} else Term.EXTERNAL
    place, terms = _PLACE_OF[term], sums.terms
    return (*terms[:place], terms[place] + waits, *terms[place + 1 :])


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
