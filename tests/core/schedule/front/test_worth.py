"""Maps in fast storage by the cycles that they save there."""

from __future__ import annotations

from itertools import product

import pytest

from core.base.ids import FmId
from core.base.progress import SILENT
from core.schedule.draft import copied
from core.schedule.eviction.policies import POLICIES
from core.schedule.front.prices import NodePrices
from core.schedule.front.worth import Saved
from core.schedule.spilling import SavedCycles, Spill, spill
from tests.core.schedule.front.cases import LIMITS, cuts_of

SEEDS = (1, 7, 9)


def prices_of(seed: int) -> NodePrices:
    return cuts_of(seed, "dedicated").ground.prices


def moved(
    prices: NodePrices,
    limit_bytes: int,
    saved: SavedCycles | None = None,
    near: frozenset[FmId] = frozenset(),
) -> Spill:
    """All nodes by themselves, some maps counted on."""
    draft = copied(prices.whole)
    draft.near = near
    policy = POLICIES[prices.estimates.options.eviction]
    return spill(prices.problem, prices.estimates, draft, limit_bytes, policy, SILENT, saved=saved)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_one_map_saves_beside_others_is_what_its_operators_take_less(seed: int) -> None:
    prices = prices_of(seed)
    saved, near = Saved(prices, prices.whole), frozenset[FmId]()
    worths = []
    for fm in sorted(prices.problem.movable):
        worth = saved.beside(near).get(fm, 0)
        less = saved.cycles(near) - saved.cycles(near | {fm})
        assert worth == max(round(less), 0)
        worths.append(worth)
        near |= {fm}
    assert any(worths)


def test_none_takes_more_cycles_than_by_accesses_and_some_take_fewer() -> None:
    fewer = 0
    for seed, limit_bytes in product(SEEDS, (*LIMITS, 8192, 16384)):
        prices = prices_of(seed)
        saved = Saved(prices, prices.whole)
        by_cycles, by_accesses = (
            saved.cycles(moved(prices, limit_bytes, way).fast) for way in (saved, None)
        )
        assert by_cycles <= by_accesses
        fewer += by_cycles < by_accesses
    assert fewer


def test_nothing_comes_to_lie_on_maps_that_stay_where_that_has_no_room() -> None:
    """With one such map left out, another one came to lie there: 9,216 bytes in a limit of 5,012,
    so that the cuts that counted on both maps were not had, and 57,120 cycles for 17,731."""
    prices = prices_of(213)
    found = moved(prices, 5012, near=frozenset({FmId(1), FmId(6)}))
    assert {1, 6} <= found.fast
    assert found.now.peak_bytes <= 5012
