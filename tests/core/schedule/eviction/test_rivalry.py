"""Which times bind rivals: held against what the words say, for every pair of times."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.schedule.eviction.contest import Contender, Contest
from core.schedule.eviction.rivalry import rivalry_of
from tests.effort import some_of

LAST = 15
LIFE = st.tuples(st.integers(0, LAST), st.integers(0, LAST)).map(sorted)


@given(
    st.lists(LIFE, min_size=1, max_size=7),
    st.lists(st.integers(0, 4), min_size=LAST + 1, max_size=LAST + 1),
    st.sets(st.integers(0, LAST), min_size=1),
)
@settings(max_examples=some_of(300))
def test_times_bind_that_no_other_one_makes_needless(
    lives: list[list[int]], base_bytes: list[int], full: set[int]
) -> None:
    contest = Contest(
        contenders=tuple(
            Contender(name="", size_bytes=1, worth=1, start_time=first, end_time=last)
            for first, last in lives
        ),
        base_bytes=tuple(base_bytes),
        limit_bytes=9,
    )
    rivals = {
        time: {at for at, (first, last) in enumerate(lives) if first <= time <= last}
        for time in full
    }

    def is_needless(time: int, other: int) -> bool:
        """Whether the other binds all of the same rivals, and at least as tightly."""
        if other == time or not rivals[other] >= rivals[time]:
            return False
        mine, its = base_bytes[time], base_bytes[other]
        return its > mine or (its == mine and (rivals[other] > rivals[time] or other < time))

    binding = [
        time
        for time in sorted(full)
        if rivals[time] and not any(is_needless(time, other) for other in full)
    ]
    found = rivalry_of(contest, range(len(lives)), sorted(full))
    assert found.rooms == tuple(9 - base_bytes[time] for time in binding)
    for rival in found.rivals:
        assert {binding[at] for at in rival.times} == {
            time for time in binding if rival.index in rivals[time]
        }
