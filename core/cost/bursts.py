"""Bursts: a memory moves whole ones, so short runs of bytes cost more than their bytes.

What lies together is what the layout of a map says. Arm's FVP moves 1.00 of the bytes that follow
from it where rows are thin; to take each row for a burst of its own, as the ecosystem's estimate
does in places, makes up to 32 times as many (`tests/core/cost/test_measured.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import NamedTuple
from core.base.geometry import Block
from core.base.many import least, where
from core.cost.work import FmUse
from core.target.format import BRICK_DEPTH, Format


class Bursts(NamedTuple):
    """Bytes of a map that lie together where it is read, or written, in blocks."""

    read: Callable[[FmUse, Block], int]
    write: Callable[[FmUse, Block, int], int]


def _read_run(use: FmUse, block: Block) -> int:
    columns, depth = _filled(use, block)
    run = columns * (BRICK_DEPTH if use.format is Format.BRICKS else depth)
    if use.format is Format.LINEAR:
        # Where a block has the whole depth, its columns lie one after the other.
        run = where((depth == use.shape.c) & use.is_whole_depth, run, depth)
    return run * use.bits // 8


def _write_run(use: FmUse, block: Block, cores: int) -> int:
    columns, depth = _filled(use, block)
    if use.format is Format.BRICKS:
        return columns * BRICK_DEPTH * use.bits // 8
    # Each core writes the depth of one brick at a time.
    is_row = (depth == use.shape.c) & use.is_whole_depth & (depth <= BRICK_DEPTH)
    return where(is_row, columns * depth, least(depth, BRICK_DEPTH * cores)) * use.bits // 8


BURSTS = Bursts(_read_run, _write_run)


def _filled(use: FmUse, block: Block) -> tuple[int, int]:
    """Columns and channels of a map in a block."""
    return least(block.w, use.shape.w), least(block.c, use.shape.c)
