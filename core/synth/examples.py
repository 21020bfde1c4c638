"""The example networks: what engineers bring, made from a seed.

They have the structure and the sizes of networks that are deployed; their weights are drawn, not
trained, and calibrated so that activations spread as trained ones do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.base.dtype import DType
from core.ir.network import Network
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.resizing import Corners
from core.synth.windows import window

SEED = 20
"""The seed of the examples that come with the program."""

_LOGIT_GAIN = 2.5
"""Spread of what goes into a softmax, so that several classes get a share."""


def kws_dscnn(seed: int) -> Network:
    """Keyword spotting: a depthwise separable network over 49 frames of 10 coefficients."""
    b = Builder(seed)
    x = b.input((1, 49, 10, 1), -3.0, 3.0)
    b.scope = "stem"
    x = b.conv(x, 64, window((10, 4), 2))
    for at in range(4):
        b.scope = f"block{at + 1}"
        x = b.depthwise(x, window(3))
        x = b.conv(x, 64)
    b.scope = "head"
    x = b.avg_pool(x, window((25, 5), (25, 5), same=False))
    x = b.fully_connected(b.reshape(x, (1, 64)), 12, gain=_LOGIT_GAIN)
    return b.build((b.softmax(x),), "kws_dscnn")


def resnet8(seed: int) -> Network:
    """Image classification: three residual stages over 32 x 32 pixels."""
    b = Builder(seed)
    x = b.input((1, 32, 32, 3))
    b.scope = "stem"
    x = b.conv(x, 16, window(3))
    for at, (channels, stride) in enumerate(((16, 1), (32, 2), (64, 2))):
        b.scope = f"stage{at + 1}"
        short = x if stride == 1 else b.conv(x, channels, window(1, stride), "NONE")
        x = b.conv(x, channels, window(3, stride))
        x = b.conv(x, channels, window(3), "NONE", gain=0.7)
        x = b.add(x, short, "RELU")
    b.scope = "head"
    x = b.avg_pool(x, window(8, 8, same=False))
    x = b.fully_connected(b.reshape(x, (1, 64)), 10, gain=_LOGIT_GAIN)
    return b.build((b.softmax(x),), "resnet8")


_MOBILENET_STAGES = (
    # expansion, channels at full width, blocks, stride of the first
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def mobilenet_v2_035_96(seed: int) -> Network:
    """Image classification: inverted residuals at 0.35 of the full width, 96 x 96 pixels."""
    b = Builder(seed)
    x = b.input((1, 96, 96, 3))
    b.scope = "stem"
    x = b.conv(x, _at_width(32, 0.35), window(3, 2), "RELU6")
    count = 0
    for expansion, full, blocks, first_stride in _MOBILENET_STAGES:
        for at in range(blocks):
            b.scope = f"block{count}"
            stride = first_stride if at == 0 else 1
            x = _inverted_residual(b, x, expansion, _at_width(full, 0.35), stride)
            count += 1
    b.scope = "head"
    x = b.conv(x, 1280, activation="RELU6")
    x = b.mean(x, keep=False)
    x = b.fully_connected(x, 1000, gain=_LOGIT_GAIN)
    return b.build((b.softmax(x),), "mobilenet_v2_035_96")


def unet_128(seed: int) -> Network:
    """Segmentation: a U-Net whose long skip connections wait through the whole depth."""
    b = Builder(seed)
    x = b.input((1, 128, 128, 3))
    skips: list[Value] = []
    for at, channels in enumerate((16, 32, 64)):
        b.scope = f"down{at + 1}"
        x = _double(b, x, channels)
        skips.append(x)
        x = b.max_pool(x, window(2, 2))
    b.scope = "bottom"
    x = _double(b, x, 128)
    for at, channels in enumerate((64, 32, 16)):
        b.scope = f"up{3 - at}"
        x = b.transpose_conv(x, channels, window(2, 2))
        x = _double(b, b.concat((skips.pop(), x)), channels)
    b.scope = "head"
    return b.build((b.conv(x, 4, activation="NONE"),), "unet_128")


def residual_tower(seed: int) -> Network:
    """A residual tower without a pattern: widths, dilations and the length of skips all vary."""
    b = Builder(seed)
    x = b.input((1, 80, 80, 3))
    b.scope = "stem"
    x = b.conv(x, 24, window(5, 2))
    early = x
    b.scope = "wide"
    x = b.conv(x, 48, window(3))
    x = b.depthwise(x, window(3, 1, 2))
    x = b.conv(x, 24, activation="NONE", gain=0.6)
    x = b.add(x, early, "RELU")
    b.scope = "narrow"
    x = b.conv(x, 12)
    left = b.conv(x, 20, window((1, 5)))
    right = b.conv(x, 20, window((5, 1)))
    x = b.concat((left, right, x))
    b.scope = "down"
    pooled = b.max_pool(x, window(3, 2))
    x = b.conv(x, 44, window(3, 2), "NONE")
    x = b.concat((x, pooled))
    late = x
    for at, (channels, dilation) in enumerate(((36, 1), (72, 2), (28, 3))):
        b.scope = f"tower{at}"
        x = b.conv(x, channels, window(3, 1, dilation), "NONE")
        x = b.hard_swish(x) if at % 2 else b.leaky_relu(x)
    b.scope = "merge"
    x = b.conv(x, late.shape[3], activation="NONE", gain=0.7)
    x = b.add(x, late, "RELU")
    b.scope = "gate"
    gate = b.mean(x)
    gate = b.logistic(b.conv(b.conv(gate, 24), x.shape[3], activation="NONE", gain=2.0))
    x = b.mul(x, gate)
    skip = b.conv(b.avg_pool(early, window(2, 2)), x.shape[3], activation="NONE", gain=0.5)
    x = b.add(x, skip, "RELU")
    b.scope = "head"
    x = b.conv(x, 40, window(3, 2))
    x = b.fully_connected(b.mean(x, keep=False), 20, gain=_LOGIT_GAIN)
    return b.build((b.softmax(x),), "residual_tower")


def shuffle_with_cpu(seed: int) -> Network:
    """A channel shuffle in the middle, which stays on the CPU between two parts on the NPU."""
    b = Builder(seed)
    x = b.input((1, 64, 64, 3))
    b.scope = "stem"
    x = b.conv(x, 24, window(3, 2))
    x = b.max_pool(x, window(3, 2))
    b.scope = "before"
    x = b.conv(x, 32)
    left, right = b.split(x, 2, 3)
    right = b.conv(b.depthwise(b.conv(right, 16), window(3), "NONE"), 16)
    x = b.concat((left, right))
    b.scope = "shuffle"
    # Two groups of sixteen channels are dealt out one by one.
    x = b.gather(x, [group * 16 + at for at in range(16) for group in range(2)], 3)
    b.scope = "after"
    left, right = b.split(x, 2, 3)
    right = b.conv(b.depthwise(b.conv(right, 16), window(3), "NONE"), 16)
    x = b.concat((left, right))
    b.scope = "head"
    x = b.conv(x, 96, window(1, 2))
    x = b.fully_connected(b.mean(x, keep=False), 10, gain=_LOGIT_GAIN)
    return b.build((b.softmax(x),), "shuffle_with_cpu")


def camera_and_motion(seed: int) -> Network:
    """Two inputs, an image and motion data, and two outputs, a class for each cell and a pose."""
    b = Builder(seed)
    image = b.input((1, 64, 64, 3))
    motion = b.input((1, 32, 6), -4.0, 4.0)
    b.scope = "camera"
    x = b.conv(image, 16, window(3, 2))
    x = b.conv(b.depthwise(x, window(3, 2)), 32)
    x = b.conv(b.depthwise(x, window(3)), 48)
    b.scope = "motion"
    m = b.conv(b.reshape(motion, (1, 1, 32, 6)), 24, window((1, 5), (1, 2)))
    m = b.conv(m, 32, window((1, 5), (1, 2)))
    m = b.tanh(b.conv(b.mean(m), 48, activation="NONE"))
    b.scope = "fusion"
    x = b.add(b.mul(x, m), x, "RELU")
    b.scope = "cells"
    cells = b.conv(b.resize_bilinear(x, (32, 32), Corners.HALF_PIXEL), 12, window(3))
    cells = b.logistic(b.conv(cells, 5, activation="NONE", gain=2.0))
    b.scope = "pose"
    pose = b.conv(x, 64, window(3, 2))
    pose = b.fully_connected(b.reshape(pose, (1, 8 * 8 * 64)), 32, "RELU")
    pose = b.fully_connected(pose, 6)
    return b.build((cells, pose), "camera_and_motion")


def denoise_int16(seed: int) -> Network:
    """Speech enhancement in 16 bits: a mask over 32 frames of 64 bands, applied to the input."""
    b = Builder(seed, DType.INT16)
    spectrum = b.input((1, 32, 64, 1), -8.0, 8.0)
    b.scope = "encode"
    x = b.conv(spectrum, 16, window((3, 5), (1, 2)))
    outer = x
    x = b.conv(b.depthwise(x, window(3)), 32, window(1, (1, 2)))
    for at, dilation in enumerate((1, 2, 4)):
        b.scope = f"context{at + 1}"
        y = b.depthwise(x, window((3, 3), 1, (dilation, 1)))
        y = b.conv(y, 32, activation="NONE", gain=0.6)
        x = b.add(x, y, "RELU")
    b.scope = "decode"
    x = b.transpose_conv(x, 16, window(2, 2))
    x = b.strided_slice(x, (0, 0, 0, 0), (1, 64, 32, 16), (1, 2, 1, 1))
    x = b.conv(b.concat((x, outer)), 16, window(3))
    x = b.transpose_conv(b.leaky_relu(x), 1, window(2, 2), gain=1.2)
    mask = b.logistic(b.max_pool(x, window((2, 1), (2, 1))))
    b.scope = "apply"
    return b.build((b.mul(spectrum, mask),), "denoise_int16")


EXAMPLES: Mapping[str, Callable[[int], Network]] = MappingProxyType(
    {
        make.__name__: make
        for make in (
            kws_dscnn,
            resnet8,
            mobilenet_v2_035_96,
            unet_128,
            residual_tower,
            shuffle_with_cpu,
            camera_and_motion,
            denoise_int16,
        )
    }
)


def _at_width(channels: int, width: float) -> int:
    """Channels at a share of the full width: a multiple of 8 that loses at most a tenth."""
    wanted = channels * width
    rounded = max(8, int(wanted + 4) // 8 * 8)
    return rounded if rounded >= 0.9 * wanted else rounded + 8


def _inverted_residual(b: Builder, x: Value, expansion: int, channels: int, stride: int) -> Value:
    y = x if expansion == 1 else b.conv(x, x.shape[3] * expansion, activation="RELU6")
    y = b.depthwise(y, window(3, stride), "RELU6")
    y = b.conv(y, channels, activation="NONE")
    return b.add(x, y) if y.shape == x.shape else y


def _double(b: Builder, x: Value, channels: int) -> Value:
    return b.conv(b.conv(x, channels, window(3)), channels, window(3))
