"""The first scheduler's policy: nothing else keeps more bytes."""

from __future__ import annotations

from hypothesis import given

from core.base.frozen import replace
from core.base.progress import SILENT
from core.ir.decisions import Fate
from core.schedule.eviction import component
from core.schedule.eviction.contest import DEFAULT_OPTIONS, Contest
from core.schedule.first import eviction
from tests.core.schedule.eviction.contests import (
    best_by_trial,
    contest_of,
    contests,
    dense_contest,
    is_within,
)


def bytes_of(contest, kept):
    items = zip(contest.contenders, kept, strict=True)
    return sum(item.size_bytes for item, stays in items if stays)


def kept_by(policy, contest):
    return policy.evict(contest, DEFAULT_OPTIONS, SILENT).kept


def by_bytes(contest):
    """The same contest, in which each byte is an access."""
    items = contest.contenders
    equal = tuple(replace(each, worth=each.size_bytes) for each in items)
    return replace(contest, contenders=equal)


@given(contest=contests(max_contenders=10))
def test_no_other_choice_keeps_more_bytes(contest: Contest) -> None:
    kept = kept_by(eviction, contest)
    assert is_within(contest, kept)
    assert bytes_of(contest, kept) == bytes_of(contest, best_by_trial(by_bytes(contest)))


def test_a_large_map_that_is_read_once_stays_and_a_small_one_that_is_read_often_goes() -> None:
    contest = contest_of([(0, 3, 100, 100), (0, 3, 60, 600)], 120, [0] * 4)
    assert kept_by(eviction, contest) == (True, False)
    assert kept_by(component, contest) == (False, True)


def test_of_equal_choices_the_one_with_the_first_map_is_taken() -> None:
    spans = [(0, 1, 10, 1), (0, 2, 10, 9), (1, 3, 10, 9)]
    for limit_bytes in (10, 20):
        contest = contest_of(spans, limit_bytes, [0] * 4)
        assert kept_by(eviction, contest)[0]


def test_who_fits_is_known_from_those_before_it() -> None:
    """Who always fits counts for whoever comes later, so that of two one never fits."""
    contest = contest_of([(0, 1, 10, 1), (1, 2, 15, 1), (2, 3, 95, 1)], 100, [0, 0, 80, 0])
    verdict = eviction.evict(contest, DEFAULT_OPTIONS, SILENT)
    assert verdict.fates == (Fate.ALWAYS_FITS, Fate.WON, Fate.NEVER_FITS)


def test_many_are_decided_twenty_at_a_time() -> None:
    contest = dense_contest(3, count=90)
    kept = kept_by(eviction, contest)
    assert is_within(contest, kept)
    together = bytes_of(contest, kept_by(component, by_bytes(contest)))
    assert 0.8 * together <= bytes_of(contest, kept) <= together
