"""A subgraph of the network as the lowering rules want to see it: inputs by role, who uses what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.frozen import Frozen, field, replace
from core.base.geometry import Kernel
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.ir.network import FieldValue, Operator, Subgraph, Table, Tensor

PADDING_SAME, PADDING_VALID = 0, 1
"""Values of the schema's enumeration Padding."""

FUSED_ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT")
"""Names of the schema's enumeration ActivationFunctionType, by value."""


class Roles(Frozen, kw_only=False):
    """Which input of an operator is which; None where it has none of that role."""

    ifm: int | None = 0
    ifm2: int | None = None
    weights: int | None = None
    bias: int | None = None


_UNARY = Roles()
_BINARY = Roles(ifm2=1)
_WEIGHTED = Roles(weights=1, bias=2)
_NO_ROLES = Roles(ifm=None)
ROLES = {
    "CONV_2D": _WEIGHTED,
    "DEPTHWISE_CONV_2D": _WEIGHTED,
    "FULLY_CONNECTED": _WEIGHTED,
    "TRANSPOSE_CONV": Roles(ifm=2, weights=1, bias=3),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Roles(weights=1),
    "SPLIT": Roles(ifm=1),
    "CONCATENATION": Roles(ifm2=1),
    **dict.fromkeys(
        (
            "ADD",
            "SUB",
            "MUL",
            "MINIMUM",
            "MAXIMUM",
            "SQUARED_DIFFERENCE",
            "PRELU",
            "TRANSPOSE",
            "MIRROR_PAD",
            "BATCH_MATMUL",
        ),
        _BINARY,
    ),
}
_POOLS = frozenset({"AVERAGE_POOL_2D", "MAX_POOL_2D"})
_WITH_EFFECTS = frozenset({"ASSIGN_VARIABLE", "CALL_ONCE"})


def values(tensor: Tensor | None) -> npt.NDArray[Any] | None:
    """The constant elements of a tensor, if it has any."""
    return None if tensor is None or tensor.data is None else tensor.data.array


class SourceOp(Frozen, kw_only=False, dict=True):
    """An operator with its tensors at hand."""

    ref: OpRef
    operator: Operator
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    intermediates: tuple[Tensor | None, ...]
    pieces: int = 1
    """It is done for so many equal parts of its maps, one after the other; tensors are one part."""

    @property
    def kind(self) -> str:
        """The file format's name of the operator."""
        return self.operator.kind

    @property
    def name(self) -> str:
        """The name of its first output, as users know operators by."""
        return self.outputs[0].name if self.outputs else self.operator.title

    @property
    def roles(self) -> Roles:
        """Which input is which."""
        return ROLES.get(self.kind, _UNARY)

    def input(self, index: int | None) -> Tensor | None:
        """An input by position; None where there is none."""
        return self.inputs[index] if index is not None and index < len(self.inputs) else None

    def input_id(self, index: int | None) -> TensorId | None:
        """The id of an input by position; None where there is none."""
        ids = self.operator.inputs
        return ids[index] if index is not None and index < len(ids) else None

    @property
    def ifm(self) -> Tensor | None:
        """The tensor that it works on."""
        return self.input(self.roles.ifm)

    @property
    def ifm2(self) -> Tensor | None:
        """The second tensor that it works on."""
        return self.input(self.roles.ifm2)

    @property
    def weights(self) -> Tensor | None:
        """Its weights, in the file's order."""
        return self.input(self.roles.weights)

    @property
    def bias(self) -> Tensor | None:
        return self.input(self.roles.bias)

    @property
    def sum_type(self) -> DType:
        """The type in which LiteRT sums its products, and reads its bias.

        Of 16 bits the options decide it. TensorFlow Lite Micro takes the bias's own type, but in
        an LSTM of 16 bits, which it alone has.
        """
        if self.ifm is None or self.ifm.dtype is not DType.INT16:
            return DType.INT32
        is_short = self.options.integer("quantized_bias_type") == DType.INT32.code
        return DType.INT32 if is_short else DType.INT64

    @property
    def ofm(self) -> Tensor:
        """Its first output."""
        return self.outputs[0]

    @property
    def options(self) -> Table:
        """Its options, empty where the file gives none."""
        return self.operator.own_options

    def option(self, name: str, default: FieldValue = None) -> FieldValue:
        """One of its options."""
        return self.options.get(name, default)

    @property
    def activation(self) -> str:
        """Name of the activation that is fused into it, or NONE."""
        code = self.options.integer("fused_activation_function")
        known = 0 <= code < len(FUSED_ACTIVATIONS)
        return FUSED_ACTIVATIONS[code] if known else f"ACTIVATION_{code}"

    @cached_property
    def window(self) -> Window:
        """Kernel and padding scheme."""
        return _window(self)


class Window(Frozen, kw_only=False):
    """A kernel, and whether its input is padded so that only the stride shrinks it."""

    kernel: Kernel
    is_same: bool


def _window(op: SourceOp) -> Window:
    options = op.options
    if op.kind in _POOLS:
        height, width = (
            options.integer("filter_height"),
            options.integer("filter_width"),
        )
    elif op.kind in {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"} and op.weights is not None:
        height, width = (*op.weights.shape, 1, 1, 1)[1:3]
    else:
        return Window(Kernel(), is_same=False)
    kernel = Kernel(
        h=height,
        w=width,
        stride_h=options.integer("stride_h"),
        stride_w=options.integer("stride_w"),
        dilation_h=options.integer("dilation_h_factor", 1),
        dilation_w=options.integer("dilation_w_factor", 1),
    )
    is_same = options.integer("padding") == PADDING_SAME
    if op.kind in _POOLS and op.ifm is not None and len(op.ifm.shape) == 4:
        whole = op.ifm.shape[1:3] == (height, width) == (kernel.stride_h, kernel.stride_w)
        if whole:
            # The window covers the input: there is no second step whose length could matter.
            return Window(replace(kernel, stride_h=1, stride_w=1), is_same=False)
    return Window(kernel, is_same)


class SourceGraph(Frozen, kw_only=False, dict=True):
    """The operators of a subgraph on which its outputs depend, in the file's order."""

    subgraph: SubgraphId
    tensors: tuple[Tensor, ...]
    ops: tuple[SourceOp, ...]
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    computed: Mapping[TensorId, OpRef] = field(default_factory=dict)
    """Tensors that an operator made before they became constants, and which operator it was."""

    @cached_property
    def producers(self) -> dict[TensorId, SourceOp]:
        """Who makes each tensor."""
        return {out: op for op in self.ops for out in op.operator.outputs}

    @cached_property
    def consumers(self) -> dict[TensorId, list[SourceOp]]:
        """Who uses each tensor; an operator counts once for each use."""
        consumers: dict[TensorId, list[SourceOp]] = {}
        for op in self.ops:
            for tensor in op.operator.inputs:
                if tensor is not None:
                    consumers.setdefault(tensor, []).append(op)
        return consumers

    @classmethod
    def of(cls, graph: Subgraph, subgraph: SubgraphId) -> SourceGraph:
        """The live part of a subgraph."""
        live = _live(graph)
        ops = (
            bind(OpRef(subgraph, OpId(index)), operator, graph.tensors)
            for index, operator in enumerate(graph.operators)
            if index in live
        )
        computed = {
            tensor: OpRef(subgraph, OpId(index))
            for index, operator in enumerate(graph.operators)
            for tensor in operator.outputs
            if graph.tensors[tensor].data is not None
        }
        return cls(
            subgraph=subgraph,
            tensors=graph.tensors,
            ops=tuple(ops),
            inputs=_unique(graph.inputs),
            outputs=_unique(graph.outputs),
            computed=computed,
        )

    def maker(self, tensor: TensorId | None, kinds: Collection[str]) -> SourceOp | None:
        """Who makes a tensor, if it is of some kinds."""
        maker = None if tensor is None else self.producers.get(tensor)
        return maker if maker is not None and maker.kind in kinds else None

    def uses(self, tensor: TensorId) -> int:
        """How often a tensor is read, by operators and as an output of the subgraph."""
        return len(self.consumers.get(tensor, ())) + (tensor in self.outputs)


def bind(ref: OpRef, operator: Operator, tensors: tuple[Tensor, ...]) -> SourceOp:
    """An operator together with the tensors that its ids name."""
    return SourceOp(
        ref,
        operator,
        tuple(None if tensor is None else tensors[tensor] for tensor in operator.inputs),
        tuple(tensors[tensor] for tensor in operator.outputs),
        tuple(None if tensor is None else tensors[tensor] for tensor in operator.intermediates),
    )


def _live(graph: Subgraph) -> set[int]:
    """Operators that an output depends on, or that change a variable.

    Nobody depends on the operator behind a tensor that has become a constant.
    """
    producer = {
        tensor: index
        for index, op in enumerate(graph.operators)
        for tensor in op.outputs
        if graph.tensors[tensor].data is None
    }
    pending = [producer[tensor] for tensor in graph.outputs if tensor in producer]
    pending += [index for index, op in enumerate(graph.operators) if op.kind in _WITH_EFFECTS]
    live: set[int] = set()
    while pending:
        index = pending.pop()
        if index not in live:
            live.add(index)
            pending += [producer[t] for t in graph.operators[index].inputs if t in producer]
    return live


def _unique(ids: Iterable[TensorId]) -> tuple[TensorId, ...]:
    return tuple(dict.fromkeys(ids))


def axis_of(tensor: Tensor | None) -> int:
    """The one integer that a constant axis tensor holds."""
    array = values(tensor)
    return 0 if array is None else int(np.asarray(array).reshape(-1)[0])
