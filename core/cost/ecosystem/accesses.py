"""Elements that an operator moves by the ecosystem's estimate: whole blocks, refetches included."""

from __future__ import annotations

from core.base.geometry import ceil_div
from core.base.many import least
from core.cost.accesses import SAME_CHANNELS, WEIGHTED, Accesses, elementwise_reads
from core.cost.work import Work
from core.target.accelerator import Accelerator
from core.target.unit import Unit


def accesses(accelerator: Accelerator, work: Work) -> Accesses:
    """Elements that the operator moves for its whole output."""
    if work.unit is Unit.DMA:
        return Accesses()
    written = work.ofm.format.stored(work.ofm.shape).elements
    if work.unit is Unit.ELEMENTWISE:
        first, second = elementwise_reads(work)
        return Accesses(ifm=first, ifm2=second, ofm=written)
    is_weighted = work.unit in WEIGHTED
    blocks, covered = _blocks(work)
    return Accesses(
        ifm=_window_reads(accelerator, work) * blocks,
        ofm=written,
        weights=_weights_of_one(work) * covered * blocks if is_weighted else 0,
        scales=work.ofm.shape.c if is_weighted else 0,
    )


def _blocks(work: Work) -> tuple[int, int]:
    """How often a block of input is fetched, and the channels of output that each fetch is for."""
    ofm, block = work.ofm.shape, work.block.ofm_block
    h, w, depth = (least(size, most) for size, most in zip(ofm[1:], block, strict=True))
    area = ofm.n * ceil_div(ofm.h, h) * ceil_div(ofm.w, w)
    if work.unit in SAME_CHANNELS:
        return area, work.ifm.shape.c
    return area * ceil_div(ofm.c, depth), depth


def _window_reads(accelerator: Accelerator, work: Work) -> int:
    """Elements of input for one block of output, over the whole depth."""
    shape, block = work.ifm.shape, work.block.ifm_block
    most_h, most_w = accelerator.family.max_subkernel
    repeats = ceil_div(work.kernel_h, most_h) * ceil_div(work.kernel_w, most_w)
    depth = work.ifm.format.stored(shape).c
    return least(shape.h, block.h) * least(shape.w, block.w) * depth * repeats


def _weights_of_one(work: Work) -> int:
    channels = 1 if work.unit in SAME_CHANNELS else work.ifm.shape.c
    return work.kernel_h * work.kernel_w * channels
