"""The original, computed as the hardware is known to compute it.

Operators with a known difference are computed by its rule, all others by the reference kernels, on
what those before them have made. So nothing that follows from a known difference is one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from core.base.frozen import Frozen, replace
from core.base.ids import TensorId
from core.ir.network import Network, Operator
from core.pipeline.proof import litert
from core.pipeline.proof.known_differences import KnownDifference
from core.pipeline.proof.litert import Array, Values
from core.pipeline.proof.simulate import cut_out, first_state


class _Kernels(Frozen, kw_only=False):
    """Neighbours that the reference kernels compute."""

    session: litert.Session

    def run(self, values: Values) -> Mapping[TensorId, Array]:
        return self.session.run(values)


class _Ruled(Frozen, kw_only=False):
    """An operator with a rule of its own."""

    network: Network
    op: Operator
    rule: KnownDifference

    def run(self, values: Values) -> Mapping[TensorId, Array]:
        return self.rule.compute(self.network.main, self.op, values)


@dataclass(slots=True)
class HardwareReading:
    """A network from one reset to the next, with the operators that differ by position."""

    network: Network
    differences: Mapping[int, KnownDifference]
    _steps: tuple[_Kernels | _Ruled, ...] = ()
    _kept: dict[TensorId, Array] = field(default_factory=dict)
    """Constants, and states of operators with rules."""

    def __post_init__(self) -> None:
        self._steps = tuple(self._make_steps())
        for position, tensor in enumerate(self.network.main.tensors):
            if tensor.data is not None:
                self._kept[TensorId(position)] = tensor.data.array
            elif tensor.is_variable:
                self._kept[TensorId(position)] = first_state(tensor)

    def run(self, given: Values) -> Values:
        """The outputs of one inference."""
        values = self._kept | dict(given)
        for step in self._steps:
            values |= step.run(values)
        self._kept |= {number: values[number] for number in self._kept}
        return {number: values[number] for number in self.network.main.outputs}

    def _make_steps(self) -> Iterator[_Kernels | _Ruled]:
        graph, ops = self.network.main, tuple(enumerate(self.network.main.operators))
        for rule, group in groupby(ops, key=lambda item: self.differences.get(item[0])):
            members = tuple(group)
            if rule is not None:
                yield from (_Ruled(self.network, op, rule) for _, op in members)
                continue
            last = members[-1][0]
            part = cut_out(self.network, tuple(op for _, op in members), keeps_states=True)
            later = {number for op in graph.operators[last + 1 :] for number in op.inputs}
            shown = tuple(at for at in part.main.outputs if at in later or at in graph.outputs)
            main = replace(part.main, outputs=shown)
            yield _Kernels(litert.Session(replace(part, subgraphs=(main, *part.subgraphs[1:]))))
