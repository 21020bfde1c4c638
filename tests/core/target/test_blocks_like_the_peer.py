"""The block search, given the stripes that the ecosystem's compiler chose, makes its choices."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.cost.from_graph import block_query
from core.target.shared_buffer_search import find_block
from tests.peer import FINISHED, SAMPLE, Pair, name_of, pairs

KEYS = ("block_config", "ifm_block", "ofm_block", "acc_type", "is_partkernel")
ACCUMULATORS = {16: "5", 32: "6", 40: "7"}


def chosen(pair: Pair) -> dict[str, object]:
    """Our block, by the names of the schedule files."""
    block = find_block(pair.target.accelerator, block_query(pair.graph, pair.op, pair.stripe))
    assert block is not None
    ofm, ifm = block.ofm_block, block.ifm_block
    return {
        "block_config": [ofm.h, ofm.w, ifm.c, ofm.c],
        "ifm_block": [1, *ifm],
        "ofm_block": [1, *ofm],
        "acc_type": ACCUMULATORS[block.accumulator.bits],
        "is_partkernel": block.is_part_kernel,
    }


def check(schedule: Path) -> None:
    different = []
    for pair in pairs(schedule):
        wanted = {key: pair.peer[key] for key in KEYS}
        if (ours := chosen(pair)) != wanted:
            different.append(f"{pair}: {ours} instead of {wanted}")
    assert different == []


@pytest.mark.parametrize("schedule", [s for s in FINISHED if name_of(s) in SAMPLE], ids=name_of)
def test_blocks(schedule):
    check(schedule)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", FINISHED, ids=name_of)
def test_blocks_of_all_schedules(schedule):
    check(schedule)
