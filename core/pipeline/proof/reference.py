"""A network as it is meant: what LiteRT computes, and what rules compute in its place.

Rules are those of known differences, where what the hardware makes of an operator is asked for, and
those of `own_kernels.py` and `variables.py`, for operators on which LiteRT ends itself or which it
refuses. All other operators are computed by the reference kernels, on what those before them have
made. So nothing that follows from a known difference is one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from core.base.errors import InputError
from core.base.frozen import Changing, Frozen, field, replace
from core.base.ids import TensorId
from core.ir.network import Network, Operator, Subgraph
from core.pipeline.proof import litert
from core.pipeline.proof.excerpts import cut_out, first_state
from core.pipeline.proof.known_differences import Rule
from core.pipeline.proof.litert import Array, Values
from core.pipeline.proof.own_kernels import own_kernel
from core.pipeline.proof.variables import Variables

_ONCE = "CALL_ONCE"


class _Kernels(Frozen, kw_only=False):
    """Neighbours that the reference kernels compute."""

    session: litert.Session

    def run(self, values: Values) -> Mapping[TensorId, Array]:
        return self.session.run(values)


class _Ruled(Frozen, kw_only=False):
    """An operator with a rule of its own."""

    network: Network
    op: Operator
    rule: Rule

    def run(self, values: Values) -> Mapping[TensorId, Array]:
        return self.rule(self.network.main, self.op, values)


class Reference(Changing):
    """A network from one reset to the next, with rules for operators by position."""

    network: Network
    rules: Mapping[int, Rule] = field(default_factory=dict)
    keep_all: bool = False
    """Whether all tensors are shown, and not only outputs."""
    variables: Variables = field(default_factory=Variables)
    is_ahead: bool = False
    """Whether it computes ahead of others, in a process of its own."""
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

    def run(self, given: Values) -> dict[TensorId, Array]:
        """What one inference makes of the values of the main subgraph's inputs."""
        graph = self.network.main
        values = self._kept | {number: given[number] for number in graph.inputs}
        for step in self._steps:
            values |= step.run(values)
        self._kept |= {number: values[number] for number in self._kept}
        return values if self.keep_all else {number: values[number] for number in graph.outputs}

    def _rule(self, position: int, op: Operator) -> Rule | None:
        if op.kind == _ONCE:
            return self._call_once
        own = self.variables.rule(op) or own_kernel(self.network.main, op)
        return self.rules.get(position, own)

    def _call_once(self, _: Subgraph, op: Operator, __: Values) -> Mapping[TensorId, Array]:
        """Run what fills the variables, unless it has been run since the reset."""
        number = op.own_options.integer("init_subgraph_index")
        if not 0 < number < len(self.network.subgraphs):
            raise InputError(f"{_ONCE} runs subgraph {number}, which cannot be run from there")
        if self.variables.begin(number):
            others = self.network.subgraphs
            called = replace(self.network, subgraphs=(others[number], *others[1:]))
            Reference(called, variables=self.variables).run({})
        return {}

    def _make_steps(self) -> Iterator[_Kernels | _Ruled]:
        ops = self.network.main.operators
        ruled = [(op, self._rule(at, op)) for at, op in enumerate(ops)]
        if all(rule is None for _, rule in ruled):
            yield _Kernels(self._session(self.network, keep_all=self.keep_all))
            return
        end = 0
        for is_ruled, group in groupby(ruled, key=lambda item: item[1] is not None):
            members = tuple(group)
            end += len(members)
            if is_ruled:
                yield from (_Ruled(self.network, op, rule) for op, rule in members if rule)
            else:
                yield self._kernels(tuple(op for op, _ in members), ops[end:])

    def _kernels(self, members: tuple[Operator, ...], later: tuple[Operator, ...]) -> _Kernels:
        """Neighbours that show what others need of them."""
        part = cut_out(self.network, members, keeps_states=True)
        wanted = {number for op in later for number in op.inputs} | {*self.network.main.outputs}
        shown = tuple(at for at in part.main.outputs if self.keep_all or at in wanted)
        main = replace(part.main, outputs=shown)
        return _Kernels(self._session(replace(part, subgraphs=(main, *part.subgraphs[1:]))))

    def _session(self, network: Network, *, keep_all: bool = False) -> litert.Session:
        return litert.Session(network, keep_all=keep_all, is_ahead=self.is_ahead)


def computed(network: Network, inputs: Values) -> dict[TensorId, Array]:
    """The outputs of the main subgraph, after a reset."""
    return Reference(network).run(inputs)
