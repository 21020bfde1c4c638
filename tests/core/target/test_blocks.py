"""Properties of blocks, and the search against a plain search over one block after the other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.geometry import Block, Kernel, Resampling, Shape4, ceil_div
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig, BlockQuery
from core.target.candidates import depths_to_try, search_space
from core.target.registry import ACCELERATORS
from core.target.shared_buffer_search import block_of, find_block, prefers_part_kernel
from core.target.shram import Sharing
from core.target.unit import Unit
from tests.core.target.legal import legal_blocks

WEIGHTED = (Unit.CONVOLUTION, Unit.DEPTHWISE)
BANK_BYTES = 1024


@st.composite
def queries(draw, units=tuple(Unit)):
    unit = draw(st.sampled_from(units))
    height, width, depth = (draw(st.integers(1, most)) for most in (40, 70, 140))
    sizes, steps = st.integers(1, 9), st.integers(1, 3)
    has_window = unit in (*WEIGHTED, Unit.POOLING)
    kernel = Kernel()
    if has_window:
        kernel = Kernel(h=draw(sizes), w=draw(sizes), stride_h=draw(steps), stride_w=draw(steps))
    is_wide = unit in (Unit.ELEMENTWISE, Unit.REDUCE_SUM)
    equal = unit in (Unit.DEPTHWISE, Unit.POOLING, Unit.ELEMENTWISE)
    in_depth = depth if equal else draw(st.integers(1, 200))
    ifm = Shape4(1, (height - 1) * kernel.stride_h + 1, (width - 1) * kernel.stride_w + 1, in_depth)
    is_binary = unit is Unit.ELEMENTWISE and draw(st.booleans())
    return BlockQuery(
        unit=unit,
        ifm=ifm,
        ifm2=Shape4() if is_binary else None,
        ofm=Shape4(1, height, width, depth),
        ifm_bits=draw(st.sampled_from((8, 16, 32) if is_wide else (8, 16))),
        kernel=kernel,
        uses_table=draw(st.booleans()),
        has_scaling=draw(st.booleans()),
        uses_scalar=is_binary and draw(st.booleans()),
        resampling=draw(st.sampled_from(Resampling)) if has_window else Resampling.NONE,
    )


def accelerators():
    return st.sampled_from(tuple(ACCELERATORS.values()))


def cost(accelerator: Accelerator, query: BlockQuery, config: BlockConfig) -> float:
    """Elements fetched for one output, written out for a single block."""
    h, w, c = config.ofm_block
    ofm, kernel, volume, ifm = query.ofm, query.kernel, query.volume, config.ifm_block
    if query.unit is Unit.ELEMENTWISE:
        found = max(ofm.elements / (h * w * c), 1)
    else:
        if accelerator.ofm_ublock.h == 2 and ofm.h == 1 and kernel.h == 1:
            h = 1
        window = kernel.dilated_h * kernel.dilated_w
        weights = window * volume.c * ceil_div(ofm.w, w) * ceil_div(ofm.h, h)
        if query.unit is not Unit.DEPTHWISE:
            weights *= c * (ofm.c / c)
        repeats = ceil_div(kernel.dilated_h, 8) * ceil_div(kernel.dilated_w, 8)
        inputs = ifm.h * ifm.w * volume.c * repeats * ((ofm.w / w) * (ofm.h / h))
        if not query.has_equal_depth:
            inputs *= ceil_div(ofm.c, c)
        found = (inputs + (weights if query.unit in WEIGHTED else 0)) / ofm.elements
    return found / 2 if volume.elements < ifm.elements * 2 else found


def searched(accelerator: Accelerator, query: BlockQuery) -> BlockConfig | None:
    """The rule, block by block: less cost wins, and of small equals the one that covers more."""
    part, space, unit = (
        prefers_part_kernel(query),
        search_space(accelerator, query),
        accelerator.ofm_ublock,
    )
    best, best_cost, best_coverage = None, math.inf, math.inf
    for depth in depths_to_try(accelerator, query):
        failed = set()
        for h in range(unit.h, space.h + 1, unit.h):
            for w in range(unit.w, space.w + 1, unit.w):
                if (w, h) in failed:
                    continue
                found = block_of(accelerator, query, Block(h, w, depth), is_part_kernel=part)
                if found is None:
                    failed.add((h, w))
                    continue
                its_cost = cost(accelerator, query, found)
                area = query.volume.w * query.volume.h
                coverage = area / (
                    min(query.volume.w, found.ifm_block.w) * min(query.volume.h, found.ifm_block.h)
                )
                if its_cost < best_cost:
                    best, best_cost, best_coverage = found, its_cost, math.inf
                elif its_cost == best_cost and coverage <= best_coverage and max(h, w) <= 4:
                    best, best_coverage = found, coverage
    return best


@given(accelerators(), queries())
def test_the_search_finds_what_a_plain_search_finds(accelerator, query):
    assert find_block(accelerator, query) == searched(accelerator, query)


@given(accelerators(), queries())
def test_the_block_found_is_legal(accelerator, query):
    found = find_block(accelerator, query)
    assert found is not None
    assert found in legal_blocks(accelerator, query)


@given(accelerators(), queries())
def test_a_block_found_can_be_asked_for(accelerator, query):
    found = find_block(accelerator, query)
    assert found is not None
    asked = block_of(accelerator, query, found.ofm_block, is_part_kernel=found.is_part_kernel)
    assert asked == found


@given(accelerators(), queries())
def test_parts_of_the_shared_buffer_do_not_overlap_and_two_of_each_block_have_room(
    accelerator, query
):
    for config in legal_blocks(accelerator, query):
        layout, ifm, ofm = config.layout, config.ifm_block, config.ofm_block
        assert 0 < layout.ib_start < layout.ib_start2 <= layout.ib_end <= layout.ab_start
        assert layout.ab_start <= layout.lut_start
        assert layout.lut_start + 2 * query.uses_table <= accelerator.shared_buffer.banks
        first = (layout.ib_start2 - layout.ib_start) * BANK_BYTES
        assert 2 * ifm.elements * query.ifm_bits // 8 <= first
        if query.sharing is Sharing.ACCUMULATORS:
            rows = min(ofm.h, query.ofm.h) if query.kernel.h == 1 else ofm.h
            size = rows * ofm.w * ofm.c * config.accumulator.bits // 8
            assert 2 * size <= (layout.lut_start - layout.ab_start) * BANK_BYTES
        if query.sharing is Sharing.SECOND_INPUT:
            assert first <= (layout.ib_end - layout.ib_start2) * BANK_BYTES


@given(accelerators(), queries())
def test_a_table_leaves_no_more_blocks(accelerator, query):
    def blocks(uses_table):
        asked = replace(query, uses_table=uses_table)
        return {(c.ofm_block, c.is_part_kernel) for c in legal_blocks(accelerator, asked)}

    assert blocks(True) <= blocks(False)


@given(accelerators(), queries(WEIGHTED))
def test_both_traversals_are_legal(accelerator, query):
    for is_part_kernel in (False, True):
        found = next(legal_blocks(accelerator, query, (is_part_kernel,)))
        assert found.is_part_kernel is is_part_kernel


@given(accelerators(), queries((Unit.POOLING, Unit.ELEMENTWISE, Unit.VECTOR_PRODUCT)))
def test_without_kernel_weights_there_is_one_traversal(accelerator, query):
    assert not list(legal_blocks(accelerator, query, (True,)))
    block = Block(*accelerator.ofm_ublock)
    assert block_of(accelerator, query, block, is_part_kernel=True) is None


def convolution(**changes):
    query = BlockQuery(
        unit=Unit.CONVOLUTION,
        ifm=Shape4(1, 32, 32, 16),
        ofm=Shape4(1, 32, 32, 16),
        ifm_bits=8,
        kernel=Kernel(h=3, w=3),
    )
    return replace(query, **changes)


@pytest.mark.parametrize(
    "block", [Block(1, 2, 8), Block(2, 3, 8), Block(2, 2, 4), Block(0, 2, 8), Block(34, 2, 8)]
)
def test_a_block_of_broken_micro_blocks_is_not_legal(block):
    accelerator = ACCELERATORS["ethos-u55-256"]
    assert block_of(accelerator, convolution(), block, is_part_kernel=False) is None


def test_a_block_that_does_not_fit_is_not_legal():
    accelerator = ACCELERATORS["ethos-u55-256"]
    assert block_of(accelerator, convolution(), Block(32, 64, 128), is_part_kernel=False) is None


def test_a_buffer_that_is_too_small_has_no_block():
    small = ACCELERATORS["ethos-u55-64"]
    accelerator = replace(small, buffer=replace(small.shared_buffer, banks=4))
    assert find_block(accelerator, convolution()) is None
    assert not list(legal_blocks(accelerator, convolution()))


@pytest.mark.parametrize(
    ("depth", "is_part"), [(3, True), (8, True), (16, True), (32, False), (48, True), (64, False)]
)
def test_shallow_inputs_are_taken_in_parts_of_the_kernel(depth, is_part):
    kernel = Kernel(h=3, w=4)
    query = convolution(ifm=Shape4(1, 32, 32, depth), kernel=kernel)
    assert prefers_part_kernel(query) == is_part


def test_16_bit_inputs_need_40_bit_accumulators_unless_unscaled():
    wide = convolution(ifm_bits=16)
    assert wide.accumulator.bits == 40
    assert replace(wide, has_scaling=False).accumulator.bits == 32
    assert replace(wide, unit=Unit.POOLING).accumulator.bits == 32
