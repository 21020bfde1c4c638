"""What every policy promises: the limit holds, and the reasons given are the true ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InternalError
from core.base.progress import SILENT, Cancelled
from core.ir.decisions import Fate
from core.ir.options import EvictionPolicy
from core.schedule.eviction.contest import (
    DEFAULT_OPTIONS,
    Contender,
)
from core.schedule.eviction.policies import POLICIES
from tests.core.schedule.eviction.contests import contest_of, contests, is_within

policies = st.sampled_from(EvictionPolicy)


@given(contest=contests(max_contenders=25), policy=policies)
def test_the_limit_holds_wherever_something_stays(contest, policy):
    verdict = POLICIES[policy](contest, DEFAULT_OPTIONS, SILENT)
    assert len(verdict.kept) == len(verdict.fates) == len(contest.contenders)
    assert is_within(contest, verdict.kept)


@given(contest=contests(max_contenders=25), policy=policies)
def test_fates_are_reasons(contest, policy):
    verdict = POLICIES[policy](contest, DEFAULT_OPTIONS, SILENT)
    count = len(contest.contenders)
    able = [fate is not Fate.NEVER_FITS for fate in verdict.fates]
    for index, (stays, fate) in enumerate(zip(verdict.kept, verdict.fates, strict=True)):
        assert stays == (fate in (Fate.ALWAYS_FITS, Fate.WON))
        alone = [other == index for other in range(count)]
        assert (fate is Fate.NEVER_FITS) != is_within(contest, alone)
        if fate is Fate.ALWAYS_FITS:
            item = contest.contenders[index]
            for time in range(item.start_time, item.end_time + 1):
                live = sum(
                    other.size_bytes
                    for other, is_able in zip(contest.contenders, able, strict=True)
                    if is_able and other.start_time <= time <= other.end_time
                )
                assert contest.base_bytes[time] + live <= contest.limit_bytes


@given(contest=contests(), policy=policies)
def test_the_same_contest_has_the_same_verdict(contest, policy):
    first = POLICIES[policy](contest, DEFAULT_OPTIONS, SILENT)
    assert POLICIES[policy](contest, DEFAULT_OPTIONS, SILENT) == first


@given(contest=contests(max_contenders=12), policy=policies)
def test_without_a_tight_limit_everything_stays(contest, policy):
    roomy = contest_of(
        [(c.start_time, c.end_time, c.size_bytes, c.worth) for c in contest.contenders],
        1000,
        contest.base_bytes,
    )
    verdict = POLICIES[policy](roomy, DEFAULT_OPTIONS, SILENT)
    assert set(verdict.fates) <= {Fate.ALWAYS_FITS}


def test_every_policy_has_its_row():
    assert set(POLICIES) == set(EvictionPolicy)


@pytest.mark.parametrize("policy", EvictionPolicy)
def test_a_policy_can_be_cancelled(policy):
    class Impatient:
        def advance(self, *_):
            raise Cancelled

    contest = contest_of([(0, 1, 6, 1), (1, 2, 6, 1)], 10, [0, 0, 0])
    with pytest.raises(Cancelled):
        POLICIES[policy](contest, DEFAULT_OPTIONS, Impatient())


@pytest.mark.parametrize("span", [(1, 0, 1, 1), (-1, 0, 1, 1), (0, 0, -1, 1), (0, 0, 1, -1)])
def test_a_contender_is_checked(span):
    first, last, size, worth = span
    with pytest.raises(InternalError):
        Contender(name="x", start_time=first, end_time=last, size_bytes=size, worth=worth)


def test_a_contender_lives_within_the_times_of_the_contest():
    with pytest.raises(InternalError):
        contest_of([(0, 2, 1, 1)], 10, [0, 0])
