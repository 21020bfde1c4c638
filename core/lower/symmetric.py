"""Signed weights taken as symmetric, where the user says that the file's zero points are wrong.

CONV_2D with weights of zero point 3      becomes   CONV_2D with the same weights of zero point 0
"""

from __future__ import annotations

from core.base.frozen import replace
from core.ir.network import Subgraph, Tensor
from core.lower.legality.weights import HAVE_SYMMETRIC_WEIGHTS
from core.lower.source import ROLES


def take_as_symmetric(graph: Subgraph) -> tuple[Subgraph, tuple[str, ...]]:
    """The same subgraph with such zero points at 0, and a warning for each tensor of them."""
    tensors = list(graph.tensors)
    warnings = []
    for op in graph.operators:
        place = ROLES[op.kind].weights if op.kind in HAVE_SYMMETRIC_WEIGHTS else None
        weights = op.inputs[place] if place is not None and place < len(op.inputs) else None
        if weights is None:
            continue
        tensor = tensors[weights]
        if tensor.dtype.is_signed and _has_zero_points(tensor):
            tensors[weights] = _without_zero_points(tensor)
            warnings.append(f"the zero points of '{tensor.name}' are taken as 0")
    return replace(graph, tensors=tuple(tensors)), tuple(warnings)


def _has_zero_points(tensor: Tensor) -> bool:
    return tensor.quantization is not None and any(tensor.quantization.zero_points)


def _without_zero_points(tensor: Tensor) -> Tensor:
    quantization = tensor.quantization
    if quantization is None:
        return tensor
    zeros = (0,) * len(quantization.zero_points)
    return replace(tensor, quantization=replace(quantization, zero_points=zeros))
