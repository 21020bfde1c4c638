"""Damage to a network's parts: it can be written, but nothing in it need fit together."""

from __future__ import annotations

from random import Random

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import Metadata, Network, Operator, Quantization, Subgraph, Tensor
from tests.fuzz.damage import EDGES

SCALES = (0.0, 1e-38, 1e-9, 0.5, 1.0, 1e9, 3e38, -1.0, float("nan"), float("inf"))
ZERO_POINTS = (0, 1, -1, 127, -128, 128, 255, 300, -32768, (1 << 63) - 1, -(1 << 63))
SIZES = (0, 1, 2, 3, 5, 8, 64, 255, 4096, 65537, -1, (1 << 31) - 1)


def spoilt(network: Network, other: Network, random: Random) -> Network:
    """A network after some damage; parts of another one may have come into it."""
    graph = network.main
    for _ in range(random.choice((1, 1, 2, 4))):
        graph = random.choice(_DAMAGES)(graph, other.main, random)
    rest = network.subgraphs[1:]
    if random.random() < 0.03:
        rest = (*rest, other.main)
    found = replace(network, subgraphs=(graph, *rest))
    return replace(found, metadata=_metadata(network, random)) if network.metadata else found


def _metadata(network: Network, random: Random) -> tuple[Metadata, ...]:
    if random.random() < 0.8:
        return network.metadata
    at = random.randrange(len(network.metadata))
    items = list(network.metadata)
    data = items[at].data
    items[at] = replace(items[at], data=None if data is None else other_data(data, random))
    return tuple(items)


def other_data(data: ConstData, random: Random) -> ConstData:
    """Constants of the same size with other bytes."""
    content = bytearray(data.array.tobytes())
    for _ in range(random.choice((1, 1, 4))):
        if not content:
            break
        at = random.randrange(len(content)) & random.choice((-1, -4))
        width = min(random.choice((1, 4)), len(content) - at)
        number = random.choice((*EDGES, (1 << 32) - 1, random.getrandbits(32)))
        content[at : at + width] = number.to_bytes(8, "little")[:width]
    return ConstData.of(np.frombuffer(bytes(content), data.array.dtype).reshape(data.shape))


def _with_tensor(graph: Subgraph, at: TensorId, tensor: Tensor) -> Subgraph:
    tensors = list(graph.tensors)
    tensors[at] = tensor
    return replace(graph, tensors=tuple(tensors))


def _any_tensor(graph: Subgraph, random: Random) -> TensorId:
    """One that an operator uses, mostly; nothing looks at others."""
    used = [number for op in graph.operators for number in (*op.inputs, *op.outputs)]
    found = random.choice(used) if used else None
    return TensorId(random.randrange(len(graph.tensors))) if found is None else found


def _shape(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    at = _any_tensor(graph, random)
    tensor, shape = graph.tensors[at], list(graph.tensors[at].shape)
    match random.randrange(6):
        case 0 if shape:
            del shape[random.randrange(len(shape))]
        case 1:
            shape.insert(random.randrange(len(shape) + 1), random.choice((1, 1, 2)))
        case 2:
            random.shuffle(shape)
        case 3:
            shape = list(graph.tensors[_any_tensor(graph, random)].shape)
        case _ if shape:
            place = random.randrange(len(shape))
            near = (shape[place] + 1, shape[place] - 1, 2 * shape[place])
            shape[place] = min(random.choice((*SIZES, *near)), (1 << 31) - 1)
        case _:
            pass
    return _with_tensor(graph, at, _fitting(replace(tensor, shape=tuple(shape))))


def _fitting(tensor: Tensor) -> Tensor:
    """Constants have as many bytes as their tensor needs, where that is not too much."""
    kind, data = tensor.dtype.numpy, tensor.data
    if data is None or kind is None:
        return tensor
    count = tensor.elements
    if not 0 <= count <= 1 << 16 or min(tensor.shape, default=1) < 0:
        return replace(tensor, data=None)
    width = np.dtype(kind).itemsize
    content = (data.array.tobytes() or b"\0").ljust(count * width, b"\1")[: count * width]
    return replace(tensor, data=ConstData.of(np.frombuffer(content, kind).reshape(tensor.shape)))


def _dtype(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    at = _any_tensor(graph, random)
    kinds = [kind for kind in DType if kind.numpy is not None]
    return _with_tensor(graph, at, _fitting(replace(graph.tensors[at], dtype=random.choice(kinds))))


def _quantization(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    at = _any_tensor(graph, random)
    given = graph.tensors[at].quantization or Quantization()
    scales, zeros = list(given.scales or (1.0,)), list(given.zero_points or (0,))
    match random.randrange(6):
        case 0:
            scales[random.randrange(len(scales))] = random.choice(SCALES)
        case 1:
            zeros[random.randrange(len(zeros))] = random.choice(ZERO_POINTS)
        case 2:
            scales = scales * random.choice((0, 2, 3)) + scales[:1] * random.randrange(2)
        case 3:
            zeros = zeros * random.choice((0, 2, 3))
        case 4:
            given = replace(given, axis=random.choice((0, 1, 3, 4, -1, 1000)))
        case _:
            return _with_tensor(graph, at, replace(graph.tensors[at], quantization=None))
    found = replace(given, scales=tuple(scales), zero_points=tuple(zeros))
    return _with_tensor(graph, at, replace(graph.tensors[at], quantization=found))


def _data(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    at = _any_tensor(graph, random)
    tensor = graph.tensors[at]
    if tensor.data is None:
        kind = tensor.dtype.numpy
        is_small = kind is not None and 0 < tensor.elements < 1 << 16
        data = ConstData.of(np.ones(tensor.shape, kind)) if is_small else None
        changed = replace(tensor, data=data, is_variable=random.random() < 0.3)
        return _with_tensor(graph, at, changed)
    data = None if random.random() < 0.2 else other_data(tensor.data, random)
    return _with_tensor(graph, at, replace(tensor, data=data))


def _name(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    at, other = _any_tensor(graph, random), _any_tensor(graph, random)
    name = random.choice(("", "\n", "a\nb", "ä\u202e", "x" * 5000, graph.tensors[other].name))
    return _with_tensor(graph, at, replace(graph.tensors[at], name=name))


def _with_operator(graph: Subgraph, at: int, *operators: Operator) -> Subgraph:
    found = (*graph.operators[:at], *operators, *graph.operators[at + 1 :])
    return replace(graph, operators=found)


def _edges(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    """What an operator reads and makes."""
    if not graph.operators:
        return graph
    at = random.randrange(len(graph.operators))
    op, is_output = graph.operators[at], random.random() < 0.3
    ids: list[TensorId | None] = list(op.outputs if is_output else op.inputs)
    new = _any_tensor(graph, random)
    match random.randrange(4):
        case 0:
            ids.append(new)
        case 1 if ids:
            del ids[random.randrange(len(ids))]
        case 2 if ids and not is_output:
            ids[random.randrange(len(ids))] = random.choice((None, new, new))
        case _ if ids:
            ids[random.randrange(len(ids))] = new
        case _:
            pass
    if is_output:
        changed = replace(op, outputs=tuple(number for number in ids if number is not None))
    else:
        changed = replace(op, inputs=tuple(ids))
    return _with_operator(graph, at, changed)


def _kind(graph: Subgraph, other: Subgraph, random: Random) -> Subgraph:
    """What an operator is, with the options of its own or of the one that it becomes."""
    if not graph.operators:
        return graph
    at = random.randrange(len(graph.operators))
    op, model = graph.operators[at], random.choice((*graph.operators, *other.operators))
    match random.randrange(3):
        case 0:
            changed = replace(op, kind=model.kind, custom_code=model.custom_code)
        case 1:
            changed = replace(op, options=random.choice((None, model.options)))
        case _:
            changed = replace(model, inputs=op.inputs, outputs=op.outputs)
    return _with_operator(graph, at, changed)


def _options(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    places = [at for at, op in enumerate(graph.operators) if op.options and op.options.fields]
    if not places:
        return graph
    at = random.choice(places)
    op = graph.operators[at]
    assert op.options is not None
    fields = list(op.options.fields)
    place = random.randrange(len(fields))
    name, value = fields[place]
    if isinstance(value, bool):
        fields[place] = name, not value
    elif isinstance(value, int):
        fields[place] = name, random.choice((0, 1, 2, 3, 5, 16, 100, 127))
    elif isinstance(value, float):
        fields[place] = name, random.choice(SCALES)
    else:
        del fields[place]
    if random.random() < 0.2:
        del fields[random.randrange(len(fields) + 1) :]
    changed = replace(op.options, fields=tuple(fields))
    return _with_operator(graph, at, replace(op, options=changed))


def _order(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    if not graph.operators:
        return graph
    ops = list(graph.operators)
    one, other = random.randrange(len(ops)), random.randrange(len(ops))
    match random.randrange(4):
        case 0:
            del ops[one]
        case 1:
            ops.insert(other, ops[one])
        case 2:
            ops[one], ops[other] = ops[other], ops[one]
        case _:
            ops[one] = replace(ops[one], custom_options=random.randbytes(random.choice((0, 3, 32))))
    return replace(graph, operators=tuple(ops))


def _interface(graph: Subgraph, _: Subgraph, random: Random) -> Subgraph:
    is_output = random.random() < 0.5
    ids = list(graph.outputs if is_output else graph.inputs)
    match random.randrange(4):
        case 0:
            ids.append(_any_tensor(graph, random))
        case 1 if ids:
            del ids[random.randrange(len(ids))]
        case 2 if ids:
            ids[random.randrange(len(ids))] = _any_tensor(graph, random)
        case _:
            random.shuffle(ids)
    return replace(graph, outputs=tuple(ids)) if is_output else replace(graph, inputs=tuple(ids))


def _splice(graph: Subgraph, other: Subgraph, random: Random) -> Subgraph:
    """Tensors and operators of another network after our own, fed by one of ours."""
    start = len(graph.tensors)
    source = _any_tensor(graph, random)
    places = dict.fromkeys(other.inputs, source) if random.random() < 0.7 else {}

    def later(number: TensorId) -> TensorId:
        return TensorId(number + start)

    def moved(number: TensorId | None) -> TensorId | None:
        return None if number is None else places.get(number, later(number))

    ops = tuple(
        replace(
            op,
            inputs=tuple(map(moved, op.inputs)),
            outputs=tuple(map(later, op.outputs)),
            intermediates=tuple(map(moved, op.intermediates)),
        )
        for op in other.operators
    )
    at = random.randrange(len(graph.operators) + 1)
    return replace(
        graph,
        tensors=(*graph.tensors, *other.tensors),
        operators=(*graph.operators[:at], *ops, *graph.operators[at:]),
        outputs=(*graph.outputs, *map(later, other.outputs)),
    )


_DAMAGES = (
    _shape, _shape, _dtype, _quantization, _quantization, _data, _name, _edges, _edges, _kind,
    _options, _options, _order, _interface, _splice,
)  # fmt: skip
