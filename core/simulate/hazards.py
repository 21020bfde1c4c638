"""Commands that touch bytes which another one, still under way, has not done with.

What may be under way together: operations run in their order, and transfers in theirs, beside each
other. No more operations or transfers are under way than the accelerator queues; a wait leaves
fewer. Between an operation and the one before it the block dependency holds: a block starts when no
more blocks than that are unfinished, itself not counted. Operations before that one are taken to be
done; and an operation may always write what the one before it reads, as it comes behind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from core.base.frozen import Changing, NamedTuple, field
from core.base.geometry import Box, ceil_div, round_up
from core.ir.program import CommandStream, DmaTransfer, Engine, Job, MapUse, NpuOperation, Wait
from core.simulate.faults import Fault, FaultKind
from core.simulate.footprints import Footprint, of_map, read_by, written_by
from core.simulate.maps import pieces_of, whole_of
from core.target.accelerator import Accelerator
from core.target.weight_format import WeightFormat


def last_outputs(operation: NpuOperation, most: int) -> list[Footprint]:
    """What the last blocks write, the very last first."""
    total = _count(operation)
    numbers = range(total - 1, max(total - 1 - most, -1), -1)
    use = operation.ofm
    return [
        Footprint.of(use.region, pieces_of(use, _output_box(operation, number)))
        for number in numbers
    ]


def first_inputs(
    operation: NpuOperation, maps: Sequence[MapUse], most: int, order: WeightFormat
) -> Iterator[tuple[Footprint, ...]]:
    """What the first steps read of some inputs; a block that sums over channels takes several."""
    segments = _segments(operation, order)
    for step in range(min(_count(operation) * len(segments), most)):
        block, segment = divmod(step, len(segments))
        output = _output_box(operation, block)
        yield tuple(
            Footprint.of(use.region, pieces_of(use, _input_box(operation, use, output, part)))
            for use in maps
            for part in (segments[segment],)
        )


def _count(operation: NpuOperation) -> int:
    rows, columns, layers = _grid(operation)
    return rows * columns * layers


def _grid(operation: NpuOperation) -> tuple[int, int, int]:
    shape, block = operation.ofm.shape, operation.block
    return ceil_div(shape.h, block.h), ceil_div(shape.w, block.w), ceil_div(shape.c, block.c)


def _output_box(operation: NpuOperation, number: int) -> Box:
    shape, block = operation.ofm.shape, operation.block
    _, columns, layers = _grid(operation)
    rest, layer = divmod(number, layers)
    row, column = divmod(rest, columns)
    return Box(
        _cut(row * block.h, block.h, shape.h),
        _cut(column * block.w, block.w, shape.w),
        _cut(layer * block.c, block.c, shape.c),
    )


def _segments(operation: NpuOperation, order: WeightFormat) -> list[range]:
    """Ranges of input channels that a block takes in turn; an empty one where it has its own."""
    if operation.job not in {Job.CONVOLUTION, Job.REDUCE_SUM}:
        return [range(0)]
    is_wide = operation.ifm.dtype.bits > 8 or operation.is_part_kernel
    step = order.short_ifm_block_depth if is_wide else order.ifm_block_depth
    channels = operation.ifm.shape.c
    return [_cut(start, step, channels) for start in range(0, round_up(channels, step), step)]


def _input_box(operation: NpuOperation, use: MapUse, output: Box, segment: range) -> Box:
    """What a block of output needs of an input."""
    whole = whole_of(use)
    channels = segment or _within(output.channels, whole.channels)
    if operation.job.is_elementwise:
        return Box(
            _within(output.rows, whole.rows), _within(output.columns, whole.columns), channels
        )
    kernel, padding, factor = operation.kernel, operation.padding, operation.upscale.factor
    return Box(
        _seen(output.rows, kernel.stride_h, kernel.dilated_h, padding.top, whole.rows, factor),
        _seen(
            output.columns, kernel.stride_w, kernel.dilated_w, padding.left, whole.columns, factor
        ),
        channels,
    )


def _within(wanted: range, there: range) -> range:
    """A range of the output in an input that may have one element for all."""
    return there if len(there) == 1 else range(wanted.start, min(wanted.stop, there.stop))


def _seen(
    outputs: range, stride: int, window: int, before: int, there: range, factor: int
) -> range:
    start = outputs.start * stride - before
    stop = (outputs.stop - 1) * stride + window - before
    return range(max(start, 0) // factor, min(ceil_div(max(stop, 1), factor), there.stop))


def _cut(start: int, size: int, limit: int) -> range:
    return range(start, min(start + size, limit))


class _Running(NamedTuple):
    """A command that may be under way, and what it touches."""

    number: int
    reads: tuple[Footprint, ...]
    write: Footprint


class _Queues(Changing):
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
