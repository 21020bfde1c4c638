"""MACs and cycles of every operator, in the blocks that the ecosystem's compiler chose."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.frozen import replace
from core.cost.ecosystem.estimate import ECOSYSTEM
from core.cost.from_graph import block_query
from core.target.shared_buffer_search import find_block
from tests.peer import FINISHED, SAMPLE, Pair, name_of, pairs


def estimated(pair: Pair) -> tuple[int, int]:
    """What we say of an operator as it stood when the peer estimated it."""
    block = find_block(pair.target.accelerator, block_query(pair.graph, pair.op, pair.stripe))
    assert block is not None
    work = pair.work(block, pair.places_at_scheduling, pair.target.fast.area)
    # The peer estimates the box that is written, but over all channels of the map.
    ofm = replace(work.ofm, shape=work.ofm.shape.with_depth(pair.op.ofm.shape.c))
    cost = ECOSYSTEM.cycles(ECOSYSTEM.rates_of(pair.target), replace(work, ofm=ofm))
    return cost.macs, cost.cycles


def check(schedule: Path) -> None:
    different = []
    for pair in pairs(schedule):
        wanted = (pair.peer["op_macs"], pair.peer["op_cycles"])
        if (ours := estimated(pair)) != wanted:
            different.append(f"{pair}: {ours} instead of {wanted}")
    assert different == []


@pytest.mark.parametrize("schedule", [s for s in FINISHED if name_of(s) in SAMPLE], ids=name_of)
def test_cycles(schedule):
    check(schedule)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", FINISHED, ids=name_of)
def test_cycles_of_all_schedules(schedule):
    check(schedule)
