"""A grouped convolution becomes one convolution for each group.

a -> CONV_2D (groups) -> b      becomes   a[first channels]  -> CONV_2D -> copy -> b[first part]
                                          a[second channels] -> CONV_2D -> copy -> b[second part]
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import Weights
from core.lower.rewrites.convolution import Convolution
from core.lower.rewrites.copying import copy_into
from core.lower.rewrites.windowed import emit_convolution
from core.lower.scope import Scope


def group_count(convolution: Convolution) -> int:
    """How many groups the channels fall into."""
    return convolution.ifm.shape.c // convolution.weights.values.shape[3]


def emit_groups(scope: Scope, convolution: Convolution) -> None:
    """Add each group's convolution, and the copies that join their results."""
    groups = group_count(convolution)
    depth_in = convolution.ifm.shape.c // groups
    depth_out = convolution.weights.values.shape[0] // groups
    parts = []
    for group in range(groups):
        taken = convolution.ifm.shape.with_depth(depth_in)
        source = replace(convolution.ifm, offset=Shape4(0, 0, 0, group * depth_in), extent=taken)
        part = scope.temporary(f"in{group}", taken, scope.dtype(source), source.quant)
        scope.emit_slice(source, part)
        made = convolution.ofm.shape.with_depth(depth_out)
        result = scope.temporary(
            f"out{group}", made, scope.dtype(convolution.ofm), convolution.ofm.quant
        )
        channels = slice(group * depth_out, (group + 1) * depth_out)
        weights = _some_channels(convolution.weights, channels)
        emit_convolution(
            scope,
            replace(convolution, ifm=part, ofm=result, weights=weights),
            f"group{group}",
        )
        parts.append(result)
    for group, part in enumerate(parts):
        copy_into(
            scope,
            part,
            convolution.ofm,
            Shape4(0, 0, 0, group * depth_out),
            f"join{group}",
        )


def _some_channels(weights: Weights, channels: slice) -> Weights:
    return Weights(
        values=ConstData.of(weights.values.array[channels]),
        scales=weights.scales[channels] if len(weights.scales) > 1 else weights.scales,
        zero_points=(
            weights.zero_points[channels] if len(weights.zero_points) > 1 else weights.zero_points
        ),
        bias=ConstData.of(weights.bias.array[channels]),
    )
