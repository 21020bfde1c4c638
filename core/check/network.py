"""Whether a network makes sense: what later stages rely on and a file may get wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain

from core.base.dtype import DType
from core.base.errors import DoesNotFit, InputError
from core.check import bounds
from core.check.finding import Finding
from core.check.shapes import judge as shapes
from core.ir.network import MOST_BYTES, Network, Operator, Quantization, Subgraph, Table, Tensor

_UNSIZED = frozenset({DType.STRING, DType.RESOURCE, DType.VARIANT})
_CUSTOM = "CUSTOM"
_SUBGRAPH_FIELDS = ("subgraph", "subgraph_index")


def verify(network: Network) -> tuple[Finding, ...]:
    """Everything that is wrong with a network; nothing for one that can be compiled and run."""
    return tuple(_network(network))


def demand_consistent(network: Network) -> None:
    """Refuse a network that contradicts itself: interpreters would run another than it declares."""
    demand_addressable(network)
    graphs = [(graph, f"subgraph {at}") for at, graph in enumerate(network.subgraphs)]
    orders = (check(*each) for check in (_order, _unmade_outputs) for each in graphs)
    for finding in chain(*orders, shapes.verify(network), bounds.verify(network)):
        raise InputError(finding.message, finding.where)


def demand_addressable(network: Network) -> None:
    """Refuse a network with a tensor for which no arena has addresses, whoever computes it."""
    for tensor in chain.from_iterable(graph.tensors for graph in network.subgraphs):
        # An axis whose length is open has some, which is told as -1.
        size_bytes = abs(tensor.elements) * tensor.dtype.size_bytes
        if size_bytes > MOST_BYTES:
            raise DoesNotFit(MOST_BYTES, size_bytes, (tensor.name,))


def _network(network: Network) -> Iterator[Finding]:
    if not network.subgraphs:
        yield Finding("network", "has no subgraph")
    for index, graph in enumerate(network.subgraphs):
        where = f"subgraph {index}"
        for number, tensor in enumerate(graph.tensors):
            yield from _tensor(tensor, f"{where}, tensor {number} '{tensor.name}'")
        yield from _ids(graph, where)
        yield from _order(graph, where)
        yield from _unmade(graph, where)
        yield from _unmade_outputs(graph, where)
        for number, op in enumerate(graph.operators):
            yield from _callees(op, f"{where}, operator {number}", len(network.subgraphs))
    yield from _signatures(network)


def _tensor(tensor: Tensor, where: str) -> Iterator[Finding]:
    if any(dim < 0 for dim in tensor.shape):
        yield Finding(where, f"shape {tensor.shape} has a negative dimension")
    else:
        yield from _constant(tensor, where)
    if tensor.shape_signature and len(tensor.shape_signature) != len(tensor.shape):
        yield Finding(
            where, f"shape signature {tensor.shape_signature} is not of the rank of {tensor.shape}"
        )
    if tensor.quantization is not None:
        yield from _quantization(tensor.quantization, tensor.shape, where)


def _constant(tensor: Tensor, where: str) -> Iterator[Finding]:
    if tensor.data is None or tensor.sparsity is not None or tensor.dtype in _UNSIZED:
        return
    needed = (tensor.elements * tensor.dtype.bits + 7) // 8
    if tensor.data.size_bytes != needed:
        yield Finding(
            where,
            f"holds {tensor.data.size_bytes} bytes, where {tensor.dtype.name.lower()}"
            f" of shape {tensor.shape} takes {needed}",
        )
    elif tensor.dtype.numpy is not None and (
        tensor.data.array.dtype != tensor.dtype.numpy or tensor.data.shape != tensor.shape
    ):
        yield Finding(
            where,
            f"holds {tensor.data.array.dtype} of shape {tensor.data.shape},"
            f" not {tensor.dtype.name.lower()} of shape {tensor.shape}",
        )


def _quantization(
    quantization: Quantization, shape: tuple[int, ...], where: str
) -> Iterator[Finding]:
    scales, zero_points = quantization.scales, quantization.zero_points
    axis = quantization.axis
    # Converters write axis 0 for tensors without any, so that a scalar has it too.
    if not 0 <= axis < max(len(shape), 1):
        yield Finding(where, f"quantised along axis {axis}, where the shape is {shape}")
        return
    slices = shape[axis] if shape else 1
    for what, values in (("scales", scales), ("zero points", zero_points)):
        if len(values) not in (0, 1, slices):
            yield Finding(where, f"{len(values)} {what} for {slices} slices of axis {axis}")
    if len(zero_points) > 1 and len(zero_points) != len(scales):
        yield Finding(where, f"{len(zero_points)} zero points for {len(scales)} scales")
    if not all(0 <= scale < float("inf") for scale in scales):
        yield Finding(where, "a scale is negative or no finite number")


def _ids(graph: Subgraph, where: str) -> Iterator[Finding]:
    yield from _list(graph.inputs, len(graph.tensors), f"{where}, inputs", is_set=True)
    yield from _list(graph.outputs, len(graph.tensors), f"{where}, outputs", is_set=False)
    for index, op in enumerate(graph.operators):
        at = f"{where}, operator {index} {op.title}"
        yield from _list(op.inputs, len(graph.tensors), f"{at}, inputs", is_set=False)
        yield from _list(op.outputs, len(graph.tensors), f"{at}, outputs", is_set=True)
        yield from _list(op.intermediates, len(graph.tensors), f"{at}, intermediates", is_set=True)
        if op.mutating_inputs and len(op.mutating_inputs) > len(op.inputs):
            yield Finding(
                at, f"{len(op.mutating_inputs)} marks of change for {len(op.inputs)} inputs"
            )


def _list(ids: Sequence[int | None], count: int, where: str, *, is_set: bool) -> Iterator[Finding]:
    present = [item for item in ids if item is not None]
    for item in present:
        if not 0 <= item < count:
            yield Finding(where, f"there is no tensor {item}; the subgraph has {count}")
    if is_set:
        for item, times in Counter(present).items():
            if times > 1:
                yield Finding(where, f"tensor {item} is listed {times} times")


def _order(graph: Subgraph, where: str) -> Iterator[Finding]:
    """Each tensor has one source, and has it before anyone reads it."""
    producers: dict[int, str] = dict.fromkeys(graph.inputs, "an input of the subgraph")
    for item in producers:
        if _is_constant(graph, item):
            yield Finding(f"{where}, inputs", f"tensor {item} is a constant")
    written_by = _written_by(graph.operators)
    for index, op in enumerate(graph.operators):
        at = f"{where}, operator {index} {op.title}"
        for read in op.inputs:
            if read in written_by and not _has_value(graph, read, producers):
                maker = written_by[read]
                yield Finding(at, f"reads tensor {read} before operator {maker} writes it")
        for item in dict.fromkeys(op.outputs):
            if item in producers:
                yield Finding(at, f"writes tensor {item}, which is already {producers[item]}")
            elif _is_constant(graph, item):
                yield Finding(at, f"writes tensor {item}, which is a constant")
            producers[item] = f"written by operator {index}"


def _unmade(graph: Subgraph, where: str) -> Iterator[Finding]:
    """What never has a value; a custom operator may be given working memory like that."""
    made = {*graph.inputs, *_written_by(graph.operators)}
    for index, op in enumerate(graph.operators):
        for item in op.inputs:
            if item is not None and op.kind != _CUSTOM and not _has_value(graph, item, made):
                at = f"{where}, operator {index} {op.title}"
                yield Finding(at, f"reads tensor {item}, which nothing writes")


def _unmade_outputs(graph: Subgraph, where: str) -> Iterator[Finding]:
    made = {*graph.inputs, *_written_by(graph.operators)}
    for item in graph.outputs:
        if not _has_value(graph, item, made):
            yield Finding(f"{where}, outputs", f"nothing produces tensor {item}")


def _is_constant(graph: Subgraph, item: int) -> bool:
    return 0 <= item < len(graph.tensors) and graph.tensors[item].data is not None


def _written_by(operators: Iterable[Operator]) -> dict[int, int]:
    return {item: index for index, op in enumerate(operators) for item in op.outputs}


def _has_value(graph: Subgraph, item: int, made: Container[int]) -> bool:
    if item in made or not 0 <= item < len(graph.tensors):
        # A tensor that is not there is found elsewhere.
        return True
    tensor = graph.tensors[item]
    return tensor.data is not None or tensor.is_variable or 0 in tensor.shape


def _callees(op: Operator, where: str, count: int) -> Iterator[Finding]:
    tables = [table for table in (op.options, op.options2) if table is not None]
    for name, value in (field for table in tables for field in table.fields):
        is_callee = name.endswith(_SUBGRAPH_FIELDS) and isinstance(value, int)
        # -1 stands for a subgraph that the operator can do without.
        if is_callee and value not in range(-1, count):
            yield Finding(
                f"{where} {op.title}", f"calls subgraph {value!r}; the network has {count}"
            )


def _signatures(network: Network) -> Iterator[Finding]:
    for index, signature in enumerate(network.signatures):
        where = f"signature {index}"
        callee = signature.integer("subgraph_index")
        if not 0 <= callee < len(network.subgraphs):
            yield Finding(where, f"there is no subgraph {callee}")
            continue
        graph = network.subgraphs[callee]
        for name, known in (("inputs", graph.inputs), ("outputs", graph.outputs)):
            maps = signature.get(name)
            for item in maps if isinstance(maps, tuple) else ():
                if isinstance(item, Table):
                    yield from _end(
                        item.integer("tensor_index"), known, graph, callee, f"{where}, {name}"
                    )


def _end(
    tensor: int, known: Container[int], graph: Subgraph, callee: int, where: str
) -> Iterator[Finding]:
    if not 0 <= tensor < len(graph.tensors):
        yield Finding(where, f"there is no tensor {tensor} in subgraph {callee}")
    elif tensor not in known:
        yield Finding(where, f"tensor {tensor} is none of those of subgraph {callee}")
