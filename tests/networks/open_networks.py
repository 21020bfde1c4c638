"""Networks as converters write them where the batch is left open: 1 is what is not known."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Network, Operator, Subgraph, Table, Tensor
from core.synth.builder import Builder
from core.synth.windows import window

CLASSES = 4
_OFFSET = 7


class _Continued:
    """A graph to whose end operators are written."""

    def __init__(self, graph: Subgraph) -> None:
        self._graph = graph
        self.tensors, self._operators = list(graph.tensors), list(graph.operators)
        (self.end,) = graph.outputs

    def constant(self, name: str, value: int | list[int], like: Tensor | None = None) -> TensorId:
        """Integers; those of a map are stored as it is."""
        dtype, parameters = (like.dtype, like.quantization) if like else (DType.INT32, None)
        array = np.array(value, dtype.numpy)
        data = ConstData.of(array)
        return self._add(Tensor(name=name, shape=array.shape, dtype=dtype, data=data,
                                quantization=parameters))  # fmt: skip

    def integers(self, name: str, *shape: int) -> TensorId:
        """Integers that are computed."""
        return self._add(Tensor(name=name, shape=shape, dtype=DType.INT32))

    def rows(self, name: str) -> TensorId:
        """A map of as many rows as there will be."""
        maps = self._graph.tensors[self._graph.outputs[0]]
        shape, told = (1, 1, CLASSES), (-1, -1, CLASSES)
        return self._add(replace(maps, name=name, shape=shape, shape_signature=told))

    def write(self, kind: str, given: list[TensorId], made: TensorId, **fields: FieldValue) -> None:
        """An operator."""
        words = "".join(word.capitalize() for word in kind.split("_"))
        options = Table(kind=f"{words}Options", fields=tuple(fields.items()))
        op = Operator(kind=kind, inputs=tuple(given), outputs=(made,), options=options)
        self._operators.append(op)
        self.end = made

    def graph(self) -> Subgraph:
        """With the last operator's output as its own."""
        parts = tuple(self.tensors), tuple(self._operators), (self.end,)
        return replace(self._graph, tensors=parts[0], operators=parts[1], outputs=parts[2])

    def _add(self, tensor: Tensor) -> TensorId:
        self.tensors.append(tensor)
        return TensorId(len(self.tensors) - 1)


def head(*, is_filled: bool = True) -> Network:
    """Scores of all places, in rows whose number follows from the batch.

    To each, a number may be added that is filled into their shape.
    """
    b = Builder(11)
    image = b.conv(b.input((1, 12, 12, 3)), 3 * CLASSES, window(3), "NONE")
    network = b.build([image], "head")
    ends = _Continued(network.main)
    maps = ends.end
    shape, batch, wanted = ends.integers("s", 4), ends.integers("batch"), ends.integers("wanted", 3)
    scores = ends.rows("scores")
    ends.write("SHAPE", [maps], shape, out_type=DType.INT32.code)
    corner = [ends.constant("first", [0]), ends.constant("behind", [1]), ends.constant("step", [1])]
    ends.write("STRIDED_SLICE", [shape, *corner], batch, shrink_axis_mask=1)
    sizes = [ends.constant("rest", -1), ends.constant("classes", CLASSES)]
    ends.write("PACK", [batch, *sizes], wanted, values_count=3, axis=0)
    ends.write("RESHAPE", [maps, wanted], scores)
    if is_filled:
        again, offsets = ends.integers("again", 3), ends.rows("offsets")
        offset = ends.constant("offset", _OFFSET, network.main.tensors[maps])
        ends.write("SHAPE", [scores], again, out_type=DType.INT32.code)
        ends.write("FILL", [again, offset], offsets)
        ends.write("ADD", [scores, offsets], ends.rows("moved"), fused_activation_function=0)
    return replace(network, subgraphs=(ends.graph(),), signatures=())
