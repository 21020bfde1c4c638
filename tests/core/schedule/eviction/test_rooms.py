"""Rooms in one number do what a list of rooms does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.schedule.eviction.rooms import Packing

MOST = 1000
BYTES = st.lists(st.integers(0, MOST), min_size=1, max_size=9)


@given(free=BYTES, takers=st.lists(BYTES, max_size=6))
def test_shares_are_taken_as_long_as_each_time_has_them(free, takers):
    packing = Packing.up_to(MOST)
    rooms, left = packing.rooms(free), list(free)
    for taken in takers:
        wanted = taken[: len(free)]
        found = packing.share(wanted).taken_from(rooms)
        fits = all(size <= room for size, room in zip(wanted, left, strict=False))
        assert (found is not None) == fits
        if found is not None:
            rooms = found
            left = [room - size for room, size in zip(left, wanted + [0] * 9, strict=False)]
        assert rooms == packing.rooms(left)


@given(free=BYTES)
def test_times_are_left_one_after_the_other(free):
    packing = Packing.up_to(MOST)
    rooms = packing.rooms(free)
    for place, room in enumerate(free):
        assert packing.first(rooms) == room
        rooms = packing.later(rooms)
        assert rooms == packing.rooms(free[place + 1 :])
