"""Runs a compiled model and its original on one input after the other, and compares them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from core.base.ids import OpRef, TensorId
from core.base.progress import Progress
from core.emit.conventions import CUSTOM_CODE
from core.ir.network import Network, Operator, Subgraph
from core.ir.program import NpuOperation, ProgramPart
from core.pipeline import litert
from core.pipeline.first_difference import Findings, ancestors, compare_operators
from core.pipeline.known_differences import KnownDifference, known_of
from core.pipeline.layer_outputs import Difference, layer_outputs
from core.pipeline.litert import Array, Values
from core.pipeline.simulate import CompiledModel
from core.pipeline.verdict import OutputVerdict
from core.simulate.faults import Fault


@dataclass(slots=True)
class _Worst:
    """The input for which an output is farthest off."""

    difference: Difference
    given: Values


@dataclass(slots=True)
class Trial:
    """What a compiled model and its original have been seen to do."""

    original: Network
    model: CompiledModel
    progress: Progress
    inputs: list[Values] = field(default_factory=list)
    worst: dict[int, _Worst] = field(default_factory=dict)
    """By position of the output."""
    faults: dict[tuple[OpRef, Fault], None] = field(default_factory=dict)
    """In the order in which they were found; the same one once."""
    _examined: dict[int, Findings] = field(default_factory=dict)
    """By position of the input; this is slow, and only done where something differs."""

    def run(self, given: Values, expected: Mapping[TensorId, Array]) -> None:
        """Run the compiled model, and keep how far it is apart from what the original computes."""
        self.inputs.append(given)
        result = self.model.run(self._bound(given), progress=self.progress)
        self.faults |= dict.fromkeys(result.faults)
        makers = {out: op for op in self.original.main.operators for out in op.outputs}
        for position, number in enumerate(self.original.main.outputs):
            got = result.outputs.get(self.model.network.main.outputs[position])
            if got is None:
                continue
            found = Difference.between(got, expected[number])
            found = found.in_steps(_step(self.original.main, makers.get(number)))
            known = self.worst.get(position)
            if known is None or found.severity > known.difference.severity:
                self.worst[position] = _Worst(found, given)

    def verdicts(self) -> Iterable[OutputVerdict]:
        """Each output for the input where it is worst."""
        return (self._verdict(position) for position in range(len(self.original.main.outputs)))

    def told_faults(self) -> Iterable[str]:
        """What the simulator found, with the operator that it belongs to."""
        for ref, fault in self.faults:
            where = self._examine(self.inputs[0]).operator_of(ref, fault.command, self.original)
            tail = f" ({where})" if where else ""
            yield f"operator {ref.op}, {fault}{tail}"

    def _verdict(self, position: int) -> OutputVerdict:
        number = self.original.main.outputs[position]
        tensor, worst = self.original.main.tensors[number], self.worst.get(position)
        verdict = OutputVerdict(
            name=tensor.name,
            elements=tensor.elements,
            inputs=len(self.inputs),
            is_computed=worst is not None,
        )
        if worst is None or worst.difference.differing == 0:
            return verdict
        verdict = replace(
            verdict,
            differing=worst.difference.differing,
            largest=worst.difference.largest,
            known=self._known(number),
        )
        if verdict.holds:
            return verdict
        findings = self._examine(worst.given)
        return replace(
            verdict,
            is_step_by_step=findings.is_step_by_step(self.original, number),
            where=findings.first_for(self.original, number),
        )

    def _known(self, output: TensorId) -> tuple[KnownDifference, ...]:
        """What is known of the operators that the accelerator runs on the way to an output."""
        graph, on_cpu = self.original.main, self._on_cpu()
        ops = (graph.operators[number] for number in ancestors(self.original, output))
        return known_of(
            op.kind
            for op in ops
            if not on_cpu.issuperset(graph.tensors[out].name for out in op.outputs)
        )

    def _examine(self, given: Values) -> Findings:
        """Run both again, and watch everything that is computed."""
        number = next(at for at, item in enumerate(self.inputs) if item is given)
        if number not in self._examined:
            self._examined[number] = self._compare(given)
        return self._examined[number]

    def _compare(self, given: Values) -> Findings:
        written: dict[tuple[OpRef, int], Array] = {}

        def watch(part: ProgramPart, at: int, _: NpuOperation, values: Array) -> None:
            written[part.op, at] = values

        reference = litert.compute(self.original, given, keep_all=True)
        result = self.model.run(self._bound(given), watch=watch, progress=self.progress)
        sizes = frozenset(
            reference[out].size
            for op in self.original.main.operators
            for out in op.outputs
            if out in reference
        )
        return compare_operators(
            self.original,
            dict(given) | reference,
            self._handed(result.values, reference),
            layer_outputs(self.model.program, written, sizes),
        )

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


def _step(graph: Subgraph, maker: Operator | None) -> float:
    """What an output changes by when its quantised value does so by one."""
    if maker is None or maker.kind != "DEQUANTIZE" or maker.inputs[0] is None:
        return 1.0
    given = graph.tensors[maker.inputs[0]].quantization
    return given.scales[0] if given is not None and given.scales else 1.0
