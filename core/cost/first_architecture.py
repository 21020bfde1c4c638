"""Cycles of an operator on U55 and U65, as the hardware is measured to take them.

A block is paid for what it holds. Where the output ends within a block, or within the micro-blocks
that two cores take in turn, the rest of it is not made: with ideal memory Arm's FVP takes 0.98 of
the cycles that follow from this for the measured programs, 0.88 with whole blocks
(`tests/core/cost/test_measured.py`).
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import ceil_div, round_up
from core.base.many import most, rounded_down, where
from core.cost.block_parts import (
    IN_FLIGHT,
    MicroBlocks,
    WindowParts,
    element_parts,
    first_cycles_of,
    first_elements,
    mac_cycles,
    micro_blocks,
    output_cycles,
    parts_of_block,
    scale_cycles,
    weight_cycles,
)
from core.cost.bursts import BURSTS
from core.cost.cycles import OpCycles, macs
from core.cost.rates import Rates
from core.cost.work import Work
from core.target.accelerator import Accelerator
from core.target.unit import Unit


def operator_cycles(rates: Rates, work: Work) -> OpCycles:
    """Cycles of an operator whose inputs, output and weights are where it says."""
    first_cycles = _first_cycles(rates, work)
    if work.unit is Unit.ELEMENTWISE:
        parts = element_parts(rates, work, first_cycles)
        return OpCycles(macs=macs(work), cycles=parts.cycles, limit=parts.limit, terms=parts.terms)
    block = _block(rates.accelerator, work)
    windows, last, made = _windows(rates, work, block, first_cycles)
    return OpCycles(
        macs=macs(work),
        cycles=rounded_down(windows.slow + last),
        limit=windows.limit(work, block),
        terms=windows.terms(work, made),
    )


def cycles_in_blocks(rates: Rates, work: Work) -> int:
    """The cycles alone, for as many blocks at once as the work has."""
    first_cycles = _first_cycles(rates, work)
    if work.unit is Unit.ELEMENTWISE:
        return element_parts(rates, work, first_cycles).cycles
    windows, last, _ = _windows(rates, work, _block(rates.accelerator, work), first_cycles)
    return rounded_down(windows.slow + last)


def cycles_in_parts(rates: Rates, work: Work) -> float:
    """Cycles that no two or more operations do without that make all of this between them.

    What is rounded up in parts is no less than what is rounded up at once; what depends on how much
    of a block there is, is left out.
    """
    accelerator, ofm, unit = rates.accelerator, work.ofm.shape, work.block.ofm_ublock
    latency = (
        rates.areas[work.ifm.area].read_latency_cycles
        + rates.areas[work.ofm.area].write_latency_cycles
    )
    element = output_cycles(accelerator, work)
    if work.unit is Unit.ELEMENTWISE:
        in_block = work.block.ofm_block.elements
        start = (latency + element * in_block) / IN_FLIGHT / in_block
        return most(element, start) * work.ofm.format.stored(ofm).elements
    areas = (
        ofm.n * ceil_div(ofm.h, work.block.ofm_block.h) * ceil_div(ofm.w, work.block.ofm_block.w)
    )
    blocks = areas * ceil_div(ofm.c, work.block.ofm_block.c)
    depths = round_up(ceil_div(ofm.c, unit.c), accelerator.cores)
    made = MicroBlocks(
        rows=_least_area(work),
        columns=1,
        depths=depths,
        unit=unit,
        block=work.block.ofm_block,
        weight_cycles=weight_cycles(accelerator, unit) * areas,
    )
    channels = ofm.c if accelerator.cores == 1 else depths * unit.c
    # Nobody knows in which parts the array stalls, so it does not.
    multiplying = mac_cycles(accelerator, work, made, made, 0) / accelerator.cores
    making = element * (ofm.n * ofm.h * ofm.w * channels)
    scaling = scale_cycles(rates, work, ofm.c) * areas
    start = (latency * blocks + most(making, scaling) + multiplying) / IN_FLIGHT
    # Of each part the last block is seen, and less than a cycle is rounded down.
    ends = 2 * (latency / IN_FLIGHT - 1)
    return most(most(multiplying, making), most(scaling, start)) + ends


def _least_area(work: Work) -> int:
    """Micro-blocks in height and width; parts of one row may turn them, which then lose nothing at
    the end of a row."""
    ofm, unit = work.ofm.shape, work.block.ofm_ublock
    area = ofm.n * ceil_div(ofm.h, unit.h) * ceil_div(ofm.w, unit.w)
    if unit.h == 2 and work.kernel_h == 1:
        area = min(area, ceil_div(ofm.n * ofm.h * ofm.w, unit.h * unit.w))
    return area


def _first_cycles(rates: Rates, work: Work) -> float:
    read, made = first_elements(work)
    in_bytes, out_bytes = read * work.ifm.element_bytes, made * work.ofm.element_bytes
    return first_cycles_of(rates, work, BURSTS, in_bytes=in_bytes, out_bytes=out_bytes)


def _block(accelerator: Accelerator, work: Work) -> MicroBlocks:
    """Two cores share the depth of a block: where it is odd, one of them waits for the other."""
    micro = micro_blocks(accelerator, work)
    return replace(micro, depths=round_up(micro.depths, accelerator.cores))


def _windows(
    rates: Rates, work: Work, block: MicroBlocks, first_cycles: float
) -> tuple[WindowParts, float, MicroBlocks]:
    """The parts of all blocks, what is seen of the last one, and all that is made."""
    accelerator, ofm, unit = rates.accelerator, work.ofm.shape, block.unit
    areas = ofm.n * ceil_div(ofm.h, block.block.h) * ceil_div(ofm.w, block.block.w)
    blocks = areas * ceil_div(ofm.c, block.block.c)
    depths = round_up(ceil_div(ofm.c, unit.c), accelerator.cores)
    made = replace(
        block,
        rows=ofm.n * ceil_div(ofm.h, unit.h),
        columns=ceil_div(ofm.w, unit.w),
        depths=depths,
        # Weights are decoded for each block, be it ever so small.
        weight_cycles=block.weight_cycles * areas,
    )
    element = output_cycles(accelerator, work)
    channels = where(accelerator.cores == 1, ofm.c, depths * unit.c)
    own = parts_of_block(rates, work, first_cycles, block, element * block.block.elements)
    all_blocks = WindowParts(
        multiplying=mac_cycles(accelerator, work, made, block, blocks) / accelerator.cores,
        making=element * (ofm.n * ofm.h * ofm.w * channels),
        scaling=scale_cycles(rates, work, ofm.c) * areas,
        start=own.start * blocks,
    )
    return all_blocks, own.fast, made
