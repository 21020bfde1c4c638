"""Which operator of a model is the first that a compiled model computes as something else.

Each operator of the original is computed by reference on what the compiled model itself has for
its inputs, and also as the hardware is known to compute it; the result is looked for among what
the streams write. So what an operator was given wrong is not held against it. An output that no
stream writes as a whole, because operators were fused or only move values, is taken for right where
all operators that read it are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.errors import InputError
from core.base.frozen import Changing, Frozen, NamedTuple, field
from core.base.ids import OpRef, TensorId
from core.ir.network import Network, Operator
from core.pipeline.proof.excerpts import cut_out
from core.pipeline.proof.known_differences import KnownDifference
from core.pipeline.proof.layer_outputs import Difference, LayerOutputs, Shown
from core.pipeline.proof.litert import Array
from core.pipeline.proof.reference import computed

_NAME_CHARACTERS = 60
"""Of a tensor's name; converters chain the names of all that they have merged."""
_SAME_BYTES = frozenset({"EXPAND_DIMS", "RESHAPE", "SQUEEZE"})


class Suspect(Frozen):
    """An operator whose output was not found, nor that of any operator which reads it."""

    op: int
    title: str
    place: str
    """The commands that were probably meant to make its output."""
    difference: Difference | None
    """Of what is there from what it would make of its inputs; None where nothing is there."""

    def __str__(self) -> str:
        """The operator, and how far off it is."""
        if self.difference is None:
            return self.title
        place = f" ({self.place})" if self.place else ""
        return f"{self.title}, of which {self.difference}{place}"


class Findings(Frozen):
    """What the operators of a model have become in its compiled form."""

    suspects: tuple[Suspect, ...]
    """In order of execution."""
    found: Mapping[int, Shown]
    """By operator, where its output was seen."""
    numbers: Sequence[int]
    """Of operators in the original's file, by position; not all are compared."""
    differences: Mapping[int, Difference]
    """By operator, from what the reference kernel makes of the same inputs, where it was seen."""

    def first_for(self, network: Network, output: TensorId) -> str:
        """The first operator that differs on the way to an output, in words."""
        needed = ancestors(network, output)
        mine = [suspect for suspect in self.suspects if suspect.op in needed]
        if not mine:
            return ""
        first = mine[0]
        if first.difference is not None:
            return f"first at {first}"
        seen = next((suspect for suspect in mine if suspect.difference is not None), None)
        if seen is None:
            return f"first at {first.title} or after it, where no output can be seen"
        return f"first between {first.title} and {seen}; what is between them cannot be seen"

    def operator_of(self, part: OpRef, command: int, network: Network) -> str:
        """The operator that a command works for, in words, as far as it can be told."""
        mine = [(op, shown) for op, shown in self.found.items() if shown.part == part]
        inside = [op for op, shown in mine if command in shown.commands]
        if inside:
            return f"in {title_of(network, min(inside), self.numbers)}"
        later = [(shown.commands[0], op) for op, shown in mine if shown.commands[0] > command]
        if not later:
            return ""
        return f"on the way to {title_of(network, min(later)[1], self.numbers)}"


def compare_operators(
    network: Network,
    reference: Mapping[TensorId, Array],
    handed: Mapping[TensorId, Array],
    seen: LayerOutputs,
    states: Mapping[TensorId, Array],
    differences: Mapping[int, KnownDifference],
    numbers: Sequence[int],
) -> Findings:
    """Walk a model's main subgraph in order of execution.

    `handed` are the values of tensors which the compiled model still has, because its parts and
    its operators on the CPU hand them to each other or out; `states` are those that it began with,
    as the reference began with its own.
    """
    walk = _Walk(network, reference, handed, seen, differences, numbers)
    walk.right.update(network.main.inputs)
    for state, values in states.items():
        walk.take(state, values)
    for number, op in enumerate(network.main.operators):
        walk.visit(number, op)
    return walk.findings()


class _Missing(NamedTuple):
    """An output that was looked for in vain."""

    op: int
    expected: Array
    handed: Array | None
    """What is there instead, where it goes from one part of the compiled model to another."""


class _Walk(Changing):
    """What has been found so far."""

    network: Network
    reference: Mapping[TensorId, Array]
    handed: Mapping[TensorId, Array]
    seen: LayerOutputs
    differences: Mapping[int, KnownDifference]
    numbers: Sequence[int]
    have: dict[TensorId, Array] = field(default_factory=dict)
    """What the compiled model has, where that is not what the reference has."""
    found: dict[int, Shown] = field(default_factory=dict)
    right: set[TensorId] = field(default_factory=set)
    missing: dict[TensorId, _Missing] = field(default_factory=dict)
    seen_as: dict[int, Difference] = field(default_factory=dict)

    def visit(self, number: int, op: Operator) -> None:
        """Look for one operator's outputs."""
        rule = self.differences.get(number)
        ruled = {} if rule is None else self._ruled(rule, op)
        for out, by_kernel in self._expected(op).items():
            # What nobody can see is taken to be as the hardware has it.
            wanted = [ruled[out], by_kernel] if out in ruled else [by_kernel]
            real = (self._real(number, op, out, values) for values in wanted)
            found = next((values for values in real if values is not None), None)
            if found is None:
                self.missing[out] = _Missing(number, wanted[0], self.handed.get(out))
            else:
                self.right.add(out)
                off = Difference.between(found, by_kernel)
                known = self.seen_as.get(number, off)
                self.seen_as[number] = max(off, known, key=lambda each: each.severity)
            self.take(out, wanted[0] if found is None else found)

    def findings(self) -> Findings:
        """All of it."""
        for out, missing in reversed(self.missing.items()):
            made = [
                made
                for reader in self.network.main.operators
                if out in reader.inputs
                for made in reader.outputs
            ]
            if made and missing.handed is None and self.right.issuperset(made):
                self.right.add(out)
        claimed = {id(shown) for shown in self.found.values()}
        suspects = {
            missing.op: self._suspect(missing, claimed)
            for out, missing in reversed(self.missing.items())
            if out not in self.right
        }
        off = {op: each.difference for op, each in suspects.items() if each.difference is not None}
        return Findings(
            differences=self.seen_as | off,
            suspects=tuple(suspects[op] for op in sorted(suspects)),
            found=self.found,
            numbers=self.numbers,
        )

    def _suspect(self, missing: _Missing, claimed: set[int]) -> Suspect:
        expected, given = missing.expected, missing.handed
        near = self.seen.most_alike(expected, lambda item: id(item) not in claimed)
        if near is not None:
            given = near.values
        return Suspect(
            op=missing.op,
            title=title_of(self.network, missing.op, self.numbers),
            place="" if near is None else near.place,
            difference=None if given is None else Difference.between(given, expected),
        )

    def _real(self, number: int, op: Operator, out: TensorId, expected: Array) -> Array | None:
        """What the compiled model has for an output, if that is as it should be."""
        handed = self.handed.get(out)
        if handed is not None and Difference.between(handed, expected).differing:
            return None
        shown = self.seen.equal(expected)
        if shown is not None:
            self.found[number] = shown
            return shown.values.view(expected.dtype).reshape(expected.shape)
        if handed is not None:
            return handed.reshape(expected.shape)
        # The same bytes in another shape are as right as they were before.
        is_alias = op.kind in _SAME_BYTES and op.inputs[0] in self.right
        return expected if is_alias else None

    def take(self, tensor: TensorId, values: Array) -> None:
        """Remember what the compiled model has."""
        known = self.reference.get(tensor)
        if known is None or known.tobytes() != values.tobytes():
            self.have[tensor] = values

    def _expected(self, op: Operator) -> dict[TensorId, Array]:
        """What an operator makes of what the compiled model has for its inputs."""
        if not any(number in self.have for number in op.inputs):
            return {out: self.reference[out] for out in op.outputs if out in self.reference}
        part = cut_out(self.network, (op,))
        try:
            given = {number: self._value(number) for number in part.main.inputs}
            return computed(part, given)
        except (InputError, KeyError):
            # An operator that needs its surroundings is not judged.
            return {}

    def _ruled(self, rule: KnownDifference, op: Operator) -> Mapping[TensorId, Array]:
        """What the hardware makes of the same inputs."""
        read = [number for number in op.inputs if number is not None]
        try:
            return rule.compute(self.network.main, op, {at: self._value(at) for at in read})
        except KeyError:
            return {}

    def _value(self, number: TensorId) -> Array:
        return self.have[number] if number in self.have else self.reference[number]


def title_of(network: Network, position: int, numbers: Sequence[int]) -> str:
    """What a user calls an operator, with the name of its output."""
    op = network.main.operators[position]
    name = network.main.tensors[op.outputs[0]].name if op.outputs else ""
    if len(name) > _NAME_CHARACTERS:
        name = f"{name[:_NAME_CHARACTERS]}..."
    return f"{op.title} {numbers[position]} ('{name}')"


def ancestors(network: Network, output: TensorId) -> set[int]:
    """The operators that a tensor depends on."""
    graph, needed, tensors = network.main, set[int](), {output}
    for number in reversed(range(len(graph.operators))):
        op = graph.operators[number]
        if tensors & set(op.outputs):
            needed.add(number)
            tensors |= {tensor for tensor in op.inputs if tensor is not None}
    return needed
