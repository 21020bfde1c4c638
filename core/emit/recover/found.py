"""Everything that runs, in order: operators of streams and of the CPU, with times and cycles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.frozen import Changing, Frozen, NamedTuple, replace
from core.base.ids import NpuOpId, OpRef, TensorRef
from core.cost.clock import Clock, clock
from core.cost.spent import Spent
from core.emit.conventions import CUSTOM_CODE
from core.emit.recover.matching import tensors_of
from core.emit.recover.prices import Prices, told
from core.emit.recover.rows import Whole, whole_of
from core.emit.recover.streamops import StreamOp, stream_ops
from core.emit.study import PartStudy
from core.ir.cost import Purpose
from core.ir.network import Network
from core.ir.program import DmaTransfer, NpuOperation, Program
from core.target.target import Target

TIMES_PER_STEP = 2
"""As in every layout: one time while something runs, one before the next does."""


class FoundOp(Frozen):
    """An operator of a stream."""

    id: NpuOpId
    part: int
    steps: StreamOp
    first: NpuOperation | None
    """The first of its operations; None for a copy."""
    whole: Whole | None
    name: str

    @property
    def position(self) -> int:
        """Its first command."""
        return self.steps.commands[0]


class FoundPart(Frozen):
    """One stream: its operators, and when each command runs."""

    number: int
    study: PartStudy
    ops: tuple[FoundOp, ...]
    tensors: Mapping[int, TensorRef]
    """By live range."""
    spent: tuple[Spent, ...]
    """By command."""
    clock: Clock
    times: Mapping[int, int]
    """By command: the time of the layout at which it runs or begins."""
    start_time: int
    end_time: int
    """The time at which what follows begins."""


class FoundCpuOp(NamedTuple):
    """An operator beside the streams."""

    op: OpRef
    time: int
    cycle: float


class Found(Frozen):
    """A whole program."""

    network: Network
    program: Program
    target: Target
    parts: tuple[FoundPart, ...]
    cpu_ops: tuple[FoundCpuOp, ...]
    end_time: int
    end_cycle: float

    def on(self, target: Target) -> Found:
        """The same with the cycles that it takes where memories are otherwise fast."""
        parts: list[FoundPart] = []
        for part in self.parts:
            begin = parts[-1].clock.end_of_all if parts else 0.0
            parts.append(_timed(part, target, begin))
        return replace(self, target=target, parts=tuple(parts))

    @property
    def ops(self) -> tuple[FoundOp, ...]:
        """The operators of all streams."""
        return tuple(op for part in self.parts for op in part.ops)


class _Now(Changing):
    """How far everything has come."""

    op: int = 0
    time: int = 0
    cycle: float = 0.0


def find(network: Network, program: Program, studies: Sequence[PartStudy], target: Target) -> Found:
    """All that runs, in the order of the file."""
    now = _Now()
    parts: list[FoundPart] = []
    cpu_ops: list[FoundCpuOp] = []
    for ref, op in network.operators():
        if op.custom_code != CUSTOM_CODE:
            cpu_ops.append(FoundCpuOp(ref, now.time, now.cycle))
            now.time += TIMES_PER_STEP
            continue
        part = _part(program, studies[len(parts)], len(parts), target, now)
        parts.append(part)
        now.op += len(part.ops)
        now.time, now.cycle = part.end_time, part.clock.end_of_all
    return Found(
        network=network,
        program=program,
        target=target,
        parts=tuple(parts),
        cpu_ops=tuple(cpu_ops),
        end_time=now.time + 1,
        end_cycle=now.cycle,
    )


def _part(program: Program, study: PartStudy, number: int, target: Target, now: _Now) -> FoundPart:
    steps = stream_ops(study)
    commands = study.part.stream.commands
    spent, ticks = _run(study, target, steps, now.cycle)
    copies = _copies(steps)
    times = _times(study, ticks, copies, now.time)
    units = sum(isinstance(item, NpuOperation) for item in commands) + len(copies)
    return FoundPart(
        number=number,
        study=study,
        ops=tuple(
            _op(study, number, NpuOpId(now.op + place), each) for place, each in enumerate(steps)
        ),
        tensors=tensors_of(program, study),
        spent=spent,
        clock=ticks,
        times=times,
        start_time=now.time,
        end_time=now.time + TIMES_PER_STEP * units,
    )


def _timed(part: FoundPart, target: Target, begin: float) -> FoundPart:
    """A part on a target of other memories: what is told of times stays."""
    study = part.study.on(target)
    spent, ticks = _run(study, target, [op.steps for op in part.ops], begin)
    return replace(part, study=study, spent=spent, clock=ticks)


def _run(
    study: PartStudy, target: Target, steps: Sequence[StreamOp], begin: float
) -> tuple[tuple[Spent, ...], Clock]:
    """What each command costs, and when it runs."""
    spent = _spent(study, target, steps)
    timed = told(study.part.stream.commands, spent, _copies(steps))
    return spent, clock(target.accelerator.family.concurrency, timed, begin)


def _copies(steps: Sequence[StreamOp]) -> set[int]:
    return {op.commands[0] for op in steps if op.is_copy}


def _op(study: PartStudy, part: int, number: NpuOpId, steps: StreamOp) -> FoundOp:
    commands = study.part.stream.commands
    ops = [item for at in steps.commands if isinstance(item := commands[at], NpuOperation)]
    first = ops[0] if ops else None
    return FoundOp(
        id=number,
        part=part,
        steps=steps,
        first=first,
        whole=whole_of(ops, stripes=steps.stripes) if ops else None,
        name=f"{first.job.value if first else 'copy'} {number}",
    )


def _spent(study: PartStudy, target: Target, steps: Sequence[StreamOp]) -> tuple[Spent, ...]:
    prices = Prices(study, target)
    purposes = {at: Purpose.WEIGHTS for op in steps for at in op.loads}
    purposes |= {at: Purpose.TABLE for op in steps for at in op.tables}
    return tuple(
        prices.of(at, purposes.get(at, Purpose.FEATURE_MAP))
        for at in range(len(study.part.stream.commands))
    )


def _times(study: PartStudy, ticks: Clock, copies: set[int], begin: int) -> dict[int, int]:
    """Two times for each operation or copy; a transfer begins under the one that runs then."""
    commands = study.part.stream.commands
    units = [
        at for at, item in enumerate(commands) if isinstance(item, NpuOperation) or at in copies
    ]
    found = {at: begin + TIMES_PER_STEP * place for place, at in enumerate(units)}
    place = 0
    for at, item in enumerate(commands):
        if isinstance(item, DmaTransfer) and at not in copies:
            # Transfers begin in their order, so nothing before this has to be looked at again.
            while place < len(units) and ticks.end[units[place]] <= ticks.start[at]:
                place += 1
            found[at] = begin + TIMES_PER_STEP * place - int(place == len(units) > 0)
    return found
