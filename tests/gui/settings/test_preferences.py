"""Preferences come back as they were kept, and nonsense where they are kept does no harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.settings.preferences import MOST_RECENTS, Forgetful, Preferences, load, save

TEXT = st.text(max_size=20)


@given(TEXT, TEXT, TEXT, st.lists(TEXT, max_size=MOST_RECENTS, unique=True), TEXT, TEXT)
def test_what_is_kept_comes_back(theme, time_unit, byte_unit, recents, layout, geometry):
    kept = Preferences(
        theme=theme,
        time_unit=time_unit,
        byte_unit=byte_unit,
        recents=tuple(recents),
        layout=layout,
        geometry=geometry,
    )
    storage = Forgetful()
    save(storage, kept)
    assert load(storage) == kept


@pytest.mark.parametrize("text", ["", "nonsense", "{}", '"a"', "[1, 2]", "[", "null"])
def test_nonsense_among_the_recents_counts_as_none(text):
    storage = Forgetful()
    storage.write("recents", text)
    assert load(storage).recents == ()


def test_a_model_that_is_opened_again_moves_to_the_front():
    preferences = Preferences().with_recent("a").with_recent("b").with_recent("a")
    assert preferences.recents == ("a", "b")


def test_only_so_many_models_are_remembered():
    preferences = Preferences()
    for number in range(MOST_RECENTS + 3):
        preferences = preferences.with_recent(str(number))
    assert len(preferences.recents) == MOST_RECENTS
    assert preferences.recents[0] == str(MOST_RECENTS + 2)
    assert preferences.without_recents().recents == ()
