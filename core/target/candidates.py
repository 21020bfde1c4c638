"""Candidate blocks of an operator as arrays: which fit, for which heights, widths and depths.

How deep a block of some height and width may be does not depend on the shapes of feature maps, so
it is worked out once for all operators that treat the shared buffer alike, and then looked up.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from core.base.frozen import NamedTuple
from core.base.geometry import Block, Count, Resampling, input_extent, round_up
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig, BlockQuery
from core.target.shram import Accumulator, SharedBuffer, Sharing

SPLIT_DEPTH = 16
"""A block that does not reach the last channel is a multiple of this: one brick of channels."""

_MEMO_SIZE = 1 << 10

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Demand(NamedTuple):
    """What an operator asks of the shared buffer, apart from the size of its blocks."""

    accelerator: Accelerator
    stride_h: int
    stride_w: int
    window_h: int
    window_w: int
    resampling: Resampling
    ifm_bits: int
    ifm_depth: int | None
    """Depth of an input block; None where it is that of the output block."""
    sharing: Sharing
    accumulator: Accumulator
    uses_table: bool
    is_squeezed: bool
    """Accumulators are taken for one row only, though micro-blocks have two."""

    @classmethod
    def of(cls, accelerator: Accelerator, query: BlockQuery, *, is_part_kernel: bool) -> Demand:
        """The demand of an operator that takes its weights in the order given."""
        kernel, (most_h, most_w) = query.kernel, accelerator.family.max_subkernel
        is_row = query.ofm.h == 1 and kernel.h == 1
        return cls(
            accelerator=accelerator,
            stride_h=kernel.stride_h,
            stride_w=kernel.stride_w,
            window_h=min(kernel.dilated_h, most_h),
            window_w=min(kernel.dilated_w, most_w),
            resampling=query.resampling,
            ifm_bits=query.ifm_bits,
            ifm_depth=None
            if query.has_equal_depth
            else _ifm_depth(accelerator, query, is_part_kernel=is_part_kernel),
            sharing=query.sharing,
            accumulator=query.accumulator,
            uses_table=query.uses_table,
            is_squeezed=is_row and accelerator.ofm_ublock.h == 2,
        )

    @property
    def buffer(self) -> SharedBuffer:
        """Where blocks have to fit."""
        return self.accelerator.shared_buffer

    def ifm_height(self, heights: Count) -> Count:
        """Rows of input for blocks of these heights."""
        rows = input_extent(heights, self.stride_h, self.window_h, self.resampling)
        return round_up(rows, self.accelerator.ofm_ublock.h)

    def ifm_width(self, widths: Count) -> Count:
        """Columns of input for blocks of these widths."""
        columns = input_extent(widths, self.stride_w, self.window_w, self.resampling)
        return round_up(columns, self.accelerator.ofm_ublock.w)

    def banks(self, ifm_area: Count, ofm_area: Count, depth: Count) -> tuple[Count, Count]:
        """Banks for the first input, and for what lies beside it."""
        ifm_depth = depth if self.ifm_depth is None else depth * 0 + self.ifm_depth
        ifm = self.buffer.ifm_banks(ifm_area, ifm_depth, self.ifm_bits)
        match self.sharing:
            case Sharing.ACCUMULATORS:
                return ifm, self.buffer.accumulator_banks(ofm_area, depth, self.accumulator)
            case Sharing.SECOND_INPUT:
                return ifm, ifm
            case Sharing.NOTHING:
                return ifm, ifm * 0

    @property
    def room(self) -> int:
        """Banks that a block can use."""
        end = self.buffer.end_of_blocks(uses_table=self.uses_table)
        return end - self.buffer.output_banks

    def config(self, block: Block, *, is_part_kernel: bool) -> BlockConfig | None:
        """The config with this block, or None where it does not fit."""
        h, w, c = block
        ifm_h, ifm_w = self.ifm_height(h), self.ifm_width(w)
        used_h = min(h, 1) if self.is_squeezed else h
        ifm, other = self.banks(ifm_h * ifm_w, used_h * w, c)
        if ifm + other > self.room:
            return None
        return BlockConfig(
            ofm_block=block,
            ifm_block=Block(ifm_h, ifm_w, c if self.ifm_depth is None else self.ifm_depth),
            ofm_ublock=self.accelerator.ofm_ublock,
            accumulator=self.accumulator,
            is_part_kernel=is_part_kernel,
            layout=self.buffer.layout(self.sharing, ifm, other, uses_table=self.uses_table),
        )


class Pairs(NamedTuple):
    """Heights with widths, in the order of the search, and how deep a block of each may be."""

    heights: Ints
    widths: Ints
    ifm_heights: Ints
    ifm_widths: Ints
    deepest: Ints
    deepest_turned: Ints
    """The same for the block on its side; no limit where the hardware has no such block."""

    def where(self, kept: Bools) -> Pairs:
        """Some of the pairs."""
        return Pairs(*(column[kept] for column in self))


@lru_cache(maxsize=_MEMO_SIZE)
def fitting_pairs(demand: Demand) -> Pairs:
    """All pairs of height and width for which at least the shallowest block fits."""
    unit, most = demand.accelerator.ofm_ublock, demand.accelerator.family.max_ofm_block
    heights, widths, depths = (
        np.arange(least, size + 1, least) for least, size in zip(unit, most, strict=True)
    )
    used = np.minimum(heights, 1) if demand.is_squeezed else heights
    ifm_heights, ifm_widths = demand.ifm_height(heights), demand.ifm_width(widths)
    ifm_area, ofm_area = np.outer(ifm_heights, ifm_widths), np.outer(used, widths)
    ifm, other = demand.banks(ifm_area[None], ofm_area[None], depths[:, None, None])
    # A deeper block never takes fewer banks, so the number of depths that fit says which is last.
    deepest = (ifm + other <= demand.room).sum(axis=0) * unit.c
    pairs = Pairs(
        heights=np.repeat(heights, len(widths)),
        widths=np.tile(widths, len(heights)),
        ifm_heights=np.repeat(ifm_heights, len(widths)),
        ifm_widths=np.tile(ifm_widths, len(heights)),
        deepest=deepest.ravel(),
        deepest_turned=_turned(deepest, heights, widths, most.c),
    )
    return pairs.where(pairs.deepest > 0)


def depths_to_try(accelerator: Accelerator, query: BlockQuery) -> tuple[int, ...]:
    """Depths in the order of the search: whole bricks, unless the block holds all channels."""
    unit, space = accelerator.ofm_ublock.c, search_space(accelerator, query).c
    return _depths(unit, space, query.ofm.c)


@lru_cache(maxsize=_MEMO_SIZE)
def _depths(unit: int, space: int, whole: int) -> tuple[int, ...]:
    found: list[int] = []
    depth = max(unit, min(space, SPLIT_DEPTH))
    while True:
        depth = round_up(depth, SPLIT_DEPTH) if depth < whole else depth
        if depth > space:
            return tuple(found)
        found.append(depth)
        depth += unit


def search_space(accelerator: Accelerator, query: BlockQuery) -> Block:
    """The largest block worth trying: the output, in whole micro-blocks."""
    (_, h, w, c), most, unit = query.ofm, accelerator.family.max_ofm_block, accelerator.ofm_ublock
    return Block(
        round_up(min(h, most.h), unit.h),
        round_up(min(w, most.w), unit.w),
        round_up(min(c, most.c), unit.c),
    )


def _turned(deepest: Ints, heights: Ints, widths: Ints, unlimited: int) -> Ints:
    """For each height and width, what `deepest` says of a block as high as this one is wide."""
    h, w = np.meshgrid(heights, widths, indexing="ij")
    unit_h, unit_w = int(heights[0]), int(widths[0])
    exists = (w % unit_h == 0) & (h % unit_w == 0) & (w <= heights[-1]) & (h <= widths[-1])
    turned = deepest[np.where(exists, w // unit_h, 1) - 1, np.where(exists, h // unit_w, 1) - 1]
    return np.where(exists, turned, unlimited).ravel()


def _ifm_depth(accelerator: Accelerator, query: BlockQuery, *, is_part_kernel: bool) -> int:
    depth = query.volume.c
    if query.ifm_bits == 16:
        return round_up(min(depth, 16), 4)
    return round_up(min(depth, 16 if is_part_kernel else 32), accelerator.ifm_ublock.c)
