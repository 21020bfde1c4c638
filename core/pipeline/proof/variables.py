"""Variables that outlive an inference, as runtimes for microcontrollers keep them.

LiteRT has them as well, but only for a whole network: their handles cannot be given to a part of
one, and it ends itself on some networks that have them. What nobody has assigned holds real zeros.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.base.errors import InputError
from core.base.frozen import Changing, field
from core.base.ids import TensorId
from core.ir.network import Operator, Subgraph, Tensor
from core.pipeline.proof.excerpts import first_state
from core.pipeline.proof.known_differences import Rule
from core.pipeline.proof.litert import Array, Values

KINDS = frozenset({"ASSIGN_VARIABLE", "CALL_ONCE", "READ_VARIABLE", "VAR_HANDLE"})


class Variables(Changing):
    """What is in all variables of a network, from one reset to the next."""

    _values: dict[str, Array] = field(default_factory=dict)
    """By container and name."""
    _begun: set[int] = field(default_factory=set)
    """Subgraphs that are run once."""

    def begin(self, subgraph: int) -> bool:
        """Whether a subgraph that is run once has not been so far; from now on it has."""
        is_new = subgraph not in self._begun
        self._begun.add(subgraph)
        return is_new

    def rule(self, op: Operator) -> Rule | None:
        """What an operator over variables does, if it is one."""
        if op.kind == "VAR_HANDLE":
            return _handle
        if op.kind == "READ_VARIABLE":
            return self._read
        return self._assign if op.kind == "ASSIGN_VARIABLE" else None

    def _read(self, graph: Subgraph, op: Operator, given: Values) -> Mapping[TensorId, Array]:
        name, (number,) = _name(op, given), op.outputs
        tensor = graph.tensors[number]
        value = self._values.get(name)
        return {number: first_state(tensor) if value is None else _as_held(tensor, value)}

    def _assign(self, graph: Subgraph, op: Operator, given: Values) -> Mapping[TensorId, Array]:
        number = op.inputs[1]
        assert number is not None
        self._values[_name(op, given)] = _as_held(graph.tensors[number], given[number])
        return {}


def _handle(_: Subgraph, op: Operator, __: Values) -> Mapping[TensorId, Array]:
    options = op.own_options
    parts = (str(options.get(name) or "") for name in ("container", "shared_name"))
    return {op.outputs[0]: np.array("/".join(parts))}


def _name(op: Operator, given: Values) -> str:
    handle = None if op.inputs[0] is None else given.get(op.inputs[0])
    if handle is None or handle.dtype.kind != "U":
        raise InputError(f"{op.kind} is not given a variable")
    return str(handle)


def _as_held(tensor: Tensor, value: Array) -> Array:
    """What a variable holds, for a tensor of its type and size."""
    if value.dtype != tensor.dtype.numpy or value.size != tensor.elements:
        raise InputError(
            f"'{tensor.name}' has {tensor.elements} {tensor.dtype.name} elements, and its variable"
            f" holds {value.size} of {value.dtype}"
        )
    return np.array(value).reshape(tensor.shape)
