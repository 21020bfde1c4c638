"""Candidate blocks: both ends of all that are legal, and those that the cost model prefers."""

from __future__ import annotations

import pytest

from core.base.geometry import Kernel
from core.cost.from_graph import block_query, whole
from core.ir.npugraph import OpKind
from core.schedule.pareto.blocks import candidate_blocks
from core.target.shared_buffer_search import blocks_at_both_ends, prefers_part_kernel
from tests.core.schedule.sketch import DEDICATED, NEAR, SHARED, Bench, Sketch, bench
from tests.core.target.legal import legal_blocks

KINDS = (OpKind.CONV_2D, OpKind.DEPTHWISE_CONV_2D, OpKind.MAX_POOL)
TARGETS = pytest.mark.parametrize("target", [SHARED, NEAR, DEDICATED], ids=["u55", "near", "u65"])


def one_operator(kind: OpKind, target) -> Bench:
    s = Sketch()
    channels = 40 if kind is OpKind.CONV_2D else None
    return bench(
        s.build(s.conv(s.input((1, 30, 20, 40)), channels, Kernel(h=3, w=3), kind)), target
    )


@TARGETS
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
@pytest.mark.parametrize("per_end", [0, 1, 3, 8])
def test_they_are_the_largest_and_the_smallest_by_area_and_then_by_depth(kind, target, per_end):
    found = one_operator(kind, target)
    op = found.problem.nodes[0].op
    query = block_query(found.estimates.graph, op, whole(op))
    legal = [
        config
        for config in legal_blocks(target.accelerator, query)
        if config.is_part_kernel == prefers_part_kernel(query)
    ]
    sizes = sorted(((c.ofm_block.h * c.ofm_block.w, c.ofm_block.c) for c in legal), reverse=True)
    chosen = blocks_at_both_ends(target.accelerator, query, per_end)
    measures = [(c.ofm_block.h * c.ofm_block.w, c.ofm_block.c) for c in chosen]
    assert measures == ([*sizes[:per_end], *sizes[-per_end:]] if per_end else sizes)
    assert set(chosen) <= set(legal)


def test_where_there_are_few_blocks_each_is_there_once():
    s = Sketch()
    found = bench(s.build(s.conv(s.input((1, 2, 2, 8)), 8)))
    node = found.problem.nodes[0]
    query = block_query(found.estimates.graph, node.op, whole(node.op))
    chosen = blocks_at_both_ends(SHARED.accelerator, query, 100)
    assert len(set(chosen)) == len(chosen) > 0


@TARGETS
def test_what_the_cost_model_prefers_is_among_them(target):
    found = one_operator(OpKind.CONV_2D, target)
    node, estimates = found.problem.nodes[0], found.estimates
    blocks = candidate_blocks(estimates, node, 2, is_striped=False)
    assert estimates.whole(node).block in blocks
    assert len(blocks) <= 5
    low = candidate_blocks(estimates, node, 2, is_striped=True)
    assert set(blocks) <= set(low)
    lowest = target.accelerator.ofm_ublock.h
    assert estimates.stripe(node, lowest).block in low
    assert len(set(low)) == len(low)
