"""What a rewrite works with: its operator, the maps of its tensors, and where its results go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.frozen import Frozen, replace
from core.base.geometry import Kernel, Padding, Resampling
from core.base.ids import FmId, OpRef, TensorId
from core.ir.freedoms import NONE, Freedoms
from core.ir.npugraph import (
    Activation,
    ActivationKind,
    ExplicitScaling,
    NpuOp,
    OpKind,
    Quant,
    Rounding,
    View,
    Weights,
)
from core.lower.draft import UNNUMBERED, Draft, Pointwise, SliceRead, quant_of
from core.lower.source import SourceOp
from core.target.limits import OperatorLimits

IDENTITY = Quant(scale=1.0, zero_point=0)
"""Stored values are the real ones."""

_TAKES_AS_STORED = frozenset(
    {
        *("AVERAGE_POOL_2D", "MAX_POOL_2D", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"),
        *("PAD", "PADV2", "TRANSPOSE"),
    }
)
"""Their reference kernels do not rescale: values are what the output's quantisation says."""


class OpDetails(TypedDict, total=False):
    """What an NPU operator may have besides its kind and its feature maps."""

    ifm2: View | None
    kernel: Kernel
    padding: Padding
    pads_with_edge: bool
    resampling: Resampling
    weights: Weights | None
    activation: Activation | None
    scaling: ExplicitScaling | None
    rounding: Rounding | None
    alpha: float | None


class Scope(Frozen, kw_only=False):
    """One source operator on its way into the draft."""

    draft: Draft
    op: SourceOp
    maps: Mapping[TensorId, FmId]
    sources: tuple[OpRef, ...]
    limits: OperatorLimits
    absorbed: SourceOp | None = None
    """An operator before this one whose work it takes over."""
    freedoms: Freedoms = NONE
    macs: int = 0
    """Products that the accelerator makes in one cycle."""
    saves_memory: bool = False
    """Bytes count more than commands."""

    def map_of(self, tensor: TensorId | None) -> FmId:
        """The feature map of a tensor."""
        if tensor is None:
            raise InternalError(f"{self.op.kind} '{self.op.name}' lacks an input")
        return self.maps[tensor]

    def input(self, index: int | None, shape: Sequence[int] | None = None) -> View:
        """A view of an input tensor, in the tensor's own shape unless told otherwise."""
        tensor, tensor_id = self.op.input(index), self.op.input_id(index)
        if tensor is None or tensor_id is None:
            raise InternalError(f"{self.op.kind} '{self.op.name}' has no input {index}")
        is_as_stored = self.op.kind in _TAKES_AS_STORED and index == self.op.roles.ifm
        quant = quant_of(self.op.ofm) or IDENTITY if is_as_stored else quant_of(tensor)
        return self.draft.view(
            self.maps[tensor_id], tensor.shape if shape is None else shape, quant
        )

    @property
    def ifm(self) -> View:
        """The operator's first feature map."""
        return self.input(self.op.roles.ifm)

    @property
    def ifm2(self) -> View:
        """The operator's second feature map."""
        return self.input(self.op.roles.ifm2)

    def operands(self) -> tuple[View, View]:
        """Both feature maps; where each is spread, a constant is spread beforehand."""
        first, second, made = self.ifm, self.ifm2, self.ofm
        if made.shape in (first.shape, second.shape):
            return first, second
        if self.draft.is_constant(second.fm):
            return first, self._spread(second, made)
        if self.draft.is_constant(first.fm):
            return self._spread(first, made), second
        return first, second

    def _spread(self, view: View, made: View) -> View:
        """A constant that has been repeated to the shape of what is made."""
        constant = self.draft.feature_maps[view.fm]
        assert constant.data is not None
        array = np.broadcast_to(constant.data.array.reshape(view.shape), made.shape)
        name = f"{self.op.name}_spread"
        spread = self.draft.new_constant(name, array, constant.dtype, view.quant, made.shape)
        return self.draft.view(spread)

    def output(self, index: int = 0) -> View:
        """A view of an output tensor in its own shape."""
        tensor, tensor_id = self.op.outputs[index], self.op.operator.outputs[index]
        return self.draft.view(self.maps[tensor_id], tensor.shape, quant_of(tensor))

    @property
    def ofm(self) -> View:
        """The operator's first output."""
        return self.output()

    def dtype(self, view: View) -> DType:
        """Element type behind a view."""
        return self.draft.dtype(view.fm)

    def temporary(
        self, name: str, shape: Sequence[int], dtype: DType, quant: Quant | None = None
    ) -> View:
        """A new feature map between two of the operators that this rewrite emits."""
        return self.draft.view(self.draft.new_fm(f"{self.op.name}_{name}", shape, dtype, quant))

    def constant(
        self,
        name: str,
        values: Any,
        dtype: DType,
        quant: Quant | None = IDENTITY,
        shape: Sequence[int] = (1, 1, 1, 1),
    ) -> View:
        """A new constant feature map."""
        return self.draft.view(
            self.draft.new_constant(f"{self.op.name}_{name}", values, dtype, quant, shape)
        )

    def emit(
        self,
        kind: OpKind,
        ifm: View,
        ofm: View,
        name: str = "",
        **details: Unpack[OpDetails],
    ) -> View:
        """Add an NPU operator; what it writes comes back."""
        self.draft.items.append(self.build(kind, ifm, ofm, name, **details))
        return ofm

    def emit_pointwise(
        self,
        kind: OpKind,
        ifm: View,
        ofm: View,
        name: str = "",
        **details: Unpack[OpDetails],
    ) -> View:
        """Add an NPU operator that only applies an activation."""
        self.draft.items.append(Pointwise(op=self.build(kind, ifm, ofm, name, **details)))
        return ofm

    def emit_slice(self, ifm: View, ofm: View) -> View:
        """Give a part of a feature map a name of its own; what is stored is not rescaled."""
        self.draft.items.append(
            SliceRead(
                name=self.op.name,
                ifm=replace(ifm, quant=ofm.quant),
                ofm=ofm,
                origin=self.op.kind,
                sources=self.sources,
            )
        )
        return ofm

    def build(
        self,
        kind: OpKind,
        ifm: View,
        ofm: View,
        name: str = "",
        **details: Unpack[OpDetails],
    ) -> NpuOp:
        """An NPU operator that carries this scope's provenance."""
        return NpuOp(
            id=UNNUMBERED,
            kind=kind,
            name=f"{self.op.name}_{name}" if name else self.op.name,
            ifm=ifm,
            ofm=ofm,
            origin=self.op.kind,
            sources=self.sources,
            **details,
        )

    @property
    def fused_activation(self) -> Activation | None:
        """The activation that the file fuses into the operator."""
        return named_activation(self.op.activation)


CLAMPS: dict[str, tuple[float | None, float | None]] = {
    "RELU": (0.0, None),
    "RELU6": (0.0, 6.0),
    "RELU_0_TO_1": (0.0, 1.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
}


def named_activation(name: str) -> Activation | None:
    """The activation that a source operator or its fused form asks for by name."""
    if name in CLAMPS:
        minimum, maximum = CLAMPS[name]
        return Activation(kind=ActivationKind.CLAMP, minimum=minimum, maximum=maximum)
    if name == "TANH":
        return Activation(kind=ActivationKind.TANH, minimum=-1.0, maximum=1.0)
    if name == "LOGISTIC":
        return Activation(kind=ActivationKind.SIGMOID, minimum=0.0, maximum=1.0)
    return None
