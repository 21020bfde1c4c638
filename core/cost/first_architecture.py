"""Cycles of an operator on U55 and U65, as the hardware is measured to take them.

A block is paid for what it holds. Where the output ends within a block, or within the micro-blocks
that two cores take in turn, the rest of it is not made: with ideal memory Arm's FVP takes 0.98 of
the cycles that follow from this for the measured programs, 0.88 with whole blocks
(`tests/core/cost/test_measured.py`).
"""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.base.geometry import ceil_div, round_up
from core.base.many import most, rounded_down, where
from core.cost.block_parts import (
    IN_FLIGHT,
    BlockAlone,
    Elements,
    MicroBlocks,
    WindowParts,
    elements_made,
    elements_of,
    elements_read,
    mac_cycles,
    micro_blocks,
    output_cycles,
    weight_cycles,
)
from core.cost.bursts import BURSTS
from core.cost.cycles import OpCycles, Unplaced, macs
from core.cost.rates import Rates
from core.cost.waits import FirstBlock, Waits
from core.cost.work import Work
from core.target.accelerator import Accelerator
from core.target.unit import Unit


class _Elementwise(Frozen, kw_only=False):
    """An element-wise operator wherever its maps are."""

    work: Work
    first: FirstBlock
    elements: Elements

    def stored_as(self, rates: Rates, work: Work) -> Unplaced:
        return unplaced(rates, work)

    def cycles(self, waits: Waits) -> int:
        return self.elements.waiting(waits).cycles

    def told(self, waits: Waits) -> OpCycles:
        parts = self.elements.waiting(waits)
        return OpCycles(
            macs=macs(self.work), cycles=parts.cycles, limit=parts.limit, terms=parts.terms
        )


class _Windows(Frozen, kw_only=False):
    """Any other operator wherever its maps are."""

    work: Work
    first: FirstBlock
    block: MicroBlocks
    made: MicroBlocks
    """All that is made."""
    areas: int
    blocks: int
    alone: BlockAlone
    multiplying: float
    making: float

    def stored_as(self, rates: Rates, work: Work) -> Unplaced:
        return replace(self, work=work, first=_first_block(rates.accelerator, work))

    def cycles(self, waits: Waits) -> int:
        windows, last = self._parts(waits)
        return rounded_down(windows.slow + last)

    def told(self, waits: Waits) -> OpCycles:
        windows, last = self._parts(waits)
        return OpCycles(
            macs=macs(self.work),
            cycles=rounded_down(windows.slow + last),
            limit=windows.limit(self.work, self.block),
            terms=windows.terms(self.work, self.made),
        )

    def _parts(self, waits: Waits) -> tuple[WindowParts, float]:
        """The parts of all blocks, and what is seen of the last one."""
        own, channels = self.alone.waiting(waits), self.work.ofm.shape.c
        all_blocks = WindowParts(
            multiplying=self.multiplying,
            making=self.making,
            scaling=waits.scaling * channels * self.areas,
            start=own.start * self.blocks,
        )
        return all_blocks, own.fast


def unplaced(rates: Rates, work: Work) -> Unplaced:
    """An operator wherever its maps and constants are."""
    accelerator, ofm = rates.accelerator, work.ofm.shape
    first = _first_block(accelerator, work)
    if work.unit is Unit.ELEMENTWISE:
        return _Elementwise(work, first, elements_of(accelerator, work))
    block = _block(accelerator, work)
    unit = block.unit
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
    element, cores = output_cycles(accelerator, work), accelerator.cores
    channels = where(cores == 1, ofm.c, depths * unit.c)
    multiplied = mac_cycles(accelerator, work, made, block, blocks)
    making = element * block.block.elements
    return _Windows(
        work=work,
        first=first,
        block=block,
        made=made,
        areas=areas,
        blocks=blocks,
        alone=BlockAlone(multiplied.block / cores, making, block.block.c),
        multiplying=multiplied.all / cores,
        making=element * (ofm.n * ofm.h * ofm.w * channels),
    )


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
    multiplying = mac_cycles(accelerator, work, made, made, 0).all / accelerator.cores
    making = element * (ofm.n * ofm.h * ofm.w * channels)
    waits = _first_block(accelerator, work).waits(rates, work)
    scaling = waits.scaling * ofm.c * areas
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


def _first_block(accelerator: Accelerator, work: Work) -> FirstBlock:
    read_bytes = elements_read(work) * work.ifm.element_bytes
    made_bytes = elements_made(work) * work.ofm.element_bytes
    return FirstBlock.of(accelerator, work, BURSTS, read_bytes, made_bytes)


def _block(accelerator: Accelerator, work: Work) -> MicroBlocks:
    """Two cores share the depth of a block: where it is odd, one of them waits for the other."""
    micro = micro_blocks(accelerator, work)
    return replace(micro, depths=round_up(micro.depths, accelerator.cores))
