"""CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV: see `convolution` for what becomes of them."""

from __future__ import annotations

import numpy as np

from core.base.frozen import replace
from core.base.geometry import Kernel, Padding, Resampling
from core.ir.npugraph import OpKind
from core.lower.rewrites.conv_groups import emit_groups, group_count
from core.lower.rewrites.convolution import Convolution, stored_weights, weights_of
from core.lower.rewrites.depth_multiplier import with_channels_apart
from core.lower.rewrites.dilation import dilate_kernel, with_gaps_as_rows
from core.lower.rewrites.patches import with_rows_as_channels
from core.lower.rewrites.width_stride import fold_width_stride
from core.lower.rewrites.windowed import emit_convolution
from core.lower.scope import Scope


def lower_conv2d(scope: Scope) -> None:
    """Lower CONV_2D."""
    plain = Convolution.of_window(scope, OpKind.CONV_2D)
    convolution = replace(plain, weights=weights_of(scope, stored_weights(scope)))
    if scope.freedoms.fewer_operators and _is_depthwise(scope, convolution):
        alone = replace(convolution, kind=OpKind.DEPTHWISE_CONV_2D)
        emit_convolution(scope, _finish(scope, alone))
    elif group_count(convolution) > 1:
        emit_groups(scope, convolution)
    else:
        finished = with_rows_as_channels(scope, _finish(scope, convolution))
        emit_convolution(scope, finished)


def _is_depthwise(scope: Scope, convolution: Convolution) -> bool:
    """Whether each channel is a group of its own, and no stride has to be folded."""
    kernel, channels = convolution.kernel, convolution.ifm.shape.c
    is_short = max(kernel.stride_h, kernel.stride_w) <= scope.limits.longest_stride
    each = group_count(convolution) == channels == convolution.ofm.shape.c
    return each and channels > 1 and is_short


def lower_depthwise(scope: Scope) -> None:
    """Lower DEPTHWISE_CONV_2D."""
    stored = stored_weights(scope)
    values = np.transpose(stored, (3, 1, 2, 0))
    plain = Convolution.of_window(scope, OpKind.DEPTHWISE_CONV_2D)
    convolution = replace(plain, weights=weights_of(scope, values))
    emit_convolution(scope, _finish(scope, with_channels_apart(scope, convolution)))


def lower_transpose_conv(scope: Scope) -> None:
    """Lower TRANSPOSE_CONV: the input is spread with zeros, then convolved with stride 1."""
    window = scope.op.window
    kernel = window.kernel
    is_spread = kernel.stride_h > 1 or kernel.stride_w > 1
    top, bottom = _spread_padding(kernel.h, kernel.stride_h, is_same=window.is_same)
    left, right = _spread_padding(kernel.w, kernel.stride_w, is_same=window.is_same)
    flipped = np.flip(stored_weights(scope), axis=(1, 2))
    emit_convolution(
        scope,
        Convolution(
            kind=OpKind.TRANSPOSE_CONV_2D,
            ifm=scope.ifm,
            ofm=scope.ofm,
            kernel=Kernel(h=kernel.h, w=kernel.w),
            weights=weights_of(scope, flipped),
            padding=Padding(top=top, left=left, bottom=bottom, right=right),
            resampling=Resampling.TRANSPOSE if is_spread else Resampling.NONE,
        ),
    )


def _spread_padding(window: int, stride: int, *, is_same: bool) -> tuple[int, int]:
    """Padding before and after an input that a transposed stride has spread.

    Each input element adds the whole kernel to the output, so without padding the output would be
    longer than the spread input by the window less a step; SAME crops that from both ends.
    """
    beyond = max(window - stride, 0)
    if not is_same:
        return window - 1, beyond
    cropped = beyond // 2
    return window - 1 - cropped, cropped


def _finish(scope: Scope, convolution: Convolution) -> Convolution:
    convolution = _as_fully_connected(convolution)
    # Where shapes are free to choose, the price of the whole operator decides in `folded_widths`.
    is_by_rule = scope.op.ref.op == 0 and not scope.freedoms.folded_shapes
    convolution = fold_width_stride(convolution, scope.limits.longest_stride, is_first=is_by_rule)
    if scope.freedoms.folded_shapes:
        convolution = with_gaps_as_rows(convolution, scope.limits.most_kernel_rows)
    return dilate_kernel(convolution)


def _as_fully_connected(convolution: Convolution) -> Convolution:
    """One element in, one element out: no weight is read twice, so none needs a buffer."""
    shape, kernel = convolution.ifm.shape, convolution.kernel
    is_single = (shape.h, shape.w, kernel.h, kernel.w) == (1, 1, 1, 1)
    if convolution.kind is not OpKind.CONV_2D or not is_single:
        return convolution
    ifm = replace(convolution.ifm, shape=shape.with_hw(1, 1))
    return replace(
        convolution,
        kind=OpKind.FULLY_CONNECTED,
        ifm=ifm,
        kernel=Kernel(),
        is_same=False,
        padding=None,
    )
