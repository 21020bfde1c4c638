"""A stride along the width becomes depth: neighbouring columns are read as one of more channels.

    ifm 1x8x8x3, kernel 3x3, stride 2x2      becomes   ifm 1x8x4x6, kernel 3x2, stride 2x1

The bytes of the input stay where they are. The hardware steps by at most three columns, and it
reads a first layer of few channels badly: both get better. Kernels are widened with zeros where the
folded columns do not divide them.
"""

from __future__ import annotations

import numpy as np

from core.base.frozen import replace
from core.base.geometry import Shape4, total_padding
from core.ir.constdata import ConstData
from core.ir.npugraph import OpKind, Weights
from core.lower.rewrites.convolution import Convolution
from core.lower.strides import columns_to_fold

MOST_CHANNELS_WORTH_FOLDING = 8
"""Beyond these the input's bricks are filled well enough."""


def fold_width_stride(
    convolution: Convolution, longest_stride: int, *, is_first: bool
) -> Convolution:
    """The same convolution with a short stride, where folding is possible and pays."""
    is_long = convolution.kernel.stride_w > longest_stride
    if convolution.kind is not OpKind.CONV_2D or not (is_first or is_long):
        return convolution
    return _fold(convolution, is_long=is_long)


def _fold(convolution: Convolution, *, is_long: bool) -> Convolution:
    shape, kernel = convolution.ifm.shape, convolution.kernel
    columns = columns_to_fold(shape.w, kernel.stride_w)
    pays = shape.c * columns <= MOST_CHANNELS_WORTH_FOLDING or is_long
    if kernel.stride_w == 1 or columns == 1 or not pays or convolution.padding is not None:
        return convolution
    stride = kernel.stride_w // columns
    left, right = _zeros_beside_kernel(convolution, columns, stride)
    if convolution.is_same:
        before = total_padding(shape.w, kernel.stride_w, kernel.w)
        after = total_padding(shape.w // columns, stride, (kernel.w + 1 + left + right) // columns)
        if before != after:
            return convolution
    width = (kernel.w + left + right) // columns
    folded = Shape4(shape.n, shape.h, shape.w // columns, shape.c * columns)
    return replace(
        convolution,
        ifm=replace(convolution.ifm, shape=folded),
        kernel=replace(kernel, w=width, stride_w=stride),
        weights=widened(convolution.weights, left, right, columns),
    )


def _zeros_beside_kernel(convolution: Convolution, columns: int, stride: int) -> tuple[int, int]:
    """Columns of zeros that keep the kernel where it was, so that the padding stays the same."""
    shape, kernel = convolution.ifm.shape, convolution.kernel
    padding = total_padding(shape.w, kernel.stride_w, kernel.w) if convolution.is_same else 0
    if not padding:
        return 0, -kernel.w % columns
    rest = (shape.w // columns) % stride
    divides = shape.w % kernel.stride_w == 0
    zeros = (padding + (stride if divides else rest)) * columns - kernel.w
    if kernel.w % columns and zeros == 0:
        return 0, -kernel.w % columns
    left = zeros // padding * (padding // 2)
    return left, zeros - left


def widened(weights: Weights, left: int, right: int, columns: int) -> Weights:
    """Weights with columns of zeros beside them, and each few columns as channels of one."""
    taps = weights.values.array
    # Zero is the weights' zero point; of per-channel weights it is always 0.
    zero = weights.zero_points[0] if len(weights.zero_points) == 1 else 0
    wide = np.pad(taps, ((0, 0), (0, 0), (left, right), (0, 0)), constant_values=zero)
    outputs, height, width, depth = wide.shape
    folded = wide.reshape(outputs, height, width // columns, depth * columns)
    return replace(weights, values=ConstData.of(folded))
