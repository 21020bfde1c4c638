"""The check of layouts finds what is planted, and nothing in a sound layout."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.check.layout import Placed, verify

SOUND = (
    Placed("a", 0, 32, 0, 3, 16),
    Placed("b", 32, 16, 3, 5, 16),
    Placed("c", 0, 40, 6, 7, 16),
    Placed("d", 0, 8, 4, 5, 16),
    Placed("none", 0, 0, 0, 7, 16),
)


def test_a_sound_layout_has_no_findings():
    assert verify(SOUND, 48, 48) == ()


@pytest.mark.parametrize(
    ("planted", "height", "limit", "said"),
    [
        (Placed("x", 16, 1, 3, 3, 16), 48, None, "x: shares byte 16 with a at time 3"),
        (Placed("x", 0, 64, 5, 5, 16), 64, None, "b: shares byte 32 with x at time 5"),
        (Placed("x", 8, 1, 8, 9, 16), 48, None, "x: address 8 is no multiple of 16"),
        (Placed("x", -16, 1, 8, 9, 16), 48, None, "x: has the address -16"),
        (Placed("x", 48, 1, 0, 9, 16), 48, None, "height: is 49, but 48 is said"),
        (Placed("x", 48, 1, 0, 9, 16), 49, 48, "height: 49 is above the limit 48"),
    ],
)
def test_a_planted_fault_is_found(planted, height, limit, said):
    assert said in [str(finding) for finding in verify((*SOUND, planted), height, limit)]


SMALL = st.integers(0, 6)
RANGES = st.builds(
    lambda name, address, size, start, width, content: Placed(
        name, address, size, start, start + width, 1, content
    ),
    *(st.sampled_from("abc"), SMALL, SMALL, SMALL, SMALL, st.sampled_from((None, None, "x"))),
)


def meet(one, other):
    """Whether a byte is in both at some time, and they are not the same constant."""
    spans = [{*range(r.address, r.address + r.size_bytes)} for r in (one, other)]
    times = [{*range(r.start_time, r.end_time + 1)} for r in (one, other)]
    is_same = one.content and one[1:3] == other[1:3] and one.content == other.content
    return bool(spans[0] & spans[1] and times[0] & times[1] and not is_same)


@given(placed=st.lists(RANGES, max_size=9))
def test_there_are_findings_where_and_only_where_two_ranges_meet(placed):
    height = max((item.address + item.size_bytes for item in placed), default=0)
    assert bool(verify(placed, height)) == any(meet(*pair) for pair in combinations(placed, 2))


def test_only_equal_contents_may_lie_on_each_other():
    one = Placed("one", 0, 8, 0, 1, 1, "x")
    assert verify((one, one._replace(name="two")), 8) == ()
    assert len(verify((one, one._replace(name="two", content="y")), 8)) == 1
    assert len(verify((one, one._replace(name="two", address=4)), 12)) == 1
