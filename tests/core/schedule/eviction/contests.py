"""Contests: random ones, dense ones, and the best choice as trial of every one finds it."""

from __future__ import annotations

import itertools
import random

from hypothesis import strategies as st

from core.schedule.eviction.contest import Contender, Contest


def contest_of(spans, limit, base):
    """A contest of (first time, last time, bytes, worth)."""
    contenders = (
        Contender(name=f"c{i}", start_time=first, end_time=last, size_bytes=size, worth=worth)
        for i, (first, last, size, worth) in enumerate(spans)
    )
    return Contest(contenders=tuple(contenders), base_bytes=tuple(base), limit_bytes=limit)


@st.composite
def contests(draw, max_contenders=14, times=9, max_size=30):
    """Contests with few, often equal numbers, so that there are ties, and bases above the limit."""
    base = draw(st.lists(st.integers(0, 12), min_size=times, max_size=times))
    span = st.tuples(
        st.integers(0, times - 1),
        st.integers(0, times - 1),
        st.integers(0, max_size),
        st.sampled_from([0, 1, 2, 2, 5, 20]) | st.integers(0, 60),
    )
    spans = draw(st.lists(span, max_size=max_contenders))
    spans = [(min(a, b), max(a, b), size, worth) for a, b, size, worth in spans]
    return contest_of(spans, draw(st.integers(0, 4 * max_size)), base)


def dense_contest(seed, count=60, times=60, durations=(10, 40), share=0.5, worth=(2, 2, 2, 3, 4)):
    """Long lives, sizes as feature maps have them, and a limit that is a part of what is live."""
    chance = random.Random(seed)
    spans = []
    for _ in range(count):
        first, size = chance.randrange(times), 16 * chance.randint(1, 4000)
        last = min(times - 1, first + chance.randint(*durations))
        spans.append((first, last, size, size * chance.choice(worth)))
    spans.sort()
    peak = max(sum(s[2] for s in spans if s[0] <= time <= s[1]) for time in range(times))
    limit = int(peak * share)
    return contest_of(spans, limit, [chance.randint(0, limit // 4) for _ in range(times)])


def most_live(contest):
    """The largest number of contenders that are live at one time."""
    return max(
        sum(item.start_time <= time <= item.end_time for item in contest.contenders)
        for time in range(len(contest.base_bytes))
    )


def is_within(contest, kept):
    """Whether the limit holds at every time at which something that is kept lives."""
    staying = [item for item, stays in zip(contest.contenders, kept, strict=True) if stays]
    for time, base in enumerate(contest.base_bytes):
        live = [item.size_bytes for item in staying if item.start_time <= time <= item.end_time]
        if live and base + sum(live) > contest.limit_bytes:
            return False
    return True


def worth_of(contest, kept):
    """Accesses of all that stays."""
    return sum(item.worth for item, stays in zip(contest.contenders, kept, strict=True) if stays)


def rank(contest, kept):
    """What makes one choice better than another: worth, then bytes, then the first places."""
    pairs = list(zip(contest.contenders, kept, strict=True))
    return worth_of(contest, kept), sum(i.size_bytes for i, stays in pairs if stays), kept


def best_by_trial(contest):
    """The best choice of all; those that contain one which is above the limit are passed over."""
    choices = [()]
    rest = len(contest.contenders)
    for _ in range(rest):
        choices = [
            longer
            for choice, stays in itertools.product(choices, (False, True))
            if not (longer := (*choice, stays))[-1] or is_within(_head(contest, longer), longer)
        ]
    return max(choices, key=lambda kept: rank(contest, kept))


def _head(contest, kept):
    """The contest of the first contenders alone."""
    return Contest(
        contenders=contest.contenders[: len(kept)],
        base_bytes=contest.base_bytes,
        limit_bytes=contest.limit_bytes,
    )
