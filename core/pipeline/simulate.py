"""Runs a compiled model: its `ethos-u` operators simulated, the others by LiteRT."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.base.errors import InputError
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.base.progress import SILENT, Progress
from core.emit.conventions import CUSTOM_CODE
from core.emit.open import open_program
from core.emit.payload import accelerator_of
from core.ir.network import Network, Operator, Tensor
from core.ir.program import NpuOperation, Program, ProgramPart
from core.pipeline import litert
from core.pipeline.litert import Array, Values
from core.simulate.faults import Fault
from core.simulate.hazards import hazards
from core.simulate.run import Outcome, Simulator, Watch
from core.weights.decode import decode_stream

PartWatch = Callable[[ProgramPart, int, NpuOperation, Array], None]
"""Is told the part, the position in its stream, the operation, and what it wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """What a compiled model makes of its inputs."""

    outputs: Values
    """Nothing where a part could not be run to its end."""
    faults: tuple[tuple[OpRef, Fault], ...]
    """Of the values, then those of the order of commands, by operator."""
    values: Values
    """All tensors of the main subgraph that have been computed."""


@dataclass(slots=True)
class CompiledModel:
    """A compiled network, ready to be run any number of times."""

    network: Network
    program: Program
    _simulators: dict[OpRef, Simulator] = field(default_factory=dict)
    _hazards: dict[OpRef, tuple[Fault, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, network: Network) -> CompiledModel:
        """The model in a compiled file's network."""
        return cls(network, open_program(network))

    def run(
        self,
        inputs: Values,
        *,
        watch: PartWatch | None = None,
        progress: Progress = SILENT,
    ) -> Simulated:
        """Run all operators of the main subgraph, by the ids of its inputs."""
        graph, values = self.network.main, self._first_values(inputs)
        parts = {part.op: part for part in self.program.parts}
        faults: list[tuple[OpRef, Fault]] = []
        for start, operators in _runs(graph.operators):
            ref = OpRef(SubgraphId(0), OpId(start))
            if operators[0].custom_code != CUSTOM_CODE:
                values |= litert.compute(cut_out(self.network, operators), values)
                continue
            outcome = self._run_part(parts[ref], values, watch, progress)
            faults += ((ref, fault) for fault in (*outcome.faults, *self._hazards[ref]))
            if len(outcome.outputs) < len(parts[ref].outputs):
                return Simulated(outputs={}, faults=tuple(faults), values=values)
            values |= outcome.outputs
        outputs = {number: values[number] for number in graph.outputs}
        return Simulated(outputs=outputs, faults=tuple(faults), values=values)

    def _first_values(self, inputs: Values) -> dict[TensorId, Array]:
        """Constants, states as they are in the beginning, and inputs."""
        graph, values = self.network.main, {}
        for position, tensor in enumerate(graph.tensors):
            if tensor.data is not None:
                values[TensorId(position)] = tensor.data.array
            elif tensor.is_variable:
                values[TensorId(position)] = _first_state(tensor)
        for number in graph.inputs:
            values[number] = inputs[number]
        return values

    def _run_part(
        self, part: ProgramPart, values: Values, watch: PartWatch | None, progress: Progress
    ) -> Outcome:
        simulator = self._simulators.get(part.op)
        if simulator is None:
            accelerator = accelerator_of(part.accelerator)
            if accelerator is None:
                raise InputError(f"no accelerator is known with {part.accelerator.macs} MACs")
            simulator = self._simulators[part.op] = Simulator.of(accelerator, decode_stream)
            self._hazards[part.op] = hazards(part.stream, accelerator)
        addresses = self.program.arena_addresses
        return simulator.run(
            part,
            values,
            arena_addresses=addresses[part.op.subgraph] if addresses else (),
            watch=None if watch is None else _watch_of(part, watch),
            progress=progress,
        )


def _watch_of(part: ProgramPart, watch: PartWatch) -> Watch:
    return lambda position, operation, values: watch(part, position, operation, values)


def _first_state(tensor: Tensor) -> Array:
    """What an interpreter fills a variable tensor with: real zeros, as far as they have 8 bits."""
    zero = 0
    if tensor.dtype.bits == 8 and tensor.quantization and tensor.quantization.zero_points:
        zero = tensor.quantization.zero_points[0]
    return np.full(tensor.shape, zero, tensor.dtype.numpy)


def _runs(operators: Sequence[Operator]) -> Iterator[tuple[int, tuple[Operator, ...]]]:
    """Each `ethos-u` operator alone, others with their neighbours; and the first one's position."""
    waiting: list[Operator] = []
    for position, op in enumerate(operators):
        if op.custom_code != CUSTOM_CODE:
            waiting.append(op)
            continue
        if waiting:
            yield position - len(waiting), tuple(waiting)
            waiting = []
        yield position, (op,)
    if waiting:
        yield len(operators) - len(waiting), tuple(waiting)


def cut_out(network: Network, operators: tuple[Operator, ...]) -> Network:
    """A network of some operators of the main subgraph, which shows all that they make."""
    graph = network.main
    made = [number for op in operators for number in op.outputs]
    read = {number for op in operators for number in op.inputs if number is not None}
    given = sorted(number for number in read - set(made) if graph.tensors[number].data is None)
    part = replace(graph, operators=operators, inputs=tuple(given), outputs=tuple(made))
    return replace(network, subgraphs=(part, *network.subgraphs[1:]), signatures=())
