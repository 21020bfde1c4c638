"""Whether activations have bounds in steps of their outputs.

LiteRT does not look whether its arithmetic comes to an end there: without a scale, or where a bound
is beyond 32 bits, it clamps to whatever is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.base.dtype import DType
from core.base.fixedpoint import MAX_INT32
from core.check.finding import Finding
from core.ir.network import Network, Operator, Tensor

_FUSED = {1: ("RELU", 0.0), 2: ("RELU_N1_TO_1", 1.0), 3: ("RELU6", 6.0)}
"""By the schema's number of a fused activation its name, and how far from zero values may be."""
_ALONE = {"RELU6": 6.0, "RELU_N1_TO_1": 1.0, "RELU_0_TO_1": 1.0}
_STEPPED = frozenset({DType.INT8, DType.UINT8, DType.INT16})


def verify(network: Network) -> Iterator[Finding]:
    """Every activation whose bounds are no numbers that can be stored."""
    for number, graph in enumerate(network.subgraphs):
        for index, op in enumerate(graph.operators):
            bounded = _bound(op)
            if bounded is None:
                continue
            for item in op.outputs:
                if not _is_storable(bounded[1], graph.tensors[item]):
                    where = f"subgraph {number}, operator {index} {op.title}"
                    told = f"'{graph.tensors[item].name}' has no scale in which {bounded[0]}"
                    yield Finding(where, f"{told} has bounds of 32 bits")


def _bound(op: Operator) -> tuple[str, float] | None:
    if op.kind in _ALONE:
        return op.kind, _ALONE[op.kind]
    return _FUSED.get(op.own_options.integer("fused_activation_function"))


def _is_storable(bound: float, tensor: Tensor) -> bool:
    if tensor.dtype not in _STEPPED:
        return True
    scales = () if tensor.quantization is None else tensor.quantization.scales
    return bool(scales) and all(scale and abs(bound / scale) < MAX_INT32 for scale in scales)
