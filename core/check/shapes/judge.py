"""Whether outputs have the shapes that operators give them, and the types of what these take.

Interpreters infer them and pay no attention to those of a file: a network that declares others is
another one than they run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from core.base.dtype import DType
from core.check.finding import Finding
from core.check.shapes import elementwise, joins, moves, sums, windows
from core.check.shapes.asked import Asked, Infer, Shape, Unknown
from core.check.shapes.types import TYPED_BY
from core.ir.network import Network, Operator, Subgraph, Tensor

SHAPES: Mapping[str, Infer] = MappingProxyType(
    {
        kind: infer
        for family in (elementwise, joins, moves, sums, windows)
        for kind, infer in family.SHAPES.items()
    }
)
"""By kind of operator how its outputs' shapes are found."""


def verify(network: Network) -> Iterator[Finding]:
    """Every output that is declared in a shape or type that its operator does not give."""
    for number, graph in enumerate(network.subgraphs):
        for index, op in enumerate(graph.operators):
            where = f"subgraph {number}, operator {index} {op.title}"
            outputs = (graph.tensors[item] for item in op.outputs)
            for tensor, shape in zip(outputs, inferred(op, graph.tensors), strict=False):
                if not may_have(tensor, shape):
                    told = f"'{tensor.name}' is declared {_shown(tensor.shape)}"
                    yield Finding(where, f"{told}, but would be {_shown(shape)}")
            for tensor, dtype in _typed(graph, op):
                if tensor.dtype is not dtype:
                    told = f"'{tensor.name}' is declared {tensor.dtype.name.lower()}"
                    yield Finding(where, f"{told}, but would be {dtype.name.lower()}")


def inferred(op: Operator, tensors: Sequence[Tensor]) -> tuple[Shape, ...]:
    """The shapes that an operator gives its outputs; none where they are known in execution."""
    infer = SHAPES.get(op.kind)
    if infer is None or not op.outputs:
        return ()
    inputs = tuple(None if item is None else tensors[item] for item in op.inputs)
    try:
        return infer(Asked(op, inputs, tuple(tensors[item] for item in op.outputs)))
    except Unknown:
        return ()


def _typed(graph: Subgraph, op: Operator) -> Iterator[tuple[Tensor, DType]]:
    """The outputs whose type is an input's, with that type."""
    place = TYPED_BY.get(op.kind, len(op.inputs))
    source = op.inputs[place] if place < len(op.inputs) else None
    if source is not None:
        dtype = graph.tensors[source].dtype
        yield from ((graph.tensors[item], dtype) for item in op.outputs)


def may_have(tensor: Tensor, shape: Shape) -> bool:
    """Whether a declared shape is the one inferred, or leaves it open."""
    if tensor.shape in {shape, ()}:
        return True
    open_dims = tensor.shape_signature or tensor.shape
    return len(open_dims) == len(shape) == len(tensor.shape) and all(
        dim == -1 or declared == made
        for dim, declared, made in zip(open_dims, tensor.shape, shape, strict=True)
    )


def _shown(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "a scalar"
