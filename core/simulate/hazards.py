"""Commands that touch bytes which another one, still under way, has not done with.

What may be under way together: operations run in their order, and transfers in theirs, beside each
other. No more operations or transfers are under way than the accelerator queues; a wait leaves
fewer. Between an operation and the one before it the block dependency holds: a block starts when no
more blocks than that are unfinished, itself not counted. Operations before that one are taken to be
done; and an operation may always write what the one before it reads, as it comes behind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from core.ir.program import CommandStream, DmaTransfer, Engine, NpuOperation, Wait
from core.simulate.blocks import first_inputs, last_outputs
from core.simulate.faults import Fault, FaultKind
from core.simulate.footprints import Footprint, of_map, read_by, written_by
from core.target.accelerator import Accelerator
from core.target.weight_format import WeightFormat


class _Running(NamedTuple):
    """A command that may be under way, and what it touches."""

    number: int
    reads: tuple[Footprint, ...]
    write: Footprint


@dataclass(slots=True)
class _Queues:
    """What may be under way at one moment."""

    operations: deque[_Running] = field(default_factory=deque)
    transfers: deque[_Running] = field(default_factory=deque)
    last: NpuOperation | None = None

    def wait(self, command: Wait) -> None:
        """Leave no more than so many."""
        queue = self.operations if command.engine is Engine.KERNEL else self.transfers
        while len(queue) > command.outstanding:
            queue.popleft()
        if not self.operations:
            self.last = None


def hazards(stream: CommandStream, accelerator: Accelerator) -> tuple[Fault, ...]:
    """Every command that should have waited for another one."""
    queues = _Queues()
    found: list[Fault] = []
    for number, command in enumerate(stream.commands):
        if isinstance(command, Wait):
            queues.wait(command)
        elif isinstance(command, NpuOperation | DmaTransfer):
            reads = tuple(read_by(command, accelerator))
            running = _Running(number, reads, written_by(command))
            found += _of_command(queues, running, command, accelerator.family.weights)
            if isinstance(command, NpuOperation):
                _add(queues.operations, running, accelerator.family.concurrency.kernels)
                queues.last = command
            else:
                _add(queues.transfers, running, accelerator.family.concurrency.transfers)
    return tuple(found)


def _add(queue: deque[_Running], running: _Running, most: int) -> None:
    queue.append(running)
    while len(queue) > most:
        queue.popleft()


def _of_command(
    queues: _Queues,
    running: _Running,
    command: NpuOperation | DmaTransfer,
    order: WeightFormat,
) -> Iterator[Fault]:
    is_operation = isinstance(command, NpuOperation)
    others, kind = (
        (queues.transfers, "transfers") if is_operation else (queues.operations, "operations")
    )
    for place, other in enumerate(others):
        met = _met(running, other)
        if met is not None:
            later = len(others) - place
            why = f"no wait before it leaves fewer than {later} of the {kind} under way"
            yield _fault(running, command, other, met, why)
    if isinstance(command, NpuOperation) and queues.last is not None:
        unmade = _too_early(queues.last, command, order)
        if unmade is not None:
            why = f"a block dependency of {command.block_dependency} lets its last blocks be unmade"
            read = _Met(unmade, "reads", "writes")
            yield _fault(running, command, queues.operations[-1], read, why)


class _Met(NamedTuple):
    """Bytes that two commands touch, and what each does to them."""

    bytes: Footprint
    later: str
    earlier: str


def _met(one: _Running, other: _Running) -> _Met | None:
    """What one of two commands writes and the other touches."""
    for mine in one.reads:
        if mine.meets(other.write):
            return _Met(mine, "reads", "writes")
    if one.write.meets(other.write):
        return _Met(other.write, "writes", "writes")
    found = next((theirs for theirs in other.reads if one.write.meets(theirs)), None)
    return None if found is None else _Met(found, "writes", "reads")


def _too_early(before: NpuOperation, after: NpuOperation, order: WeightFormat) -> Footprint | None:
    """What an operation reads of its predecessor's last blocks before they are done."""
    made, depth = of_map(before.ofm), after.block_dependency
    maps = [use for use in after.maps[:-1] if of_map(use).meets(made)]
    if not depth or not maps:
        return None
    outputs = last_outputs(before, depth)
    for position, inputs in enumerate(first_inputs(after, maps, depth, order)):
        # As later blocks start, fewer of the predecessor's can be unfinished.
        for output in outputs[: depth - position]:
            if any(read.meets(output) for read in inputs):
                return output
    return None


def _fault(
    running: _Running, command: NpuOperation | DmaTransfer, other: _Running, met: _Met, why: str
) -> Fault:
    title = command.job.value if isinstance(command, NpuOperation) else "transfer"
    what = f"this {title} {met.later} what command {other.number} {met.earlier}; {why}"
    low, high = met.bytes.low, met.bytes.high
    return Fault(running.number, FaultKind.HAZARD, what, met.bytes.region, low, high - low)
