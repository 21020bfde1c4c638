"""The walk from start to end, against what it does step by step."""

from __future__ import annotations

from hypothesis import given

from core.base.progress import SILENT
from core.ir.decisions import Fate
from core.schedule.eviction import component, over_limit
from core.schedule.eviction.contest import DEFAULT_OPTIONS
from tests.core.schedule.eviction.contests import contest_of, contests, worth_of


@given(contest=contests(max_contenders=20))
def test_the_component_policy_keeps_no_less(contest):
    simple = over_limit.evict(contest, DEFAULT_OPTIONS, SILENT)
    best = component.evict(contest, DEFAULT_OPTIONS, SILENT)
    assert worth_of(contest, best.kept) >= worth_of(contest, simple.kept)


def test_whoever_is_met_above_the_limit_leaves():
    # The small one goes since it is met first, although the large one goes as well.
    contest = contest_of([(0, 1, 2, 100), (1, 2, 9, 1), (2, 3, 3, 1)], 10, [0, 0, 2, 0])
    verdict = over_limit.evict(contest, DEFAULT_OPTIONS, SILENT)
    assert verdict.fates == (Fate.LOST, Fate.NEVER_FITS, Fate.WON)
    assert verdict.kept == (False, False, True)
    assert verdict.components == ()
