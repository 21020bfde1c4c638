"""Runs a compiled model and its original on one input after the other, and compares them.

Inputs follow one another without a reset, so what one inference leaves in states is the next one's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from core.base.errors import InputError
from core.base.frozen import Changing, NamedTuple, field, replace
from core.base.ids import OpRef, TensorId
from core.base.progress import Progress
from core.emit.conventions import CUSTOM_CODE
from core.ir.network import Network, Operator, Subgraph, Tensor
from core.ir.program import NpuOperation, ProgramPart
from core.pipeline.proof import litert
from core.pipeline.proof.excerpts import first_state
from core.pipeline.proof.first_difference import Findings, ancestors, compare_operators
from core.pipeline.proof.known_differences import KnownDifference, known_difference
from core.pipeline.proof.layer_outputs import Difference, layer_outputs
from core.pipeline.proof.litert import Array, Values
from core.pipeline.proof.reference import Reference
from core.pipeline.proof.simulate import CompiledModel, Simulated
from core.pipeline.proof.verdict import OutputVerdict
from core.simulate.faults import Fault

_NOTHING = Difference(0, 0, 0.0)


class Inference(NamedTuple):
    """What both have made of one input."""

    given: Values
    expected: Values
    """By the original's numbers; what the compiled model has not made is missing below."""
    got: Values


class Watched(NamedTuple):
    """What was seen of operators in one inference, and what the reference has for all tensors."""

    findings: Findings
    reference: Values


class _Worst(NamedTuple):
    """The inference in which an output is farthest off."""

    difference: Difference
    number: int


class Trial(Changing):
    """What a compiled model and its original have been seen to do since they were reset."""

    original: Network
    model: CompiledModel
    progress: Progress
    numbers: tuple[int, ...]
    """Of the original's operators in its file, by position."""
    made_numbers: tuple[int, ...]
    """The same of the compiled model's."""
    faults: dict[tuple[OpRef, Fault], None] = field(default_factory=dict)
    """In the order in which they were found; the same one once."""
    inferences: list[Inference] = field(default_factory=list)
    _readings: tuple[Values, ...] | None = None
    """What the hardware is known to make of each input, where that is not what LiteRT does."""
    _examined: dict[int, Findings] = field(default_factory=dict)
    """By inference; this is slow, and only done where something differs."""

    def simulate(self, given: Values) -> Simulated:
        """Run the compiled model on the next inputs."""
        return self.model.run(self._bound(given), progress=self.progress)

    def keep(self, given: Values, expected: Mapping[TensorId, Array], result: Simulated) -> None:
        """Keep what the compiled model has made beside what the original computes."""
        self.faults |= dict.fromkeys(result.faults)
        outputs = zip(self.original.main.outputs, self.model.network.main.outputs, strict=True)
        got = {old: result.outputs[new] for old, new in outputs if new in result.outputs}
        for number, value in got.items():
            _demand_as_many(self.original.main.tensors[number], value, expected[number])
        self.inferences.append(Inference(given, expected, got))

    def verdicts(self) -> Iterable[OutputVerdict]:
        """Each output for the input where it is worst."""
        return (self._verdict(number) for number in self.original.main.outputs)

    def demand_repeatable(self) -> None:
        """Refuse an original of which LiteRT, started anew, makes something else."""
        litert.start_anew()
        session = Reference(self.original)
        for one in self.inferences:
            again = session.run(one.given)
            for number in self.original.main.outputs:
                if self._known(number):
                    # It was held against what the hardware is known to make, too.
                    continue
                if again[number].tobytes() != one.expected[number].tobytes():
                    name = self.original.main.tensors[number].name
                    raise InputError(
                        f"LiteRT makes other values of output '{name}' each time it is started:"
                        " it computes with memory that nothing has been written to"
                    )

    def told_faults(self) -> Iterable[str]:
        """What the simulator found, with the operator that it belongs to."""
        for ref, fault in self.faults:
            if ref.subgraph:
                yield f"subgraph {ref.subgraph}, operator {ref.op}, {fault}"
                continue
            where = self._examine(0).operator_of(ref, fault.command, self.original)
            tail = f" ({where})" if where else ""
            yield f"operator {self.made_numbers[ref.op]}, {fault}{tail}"

    def _verdict(self, output: TensorId) -> OutputVerdict:
        tensor = self.original.main.tensors[output]
        verdict = OutputVerdict(
            name=tensor.name, elements=tensor.elements, inputs=len(self.inferences)
        )
        if any(output not in one.got for one in self.inferences):
            return replace(verdict, is_computed=False)
        worst = self._worst(output, [one.expected for one in self.inferences])
        if not worst.difference.differing:
            return verdict
        known = self._known(output)
        if known:
            left = self._worst(output, self._hardware_readings())
            if not left.difference.differing:
                verdict = replace(verdict, known=known)
            else:
                worst = left
        verdict = replace(
            verdict, differing=worst.difference.differing, largest=worst.difference.largest
        )
        if known and verdict.known:
            return verdict
        where = self._examine(worst.number).first_for(self.original, output)
        return replace(verdict, where=where)

    def _worst(self, output: TensorId, expected: Iterable[Values]) -> _Worst:
        """Where an output is farthest from what is expected of it."""
        graph = self.original.main
        maker = next((op for op in graph.operators if output in op.outputs), None)
        step, worst = _step(graph, maker), _Worst(_NOTHING, 0)
        for number, (one, values) in enumerate(zip(self.inferences, expected, strict=True)):
            found = Difference.between(one.got[output], values[output]).in_steps(step)
            if found.severity > worst.difference.severity:
                worst = _Worst(found, number)
        return worst

    def _hardware_readings(self) -> tuple[Values, ...]:
        if self._readings is None:
            rules = {at: known.compute for at, known in self._differences().items()}
            reading = Reference(self.original, rules)
            self._readings = tuple(reading.run(one.given) for one in self.inferences)
        return self._readings

    def _known(self, output: TensorId) -> tuple[KnownDifference, ...]:
        """What is known of operators on the way to an output."""
        needed, differences = ancestors(self.original, output), self._differences()
        return tuple(dict.fromkeys(differences[op] for op in sorted(needed & set(differences))))

    def _differences(self) -> dict[int, KnownDifference]:
        """By position, what is known of the operators that the accelerator runs."""
        graph, on_cpu, compiler = self.original.main, self._on_cpu(), self.model.program.compiler
        return {
            number: known
            for number, op in enumerate(graph.operators)
            if not on_cpu.issuperset(graph.tensors[out].name for out in op.outputs)
            and (known := known_difference(graph, op, compiler)) is not None
        }

    def _examine(self, number: int) -> Findings:
        """Run both again up to an inference, and watch everything that is computed in it."""
        if number not in self._examined:
            self._examined[number] = self._compare(number)
        return self._examined[number]

    def _compare(self, number: int) -> Findings:
        session = Reference(self.original, keep_all=True)
        self.model.reset()
        before: Values = {}
        for one in self.inferences[:number]:
            before = session.run(one.given)
            self.simulate(one.given)
        return self._watched(session, before, self.inferences[number].given).findings

    def watched(self) -> Iterator[Watched]:
        """All inferences again, with everything that is computed in each."""
        session = Reference(self.original, keep_all=True)
        self.model.reset()
        before: Values = {}
        for one in self.inferences:
            found = self._watched(session, before, one.given)
            before = found.reference
            yield found

    def is_on_cpu(self, op: Operator) -> bool:
        """Whether the compiled model leaves an operator of the original to the CPU."""
        tensors = self.original.main.tensors
        return bool(op.outputs) and self._on_cpu().issuperset(tensors[at].name for at in op.outputs)

    def _watched(self, session: Reference, before: Values, given: Values) -> Watched:
        written: dict[tuple[OpRef, int], Array] = {}

        def watch(part: ProgramPart, at: int, _: NpuOperation, values: Array) -> None:
            written[part.op, at] = values

        states = self.model.states
        reference = session.run(given)
        result = self.model.run(self._bound(given), watch=watch, progress=self.progress)
        sizes = frozenset(
            reference[out].size
            for op in self.original.main.operators
            for out in op.outputs
            if out in reference
        )
        started = self._first_values() | {at: before[at] for at in self._states() if at in before}
        findings = compare_operators(
            self.original,
            reference | started | dict(given),
            self._handed(result.values, reference),
            layer_outputs(self.model.program, written, sizes, self.made_numbers),
            self._handed(states, started),
            self._differences(),
            self.numbers,
        )
        return Watched(findings, reference)

    def _states(self) -> list[TensorId]:
        tensors = self.original.main.tensors
        return [TensorId(at) for at, tensor in enumerate(tensors) if tensor.is_variable]

    def _first_values(self) -> dict[TensorId, Array]:
        """Constants, and states after a reset."""
        tensors = self.original.main.tensors
        constants = {
            TensorId(at): tensor.data.array
            for at, tensor in enumerate(tensors)
            if tensor.data is not None
        }
        return constants | {at: first_state(tensors[at]) for at in self._states()}

    def _handed(self, values: Values, reference: Values) -> dict[TensorId, Array]:
        """What the compiled model has for tensors of the original, which keep their names."""
        graph = self.model.network.main
        names = Counter(tensor.name for tensor in graph.tensors)
        by_name = {
            graph.tensors[number].name: value
            for number, value in values.items()
            if names[graph.tensors[number].name] == 1
        }
        return {
            number: by_name[name]
            for number, known in reference.items()
            if (name := self.original.main.tensors[number].name) in by_name
            and by_name[name].size == known.size
            and by_name[name].dtype == known.dtype
        }

    def _bound(self, given: Values) -> Values:
        """The same inputs, by the compiled model's numbers and in its shapes."""
        graph = self.model.network.main
        pairs = zip(graph.inputs, self.original.main.inputs, strict=True)
        return {number: given[ours].reshape(graph.tensors[number].shape) for number, ours in pairs}

    def _on_cpu(self) -> frozenset[str]:
        """Names of what the compiled model's operators make outside of streams."""
        graph = self.model.network.main
        return frozenset(
            graph.tensors[out].name
            for op in graph.operators
            if op.custom_code != CUSTOM_CODE
            for out in op.outputs
        )


def _demand_as_many(tensor: Tensor, value: Array, expected: Array) -> None:
    """Refuse to compare what the original says with what LiteRT makes of it, if that is other."""
    if value.size != expected.size:
        raise InputError(
            f"output '{tensor.name}' has {value.size} elements, of which LiteRT makes"
            f" {expected.size}: the original's shapes are not those of its operators"
        )


def _step(graph: Subgraph, maker: Operator | None) -> float:
    """What an output changes by when its quantised value does so by one."""
    if maker is None or maker.kind != "DEQUANTIZE" or maker.inputs[0] is None:
        return 1.0
    given = graph.tensors[maker.inputs[0]].quantization
    return given.scales[0] if given is not None and given.scales else 1.0
