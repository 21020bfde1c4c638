"""Cycles by the ecosystem's estimate: whole blocks, in the order of its floating-point arithmetic,
so that results are equal and not only near."""

from __future__ import annotations

from types import MappingProxyType

from core.base.geometry import ceil_div
from core.base.many import least, rounded_down, rounded_up
from core.cost.block_parts import (
    BlockAlone,
    elements_made,
    elements_of,
    elements_read,
    mac_cycles,
    micro_blocks,
    output_cycles,
)
from core.cost.cycles import OpCycles, macs
from core.cost.ecosystem.bursts import BURSTS
from core.cost.rates import Rates
from core.cost.waits import FirstBlock
from core.cost.work import Work
from core.ir.cost import Limit
from core.target.unit import Unit


def operator_cycles(rates: Rates, work: Work) -> OpCycles:
    """Cycles of an operator whose inputs, output and weights are where it says."""
    if work.unit is Unit.DMA:
        return OpCycles(macs=0, cycles=0, limit=Limit.NOTHING)
    family = rates.accelerator.family
    formula = family.chosen("estimate of cycles", family.algorithms.cycles, _FORMULAS)
    return formula(rates, work)


def _first_architecture(rates: Rates, work: Work) -> OpCycles:
    # Elements stand for bytes, whatever their width.
    read, made = elements_read(work), elements_made(work)
    first = FirstBlock.of(rates.accelerator, work, BURSTS, read, made)
    waits = first.waits(rates, work)
    if work.unit is Unit.ELEMENTWISE:
        element = elements_of(rates.accelerator, work).waiting(waits)
        return OpCycles(macs=macs(work), cycles=element.cycles, limit=element.limit)
    micro = micro_blocks(rates.accelerator, work)
    ofm, block = work.ofm.shape, micro.block
    blocks = ofm.n * ceil_div(ofm.h, block.h) * ceil_div(ofm.w, block.w) * ceil_div(ofm.c, block.c)
    making = output_cycles(rates.accelerator, work)
    making = rounded_up(making * (least(ofm.n, 1) * block.elements)) * 1.0
    multiplied = mac_cycles(rates.accelerator, work, micro, micro, 1)
    multiplying = multiplied.block / rates.accelerator.cores
    parts = BlockAlone(multiplying, making, micro.block.c).waiting(waits)
    cycles = rounded_down(parts.slow * blocks + parts.fast)
    return OpCycles(macs=macs(work), cycles=cycles, limit=parts.limit(work, micro))


_FORMULAS = MappingProxyType({"first architecture": _first_architecture})
