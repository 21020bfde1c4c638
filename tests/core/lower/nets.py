"""Networks written down in a line an operator, for tests that care about who reads what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.freedoms import ALL, Freedoms
from core.ir.network import (
    FieldValue,
    Network,
    Operator,
    Quantization,
    Subgraph,
    Table,
    Tensor,
    options_kind,
)
from core.ir.npugraph import NpuGraph
from core.ir.options import LoweringOptions
from core.lower import run as lower
from core.target.registry import accelerator_named

PICTURE = (1, 8, 8, 16)

Line = tuple[str, str, str] | tuple[str, str, str, Mapping[str, FieldValue]]
"""Kind, names of inputs, names of outputs, and options."""


def network(
    lines: Sequence[Line],
    *,
    inputs: str,
    outputs: str,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    constants: Mapping[str, Sequence[int]] | None = None,
    dtypes: Mapping[str, DType] | None = None,
    scales: Mapping[str, float] | None = None,
) -> Network:
    """Tensors are 8-bit pictures unless told otherwise; constants are 32-bit vectors."""
    values = {name: np.array(array, np.int32) for name, array in (constants or {}).items()}
    names = list(
        dict.fromkeys(
            name
            for _, given, made, *_ in lines
            for name in (*inputs.split(), *given.split(), *made.split())
        )
    )
    tensors = tuple(
        Tensor(
            name=name,
            shape=values[name].shape if name in values else (shapes or {}).get(name, PICTURE),
            dtype=DType.INT32 if name in values else (dtypes or {}).get(name, DType.INT8),
            quantization=Quantization(scales=((scales or {}).get(name, 0.5),), zero_points=(0,)),
            data=ConstData.of(values[name]) if name in values else None,
        )
        for name in names
    )

    def ids(text: str) -> tuple[TensorId, ...]:
        return tuple(TensorId(names.index(name)) for name in text.split())

    operators = tuple(
        Operator(
            kind=kind,
            inputs=ids(given),
            outputs=ids(made),
            options=Table(kind=options_kind(kind), fields=tuple(rest[0].items())) if rest else None,
        )
        for kind, given, made, *rest in lines
    )
    graph = Subgraph(
        name="", tensors=tensors, operators=operators, inputs=ids(inputs), outputs=ids(outputs)
    )
    return Network(subgraphs=(graph,))


FREE = replace(ALL, near_results=False)
"""Most tests look at what makes a map, and not at the copy that brings it out."""


def lowered(
    net: Network, accelerator: str = "ethos-u55-256", freedoms: Freedoms = FREE
) -> NpuGraph:
    """The network's NPU graph."""
    return lower.run(net, accelerator_named(accelerator), LoweringOptions(freedoms=freedoms))


def story(graph: NpuGraph) -> list[str]:
    """One line for each step: kind, what is read and written, and the parts that are touched."""
    lines = []
    for steps in graph.steps:
        for step in steps:
            if isinstance(step, int):
                lines += [_line(graph, number) for number in graph.islands[step].ops]
            else:
                lines.append(f"cpu {step.kind}")
    return lines


def _line(graph: NpuGraph, number: int) -> str:
    op = graph.ops[number]
    texts = []
    for view in op.views:
        fm = graph.fm(view)
        part = "" if view.offset is None else f"@{','.join(map(str, view.offset))}"
        texts.append(fm.name + part)
    fused = "" if op.activation is None else f" +{op.activation.kind.value}"
    return f"{op.kind.value}: {', '.join(texts[:-1])} -> {texts[-1]}{fused}"
