"""Runs a compiled model: its `ethos-u` operators simulated, the others by LiteRT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from core.base.errors import InputError
from core.base.frozen import Changing, Frozen, field
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.base.progress import SILENT, Progress
from core.emit.conventions import CUSTOM_CODE
from core.emit.open import open_program
from core.emit.payload import accelerator_of
from core.ir.network import Network, Operator, Subgraph
from core.ir.program import BoundTensor, NpuOperation, Program, ProgramPart
from core.pipeline.proof import litert
from core.pipeline.proof.branching import branched, runs_streams
from core.pipeline.proof.entries import seen_from
from core.pipeline.proof.excerpts import cut_out, first_state
from core.pipeline.proof.litert import Array, Values
from core.pipeline.proof.reference import Reference
from core.pipeline.proof.variables import Variables
from core.simulate.binding import Arena
from core.simulate.faults import Fault
from core.simulate.hazards import hazards
from core.simulate.run import Outcome, Simulator, Watch
from core.target.accelerator import Accelerator
from core.weights.decode import decode_stream

PartWatch = Callable[[ProgramPart, int, NpuOperation, Array], None]
"""Is told the part, the position in its stream, the operation, and what it wrote."""


class Simulated(Frozen):
    """What a compiled model makes of its inputs."""

    outputs: Values
    """Nothing where a part could not be run to its end."""
    faults: tuple[tuple[OpRef, Fault], ...]
    """Of the values, then those of the order of commands, by operator."""
    values: Values
    """All tensors of the main subgraph that have been computed."""


class CompiledModel(Changing):
    """A compiled network, ready to be run any number of times."""

    network: Network
    program: Program
    _simulators: dict[OpRef, Simulator] = field(default_factory=dict)
    _sessions: dict[int, Reference] = field(default_factory=dict)
    """Operators outside of streams, by position of their first; these keep their states."""
    _variables: Variables = field(default_factory=Variables)
    _states: dict[TensorId, Array] = field(default_factory=dict)
    """What streams have left in variables."""
    _hazards: dict[OpRef, tuple[Fault, ...]] = field(default_factory=dict)
    _called: dict[int, CompiledModel] = field(default_factory=dict)
    """Subgraphs with streams that operators run."""

    @classmethod
    def of(cls, network: Network, variables: Variables | None = None) -> CompiledModel:
        """The model in a compiled file's network, with variables of its own or its caller's."""
        program = open_program(network)
        _demand_made(network.main, program)
        return cls(network, program, _variables=variables or Variables())

    def run(
        self,
        inputs: Values,
        *,
        watch: PartWatch | None = None,
        progress: Progress = SILENT,
    ) -> Simulated:
        """One inference, by the ids of inputs; states are what the one before has left."""
        graph, values = self.network.main, self._first_values(inputs)
        parts = {part.op: part for part in self.program.parts}
        arena = self._arena()
        arena.keep({number: values[number] for number in graph.inputs})
        faults: list[tuple[OpRef, Fault]] = []
        for start, operators in self._runs():
            ref = OpRef(SubgraphId(0), OpId(start))
            if operators[0].custom_code != CUSTOM_CODE:
                made = self._made_outside(start, operators, values, faults)
                if made is None:
                    return Simulated(outputs={}, faults=tuple(faults), values=values)
                arena.keep(self._stored(made))
                values |= made
                continue
            outcome = self._run_part(parts[ref], values, arena, watch, progress)
            faults += ((ref, fault) for fault in outcome.faults)
            if not outcome.is_complete:
                return Simulated(outputs={}, faults=tuple(faults), values=values)
            faults += ((ref, fault) for fault in self._hazards_of(parts[ref]))
            values |= outcome.outputs
            self._keep_states(outcome.left)
        outputs = {number: values[number] for number in graph.outputs}
        return Simulated(outputs=outputs, faults=tuple(faults), values=values)

    def reset(self) -> None:
        """Forget all states, as an interpreter does that is asked to."""
        self._states.clear()
        self._sessions.clear()
        self._called.clear()
        self._variables = Variables()

    @property
    def states(self) -> Values:
        """What streams have left in variables."""
        return dict(self._states)

    def _runs(self) -> Iterator[tuple[int, tuple[Operator, ...]]]:
        return _runs(
            self.network.main.operators,
            lambda op: op.custom_code == CUSTOM_CODE or runs_streams(self.network, op),
        )

    def _made_outside(
        self,
        start: int,
        operators: tuple[Operator, ...],
        values: Values,
        faults: list[tuple[OpRef, Fault]],
    ) -> Values | None:
        """What operators outside of streams make; nothing where a stream that they run fails."""
        op = operators[0]
        if not runs_streams(self.network, op):
            return self._session(start, operators).run(values)
        try:
            made = branched(
                op,
                [values[at] for at in op.inputs if at is not None],
                lambda number, given: self._call(number, given, faults),
            )
        except _FailedError:
            return None
        return dict(zip(op.outputs, made, strict=True))

    def _call(
        self, number: int, given: Sequence[Array], faults: list[tuple[OpRef, Fault]]
    ) -> Sequence[Array]:
        """What a subgraph makes of its inputs."""
        model = self._called.get(number)
        if model is None:
            seen = seen_from(self.network, number)
            model = self._called[number] = CompiledModel.of(seen, self._variables)
        graph = model.network.main
        found = model.run(dict(zip(graph.inputs, given, strict=True)))
        for ref, fault in found.faults:
            inner = SubgraphId(ref.subgraph or number)
            faults.append((OpRef(inner, ref.op), fault))
        if not all(at in found.outputs for at in graph.outputs):
            raise _FailedError
        return [found.outputs[at] for at in graph.outputs]

    def _session(self, start: int, operators: tuple[Operator, ...]) -> Reference:
        found = self._sessions.get(start)
        if found is None:
            part = cut_out(self.network, operators, keeps_states=True)
            found = self._sessions[start] = Reference(part, variables=self._variables)
        return found

    def _stored(self, made: Values) -> Values:
        """What is in memory as a value; a runtime knows variables by numbers of its own."""
        tensors = self.network.main.tensors
        return {at: value for at, value in made.items() if tensors[at].dtype.numpy is not None}

    def _keep_states(self, left: Values) -> None:
        tensors = self.network.main.tensors
        self._states |= {at: value for at, value in left.items() if tensors[at].is_variable}

    def _first_values(self, inputs: Values) -> dict[TensorId, Array]:
        """Constants, states, and inputs."""
        graph, values = self.network.main, {}
        for position, tensor in enumerate(graph.tensors):
            if tensor.data is not None:
                values[TensorId(position)] = tensor.data.array
            elif tensor.is_variable or 0 in tensor.shape:
                values[TensorId(position)] = first_state(tensor)
        values |= self._states
        for number in graph.inputs:
            values[number] = inputs[number]
        return values

    def _arena(self) -> Arena:
        parts = [part for part in self.program.parts if part.op.subgraph == 0]
        return Arena.of(parts, next(iter(self.program.arena_addresses), ()))

    def _run_part(
        self,
        part: ProgramPart,
        values: Values,
        arena: Arena,
        watch: PartWatch | None,
        progress: Progress,
    ) -> Outcome:
        simulator = self._simulators.get(part.op)
        if simulator is None:
            simulator = Simulator.of(_accelerator(part), decode_stream)
            self._simulators[part.op] = simulator
        return simulator.run(
            part,
            self._as_declared(part, values),
            # A runtime that plans by itself does not promise what it leaves to the next.
            arena=arena if arena.addresses else None,
            watch=None if watch is None else _watch_of(part, watch),
            progress=progress,
        )

    def _as_declared(self, part: ProgramPart, values: Values) -> Values:
        tensors = self.network.main.tensors
        return {
            item.tensor: litert.as_declared(tensors[item.tensor], values[item.tensor])
            for item in part.inputs
        }

    def _hazards_of(self, part: ProgramPart) -> tuple[Fault, ...]:
        """Faults of the order, once all is known to be in its region."""
        if part.op not in self._hazards:
            self._hazards[part.op] = hazards(part.stream, _accelerator(part))
        return self._hazards[part.op]


def _accelerator(part: ProgramPart) -> Accelerator:
    found = accelerator_of(part.accelerator)
    if found is None:
        raise InputError(f"no accelerator is known with {part.accelerator.macs} MACs")
    return found


def _demand_made(graph: Subgraph, program: Program) -> None:
    """Refuse a network in which something is read that nothing has made."""
    own: dict[int, tuple[BoundTensor, ...]] = {
        part.op.op: part.inputs for part in program.parts if part.op.subgraph == 0
    }
    made = {
        at
        for at, tensor in enumerate(graph.tensors)
        if tensor.data or tensor.is_variable or 0 in tensor.shape
    }
    made |= set(graph.inputs)
    for number, op in enumerate(graph.operators):
        # The runtime gives streams memory to work in; that is made by nobody.
        read = [use.tensor for use in own[number]] if number in own else op.inputs
        _demand_among(graph, made, read, f"operator {number}, {op.title}, reads")
        made |= set(op.outputs)
    _demand_among(graph, made, graph.outputs, "an output is")


def _demand_among(
    graph: Subgraph, made: set[int], read: Iterable[TensorId | None], who: str
) -> None:
    for number in read:
        if number is not None and number not in made:
            name = graph.tensors[number].name
            raise InputError(f"{who} tensor {number} '{name}', which nothing has made")


def _watch_of(part: ProgramPart, watch: PartWatch) -> Watch:
    return lambda position, operation, values: watch(part, position, operation, values)


class _FailedError(Exception):
    """A stream that was run by an operator has not come to its end."""


def _runs(
    operators: Sequence[Operator], is_alone: Callable[[Operator], bool]
) -> Iterator[tuple[int, tuple[Operator, ...]]]:
    """Operators that run alone, others with their neighbours; and the first one's position."""
    waiting: list[Operator] = []
    for position, op in enumerate(operators):
        if not is_alone(op):
            waiting.append(op)
            continue
        if waiting:
            yield position - len(waiting), tuple(waiting)
            waiting = []
        yield position, (op,)
    if waiting:
        yield len(operators) - len(waiting), tuple(waiting)
