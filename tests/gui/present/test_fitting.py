"""What does not fit loses letters of names, and never a digit of a figure."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.present.fitting import fitted

HINT = "31 conv2d · depthwise_conv2d_29: needs 294,912; free 112,336 bytes; 46.5 KiB more"
WORDS = st.lists(
    st.sampled_from(
        ["12 add", "294,912", "353.5 KiB", "conv2d_3", "model_1/tf.math.add_29", "at", "+1.1 %"]
    )
)


def figures(text: str) -> list[str]:
    """Numbers that are no part of a name; of a cut name no digits stand alone."""
    return re.findall(r"(?<![\w.])[+-]?\d[\d,.]*(?<![,.])(?!\w)", text)


def test_figures_stay_while_names_shrink():
    for room in range(47, len(HINT)):
        shown = fitted(HINT, room, len)
        assert len(shown) <= room
        assert figures(shown) == ["31", "294,912", "112,336", "46.5"]
    assert fitted(HINT, len(HINT), len) == HINT


@pytest.mark.parametrize("room", range(47))
def test_where_figures_do_not_fit_the_last_are_not_there(room):
    shown = fitted(HINT, room, len)
    whole = ["31", "294,912", "112,336", "46.5"]
    assert len(shown) <= room
    assert figures(shown) == whole[: len(figures(shown))]


@given(WORDS, st.integers(min_value=0, max_value=80))
def test_no_figure_is_ever_cut(words, room) -> None:
    text = " ".join(words)
    shown = fitted(text, room, len)
    told = figures(text)
    assert len(shown) <= max(room, 0)
    assert figures(shown) == told[: len(figures(shown))]
    assert shown == text or len(shown) < len(text)
