"""Bursts by the ecosystem's estimate: rows of a block, which are mostly taken to lie apart."""

from __future__ import annotations

from core.base.geometry import Block
from core.base.many import least, where
from core.cost.bursts import Bursts
from core.cost.work import FmUse
from core.target.format import BRICK_DEPTH, Format

_LONGEST_LINEAR_WRITE_BYTES = 64


def _read_run(use: FmUse, block: Block) -> int:
    return _read_run_bits(use, block) // 8


def _write_run(use: FmUse, block: Block, cores: int) -> int:
    return _write_run_bits(use, block, cores) // 8


BURSTS = Bursts(_read_run, _write_run)


def _read_run_bits(use: FmUse, block: Block) -> int:
    """Bits that lie one after the other in a row of the block."""
    is_bricks = use.format is Format.BRICKS
    run_bits = BRICK_DEPTH * use.bits * block.w if is_bricks else use.bits * block.c
    return where(_fills_rows(use, block), use.bits * block.c * block.w, run_bits)


def _write_run_bits(use: FmUse, block: Block, cores: int) -> int:
    row_bits, fills_rows = use.bits * block.c * block.w, _fills_rows(use, block)
    brick_bits = BRICK_DEPTH * use.bits * cores
    if use.format is Format.BRICKS:
        return where(fills_rows, row_bits, brick_bits * block.w)
    most_bits = min(_LONGEST_LINEAR_WRITE_BYTES * 8, brick_bits)
    is_row = fills_rows & (block.c <= BRICK_DEPTH)
    return where(is_row, row_bits, least(most_bits, block.c * use.bits))


def _fills_rows(use: FmUse, block: Block) -> bool:
    """Whether neighbouring columns of the block are taken to be neighbours in memory.

    The step in bytes between rows of bricks (between elements, in a linear map) is compared with
    the depth of the block in elements. That is what the compatible model does, sound or not.
    """
    if use.format is Format.BRICKS:
        return use.bits * BRICK_DEPTH * use.shape.w == block.c * 8
    return use.bits == block.c * 8
