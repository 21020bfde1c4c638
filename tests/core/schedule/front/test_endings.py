"""Parts that are found from their last operator back: what they take and cost is what the same part
takes and costs by itself."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.base.ids import FmId
from core.schedule.branches.groups import Part
from core.schedule.branches.heights import heights_of
from core.schedule.front.cuts import Cuts
from core.schedule.front.endings import FIRST_SCALES, TOO_MUCH, Lane
from tests.core.schedule.front.cases import TARGETS, cuts_of

SEEDS = (1, 7)


def lanes(cuts: Cuts) -> list[Lane]:
    """All that are known of the island's last operators, grown as far back as can be."""
    found = []
    for last, first in enumerate(cuts.ground.flow.earliest):
        if first == last:
            continue
        for scale in FIRST_SCALES[::2]:
            for lane in cuts.ending(last).lanes(scale):
                while lane.first > first:
                    lane.grow()
                found.append(lane)
    return found


@pytest.mark.parametrize(("seed", "target"), list(product(SEEDS, TARGETS)))
def test_they_take_what_they_take_when_played(seed: int, target: str) -> None:
    cuts = cuts_of(seed, target)
    flow, player = cuts.ground.flow, cuts.ground.player
    compared = 0
    for lane in lanes(cuts):
        if lane.keeps_weights:
            continue
        last, scale = lane.reel.last, lane.reel.heights.scale
        for first in range(lane.first, last):
            size = lane.sizes[last - first - 1]
            heights = heights_of(flow.nodes[first : last + 1], scale, {})
            assert [lane.reel.heights.of[at] for at in range(first, last + 1)] == heights
            if size < TOO_MUCH:
                compared += 1
                assert size == player.play(Part(first, last), heights).size_bytes
    assert compared


@pytest.mark.parametrize("seed", SEEDS)
def test_they_cost_what_their_operators_cost(seed: int) -> None:
    cuts = cuts_of(seed, "dedicated")
    ground, draws = cuts.ground, np.random.default_rng(seed)
    crossing = ground.crossing
    assert crossing.lasting
    for lane in lanes(cuts):
        last = lane.reel.last
        near = frozenset(fm for fm in crossing.lasting if draws.random() < 0.5)
        cycles = lane.table().with_near(near, len(lane.sizes))
        for first, before, behind in product(range(lane.first, last), (0, 1), (0, 1)):
            borders = [(before, first), (behind, last + 1)]
            if any(side and crossing.at[border] is None for side, border in borders):
                continue
            there: set[FmId | None] = {crossing.at[border] for side, border in borders if side}
            rolls = lane.reel.rolls[last - first]
            costs = [
                ground.cost(
                    ground.flow.nodes[at], lane.reel.heights.of[at], rolls | near | (there - {None})
                )
                for at in range(first, last + 1)
            ]
            own = sum(c.kept_cycles if lane.keeps_weights else c.cycles for c in costs)
            assert cycles[last - first - 1, before, behind] == pytest.approx(own)
