"""A quantised network as it would compute with real numbers.

Constants stand for the numbers that they have been quantised from, as far as these are known, and
operators are those of 32-bit floats; what only changes a quantisation changes nothing.
"""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import Network, Operator, Subgraph, Tensor
from core.pipeline.proof import litert
from core.pipeline.proof.excerpts import cut_out
from core.pipeline.proof.litert import Array, Values

_SAME_NUMBERS = frozenset({"QUANTIZE", "DEQUANTIZE"})
_OF_BITS = frozenset({"BITCAST", "CAST", "CUSTOM", "CALL_ONCE", "IF", "WHILE"})
"""What these make follows from how numbers are stored."""
_WITH_BIAS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"})


def is_scaled(tensor: Tensor) -> bool:
    """Whether integers stand for real numbers."""
    return tensor.dtype.is_integer and bool(tensor.quantization and tensor.quantization.scales)


def real_values(tensor: Tensor, values: Array) -> Array:
    """The numbers that stored ones stand for."""
    scaling = tensor.quantization
    if scaling is None or not is_scaled(tensor):
        return values
    scales = np.array(scaling.scales, np.float64)
    zeros = np.array(scaling.zero_points or (0,), np.float64)
    if len(scales) > 1 or len(zeros) > 1:
        along = [1] * values.ndim
        along[scaling.axis] = -1
        scales, zeros = (each.reshape(along if len(each) > 1 else [1]) for each in (scales, zeros))
    return ((values.astype(np.float64) - zeros) * scales).astype(np.float32)


class RealNetwork:
    """A network, or a part of it, that is ready to compute with real numbers."""

    def __init__(self, network: Network) -> None:
        graph = network.main
        self._tensors = graph.tensors
        self._wanted = tuple(dict.fromkeys(at for op in graph.operators for at in op.outputs))
        self._same, operators = _without_quantisers(graph)
        made = {at for op in operators for at in op.outputs}
        real = replace(
            graph,
            tensors=tuple(map(_real, graph.tensors)),
            operators=operators,
            outputs=tuple(at for at in self._wanted if at in made),
        )
        self._inputs = graph.inputs
        self._session = (
            litert.Session(replace(network, subgraphs=(real,), signatures=()), keep_all=True)
            if operators
            else None
        )

    @classmethod
    def of(cls, network: Network) -> RealNetwork | None:
        """The network, if it can be computed so."""
        graph = network.main
        if any(op.kind in _OF_BITS for op in graph.operators):
            return None
        read = {at for op in graph.operators for at in op.inputs if at is not None}
        if any(graph.tensors[at].is_variable for at in read):
            return None
        if any(_is_unscaled_bias(graph, at) for at in read):
            return None
        try:
            return cls(network)
        except InputError:
            return None

    def run(self, stored: Values) -> dict[TensorId, Array]:
        """What operators make of inputs that are given as they are stored."""
        given = {at: real_values(self._tensors[at], stored[at]) for at in self._inputs}
        made = dict(given)
        if self._session is not None:
            made |= self._session.run(given)
        found = {at: made.get(self._same.get(at, at)) for at in self._wanted}
        return {at: value for at, value in found.items() if value is not None}


def real_operator(network: Network, op: Operator) -> RealNetwork | None:
    """One operator, if it can be computed so."""
    return RealNetwork.of(cut_out(network, (op,)))


def _is_unscaled_bias(graph: Subgraph, at: int) -> bool:
    """Whether a constant is a bias whose file does not say what it stands for."""
    is_bias = any(
        len(op.inputs) > 2 and op.inputs[2] == at and op.kind in _WITH_BIAS
        for op in graph.operators
    )
    return is_bias and not is_scaled(graph.tensors[at])


def _without_quantisers(
    graph: Subgraph,
) -> tuple[dict[TensorId, TensorId], tuple[Operator, ...]]:
    """By output of what only quantises, its input; and the other operators, which read that."""
    same: dict[TensorId, TensorId] = {}
    operators = []
    for op in graph.operators:
        inputs = tuple(None if at is None else same.get(at, at) for at in op.inputs)
        if op.kind in _SAME_NUMBERS and inputs and inputs[0] is not None:
            same |= dict.fromkeys(op.outputs, inputs[0])
        else:
            operators.append(replace(op, inputs=inputs))
    return same, tuple(operators)


def _real(tensor: Tensor) -> Tensor:
    if not is_scaled(tensor):
        return tensor
    data = None if tensor.data is None else ConstData.of(real_values(tensor, tensor.data.array))
    return replace(tensor, dtype=DType.FLOAT32, quantization=None, data=data)
