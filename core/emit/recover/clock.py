"""What each command of a stream costs on its own, and when it runs: transfers beside operations."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from core.cost.accesses import accesses
from core.cost.cycles import OpCycles
from core.cost.rates import Rates
from core.cost.traffic import traffic
from core.cost.work import Step, Work
from core.emit.study import PartStudy
from core.emit.touched import transferred_bytes
from core.emit.work import area_of, work_of
from core.ir.cost import Direction, Limit, Purpose, Traffic
from core.ir.program import Command, DmaTransfer, Engine, NpuOperation, RegionRole, Wait
from core.target.accelerator import Accelerator
from core.target.target import Area, Target
from core.target.unit import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
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


_NOTHING = Spent()


class Prices:
    """Costs of the commands of one part; what operations of one form cost is worked out once."""

    def __init__(self, study: PartStudy, target: Target) -> None:
        self._study = study
        self._target = target
        self._rates = Rates.of(target)
        self._known: dict[tuple[int, int], Spent] = {}

    def of(self, position: int, purpose: Purpose = Purpose.FEATURE_MAP) -> Spent:
        """The cost of a command; of a transfer, it is told what that brings."""
        command = self._study.part.stream.commands[position]
        if isinstance(command, NpuOperation):
            weights = sum([part.size_bytes for part in command.weights])
            key = (self._study.forms[position], weights)
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = self._operation(position, command, weights)
            return known
        if isinstance(command, DmaTransfer):
            return self._transfer(position, command, purpose)
        return _NOTHING

    def _operation(self, position: int, op: NpuOperation, weights: int) -> Spent:
        own, regions = self._study.cycles[position], self._study.part.regions
        work = work_of(self._target, regions, op)
        if work is None or not isinstance(own, OpCycles):
            return _NOTHING
        source = (*op.weights, *op.scales)[0].region if op.weights or op.scales else 0
        is_direct = source < len(regions) and regions[source].role is RegionRole.CONSTANTS
        moved = (
            *traffic(self._rates, Step(work=work)),
            *self._weights(work, weights, is_direct=is_direct),
        )
        return Spent(
            own_cycles=own.cycles,
            memory_cycles=tuple(self._memory_cycles(moved)),
            macs=own.macs,
            limit=own.limit,
            moved=moved,
        )

    def _weights(self, work: Work, size: int, *, is_direct: bool) -> Iterator[Traffic]:
        """Weights and scales as they go to the decoder; what DMA has brought keeps none busy."""
        if work.constants is None:
            return
        accelerator = self._rates.accelerator
        record_bytes = accelerator.family.weights.record.size_bytes
        read = accesses(accelerator, work)
        taps = work.kernel_h * work.kernel_w
        channels = 1 if work.unit is Unit.DEPTHWISE else work.ifm.shape.c
        elements = max(taps * channels * work.ofm.shape.c, 1)
        for purpose, moved in (
            (Purpose.WEIGHTS, read.weights * size / elements),
            (Purpose.SCALES, float(read.scales * record_bytes)),
        ):
            busy = moved if is_direct else 0.0
            yield Traffic(work.constants, purpose, Direction.READ, moved, busy)

    def _memory_cycles(self, moved: tuple[Traffic, ...]) -> Iterator[tuple[Area, float]]:
        for area in Area:
            busy = math.fsum(part.busy_bytes for part in moved if part.area is area)
            if busy:
                yield area, float(math.ceil(busy / self._rates.areas[area].bytes_per_cycle))

    def _transfer(self, position: int, item: DmaTransfer, purpose: Purpose) -> Spent:
        own, regions = self._study.cycles[position], self._study.part.regions
        size = float(transferred_bytes(item))
        ends = ((item.source, Direction.READ), (item.destination, Direction.WRITE))
        return Spent(
            own_cycles=own if isinstance(own, int) else 0,
            moved=tuple(
                Traffic(area_of(self._target, regions, end.region), purpose, way, size, 0.0)
                for end, way in ends
                if not end.is_internal
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Cycles by command; commands that keep no engine busy begin and end at once."""

    free: tuple[float, ...]
    """When the engine has done what it had to do before."""
    start: tuple[float, ...]
    end: tuple[float, ...]
    end_of_all: float


@dataclass(slots=True)
class _Queue:
    """What an engine was given, one thing after the other."""

    free: float
    most: int
    """That it can have in hand; who gives it more has to wait."""
    ends: list[float] = field(default_factory=list)

    def run(self, ready: float, cycles: float) -> tuple[float, float, float]:
        before = self.free
        start = max(ready, before)
        self.free = start + cycles
        self.ends.append(self.free)
        return before, start, self.free

    def when_left(self, outstanding: int) -> float:
        """When no more than so many are unfinished."""
        if len(self.ends) <= outstanding:
            return 0.0
        return self.ends[len(self.ends) - 1 - outstanding]


def clock(
    accelerator: Accelerator,
    commands: Sequence[Command],
    cycles: Sequence[float],
    copies: Collection[int],
    begin: float,
) -> Clock:
    """From when to when each command runs, if the first one is read at the beginning.

    Copies of maps keep both engines busy, as the cost model has it.
    """
    kernels = _Queue(begin, accelerator.family.concurrency.kernels)
    dma = _Queue(begin, accelerator.family.concurrency.transfers)
    now = begin
    rows: list[tuple[float, float, float]] = []
    for at, command in enumerate(commands):
        match command:
            case NpuOperation():
                now = max(now, kernels.when_left(kernels.most - 1))
                rows.append(kernels.run(now, cycles[at]))
            case DmaTransfer() if at in copies:
                before = kernels.free
                _, start, end = dma.run(max(now, before), cycles[at])
                kernels.free = end
                rows.append((before, start, end))
            case DmaTransfer():
                now = max(now, dma.when_left(dma.most - 1))
                rows.append(dma.run(now, cycles[at]))
            case Wait(engine=engine, outstanding=outstanding):
                queue = kernels if engine is Engine.KERNEL else dma
                now = max(now, queue.when_left(outstanding))
                rows.append((now, now, now))
            case _:
                rows.append((now, now, now))
    return Clock(
        free=tuple(row[0] for row in rows),
        start=tuple(row[1] for row in rows),
        end=tuple(row[2] for row in rows),
        end_of_all=max(kernels.free, dma.free),
    )
