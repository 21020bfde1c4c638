"""Shortest life first, then the largest: against what that says step by step."""

from __future__ import annotations

from hypothesis import given

from core.base.progress import SILENT
from core.ir.decisions import Fate
from core.schedule.eviction import component, lifetime, over_limit
from core.schedule.eviction.contest import DEFAULT_OPTIONS
from tests.core.schedule.eviction.contests import contest_of, contests, is_within, worth_of


@given(contest=contests(max_contenders=20))
def test_the_component_policy_keeps_no_less_than_either_of_the_others(contest):
    best = component.evict(contest, DEFAULT_OPTIONS, SILENT)
    for policy in (lifetime, over_limit):
        other = policy.evict(contest, DEFAULT_OPTIONS, SILENT)
        assert worth_of(contest, best.kept) >= worth_of(contest, other.kept)


@given(contest=contests(max_contenders=20))
def test_whoever_left_fits_beside_none_of_those_that_came_before(contest):
    """In their order, one after the other moves in exactly where the limit still holds."""
    verdict = lifetime.evict(contest, DEFAULT_OPTIONS, SILENT)
    items = contest.contenders
    order = sorted(
        range(len(items)),
        key=lambda at: (
            items[at].end_time - items[at].start_time,
            -items[at].size_bytes,
            items[at].name,
            at,
        ),
    )
    inside = [False] * len(items)
    for at in order:
        inside[at] = True
        inside[at] = is_within(contest, inside)
    assert list(verdict.kept) == inside


def test_a_short_life_goes_before_a_long_one_whatever_it_is_worth():
    contest = contest_of([(0, 3, 8, 1000), (1, 2, 4, 1)], 10, [0] * 4)
    verdict = lifetime.evict(contest, DEFAULT_OPTIONS, SILENT)
    assert verdict.fates == (Fate.LOST, Fate.WON)


def test_of_equal_lives_the_largest_goes_first():
    contest = contest_of([(0, 1, 3, 9), (0, 1, 8, 1), (0, 1, 2, 1)], 10, [0, 0])
    verdict = lifetime.evict(contest, DEFAULT_OPTIONS, SILENT)
    assert verdict.fates == (Fate.LOST, Fate.WON, Fate.WON)
    assert verdict.components == ()
