"""The best of all choices, as trial finds it; true bounds where the budget ends before."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from core.base.progress import SILENT, Cancelled
from core.ir.decisions import Fate
from core.schedule.eviction import component
from core.schedule.eviction.contest import DEFAULT_OPTIONS, EvictionOptions
from tests.core.schedule.eviction.contests import (
    best_by_trial,
    contest_of,
    contests,
    dense_contest,
    is_within,
    most_live,
    worth_of,
)
from tests.effort import some_of

TINY = EvictionOptions(node_limit=1)


def worth_bound(contest, verdict):
    """What no choice can be above: free contenders, and the bounds of the components."""
    free = [fate is Fate.ALWAYS_FITS for fate in verdict.fates]
    return worth_of(contest, free) + sum(c.worth_bound for c in verdict.components)


@settings(max_examples=some_of(120))
@given(contest=contests())
def test_the_choice_is_what_trial_of_all_finds(contest):
    verdict = component.evict(contest, DEFAULT_OPTIONS, SILENT)
    assert verdict.kept == best_by_trial(contest)
    assert all(part.is_proven_optimal for part in verdict.components)
    assert worth_bound(contest, verdict) == worth_of(contest, verdict.kept)


@given(contest=contests(max_contenders=12, times=4, max_size=6))
def test_the_choice_is_what_trial_finds_where_much_is_equal(contest):
    assert component.evict(contest, DEFAULT_OPTIONS, SILENT).kept == best_by_trial(contest)


@pytest.mark.long
@pytest.mark.parametrize("node_limit", [0, 1, 40])
@given(contest=contests(max_contenders=12))
def test_few_nodes_give_a_sound_choice_and_a_true_bound(node_limit, contest):
    options = EvictionOptions(node_limit=node_limit)
    verdict = component.evict(contest, options, SILENT)
    assert is_within(contest, verdict.kept)
    best = worth_of(contest, best_by_trial(contest))
    assert worth_of(contest, verdict.kept) <= best <= worth_bound(contest, verdict)


@given(contest=contests(max_contenders=25))
def test_components_are_those_who_compete(contest):
    verdict = component.evict(contest, DEFAULT_OPTIONS, SILENT)
    members = [index for part in verdict.components for index in part.members]
    competing = [index for index, fate in enumerate(verdict.fates) if fate in (Fate.WON, Fate.LOST)]
    assert sorted(members) == competing
    for part in verdict.components:
        mine = [index in part.members and verdict.kept[index] for index in range(len(verdict.kept))]
        assert part.worth_kept == worth_of(contest, mine)
        # Each has been too much together with others.
        together = [index in part.members for index in range(len(verdict.kept))]
        assert not is_within(contest, together)


@pytest.mark.parametrize("options", [DEFAULT_OPTIONS, TINY], ids=["found", "greedy"])
@given(contest=contests(max_contenders=25))
def test_no_one_who_left_could_have_stayed(options, contest):
    verdict = component.evict(contest, options, SILENT)
    for index, stays in enumerate(verdict.kept):
        more = tuple(kept or other == index for other, kept in enumerate(verdict.kept))
        assert stays or not is_within(contest, more)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("durations", [(1, 20), (8, 30)])
def test_sixty_dense_contenders_are_proven(seed, durations):
    contest = dense_contest(seed, durations=durations, share=0.45)
    verdict = component.evict(contest, DEFAULT_OPTIONS, SILENT)
    assert most_live(contest) >= 14
    assert max(len(part.members) for part in verdict.components) >= 50
    assert is_within(contest, verdict.kept)
    assert all(part.is_proven_optimal for part in verdict.components)


def test_the_hardest_end_with_the_budget_and_a_bound():
    # Accesses that are bytes: each choice is about as good as the next.
    contest = dense_contest(0, share=0.8, worth=(2,))
    options = EvictionOptions(node_limit=60_000)
    verdict = component.evict(contest, options, SILENT)
    (part,) = (part for part in verdict.components if not part.is_proven_optimal)
    assert part.worth_kept < part.worth_bound < 1.02 * part.worth_kept
    assert is_within(contest, verdict.kept)
    assert component.evict(contest, options, SILENT) == verdict


def test_more_nodes_are_not_worse():
    contest = dense_contest(3, share=0.6)
    verdicts = [
        component.evict(contest, EvictionOptions(node_limit=limit), SILENT)
        for limit in (1, 1_000, 20_000)
    ]
    kept = [worth_of(contest, verdict.kept) for verdict in verdicts]
    bounds = [worth_bound(contest, verdict) for verdict in verdicts]
    assert kept == sorted(kept)
    assert bounds == sorted(bounds, reverse=True)
    assert not verdicts[0].components[0].is_proven_optimal
    assert kept[0] < bounds[0]


def test_a_search_can_be_cancelled_while_it_goes_on():
    heard = []

    class Impatient:
        def advance(self, stage, done, total):
            heard.append((stage, done, total))
            if len(heard) > 2:
                raise Cancelled

    with pytest.raises(Cancelled):
        component.evict(dense_contest(4), DEFAULT_OPTIONS, Impatient())
    assert [stage for stage, _, _ in heard] == ["spilling"] * 3
    assert 0 < heard[-1][1] < heard[-1][2]


def test_a_time_within_the_limit_parts_components():
    # The middle one lives through both, and yet is free of neither: its times are full.
    apart = contest_of([(0, 1, 6, 1), (0, 0, 6, 2), (1, 2, 3, 1), (2, 2, 8, 5)], 10, [0, 0, 0])
    verdict = component.evict(apart, DEFAULT_OPTIONS, SILENT)
    assert [part.members for part in verdict.components] == [(0, 1), (2, 3)]
    assert verdict.kept == (False, True, False, True)


def test_ties_keep_more_bytes_and_then_the_first():
    tied = contest_of([(0, 0, 5, 1), (0, 0, 6, 1), (0, 0, 6, 1)], 10, [0])
    assert component.evict(tied, DEFAULT_OPTIONS, SILENT).kept == (False, True, False)


def test_a_base_above_the_limit_leaves_room_for_nobody():
    contest = contest_of([(0, 1, 0, 9), (2, 2, 3, 9)], 10, [0, 11, 0])
    verdict = component.evict(contest, DEFAULT_OPTIONS, SILENT)
    assert verdict.fates == (Fate.NEVER_FITS, Fate.ALWAYS_FITS)


def test_nobody_to_decide_about():
    assert component.evict(contest_of([], 10, []), DEFAULT_OPTIONS, SILENT).kept == ()
