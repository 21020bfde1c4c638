"""A convolution of patches that touch each other: rows of a patch become channels.

ifm 64x8x24, kernel 8x1, stride 8x1      becomes   rows 0, 8, 16, ... -> COPY -> p[first channels]
                                                   rows 1, 9, 17, ... -> COPY -> p[next channels]
                                                   p 8x8x192, kernel 1x1

One by one, rows of patches would read all weights again.
"""

from __future__ import annotations

import numpy as np

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import LinearReason, OpKind, Weights
from core.lower.rewrites.convolution import Convolution
from core.lower.rewrites.copying import copy_into
from core.lower.scope import Scope


def with_rows_as_channels(scope: Scope, convolution: Convolution) -> Convolution:
    """The same convolution with kernels of one row, after the copies that this takes; as it is
    where its stride is one that the hardware has, or its patches overlap."""
    if not _has_patches(scope, convolution):
        return convolution
    ifm, rows = convolution.ifm, convolution.kernel.h
    read = Shape4(ifm.shape.n, convolution.ofm.shape.h, ifm.shape.w, ifm.shape.c)
    deep = read.with_depth(rows * read.c)
    patches = scope.temporary("patches", deep, scope.dtype(ifm), ifm.quant)
    scope.draft.must_be_linear(ifm.fm, LinearReason.READ_IN_STEPS)
    for row in range(rows):
        taken = replace(ifm, offset=Shape4(0, row, 0, 0), extent=read, step_h=rows)
        copy_into(scope, taken, patches, Shape4(0, 0, 0, row * read.c), f"patches{row}")
    return replace(
        convolution,
        ifm=patches,
        kernel=replace(convolution.kernel, h=1, stride_h=1),
        weights=_with_rows_as_channels(convolution.weights),
    )


def _has_patches(scope: Scope, convolution: Convolution) -> bool:
    kernel, padding = convolution.kernel, convolution.settled_padding
    is_long = kernel.stride_h > scope.limits.longest_stride and convolution.ofm.shape.h > 1
    touches = kernel.h == kernel.stride_h and kernel.dilation_h == 1
    is_plain = convolution.kind is OpKind.CONV_2D and padding.top == padding.bottom == 0
    deep = kernel.h * convolution.ifm.shape.c
    return is_long and touches and is_plain and deep <= scope.limits.greatest_dimension


def _with_rows_as_channels(weights: Weights) -> Weights:
    taps = weights.values.array
    outputs, height, width, depth = taps.shape
    rows_last = np.moveaxis(taps, 1, 2).reshape(outputs, 1, width, height * depth)
    return replace(weights, values=ConstData.of(np.ascontiguousarray(rows_last)))
