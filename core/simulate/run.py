"""Runs the commands of one part of a program."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from core.base.frozen import Changing, Frozen, field
from core.base.geometry import Shape4
from core.base.ids import TensorId
from core.base.progress import SILENT, Progress
from core.ir.program import Curve, DmaTransfer, Job, MapUse, NpuOperation, ProgramPart
from core.simulate.binding import Arena, bind, held, output
from core.simulate.convolution import convolve
from core.simulate.elementwise import elementwise
from core.simulate.faults import Fault, FaultKind, StopHere
from core.simulate.filters import Decode, FilterReader
from core.simulate.footprints import of_range, written_by
from core.simulate.maps import write_map
from core.simulate.memory import Memory
from core.simulate.pooling import pool
from core.simulate.scaling import finished
from core.simulate.transfer import transfer
from core.target.accelerator import Accelerator

Array = npt.NDArray[Any]
Watch = Callable[[int, NpuOperation, Array], None]
"""Is told the position, the operation and what it wrote, by row, column and channel."""


_MOST_PADDING = 255
"""Twice what a register of the hardware holds."""

_TILES = 4
"""Of a map, each with an address of its own."""


def misfit(operation: NpuOperation) -> str:
    """What is impossible about the maps of an operation, in words; empty where nothing is."""
    made, given = operation.ofm.shape, operation.ifm.shape
    if min(given) < 1:
        return f"its window and padding leave an input of {_told(given)}"
    padding = operation.padding
    most = max(padding.top, padding.left, padding.bottom, padding.right)
    if most > _MOST_PADDING:
        return f"its padding of {most} is beyond any window"
    if operation.job.is_elementwise:
        return _misfit_elementwise(operation)
    if operation.job is Job.REDUCE_SUM:
        is_summed = made == given._replace(c=1)
        return "" if is_summed else f"reduce sum of {_told(given)} cannot make {_told(made)}"
    if operation.job is Job.CONVOLUTION or made.c == given.c:
        return ""
    return f"{operation.job.value} of {given.c} channels cannot make {made.c}"


def overfull(operation: NpuOperation, region_bytes: Sequence[int]) -> str:
    """Which map has more elements than its region can show, in words; empty where none has."""
    for use in operation.maps:
        size = math.prod(use.shape) * use.dtype.size_bytes
        # All tiles may show the same bytes: so an edge is repeated.
        if use.region < len(region_bytes) and size > _TILES * region_bytes[use.region]:
            room = region_bytes[use.region]
            return f"a map of {_told(use.shape)} takes {size} bytes in a region of {room}"
    return ""


def _report_overwritten(memory: Memory, operation: NpuOperation) -> None:
    """Constants that an operation writes over: each of its blocks reads them again."""
    made = written_by(operation)
    for each in (*operation.weights, *operation.scales):
        if each.size_bytes and of_range(each).meets(made):
            place = each.region, each.address, each.size_bytes
            memory.report(FaultKind.OVERWRITTEN, "its own weights or scales", *place)


def _misfit_elementwise(operation: NpuOperation) -> str:
    made, second = operation.ofm.shape, operation.ifm2
    inputs = [operation.ifm.shape]
    if isinstance(second, MapUse):
        inputs.append(second.shape)
    for axis, size in enumerate(made):
        if size != max(given[axis] for given in inputs) or any(
            given[axis] not in {1, size} for given in inputs
        ):
            told = " and ".join(_told(given) for given in inputs)
            return f"{operation.job.value} of {told} cannot make {_told(made)}"
    return ""


def _told(shape: Shape4) -> str:
    return "x".join(str(size) for size in shape[1:])


class Outcome(Frozen):
    """What a part of a program makes of its inputs."""

    outputs: Mapping[TensorId, Array]
    faults: tuple[Fault, ...]
    is_complete: bool = True
    """The part could be run to its end; there are no outputs else."""
    left: Mapping[TensorId, Array] = field(default_factory=dict)
    """What is in the places of its inputs afterwards: the next values of those that are states."""


class Simulator(Changing):
    """An accelerator; what it has decoded is kept from one run to the next."""

    accelerator: Accelerator
    decode: Decode
    reader: FilterReader

    @classmethod
    def of(cls, accelerator: Accelerator, decode: Decode) -> Simulator:
        """A simulator that takes weight streams apart with `decode`."""
        return cls(accelerator, decode, FilterReader(accelerator, decode))

    def run(
        self,
        part: ProgramPart,
        inputs: Mapping[TensorId, Array],
        *,
        arena: Arena | None = None,
        watch: Watch | None = None,
        progress: Progress = SILENT,
    ) -> Outcome:
        """Run all commands, in the arena as other parts have left it or in one of its own."""
        memory, places = bind(part, self.accelerator, arena or Arena.of([part]))
        for tensor in part.inputs:
            places[tensor.tensor].memory.fill(inputs[tensor.tensor])
        total = len(part.stream.commands)
        try:
            for number, command in enumerate(part.stream.commands):
                memory.command = number
                progress.advance("simulate", number, total)
                if isinstance(command, NpuOperation):
                    self._operate(memory, command, watch)
                elif isinstance(command, DmaTransfer):
                    transfer(memory, command)
            memory.command = total
            if part.stream.problem is not None:
                raise memory.stop(FaultKind.CONTENT, f"the stream: {part.stream.problem.reason}")
            outputs = {item.tensor: output(memory, places, item) for item in part.outputs}
            left = {item.tensor: held(places, item) for item in part.inputs}
        except StopHere as end:
            return Outcome(outputs={}, faults=(*memory.faults, end.fault), is_complete=False)
        return Outcome(outputs=outputs, faults=tuple(memory.faults), left=left)

    def _operate(self, memory: Memory, operation: NpuOperation, watch: Watch | None) -> None:
        sizes = [region.data.size for region in memory.regions]
        problem = misfit(operation) or overfull(operation, sizes)
        if problem:
            raise memory.stop(FaultKind.CONTENT, problem)
        if operation.job.has_weights:
            values = convolve(memory, self.reader, operation)
        elif operation.job.is_pooling:
            values = pool(memory, operation)
        else:
            values = elementwise(memory, operation)
        _report_overwritten(memory, operation)
        made = finished(memory, operation, values)
        result = made.astype(operation.ofm.dtype.numpy, copy=False)
        write_map(memory, operation.ofm, result, "output")
        if operation.activation.curve is not Curve.TABLE:
            memory.forget_tables()
        if watch is not None:
            watch(memory.command, operation, result)
