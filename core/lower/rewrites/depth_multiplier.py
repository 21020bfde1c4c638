"""A depthwise convolution that makes several channels of each.

few channels              becomes   CONV_2D, whose weights are zero for all channels but one
a of C, m times           becomes   a[16 channels] -> CONV_2D of ones and zeros -> w[16m channels],
                                    w -> DEPTHWISE_CONV_2D

The first multiplies more, most of it by zero; the second keeps the channels once for each time.
"""

from __future__ import annotations

import numpy as np

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import OpKind, View, Weights
from core.lower.rewrites.convolution import Convolution
from core.lower.rewrites.copying import along
from core.lower.rewrites.unit_weights import bias_of
from core.lower.scope import IDENTITY, Scope

_FEW_CHANNELS = 8
"""They take as long to multiply as one does."""
_GROUP = 16
_DEPTH = 3


def with_channels_apart(scope: Scope, convolution: Convolution) -> Convolution:
    """The same convolution with one filter for each channel, or with full ones."""
    given, made = convolution.ifm.shape.c, convolution.ofm.shape.c
    if given == made:
        return convolution
    if given <= _FEW_CHANNELS:
        return replace(convolution, kind=OpKind.CONV_2D, weights=_full(convolution.weights, given))
    wide = _widened(scope, convolution.ifm, made // given)
    return replace(convolution, ifm=wide)


def _full(weights: Weights, given: int) -> Weights:
    """Filters over all channels, of which one counts."""
    taps = weights.values.array
    made = taps.shape[0]
    zero_points = np.array(weights.zero_points, taps.dtype).reshape(-1, 1, 1, 1)
    full = np.empty((*taps.shape[:3], given), taps.dtype)
    full[:] = zero_points
    full[np.arange(made), :, :, np.arange(made) // (made // given)] = taps[..., 0]
    return replace(weights, values=ConstData.of(full))


def _widened(scope: Scope, ifm: View, times: int) -> View:
    """Each channel so many times, one after the other."""
    quant, dtype = ifm.quant or IDENTITY, scope.dtype(ifm)
    shape = ifm.shape.with_depth(ifm.shape.c * times)
    wide = scope.temporary("wide", shape, dtype, quant)
    for first in range(0, ifm.shape.c, _GROUP):
        taken = min(_GROUP, ifm.shape.c - first)
        scope.emit(
            OpKind.CONV_2D,
            _channels(ifm, first, taken),
            _channels(wide, first * times, taken * times),
            f"wide{first}",
            weights=_repeating(taken, times, bias_of(dtype, taken * times)),
        )
    return wide


def _channels(view: View, first: int, count: int) -> View:
    if count == view.shape.c:
        return view
    extent: Shape4 = view.shape.with_depth(count)
    return replace(view, offset=along(_DEPTH, first), extent=extent)


def _repeating(given: int, times: int, bias: np.ndarray) -> Weights:
    ones = np.repeat(np.eye(given, dtype=np.uint8), times, axis=0)
    return Weights(
        values=ConstData.of(ones.reshape(given * times, 1, 1, given)),
        scales=(1.0,),
        zero_points=(0,),
        bias=ConstData.of(bias),
    )
