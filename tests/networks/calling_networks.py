"""Networks of several subgraphs: called by signatures, or by operators that branch and repeat."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Network, Operator, Subgraph, Table, Tensor
from core.synth.builder import Builder
from core.synth.windows import window

SHAPE = (1, 6, 6, 8)


def filtered(seed: int) -> Network:
    """A convolution whose output is quantised as its input is."""
    b = Builder(seed)
    given = b.input(SHAPE)
    made = b.conv(given, SHAPE[3], window(3), "NONE")
    b.tie(given, made)
    return b.build([made], f"filtered_{seed}")


def with_signatures(*parts: Network) -> Network:
    """A subgraph for each network, which a signature names."""
    signatures = tuple(_signature(number, part.main) for number, part in enumerate(parts))
    subgraphs = tuple(part.main for part in parts)
    return replace(parts[0], subgraphs=subgraphs, signatures=signatures)


def chosen(then: Network, otherwise: Network) -> Network:
    """One of two networks computes, as an input says."""
    graph = then.main
    condition = Tensor(name="condition", shape=(1,), dtype=DType.BOOL)
    given, made = graph.tensors[graph.inputs[0]], graph.tensors[graph.outputs[0]]
    branch = _operator(
        "IF", (0, 1), (2,), 1, then_subgraph_index=1, else_subgraph_index=2
    )  # fmt: skip
    main = Subgraph(
        name="chosen",
        tensors=(condition, replace(given, name="given"), replace(made, name="chosen")),
        operators=(branch,),
        inputs=(TensorId(0), TensorId(1)),
        outputs=(TensorId(2),),
    )
    return replace(then, subgraphs=(main, then.main, otherwise.main), signatures=())


def repeated(body: Network, rounds: int) -> Network:
    """A network that is given what it has made, so many times."""
    graph = body.main
    count = Tensor(name="count", shape=(), dtype=DType.INT32)
    given = replace(graph.tensors[graph.inputs[0]], name="given")
    main = Subgraph(
        name="repeated",
        tensors=(
            *(_number("none", 0), given),
            *(replace(count, name="counted"), replace(given, name="made")),
        ),
        operators=(
            _operator("WHILE", (0, 1), (2, 3), 1, cond_subgraph_index=1, body_subgraph_index=2),
        ),
        inputs=(TensorId(1),),
        outputs=(TensorId(3),),
    )
    condition = Subgraph(
        name="condition",
        tensors=(
            *(count, given, _number("rounds", rounds)),
            Tensor(name="is_less", shape=(), dtype=DType.BOOL),
        ),
        operators=(_operator("LESS", (0, 2), (3,), 1),),
        inputs=(TensorId(0), TensorId(1)),
        outputs=(TensorId(3),),
    )
    return replace(body, subgraphs=(main, condition, _counting(graph, count)), signatures=())


def _counting(graph: Subgraph, count: Tensor) -> Subgraph:
    """A subgraph that counts one further beside what it computes."""
    first = len(graph.tensors)
    added = (count, _number("one", 1), replace(count, name="next"))
    one_more = _operator("ADD", (first, first + 1), (first + 2,), 1, fused_activation_function=0)
    return replace(
        graph,
        tensors=(*graph.tensors, *added),
        operators=(one_more, *graph.operators),
        inputs=(TensorId(first), *graph.inputs),
        outputs=(TensorId(first + 2), *graph.outputs),
    )


def _number(name: str, value: int) -> Tensor:
    data = ConstData.of(np.array(value, np.int32))
    return Tensor(name=name, shape=(), dtype=DType.INT32, data=data)


def _operator(
    kind: str,
    inputs: tuple[int, ...],
    outputs: tuple[int, ...],
    version: int,
    **options: FieldValue,
) -> Operator:
    return Operator(
        kind=kind,
        inputs=tuple(map(TensorId, inputs)),
        outputs=tuple(map(TensorId, outputs)),
        options=Table(kind=f"{kind.capitalize()}Options", fields=tuple(options.items())),
        version=version,
    )


def _signature(number: int, graph: Subgraph) -> Table:
    fields: tuple[tuple[str, FieldValue], ...] = (
        ("inputs", (_end("given", graph.inputs[0]),)),
        ("outputs", (_end("made", graph.outputs[0]),)),
        ("signature_key", f"call_{number}"),
        ("subgraph_index", number),
    )
    return Table(kind="SignatureDef", fields=fields)


def _end(name: str, tensor: TensorId) -> Table:
    return Table(kind="TensorMap", fields=(("name", name), ("tensor_index", int(tensor))))
