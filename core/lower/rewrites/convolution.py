"""Convolutions, in the one order in which their rewrites apply.

CONV_2D, each channel a group    becomes   DEPTHWISE_CONV_2D
CONV_2D with other groups        becomes   SPLIT, one convolution a group, CONCATENATION
DEPTHWISE_CONV_2D of few channels, each several times     becomes   CONV_2D
CONV_2D of one element           becomes   FULLY_CONNECTED
a long stride along the width    becomes   a short one over more channels
patches that touch each other    become    pixels of as many channels as they have elements
any other long stride            becomes   one convolution for each row, or place
a dilation along a sequence      becomes   one along the rows of a picture of the same bytes
a dilation above two             becomes   a larger kernel with zeros
PAD -> CONV_2D                   becomes   CONV_2D with padding
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.errors import InternalError
from core.base.frozen import Frozen, replace
from core.base.geometry import Kernel, Padding, Resampling, same_padding
from core.ir.constdata import ConstData
from core.ir.npugraph import OpKind, Rounding, View, Weights
from core.lower.rewrites.padding import padding_of_both
from core.lower.scope import Scope
from core.lower.source import values


class Convolution(Frozen):
    """A convolution while its rewrites are being applied."""

    kind: OpKind
    ifm: View
    ofm: View
    kernel: Kernel
    weights: Weights
    is_same: bool = False
    """Padding follows from the shapes, as TensorFlow's SAME."""
    padding: Padding | None = None
    """Padding that is already settled."""
    rounding: Rounding | None = None
    resampling: Resampling = Resampling.NONE

    @classmethod
    def of_window(cls, scope: Scope, kind: OpKind) -> Convolution:
        """A convolution over the window of the scope's operator, its weights still to come."""
        window = scope.op.window
        taken = scope.absorbed
        plain = cls(
            kind=kind,
            ifm=scope.ifm,
            ofm=scope.ofm,
            kernel=window.kernel,
            weights=_NO_WEIGHTS,
            is_same=window.is_same,
        )
        if taken is None or taken.ifm is None:
            return plain
        given = scope.map_of(taken.input_id(0))
        ifm = scope.draft.view(given, taken.ifm.shape, plain.ifm.quant)
        return replace(plain, ifm=ifm, padding=padding_of_both(taken, scope.op))

    @property
    def settled_padding(self) -> Padding:
        """The padding that the hardware is to apply."""
        if self.padding is not None:
            return self.padding
        if self.is_same:
            return same_padding(self.ifm.shape.h, self.ifm.shape.w, self.kernel)
        return Padding()


_NO_WEIGHTS = Weights(
    values=ConstData.of(np.zeros(0, np.int8)),
    scales=(),
    zero_points=(),
    bias=ConstData.of(np.zeros(0, np.int32)),
)


def weights_of(scope: Scope, array: npt.NDArray[Any]) -> Weights:
    """The operator's weights in OHWI order, with zeros for a bias that the file leaves out."""
    tensor = scope.op.weights
    if tensor is None or tensor.quantization is None:
        raise InternalError(f"'{scope.op.name}' has no quantised weights")
    bias = values(scope.op.bias)
    return Weights(
        values=ConstData.of(array),
        scales=tensor.quantization.scales,
        zero_points=tensor.quantization.zero_points or (0,),
        bias=zero_bias(scope, array.shape[0]) if bias is None else ConstData.of(bias.reshape(-1)),
    )


def zero_bias(scope: Scope, depth: int) -> ConstData:
    """A bias of zeros in the type in which the operator sums."""
    return ConstData.of(np.zeros(depth, scope.op.sum_type.numpy))


def stored_weights(scope: Scope, shape: Sequence[int] | None = None) -> npt.NDArray[Any]:
    """The weights as the file has them, perhaps in another shape."""
    array = values(scope.op.weights)
    if array is None:
        raise InternalError(f"'{scope.op.name}' has no constant weights")
    return array if shape is None else array.reshape(tuple(shape))
