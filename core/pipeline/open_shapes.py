"""Shapes that a file leaves open, as they are once those of its inputs are fixed.

x (1x12x12x12) -> RESHAPE to (batch, -1, 4) -> y (1x1x4, open)    becomes    y (1x432x4)

Converters write 1 for each dimension that depends on the batch. Interpreters infer all of them
from what the inputs have, and streams are made for these.
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.ids import OpId, OpRef, SubgraphId
from core.check.shapes.judge import inferred, may_have
from core.ir.constdata import ConstData
from core.ir.network import Network, Subgraph, Tensor
from core.lower.evaluation import evaluated
from core.lower.source import bind


def with_shapes_settled(network: Network) -> Network:
    """The network with the shape that its operator gives to each tensor that has an open one."""
    graphs = [
        _settled(graph, SubgraphId(number)) if any(map(_is_open, graph.tensors)) else graph
        for number, graph in enumerate(network.subgraphs)
    ]
    return replace(network, subgraphs=tuple(graphs))


def _is_open(tensor: Tensor) -> bool:
    return tensor.data is None and (-1 in tensor.shape_signature or tensor.shape == ())


def _settled(graph: Subgraph, number: SubgraphId) -> Subgraph:
    known = list(graph.tensors)
    for index, op in enumerate(graph.operators):
        for out, shape in zip(op.outputs, inferred(op, known), strict=False):
            if _is_open(known[out]) and may_have(known[out], shape):
                known[out] = replace(known[out], shape=shape)
        # What is computed of shapes may be the shape of another.
        made = evaluated(bind(OpRef(number, OpId(index)), op, tuple(known))) or ()
        for out, array in zip(op.outputs, made, strict=False):
            known[out] = replace(known[out], data=ConstData.of(array))
    settled = (replace(old, shape=new.shape) for old, new in zip(graph.tensors, known, strict=True))
    return replace(graph, tensors=tuple(settled))
