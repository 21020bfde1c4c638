"""When each command of a stream runs: operations one after the other, transfers beside them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from core.ir.program import Command, DmaTransfer, Engine, NpuOperation, Wait
from core.target.accelerator import Accelerator


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
