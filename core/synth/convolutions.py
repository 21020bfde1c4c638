"""Operators with weights: convolutions and what is computed like one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.dtype import DType
from core.base.frozen import Frozen
from core.base.geometry import NO_PADDING, same_padding
from core.ir.network import Table
from core.synth.activations import clipped, fused
from core.synth.draws import Array, Integers
from core.synth.folding import bias, fold, unsigned_weights, weights
from core.synth.graph import Constant, Graph, Result, Value, integers, table
from core.synth.windows import Window, window

POINT = window()
TWICE = window(2, stride=2)

_UNSIGNED_REACH = 121
"""Unsigned weights stay this near to their zero point, so that it may lie off the middle."""


class _Layer(Frozen):
    """A layer with weights, and the sums over its integer weights for each sample."""

    kind: str
    options: Table
    source: Value
    stored: Integers
    sums: tuple[Array, ...]
    per_channel: bool
    gain: float
    activation: str = "NONE"
    channel_axis: int = 0
    bias_type: DType | None = None
    """Where it is not the one that files have for the source's type."""
    leading: tuple[Constant, ...] = ()


class Convolutions(Graph):
    """Builders of convolutions, depthwise and transposed ones, and fully connected layers."""

    def conv(
        self,
        image: Value,
        channels: int,
        over: Window = POINT,
        activation: str = "RELU",
        *,
        per_channel: bool = True,
        gain: float = 1.0,
        sums: DType | None = None,
    ) -> Value:
        """CONV_2D over an NHWC image; `sums` is a type of bias that the options name."""
        shape = (channels, over.kernel.h, over.kernel.w, image.shape[3])
        stored = self._stored(image, shape, 0)
        options = over.options() | over.dilations()
        layer = _Layer(
            kind="CONV_2D",
            options=table("Conv2DOptions", options | fused(activation) | summed(sums)),
            source=image,
            stored=stored,
            sums=tuple(convolved(sample, stored, over) for sample in self.samples(image)),
            per_channel=per_channel,
            gain=gain,
            activation=activation,
            bias_type=sums,
        )
        return self._weighted(layer)

    def depthwise(
        self,
        image: Value,
        over: Window = POINT,
        activation: str = "RELU",
        *,
        multiplier: int = 1,
        per_channel: bool = True,
        gain: float = 1.0,
    ) -> Value:
        """DEPTHWISE_CONV_2D over an NHWC image."""
        shape = (1, over.kernel.h, over.kernel.w, image.shape[3] * multiplier)
        stored = self._stored(image, shape, 3)
        options = over.options() | over.dilations() | fused(activation)
        layer = _Layer(
            kind="DEPTHWISE_CONV_2D",
            options=table("DepthwiseConv2DOptions", options | {"depth_multiplier": multiplier}),
            source=image,
            stored=stored,
            sums=tuple(depthwise_convolved(each, stored, over) for each in self.samples(image)),
            per_channel=per_channel,
            gain=gain,
            activation=activation,
            channel_axis=3,
        )
        return self._weighted(layer)

    def fully_connected(
        self,
        rows: Value,
        units: int,
        activation: str = "NONE",
        *,
        per_channel: bool = False,
        gain: float = 1.0,
        sums: DType | None = None,
    ) -> Value:
        """FULLY_CONNECTED over all but the first axis; `sums` as in a convolution."""
        depth = int(np.prod(rows.shape[1:]))
        stored = self._stored(rows, (units, depth), 0)
        layer = _Layer(
            kind="FULLY_CONNECTED",
            options=table("FullyConnectedOptions", fused(activation) | summed(sums)),
            source=rows,
            stored=stored,
            sums=tuple(each.reshape(-1, depth) @ stored.T for each in self.samples(rows)),
            per_channel=per_channel,
            gain=gain,
            activation=activation,
            bias_type=sums,
        )
        return self._weighted(layer)

    def fully_connected_of(self, rows: Value, matrix: Value, activation: str = "NONE") -> Value:
        """FULLY_CONNECTED whose weights are computed, a row of the matrix for each unit."""
        return self.apply(
            "FULLY_CONNECTED",
            (rows, matrix),
            lambda given, weights: clipped(given @ weights.T, activation),
            table("FullyConnectedOptions", fused(activation)),
        )

    def transpose_conv(
        self,
        image: Value,
        channels: int,
        over: Window = TWICE,
        *,
        per_channel: bool = True,
        gain: float = 1.0,
        sums: DType | None = None,
    ) -> Value:
        """TRANSPOSE_CONV that enlarges an NHWC image by the stride; `sums` as in a convolution."""
        shape = (channels, over.kernel.h, over.kernel.w, image.shape[3])
        stored = self._stored(image, shape, 0)
        made = tuple(transpose_convolved(each, stored, over) for each in self.samples(image))
        layer = _Layer(
            kind="TRANSPOSE_CONV",
            options=table("TransposeConvOptions", over.options() | summed(sums)),
            source=image,
            stored=stored,
            sums=made,
            per_channel=per_channel,
            gain=gain,
            bias_type=sums,
            leading=(integers("output_shape", made[0].shape),),
        )
        return self._weighted(layer)

    def batch_matmul(self, left: Value, right: Value) -> Value:
        """BATCH_MATMUL of the last two axes of two activations."""
        options = table("BatchMatMulOptions", {"adj_x": False, "adj_y": False})
        return self.apply("BATCH_MATMUL", (left, right), np.matmul, options)

    def _stored(self, source: Value, shape: Sequence[int], channel_axis: int) -> Integers:
        stored = self.draws.clustered(shape, channel_axis)
        if self.dtype_of(source) is DType.UINT8:
            return np.clip(stored, -_UNSIGNED_REACH, _UNSIGNED_REACH)
        return stored

    def _weighted(self, layer: _Layer) -> Value:
        unsigned = self.dtype_of(layer.source) is DType.UINT8
        per_channel = layer.per_channel and not unsigned
        folding = fold(self.draws, layer.sums, per_channel=per_channel, gain=layer.gain)
        if unsigned:
            zero_point = self.draws.integer(_UNSIGNED_REACH, 255 - _UNSIGNED_REACH)
            scale = float(folding.scales[0])
            kernel = unsigned_weights("weights", layer.stored, scale, zero_point)
        else:
            axis = layer.channel_axis if per_channel else 0
            kernel = weights("weights", layer.stored, folding.scales, axis, per_channel=per_channel)
        usual = DType.INT64 if self.dtype_of(layer.source) is DType.INT16 else DType.INT32
        stored = layer.bias_type or usual
        offsets = bias(layer.source, folding, stored, per_channel=per_channel)
        results = tuple(clipped(folding.of(sums), layer.activation) for sums in layer.sums)
        given = (
            (kernel, layer.source, offsets) if layer.leading else (layer.source, kernel, offsets)
        )
        result = Result(samples=results, dtype=self.dtype_of(layer.source))
        return self.emit(layer.kind, (*layer.leading, *given), (result,), layer.options)[0]


def summed(bias_type: DType | None) -> dict[str, int]:
    """The option that names the type of a bias, which is that of the sums."""
    return {} if bias_type is None else {"quantized_bias_type": bias_type.code}


def convolved(image: Array, stored: Integers, over: Window) -> Array:
    """Sums of a convolution with OHWI weights, padded with zeros."""
    sums = (tap @ stored[:, y, x, :].T for y, x, tap in over.taps(image))
    return np.asarray(sum(sums), np.float64)


def depthwise_convolved(image: Array, stored: Integers, over: Window) -> Array:
    """Sums of a depthwise convolution; each input channel feeds adjacent output channels."""
    spread = np.repeat(image, stored.shape[3] // image.shape[3], axis=3)
    sums = (tap * stored[0, y, x] for y, x, tap in over.taps(spread))
    return np.asarray(sum(sums), np.float64)


def transpose_convolved(image: Array, stored: Integers, over: Window) -> Array:
    """Sums of a transposed convolution: each input element paints a kernel on the output."""
    kernel = over.kernel
    batch, height, width, _ = image.shape
    canvas_rows = height * kernel.stride_h + kernel.h
    canvas_columns = width * kernel.stride_w + kernel.w
    canvas = np.zeros((batch, canvas_rows, canvas_columns, stored.shape[0]))
    for y in range(kernel.h):
        for x in range(kernel.w):
            painted = canvas[
                :,
                y : y + (height - 1) * kernel.stride_h + 1 : kernel.stride_h,
                x : x + (width - 1) * kernel.stride_w + 1 : kernel.stride_w,
            ]
            painted += image @ stored[:, y, x, :].T
    rows, columns = height * kernel.stride_h, width * kernel.stride_w
    pad = NO_PADDING
    if over.same:
        pad = same_padding(rows, columns, kernel)
    else:
        rows += max(kernel.h - kernel.stride_h, 0)
        columns += max(kernel.w - kernel.stride_w, 0)
    return canvas[:, pad.top : pad.top + rows, pad.left : pad.left + columns]
