"""Bursts: a memory moves whole ones, so short rows of a block cost more than their bytes."""

from __future__ import annotations

from core.base.geometry import Block
from core.cost.rates import Rate
from core.cost.work import FmUse
from core.target.format import BRICK_DEPTH, Format

_LONGEST_LINEAR_WRITE_BYTES = 64


def read_bytes(rate: Rate, use: FmUse, block: Block, size_bytes: int) -> float:
    """Bytes that reading so many in blocks keeps the memory busy for."""
    return _moved(rate, _read_run_bits(use, block), size_bytes)


def write_bytes(rate: Rate, use: FmUse, block: Block, cores: int, size_bytes: int) -> float:
    """Bytes that writing so many in blocks keeps the memory busy for."""
    return _moved(rate, _write_run_bits(use, block, cores), size_bytes)


def _moved(rate: Rate, run_bits: int, size_bytes: int) -> float:
    run_bytes = min(rate.burst_bytes, run_bits // 8)
    return size_bytes * (rate.burst_bytes / run_bytes)


def _read_run_bits(use: FmUse, block: Block) -> int:
    """Bits that lie one after the other in a row of the block."""
    if _fills_rows(use, block):
        return use.bits * block.c * block.w
    if use.format is Format.BRICKS:
        return BRICK_DEPTH * use.bits * block.w
    return use.bits * block.c


def _write_run_bits(use: FmUse, block: Block, cores: int) -> int:
    if use.format is Format.BRICKS:
        whole_rows = _fills_rows(use, block)
        return use.bits * block.w * (block.c if whole_rows else BRICK_DEPTH * cores)
    if block.c <= BRICK_DEPTH and _fills_rows(use, block):
        return use.bits * block.c * block.w
    return min(_LONGEST_LINEAR_WRITE_BYTES * 8, BRICK_DEPTH * use.bits * cores, block.c * use.bits)


def _fills_rows(use: FmUse, block: Block) -> bool:
    """Whether neighbouring columns of the block are taken to be neighbours in memory.

    The step in bytes between rows of bricks (between elements, in a linear map) is compared with
    the depth of the block in elements. That is what the compatible model does, sound or not.
    """
    if use.format is Format.BRICKS:
        return use.bits * BRICK_DEPTH * use.shape.w == block.c * 8
    return use.bits == block.c * 8
