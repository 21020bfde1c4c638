"""How many elements an operator fetches and writes: what its blocks hold, refetches included.

Weights and maps of blocks that are not full are read as far as they go. Arm's FVP counts at both
ports within 8 % of the bytes that follow from this; whole blocks make 1.30 of them where 96
channels are made in blocks of 128 (`tests/core/cost/test_measured.py`).
"""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.base.geometry import ceil_div
from core.base.many import least, most, rounded_up, where
from core.cost.work import FmUse, Work
from core.target.accelerator import Accelerator
from core.target.unit import Unit

SAME_CHANNELS = frozenset({Unit.DEPTHWISE, Unit.POOLING})
WEIGHTED = frozenset({Unit.CONVOLUTION, Unit.DEPTHWISE, Unit.VECTOR_PRODUCT})


class Accesses(Frozen, kw_only=False):
    """Elements of each operand; of scales, records."""

    ifm: int = 0
    ifm2: int = 0
    ofm: int = 0
    weights: int = 0
    scales: int = 0


def accesses(accelerator: Accelerator, work: Work) -> Accesses:
    """Elements that the operator moves for its whole output."""
    if work.unit is Unit.DMA:
        return Accesses()
    written = work.ofm.format.stored(work.ofm.shape).elements
    if work.unit is Unit.ELEMENTWISE:
        first, second = elementwise_reads(work)
        return Accesses(ifm=first, ifm2=second, ofm=written)
    is_weighted = work.unit in WEIGHTED
    return Accesses(
        ifm=_window_reads(accelerator, work),
        ofm=written,
        weights=_weight_reads(work) if is_weighted else 0,
        scales=work.ofm.shape.c if is_weighted else 0,
    )


def accesses_of_parts(accelerator: Accelerator, work: Work) -> Accesses:
    """Elements that no two or more operations do without that make all of this between them."""
    whole = accesses(accelerator, work)
    if work.unit is Unit.ELEMENTWISE:
        # A row of one element may come with the command.
        return replace(
            whole,
            ifm=0 if _is_thin(work.ifm) else whole.ifm,
            ifm2=0 if work.ifm2 is None or _is_thin(work.ifm2) else whole.ifm2,
        )
    # No part need read what another has read.
    rows = work.ifm.shape.n * work.ifm.shape.h
    return replace(whole, ifm=rows * _read_of_row(accelerator, work))


def _is_thin(use: FmUse) -> bool:
    return use.shape.w * use.shape.c == 1


def _weight_reads(work: Work) -> int:
    """Weights of all channels, again for each block of rows and columns."""
    ofm, block = work.ofm.shape, work.block.ofm_block
    channels = 1 if work.unit in SAME_CHANNELS else work.ifm.shape.c
    areas = ofm.n * ceil_div(ofm.h, block.h) * ceil_div(ofm.w, block.w)
    return work.kernel_h * work.kernel_w * channels * ofm.c * areas


def _window_reads(accelerator: Accelerator, work: Work) -> int:
    """Elements of input that all blocks read; each depth of the output reads the input again."""
    shape, ofm, block = work.ifm.shape, work.ofm.shape, work.block
    rows = _lines(shape.h, ofm.h, block.ifm_block.h, block.ofm_block.h)
    return ofm.n * rows * _read_of_row(accelerator, work)


def _read_of_row(accelerator: Accelerator, work: Work) -> int:
    """Elements that are read of a row of input."""
    shape, ofm, block = work.ifm.shape, work.ofm.shape, work.block
    most_h, most_w = accelerator.family.max_subkernel
    repeats = ceil_div(work.kernel_h, most_h) * ceil_div(work.kernel_w, most_w)
    if work.unit not in SAME_CHANNELS:
        repeats *= ceil_div(ofm.c, block.ofm_block.c)
    columns = _lines(shape.w, ofm.w, block.ifm_block.w, block.ofm_block.w)
    return columns * work.ifm.format.stored(shape).c * repeats


def _lines(read: int, made: int, read_at_once: int, made_at_once: int) -> int:
    """Rows, or columns, that blocks read: all there are, and twice those that two windows share."""
    blocks = ceil_div(made, made_at_once)
    shared = most(read_at_once - made_at_once * read / most(made, 1), 0.0)
    return rounded_up(least(read, read_at_once * blocks) + (blocks - 1) * shared)


def elementwise_reads(work: Work) -> tuple[int, int]:
    """Each input is read once for each output; one byte is a constant of the command stream."""
    first, second = work.ifm, work.ifm2
    each = first.format.stored(work.ofm.shape).elements
    is_one = first.shape.elements == 1
    of_first = where(is_one, _scalar_reads(first, first), each)
    if second is None:
        return of_first, 0
    is_map = is_one | (second.shape.elements > 1)
    return of_first, where(is_map, each, _scalar_reads(second, first))


def _scalar_reads(scalar: FmUse, first: FmUse) -> int:
    return first.format.stored(scalar.shape).elements if scalar.bits > 8 else 0
