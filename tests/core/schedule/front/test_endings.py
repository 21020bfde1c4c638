"""Parts that are found from their last operator back: what they take and cost is what the same part
takes and costs by itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from core.base.ids import FmId
from core.schedule.branches.groups import Part
from core.schedule.branches.heights import heights_of
from core.schedule.front.cuts import Cuts
from core.schedule.front.endings import SCALES, Ending, first_rows
from core.schedule.front.ground import TOO_MUCH
from core.schedule.front.reels import Reel
from tests.core.schedule.front.cases import TARGETS, cuts_of

SEEDS = (1, 7)


def tables(cuts: Cuts) -> Iterator[tuple[Ending, int, Reel]]:
    """Rows of all tables, as far back as they go."""
    for last, first in enumerate(cuts.ground.flow.earliest):
        if first < last:
            rows = first_rows(cuts.ground, last)[::2]
            ending = cuts.ending(last, last - first + 1)
            yield from ((ending, row, ending.reel(row, last - first + 1)) for row in rows)


@pytest.mark.parametrize(("seed", "target"), list(product(SEEDS, TARGETS)))
def test_they_take_what_they_take_when_played(seed: int, target: str) -> None:
    cuts = cuts_of(seed, target)
    flow, player = cuts.ground.flow, cuts.ground.player
    compared = 0
    for ending, row, reel in tables(cuts):
        last = ending.last
        for first in range(reel.first, last):
            size = ending.sizes[row, 0, last - first - 1]
            heights = heights_of(flow.nodes[first : last + 1], SCALES[row], {})
            assert [reel.heights.of[at] for at in range(first, last + 1)] == heights
            if size < TOO_MUCH:
                compared += 1
                assert size == player.play(Part(first, last), heights).size_bytes
    assert compared


def test_those_that_cannot_be_are_those_that_have_no_bound():
    """A node that shares no ring has nothing to do there, nor have some makers of a map."""
    impossible = 0
    for seed, target in product(SEEDS, TARGETS):
        cuts = cuts_of(seed, target)
        for ending, row, reel in tables(cuts):
            sizes = ending.sizes[row, 0, : reel.length - 1][::-1]
            assert np.array_equal(sizes == TOO_MUCH, cuts.least[ending.last][:-1] == TOO_MUCH)
            impossible += np.count_nonzero(sizes == TOO_MUCH)
    assert impossible


@pytest.mark.parametrize("seed", SEEDS)
def test_they_cost_what_their_operators_cost(seed: int) -> None:
    cuts = cuts_of(seed, "dedicated")
    ground, draws = cuts.ground, np.random.default_rng(seed)
    crossing = ground.crossing
    assert crossing.lasting
    for ending, row, reel in tables(cuts):
        last = ending.last
        near = frozenset(fm for fm in crossing.lasting if draws.random() < 0.5)
        for first, before, behind in product(range(reel.first, last), (0, 1), (0, 1)):
            if ending.sizes[row, 0, last - first - 1] == TOO_MUCH:
                continue
            borders = [(before, first), (behind, last + 1)]
            if any(side and crossing.at[border] is None for side, border in borders):
                continue
            there: set[FmId | None] = {crossing.at[border] for side, border in borders if side}
            heights = [reel.heights.of[at] for at in range(first, last + 1)]
            rolls = {fm for fm, _ in ground.player.play(Part(first, last), heights).rings}
            costs = [
                ground.cost(
                    ground.flow.nodes[at], reel.heights.of[at], rolls | near | (there - {None})
                )
                for at in range(first, last + 1)
            ]
            cycles = ending.cycles_with(
                near, np.array([row]), slice(last - first - 1, last - first)
            )[0, :, 0]
            direct, kept = cycles[:, before, behind]
            assert direct == pytest.approx(sum(cost.cycles for cost in costs))
            assert kept == pytest.approx(sum(cost.kept_cycles for cost in costs))
