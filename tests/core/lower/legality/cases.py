"""Networks of one operator: an accepted one of each kind, to be changed into rejected ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.base.dtype import DType
from core.base.frozen import Frozen, replace
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Operator, Quantization, Subgraph, Table, Tensor
from core.lower.source import SourceGraph, SourceOp

INT8, UINT8, INT16, INT32, INT64 = (
    *(DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64),
)


def scaled(*scales: float, zero_points: tuple[int, ...] = (0,)) -> Quantization:
    return Quantization(scales=scales, zero_points=zero_points)


HALF = scaled(0.5)


class Case(Frozen, kw_only=False):
    """One operator with its tensors; those that are None are left out."""

    kind: str
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    options: Table | None = None
    intermediates: tuple[Tensor, ...] = ()

    def input(self, index: int, **changes: Any) -> Case:
        """The same with another input."""
        inputs = list(self.inputs)
        given = inputs[index]
        assert given is not None
        inputs[index] = changed(given, **changes)
        return replace(self, inputs=tuple(inputs))

    def output(self, index: int = 0, **changes: Any) -> Case:
        """The same with another output."""
        outputs = list(self.outputs)
        outputs[index] = changed(outputs[index], **changes)
        return replace(self, outputs=tuple(outputs))

    def both(self, **changes: Any) -> Case:
        """The same with other first input and other first output."""
        return self.input(0, **changes).output(0, **changes)

    def without(self, *places: int) -> Case:
        """The same with inputs left out."""
        kept = (None if index in places else t for index, t in enumerate(self.inputs))
        return replace(self, inputs=tuple(kept))

    def option(self, **fields: FieldValue) -> Case:
        """The same with other options."""
        assert self.options is not None
        given = {**dict(self.options.fields), **fields}
        return replace(self, options=Table(kind=self.options.kind, fields=tuple(given.items())))

    def subgraph(self) -> Subgraph:
        """A subgraph of nothing but this operator."""
        tensors: list[Tensor] = []

        def place(tensor: Tensor | None) -> TensorId | None:
            if tensor is None:
                return None
            tensors.append(tensor)
            return TensorId(len(tensors) - 1)

        inputs = tuple(place(tensor) for tensor in self.inputs)
        outputs = tuple(TensorId(len(tensors) + index) for index in range(len(self.outputs)))
        tensors.extend(self.outputs)
        intermediates = tuple(place(tensor) for tensor in self.intermediates)
        given = tuple(
            index
            for index in inputs
            if index is not None and tensors[index].data is None and not tensors[index].is_variable
        )
        operator = Operator(
            kind=self.kind,
            inputs=inputs,
            outputs=outputs,
            intermediates=intermediates,
            options=self.options,
        )
        return Subgraph(
            name="main",
            tensors=tuple(tensors),
            operators=(operator,),
            inputs=given,
            outputs=outputs,
        )

    def graph(self) -> SourceGraph:
        """That subgraph as lowering sees it."""
        return SourceGraph.of(self.subgraph(), SubgraphId(0))

    def bound(self) -> SourceOp:
        """The operator with its tensors at hand."""
        graph = self.subgraph()
        (operator,) = graph.operators
        tensors = graph.tensors
        return SourceOp(
            OpRef(SubgraphId(0), OpId(0)),
            operator,
            tuple(None if index is None else tensors[index] for index in operator.inputs),
            tuple(tensors[index] for index in operator.outputs),
            tuple(None if index is None else tensors[index] for index in operator.intermediates),
        )


def changed(tensor: Tensor, **changes: Any) -> Tensor:
    """A tensor with other fields; constant ones are filled anew where shape or type changes."""
    if "values" in changes:
        array = np.asarray(changes.pop("values"), (changes.get("dtype") or tensor.dtype).numpy)
        changes = {"shape": array.shape, **changes, "data": ConstData.of(array)}
    made = replace(tensor, **changes)
    is_stale = made.data is not None and made.data is tensor.data
    if is_stale and (made.shape, made.dtype) != (tensor.shape, tensor.dtype):
        made = replace(made, data=ConstData.of(np.zeros(made.shape, made.dtype.numpy)))
    return made


def fm(name: str, *shape: int, dtype: DType = INT8, quant: Quantization | None = HALF) -> Tensor:
    """A tensor that is computed."""
    return Tensor(name=name, shape=shape, dtype=dtype, quantization=quant)


def const(
    name: str, values: Any, dtype: DType = INT32, quant: Quantization | None = None
) -> Tensor:
    """A constant tensor."""
    array = np.asarray(values, dtype.numpy)
    return Tensor(
        name=name, shape=array.shape, dtype=dtype, quantization=quant, data=ConstData.of(array)
    )


def weights(*shape: int) -> Tensor:
    """Weights of some shape."""
    array = np.arange(int(np.prod(shape))).reshape(shape) % 5
    return const("weights", array, INT8, HALF)


def bias(depth: int) -> Tensor:
    """A bias for some channels."""
    return const("bias", range(depth), INT32, HALF)


def options(kind: str, **fields: FieldValue) -> Table:
    """Options of an operator."""
    return Table(kind=f"{kind}Options", fields=tuple(fields.items()))


def unary(kind: str, dtype: DType = INT8, table: Table | None = None) -> Case:
    """An operator of one input, of the output's shape."""
    return Case(
        kind, (fm("x", 1, 4, 6, 8, dtype=dtype),), (fm("y", 1, 4, 6, 8, dtype=dtype),), table
    )


def binary(kind: str, table: Table | None = None) -> Case:
    """An operator of two inputs of the output's shape."""
    return Case(kind, (fm("a", 1, 4, 6, 8), fm("b", 1, 4, 6, 8)), (fm("y", 1, 4, 6, 8),), table)


STEP = {"stride_h": 1, "stride_w": 1, "padding": 1}
POOL = {"filter_height": 2, "filter_width": 2, "stride_h": 2, "stride_w": 2, "padding": 1}


def lstm() -> Case:
    """An LSTM of four cells over three features and two times."""
    into = [weights(4, 3) for _ in range(4)]
    back = [weights(4, 4) for _ in range(4)]
    states = [
        replace(fm("hidden", 1, 4), is_variable=True),
        replace(fm("cell", 1, 4, dtype=INT16), is_variable=True),
    ]
    return Case(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        (
            *(fm("x", 1, 2, 3), *into, *back, *(None,) * 3),
            *(bias(4) for _ in range(4)),
            *(None, None, *states, *(None,) * 4),
        ),
        (fm("y", 1, 2, 4),),
        options("UnidirectionalSequenceLSTM", fused_activation_function=4),
        (*(fm(f"between{index}", 0, dtype=INT16) for index in range(4)), fm("between4", 0)),
    )


GOOD = {
    case.kind: case
    for case in (
        unary("ABS"),
        binary("ADD", options("Add")),
        Case(
            "ARG_MAX",
            (fm("x", 1, 4, 6, 8), const("axis", 3)),
            (fm("y", 1, 4, 6, dtype=INT32, quant=None),),
            options("ArgMax", output_type=2),
        ),
        Case(
            "AVERAGE_POOL_2D",
            (fm("x", 1, 4, 6, 8),),
            (fm("y", 1, 2, 3, 8),),
            options("Pool2D", **POOL),
        ),
        Case(
            "BATCH_MATMUL",
            (fm("a", 1, 2, 5, 7), fm("b", 1, 2, 7, 3)),
            (fm("y", 1, 2, 5, 3),),
            options("BatchMatMul"),
        ),
        Case(
            "CONCATENATION",
            (fm("a", 1, 4, 6, 3), fm("b", 1, 4, 6, 5)),
            (fm("y", 1, 4, 6, 8),),
            options("Concatenation", axis=3),
        ),
        Case(
            "CONV_2D",
            (fm("x", 1, 5, 7, 4), weights(6, 3, 3, 4), bias(6)),
            (fm("y", 1, 3, 5, 6),),
            options("Conv2D", **STEP),
        ),
        Case(
            "DEPTHWISE_CONV_2D",
            (fm("x", 1, 5, 7, 4), weights(1, 3, 3, 4), bias(4)),
            (fm("y", 1, 3, 5, 4),),
            options("DepthwiseConv2D", **STEP, depth_multiplier=1),
        ),
        unary("ELU"),
        unary("EXP"),
        Case("EXPAND_DIMS", (fm("x", 4, 6), const("axis", 0)), (fm("y", 1, 4, 6),)),
        Case(
            "FULLY_CONNECTED",
            (fm("x", 2, 12), weights(5, 12), bias(5)),
            (fm("y", 2, 5),),
            options("FullyConnected"),
        ),
        unary("GELU"),
        unary("HARD_SWISH"),
        unary("LEAKY_RELU", table=options("LeakyRelu", alpha=0.1)),
        unary("LOG"),
        unary("LOGISTIC"),
        binary("MAXIMUM"),
        Case(
            "MAX_POOL_2D",
            (fm("x", 1, 4, 6, 8),),
            (fm("y", 1, 2, 3, 8),),
            options("Pool2D", **POOL),
        ),
        Case(
            "MEAN",
            (fm("x", 1, 4, 6, 8), const("axes", (1, 2))),
            (fm("y", 1, 8),),
            options("Reducer"),
        ),
        binary("MINIMUM"),
        Case(
            "MIRROR_PAD",
            (fm("x", 1, 4, 6, 8), const("amounts", ((0, 0), (1, 2), (3, 0), (0, 0)))),
            (fm("y", 1, 7, 9, 8),),
            options("MirrorPad", mode=0),
        ),
        binary("MUL", options("Mul")),
        unary("NEG"),
        Case(
            "PACK",
            (fm("a", 4, 6), fm("b", 4, 6), fm("c", 4, 6)),
            (fm("y", 4, 3, 6),),
            options("Pack", axis=1, values_count=3),
        ),
        Case(
            "PAD",
            (fm("x", 1, 4, 6, 8), const("amounts", ((0, 0), (1, 2), (3, 0), (1, 1)))),
            (fm("y", 1, 7, 9, 10),),
        ),
        Case(
            "PADV2",
            (
                fm("x", 1, 4, 6, 8),
                const("amounts", ((0, 0), (1, 2), (3, 0), (1, 1))),
                const("fill", 7, INT8, HALF),
            ),
            (fm("y", 1, 7, 9, 10),),
        ),
        binary("PRELU"),
        unary("QUANTIZE"),
        Case(
            "REDUCE_MAX",
            (fm("x", 1, 4, 6, 8), const("axes", (1, -2))),
            (fm("y", 1, 1, 1, 8),),
            options("Reducer", keep_dims=True),
        ),
        Case(
            "REDUCE_MIN",
            (fm("x", 1, 4, 6, 8), const("axes", (3,))),
            (fm("y", 1, 4, 6),),
            options("Reducer"),
        ),
        unary("RELU"),
        unary("RELU6"),
        unary("RELU_0_TO_1"),
        unary("RELU_N1_TO_1"),
        Case(
            "RESHAPE",
            (fm("x", 1, 4, 6, 8), const("shape", (24, 8))),
            (fm("y", 24, 8),),
            options("Reshape", new_shape=(24, 8)),
        ),
        Case(
            "RESIZE_BILINEAR",
            (fm("x", 1, 4, 6, 8), const("size", (8, 12))),
            (fm("y", 1, 8, 12, 8),),
            options("ResizeBilinear"),
        ),
        Case(
            "RESIZE_NEAREST_NEIGHBOR",
            (fm("x", 1, 4, 6, 8), const("size", (16, 24))),
            (fm("y", 1, 16, 24, 8),),
            options("ResizeNearestNeighbor"),
        ),
        Case("REVERSE_V2", (fm("x", 1, 4, 6, 8), const("axis", (1,))), (fm("y", 1, 4, 6, 8),)),
        unary("RSQRT"),
        Case(
            "SLICE",
            (fm("x", 1, 4, 6, 8), const("begin", (0, 1, 2, 0)), const("size", (1, 2, -1, 8))),
            (fm("y", 1, 2, 4, 8),),
        ),
        unary("SOFTMAX", table=options("Softmax", beta=1.0)),
        Case(
            "SPLIT",
            (const("axis", 3), fm("x", 1, 4, 6, 8)),
            (fm("y", 1, 4, 6, 4), fm("z", 1, 4, 6, 4)),
            options("Split", num_splits=2),
        ),
        Case(
            "SPLIT_V",
            (fm("x", 1, 4, 6, 8), const("sizes", (3, -1)), const("axis", 3)),
            (fm("y", 1, 4, 6, 3), fm("z", 1, 4, 6, 5)),
            options("SplitV", num_splits=2),
        ),
        binary("SQUARED_DIFFERENCE"),
        Case(
            "SQUEEZE",
            (fm("x", 1, 4, 1, 8),),
            (fm("y", 4, 8),),
            options("Squeeze", squeeze_dims=(0, 2)),
        ),
        Case(
            "STRIDED_SLICE",
            (
                fm("x", 1, 4, 6, 8),
                const("begin", (0, 1, 0, 0)),
                const("end", (1, 4, 6, 8)),
                const("strides", (1, 1, 2, 1)),
            ),
            (fm("y", 1, 3, 3, 8),),
            options("StridedSlice", begin_mask=1, end_mask=1),
        ),
        binary("SUB", options("Sub")),
        Case(
            "SUM",
            (fm("x", 1, 4, 6, 8), const("axes", (1, 2))),
            (fm("y", 1, 8),),
            options("Reducer"),
        ),
        unary("TANH"),
        Case("TILE", (fm("x", 1, 4, 6), const("times", (2, 1, 3))), (fm("y", 2, 4, 18),)),
        Case(
            "TRANSPOSE", (fm("x", 1, 4, 6, 8), const("order", (0, 2, 1, 3))), (fm("y", 1, 6, 4, 8),)
        ),
        Case(
            "TRANSPOSE_CONV",
            (const("shape", (1, 8, 12, 6)), weights(6, 3, 3, 4), fm("x", 1, 4, 6, 4), bias(6)),
            (fm("y", 1, 8, 12, 6),),
            options("TransposeConv", stride_h=2, stride_w=2, padding=0),
        ),
        lstm(),
        Case(
            "UNPACK",
            (fm("x", 4, 3, 6),),
            (fm("a", 4, 6), fm("b", 4, 6), fm("c", 4, 6)),
            options("Unpack", axis=1, num=3),
        ),
    )
}
"""An operator of each kind that the NPU can take."""
