"""How views are set survives as a text; what is broken or of another version sets nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.export.look_text import decoded, encoded
from gui.export.orders import Look
from gui.items.ranges import Range

NUMBERS = st.integers(-(2**31), 2**31 - 1)
RANGES = st.tuples(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9)).map(
    lambda pair: Range(pair[0], pair[0] + pair[1])
)
VALUES = {
    "tab": NUMBERS,
    "combo": NUMBERS,
    "button": st.booleans(),
    "line": st.text(max_size=8),
    "header": st.binary(max_size=8),
    "slider": NUMBERS,
    "plot": st.tuples(RANGES, RANGES),
    "scroll": NUMBERS,
}
SETTINGS = st.sampled_from(sorted(VALUES)).flatmap(
    lambda part: st.tuples(st.just(part), st.integers(0, 9), VALUES[part])
)
LOOKS = st.dictionaries(
    st.text(max_size=8), st.lists(SETTINGS, max_size=4).map(lambda found: Look(tuple(found)))
)


@given(LOOKS)
def test_it_comes_back_whole(looks):
    text = encoded(looks, 3)
    assert decoded(text, 3) == looks
    assert encoded(decoded(text, 3), 3) == text
    assert decoded(text, 4) == {}


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 3}', "7", "[" * 100_000])
def test_what_nobody_has_written_sets_nothing(text):
    assert decoded(text, 3) == {}


@pytest.mark.parametrize(
    "setting",
    [
        ["tab", 0, "1"],
        ["button", 0, 1],
        ["line", 0, None],
        ["header", 0, "~"],
        ["plot", 0, [[0, 1]]],
        ["plot", 0, [[0, 1], [1, 0]]],
        ["plot", 0, [[0, 1], [0, float("inf")]]],
        ["unheard of", 0, 1],
        ["tab", 0],
        ["tab", None, 1],
    ],
    ids=repr,
)
def test_values_of_another_kind_set_nothing(setting):
    text = json.dumps({"version": 3, "views": {"timeline": [["tab", 0, 1], setting]}})
    assert decoded(text, 3) == {}
