"""Titles are found by some of their letters, the likeliest first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.commands.fuzzy import match

TITLES = ("Schedule: Cancel", "File: Open...", "View: Theme: Dark", "Go: Timeline: Zoom in")


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("open", "File: Open..."),
        ("fo", "File: Open..."),
        ("dark", "View: Theme: Dark"),
        ("dark theme", "View: Theme: Dark"),
        ("vtd", "View: Theme: Dark"),
        ("ZOOM", "Go: Timeline: Zoom in"),
        ("cncl", "Schedule: Cancel"),
    ],
)
def test_the_best_title_is_the_one_that_is_meant(query, title):
    hits = {name: hit for name in TITLES if (hit := match(query, name))}
    assert max(hits, key=lambda name: hits[name].score) == title


def test_letters_that_are_missing_are_no_match():
    assert match("xyz", "File: Open...") is None
    assert match("neop", "Open") is None


def test_a_word_is_better_than_its_letters_far_apart():
    near, far = match("lim", "SRAM limit"), match("lim", "Lanes in memory")
    assert near is not None
    assert far is not None
    assert near.positions == (5, 6, 7)
    assert match("abab", "a b a b") is not None


def test_words_are_known_from_letters_here_and_there():
    assert match("lim", "SRAM limit").is_whole
    assert match("ram lim", "SRAM limit").is_whole
    assert not match("slt", "SRAM limit").is_whole


def test_nothing_typed_matches_everything():
    assert match("", "anything") is not None
    assert match("  ", "anything") is not None


@given(st.text(max_size=12), st.text(max_size=30))
def test_positions_are_where_the_letters_are(query, title):
    hit = match(query, title)
    if hit is None or len(title.lower()) != len(title):
        return
    assert list(hit.positions) == sorted(set(hit.positions))
    assert all(title.lower()[at] in query.lower() for at in hit.positions)


@given(st.lists(st.integers(0, 29), max_size=8, unique=True), st.text("abc :", min_size=30))
def test_letters_taken_from_a_title_in_order_find_it(places, title):
    query = "".join(title[at] for at in sorted(places)).replace(" ", "").replace(":", "")
    assert match(query, title) is not None
