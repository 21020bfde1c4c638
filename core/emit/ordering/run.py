"""Commands that wait for each other exactly where they must.

What the hardware runs beside each other: operations in their order, and transfers in theirs. Of
either it holds a few at most (`Accelerator`), and accepts the next when the oldest is done. So:

- between transfers, and between an operation and those older than the one before it, the order is
  kept without our doing;
- between an operation and the one before it, the block dependency keeps it;
- between operations and transfers, only waits do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from core.base.frozen import Changing, field, replace
from core.emit.ordering.depth import block_dependency
from core.emit.ordering.footprint import Footprint, footprint
from core.ir.program import Command, DmaTransfer, Engine, NpuOperation, Stop, Wait
from core.target.accelerator import Accelerator


class _Queue(Changing):
    """Commands of one engine that may be unfinished, the oldest first."""

    engine: Engine
    most: int
    running: deque[_Running] = field(default_factory=deque)

    def add(self, running: _Running) -> None:
        """One more is under way."""
        self.running.append(running)
        if len(self.running) > self.most:
            self.running.popleft()

    def wait_for(self, running: _Running) -> Wait | None:
        """The wait that a command of the other engine needs, if any, after which these are done."""
        for newer, other in enumerate(reversed(self.running)):
            if running.footprint.disturbs(other.footprint):
                while len(self.running) > newer:
                    self.running.popleft()
                return Wait(engine=self.engine, outstanding=newer)
        return None


class _Running:
    """A command, and what it touches, which is worked out when it is first asked for."""

    __slots__ = ("_accelerator", "_footprint", "command")

    def __init__(self, command: NpuOperation | DmaTransfer, accelerator: Accelerator) -> None:
        self.command = command
        self._accelerator = accelerator
        self._footprint: Footprint | None = None

    @property
    def footprint(self) -> Footprint:
        """What it touches."""
        if self._footprint is None:
            self._footprint = footprint(self.command, self._accelerator)
        return self._footprint


def ordered(
    commands: Iterable[NpuOperation | DmaTransfer], accelerator: Accelerator
) -> tuple[Command, ...]:
    """The commands with block dependencies and as few waits as are safe, and their end."""
    kernels = _Queue(Engine.KERNEL, accelerator.family.concurrency.kernels)
    transfers = _Queue(Engine.DMA, accelerator.family.concurrency.transfers)
    made: list[Command] = []
    before: NpuOperation | None = None
    for command in commands:
        running = _Running(command, accelerator)
        own, others = kernels, transfers
        if isinstance(command, DmaTransfer):
            own, others = transfers, kernels
        wait = others.wait_for(running)
        if wait is not None:
            made.append(wait)
        own.add(running)
        if isinstance(command, DmaTransfer):
            before = before if kernels.running else None
            made.append(command)
        else:
            depth = block_dependency(before, command, accelerator)
            made.append(replace(command, block_dependency=depth))
            before = command
    return (*made, Stop())
