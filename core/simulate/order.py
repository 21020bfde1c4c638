"""Where each weight of a stream belongs: the inverse of the order in which hardware reads weights.

From the outside in: blocks of output channels, blocks of input channels, parts of the kernel, and
inside those micro-blocks of channels, tap by tap. What belongs nowhere is there to fill up.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.base.frozen import NamedTuple
from core.base.geometry import ceil_div, round_up
from core.target.weight_format import WeightFormat

Indices = npt.NDArray[np.int64]

_NOWHERE = -1


class StreamShape(NamedTuple):
    """The weights of one core, and all that their order depends on."""

    depth: int
    height: int
    width: int
    channels: int
    block_depth: int
    ofm_ublock: int
    ifm_ublock: int
    ifm_bits: int
    subkernel_h: int
    subkernel_w: int
    is_depthwise: bool
    is_part_kernel: bool
    format: WeightFormat

    @property
    def input_step(self) -> int:
        """Input channels in a block."""
        if self.is_part_kernel or self.ifm_bits == 16:
            return self.format.short_ifm_block_depth
        return self.format.ifm_block_depth

    @property
    def tap_multiple(self) -> int:
        """Taps in a part of the kernel are filled up to a multiple of this."""
        if self.is_depthwise:
            return self.format.depthwise_taps
        if self.is_part_kernel and self.ifm_bits == 16:
            return self.format.wide_part_kernel_taps
        if self.is_part_kernel:
            return self.format.part_kernel_taps
        return 1


def places(shape: StreamShape) -> Indices:
    """By position in the stream: the weight's index in OHWI order, or -1."""
    whole, rest = divmod(shape.depth, shape.block_depth)
    found = []
    if whole:
        starts = np.arange(whole) * shape.block_depth
        found.append(_blocks(shape, starts, shape.block_depth))
    if rest:
        found.append(_blocks(shape, np.array([whole * shape.block_depth]), rest))
    return np.concatenate(found)


def _blocks(shape: StreamShape, starts: Indices, block_depth: int) -> Indices:
    """Places of whole blocks of output channels, all alike but for where they start."""
    outputs = np.arange(round_up(block_depth, shape.ofm_ublock))
    parts = [
        _part(shape, outputs.reshape(-1, shape.ofm_ublock), inputs, taps)
        for inputs in _input_blocks(shape)
        for taps in _subkernels(shape)
    ]
    local, inner = (np.concatenate(column) for column in zip(*parts, strict=True))
    channel = starts[:, np.newaxis] + local
    weight = channel * (shape.height * shape.width * shape.channels) + inner
    is_real = (channel < shape.depth) & (inner >= 0)
    return np.where(is_real, weight, _NOWHERE).ravel()


def _part(
    shape: StreamShape, outputs: Indices, inputs: Indices, taps: Indices
) -> tuple[Indices, Indices]:
    """Output channels, and places within one, of a part of the kernel and a block of inputs."""
    # Axes from the outside in; the last two are places in micro-blocks.
    if shape.is_part_kernel:
        ifm, ofm, tap = (0, 4), (1, 3), 2
    else:
        ifm, ofm, tap = (2, 4), (0, 3), 1
    i, o, t = _along(inputs, ifm), _along(outputs, ofm), _along(taps, (tap,))
    inner = np.where((i < 0) | (t < 0), _NOWHERE, t * shape.channels + i)
    o, inner = np.broadcast_arrays(o, inner)
    return o.ravel(), inner.ravel()


def _along(values: Indices, axes: tuple[int, ...]) -> Indices:
    """Values with five axes, of which all but some have one element."""
    sizes = [1] * 5
    for axis, size in zip(axes, values.shape, strict=True):
        sizes[axis] = size
    return values.reshape(sizes)


def _input_blocks(shape: StreamShape) -> list[Indices]:
    """Input channels by block: micro-block and place; -1 where there is none."""
    if shape.is_depthwise:
        return [np.zeros((1, 1), np.int64)]
    blocks = []
    for start in range(0, shape.channels, shape.input_step):
        size = shape.input_step
        if shape.is_part_kernel:
            size = round_up(min(size, shape.channels - start), shape.ifm_ublock)
        channel = start + np.arange(size)
        real = np.where(channel < shape.channels, channel, _NOWHERE)
        blocks.append(real.reshape(-1, shape.ifm_ublock))
    return blocks


def _subkernels(shape: StreamShape) -> list[Indices]:
    """The taps of each part of the kernel, row by row, filled up with -1."""
    taps = np.arange(shape.height * shape.width).reshape(shape.height, shape.width)
    parts = []
    for top in range(0, shape.height, shape.subkernel_h):
        for left in range(0, shape.width, shape.subkernel_w):
            own = taps[top : top + shape.subkernel_h, left : left + shape.subkernel_w].ravel()
            size = ceil_div(own.size, shape.tap_multiple) * shape.tap_multiple
            parts.append(np.append(own, np.full(size - own.size, _NOWHERE)))
    return parts
