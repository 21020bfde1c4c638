"""Brick order: the order in which the hardware wants the weights of one core and depth slice.

From the outside in: blocks of output channels, blocks of input channels, sub-kernels, and inside
those micro-blocks of output and input channels, tap by tap. Whatever lies outside the kernel or
the channels is a zero that is stored. Facts as the ecosystem's open-source codec has them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.base.geometry import Kernel, ceil_div, round_up
from core.target.accelerator import Accelerator
from core.target.unit import Unit
from core.target.weight_format import WeightFormat

Weights16 = npt.NDArray[np.int16]
Indices = npt.NDArray[np.intp]


class BrickShape(Frozen):
    """All that brick order depends on beside the weights themselves."""

    unit: Unit
    ifm_ublock_depth: int
    ofm_ublock_depth: int
    block_depth: int
    ifm_bits: int
    is_part_kernel: bool
    subkernel_h: int
    subkernel_w: int
    format: WeightFormat

    @classmethod
    def of(
        cls,
        accelerator: Accelerator,
        unit: Unit,
        kernel: Kernel,
        *,
        ifm_bits: int,
        block_depth: int,
        is_part_kernel: bool,
    ) -> BrickShape:
        """The order on an accelerator, for blocks that are so deep on one of its cores."""
        rows, columns = accelerator.family.max_subkernel
        return cls(
            unit=unit,
            ifm_ublock_depth=accelerator.ifm_ublock.c,
            ofm_ublock_depth=accelerator.ofm_ublock.c,
            block_depth=block_depth,
            ifm_bits=ifm_bits,
            is_part_kernel=is_part_kernel and unit is not Unit.DEPTHWISE,
            subkernel_h=rows // kernel.dilation_h,
            subkernel_w=columns // kernel.dilation_w,
            format=accelerator.family.weights,
        )

    @property
    def is_depthwise(self) -> bool:
        """Whether each output channel has weights for one input channel only."""
        return self.unit is Unit.DEPTHWISE

    @property
    def ifm_block_depth(self) -> int:
        """Input channels in one block."""
        is_short = self.is_part_kernel or self.ifm_bits == 16
        return self.format.short_ifm_block_depth if is_short else self.format.ifm_block_depth

    @property
    def tap_multiple(self) -> int:
        """Taps of a sub-kernel are filled up to a multiple of this."""
        if self.is_depthwise:
            return self.format.depthwise_taps
        if self.is_part_kernel:
            is_wide = self.ifm_bits == 16
            return self.format.wide_part_kernel_taps if is_wide else self.format.part_kernel_taps
        return 1


class Laid(Frozen, eq=False):
    """Weights in the order of taps and input channels, which no block, core or slice changes."""

    shape: BrickShape
    pieces: tuple[tuple[Weights16, ...], ...]
    """By group of input blocks and sub-kernel: arrays by output channel, input block, what is
    walked outside the micro-blocks of outputs, what inside of them, and place; of one channel
    more than there are, which is 0."""

    @classmethod
    def of(cls, weights: Weights16, shape: BrickShape) -> Laid:
        """Weights in OHWI order and free of zero points; the depth of blocks does not matter."""
        depth, height, width, channels = weights.shape
        # A row, tap and channel of zeros more than there are: what is outside is taken from there.
        padded = np.zeros((depth + 1, height * width + 1, channels + 1), dtype=np.int16)
        padded[:-1, :-1, :-1] = weights.reshape(depth, height * width, channels)
        taps = _subkernel_taps(height, width, shape)
        return cls(
            shape=shape,
            pieces=tuple(
                tuple(_piece(padded, tap, group, shape) for tap in taps)
                for group in _ifm_groups(channels, shape)
            ),
        )

    def order(self, channels: range, block_depth: int) -> Weights16:
        """Some output channels in brick order, in blocks that are so deep."""
        outside = self.pieces[0][0].shape[0] - 1
        table = np.array([*channels, outside])
        parts = []
        for rows in _ofm_rows(len(channels), block_depth, self.shape.ofm_ublock_depth):
            blocks = [
                _joined([_of_rows(piece, table[rows]) for piece in pieces], axis=2)
                for pieces in self.pieces
            ]
            flat = [block.reshape(rows.shape[0], -1) for block in blocks]
            parts.append(_joined(flat, axis=1).ravel())
        return _joined(parts, axis=0)


def brick_order(weights: Weights16, shape: BrickShape) -> Weights16:
    """Weights of one core and slice, in OHWI order and free of zero points, in brick order."""
    return Laid.of(weights, shape).order(range(weights.shape[0]), shape.block_depth)


def _piece(padded: Weights16, taps: Indices, group: Indices, shape: BrickShape) -> Weights16:
    """One sub-kernel of a group of input blocks."""
    taken = padded[:, taps.reshape(-1, 1), group.ravel()]
    axes = taken.reshape(padded.shape[0], taps.size, *group.shape)
    blocks, ublocks, ublock = group.shape
    walk, outside = ((0, 2, 3, 1, 4), ublocks) if shape.is_part_kernel else ((0, 2, 1, 3, 4), 1)
    laid = np.ascontiguousarray(axes.transpose(walk))
    return laid.reshape(padded.shape[0], blocks, outside, -1, ublock)


def _of_rows(piece: Weights16, rows: Indices) -> Weights16:
    """A piece for blocks of output channels: by output block, input block, and the rest."""
    axes = piece.take(rows.ravel(), axis=0).reshape(*rows.shape, *piece.shape[1:])
    return axes.transpose(0, 3, 4, 1, 5, 2, 6).reshape(rows.shape[0], piece.shape[1], -1)


def _joined(parts: Sequence[Weights16], axis: int) -> Weights16:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)


def _ofm_rows(depth: int, block_depth: int, ublock_depth: int) -> list[Indices]:
    """Output channels by (block, micro-block, place); whole blocks first, then the last one.

    A micro-block that is deeper than its block goes on into the next block's channels.
    """
    whole = depth // block_depth
    groups = [(0, whole, block_depth)] if whole else []
    if depth % block_depth:
        groups.append((whole * block_depth, 1, depth % block_depth))
    rows = []
    for start, blocks, made in groups:
        place = np.arange(round_up(made, ublock_depth))
        table = start + np.arange(blocks)[:, np.newaxis] * block_depth + place
        rows.append(np.minimum(table, depth).reshape(blocks, -1, ublock_depth))
    return rows


def _ifm_groups(channels: int, shape: BrickShape) -> list[Indices]:
    """Input channels by (block, micro-block, place).

    Part-kernel order cuts the last block short, depth-first order fills it up with zeros.
    """
    if shape.is_depthwise:
        return [np.zeros((1, 1, 1), dtype=np.intp)]
    step, ublock = shape.ifm_block_depth, shape.ifm_ublock_depth
    table = np.minimum(np.arange(round_up(channels, step)), channels).reshape(-1, step)
    rest = channels % step
    whole = table[:-1] if shape.is_part_kernel and rest else table
    groups = [whole.reshape(-1, step // ublock, ublock)] if whole.size else []
    if whole.size < table.size:
        groups.append(table[-1, : round_up(rest, ublock)].reshape(1, -1, ublock))
    return groups


def _subkernel_taps(height: int, width: int, shape: BrickShape) -> list[Indices]:
    """For each sub-kernel its taps, row by row, filled up with the tap of zeros."""
    taps = np.arange(height * width).reshape(height, width)
    filled = []
    for top in range(0, height, shape.subkernel_h):
        for left in range(0, width, shape.subkernel_w):
            own = taps[top : top + shape.subkernel_h, left : left + shape.subkernel_w].ravel()
            count = ceil_div(own.size, shape.tap_multiple) * shape.tap_multiple
            filled.append(np.concatenate((own, np.full(count - own.size, height * width))))
    return filled
