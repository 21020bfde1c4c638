"""Texts can be read, and classes told apart, also by those who see few hues."""

from __future__ import annotations

import itertools

import pytest

from gui.theme.qpalette import mixed
from gui.theme.tones import CONTRAST, DARK, HEAT, LIGHT, RULES, SHAPES, Pattern, Theme, Tone
from tests.gui.theme.colours import contrast, distance

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK, CONTRAST], ids=lambda theme: theme.name)
READABLE = 4.5

IN_THE_MAP = (
    Tone.FEATURE_MAP,
    Tone.WAITING,
    Tone.ROLLING,
    Tone.WEIGHTS,
    Tone.DOUBLE,
    Tone.CONSTANT,
    Tone.TABLE,
    Tone.RESERVED,
    Tone.PADDING,
    Tone.GHOST,
    Tone.OVER,
    Tone.SHARED,
)
IN_THE_TIMELINE = (
    Tone.COMPUTE,
    Tone.ELEMENTWISE,
    Tone.STALL,
    Tone.PREFETCH,
    Tone.WEIGHTS,
    Tone.TABLE,
    Tone.COPY,
    Tone.CPU,
    Tone.OVER,
)

IN_THE_ROOFLINE = tuple(SHAPES)
MARKED = 3
"""Of what is as small as a letter, and is no text."""
FOUND = 20
"""From the ground, which all else fades into."""


@THEMES
@pytest.mark.parametrize("name", ["text", "faint_text", "accent", "danger", "good", "warning"])
def test_texts_can_be_read_on_whatever_is_behind_them(theme: Theme, name: str):
    for behind in (theme.base, theme.window, theme.alternate):
        assert contrast(getattr(theme, name), behind) >= READABLE


@THEMES
def test_texts_can_be_read_on_every_class(theme: Theme):
    ratios = {tone: contrast(ink.colour, ink.text) for tone, ink in theme.inks.items()}
    assert {tone.name: ratio for tone, ratio in ratios.items() if ratio < READABLE} == {}
    assert contrast(theme.accent, theme.accent_text) >= READABLE


@THEMES
@pytest.mark.parametrize(
    "together",
    [IN_THE_MAP, IN_THE_TIMELINE, IN_THE_ROOFLINE, RULES],
    ids=["map", "timeline", "roofline", "rules"],
)
def test_classes_that_are_seen_together_are_told_apart(theme: Theme, together):
    close = {}
    for one, other in itertools.combinations(together, 2):
        inks = theme.inks[one], theme.inks[other]
        # A pattern helps where hues do not.
        needed = 20 if inks[0].pattern is inks[1].pattern else 13
        apart = distance(inks[0].colour, inks[1].colour)
        if apart < needed:
            close[one.name, other.name] = round(apart, 1)
    assert close == {}


@THEMES
def test_marks_are_seen_on_the_ground_and_have_a_shape_each(theme: Theme):
    assert min(contrast(theme.inks[tone].colour, theme.base) for tone in SHAPES) >= MARKED
    assert len(set(SHAPES.values())) == len(SHAPES)


@THEMES
def test_what_rules_find_is_seen_on_the_ground_and_keeps_its_own_pattern(theme: Theme):
    assert min(distance(theme.inks[tone].colour, theme.base) for tone in RULES) >= FOUND
    assert {theme.inks[tone].pattern for tone in RULES} == {Pattern.SOLID}


@THEMES
def test_every_class_has_an_ink(theme: Theme):
    assert set(theme.inks) == set(Tone)


@pytest.mark.parametrize("name", ["text", "faint_text", "accent", "danger", "good", "warning"])
def test_high_contrast_is_more_than_readable(name: str):
    for behind in (CONTRAST.base, CONTRAST.window, CONTRAST.alternate):
        assert contrast(getattr(CONTRAST, name), behind) >= 7
    assert contrast(CONTRAST.grid, CONTRAST.base) >= 3
    # Buttons have no outline there.
    assert contrast(CONTRAST.control, CONTRAST.window) >= 1.5
    assert contrast(CONTRAST.text, CONTRAST.control) >= 7


@THEMES
def test_what_fades_keeps_a_name_that_can_be_read(theme: Theme):
    faded = {tone: mixed(ink.colour, theme.base, theme.faded) for tone, ink in theme.inks.items()}
    read = {tone.name: contrast(theme.faint_text, colour) for tone, colour in faded.items()}
    least = READABLE if theme is CONTRAST else MARKED
    assert {name: ratio for name, ratio in read.items() if ratio < least} == {}


@THEMES
def test_steps_from_least_to_most_are_told_apart_by_lightness(theme: Theme):
    levels = [contrast(theme.inks[tone].colour, "#000000") for tone in HEAT]
    assert levels == sorted(levels, reverse=not theme.is_dark)
    steps = itertools.pairwise(theme.inks[tone].colour for tone in HEAT)
    assert min(distance(*step) for step in steps) >= 8


def test_high_contrast_has_nothing_in_a_picture_that_is_not_seen_on_its_ground():
    # Lines of what was written over are seen on the feature map that they lie on.
    inks = {tone: CONTRAST.inks[tone].colour for tone in Tone if tone is not Tone.SHARED}
    seen = {tone.name: contrast(colour, CONTRAST.base) for tone, colour in inks.items()}
    assert {name: ratio for name, ratio in seen.items() if ratio < MARKED} == {}
    shared = CONTRAST.inks[Tone.SHARED].colour
    for tone in (Tone.FEATURE_MAP, Tone.ROLLING):
        assert contrast(shared, CONTRAST.inks[tone].colour) >= MARKED
    for colour in (CONTRAST.accent, CONTRAST.danger, CONTRAST.good, CONTRAST.warning):
        assert contrast(colour, CONTRAST.control) >= READABLE
