"""A legend shows every colour it explains, or as many as one line has room for."""

from __future__ import annotations

import pytest

from gui.items.legend import Legend
from gui.theme.tones import DARK, LIGHT, SHAPES, Tone

ENTRIES = ((Tone.FEATURE_MAP, "feature map"), (Tone.GHOST, "evicted"), (None, "selected"))


@pytest.fixture
def legend(qtbot, request):
    found = Legend(is_one_line=getattr(request, "param", False))
    qtbot.addWidget(found)
    return found


def colours(legend):
    image = legend.grab().toImage()
    return {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }


def test_every_entry_is_painted_and_told(legend):
    for theme in (LIGHT, DARK):
        legend.set_theme(theme)
        legend.set_entries(ENTRIES)
        legend.resize(600, legend.heightForWidth(600))
        inks = (theme.inks[Tone.FEATURE_MAP].colour, theme.inks[Tone.GHOST].colour)
        assert {*inks, theme.accent, theme.base} <= colours(legend)
    assert legend.accessibleDescription() == "feature map, evicted, selected"
    assert legend.entries == ENTRIES


def test_marks_are_explained_by_their_shapes(legend):
    legend.set_entries([(tone, tone.value) for tone in SHAPES])
    legend.resize(900, legend.heightForWidth(900))
    assert {LIGHT.inks[tone].colour for tone in SHAPES} <= colours(legend)


def test_it_takes_more_lines_where_it_is_narrow(legend):
    assert legend.heightForWidth(100) == 0
    legend.set_entries(ENTRIES)
    wide, narrow = legend.heightForWidth(1000), legend.heightForWidth(20)
    assert narrow == len(ENTRIES) * wide > 0


def test_under_a_low_drawing_it_has_whole_lines_that_fit_and_leaves_the_rest_out(legend):
    legend.set_entries(ENTRIES)
    line, narrow = legend.minimumSizeHint().height(), 20
    for room, lines in ((2 * line + line // 2, 2), (line // 2, 0), (9 * line, len(ENTRIES))):
        legend.set_room(room)
        assert legend.heightForWidth(narrow) == lines * line


@pytest.mark.parametrize("legend", [True], indirect=True)
def test_in_one_line_what_does_not_fit_is_left_out(legend):
    legend.set_entries(ENTRIES)
    size = legend.sizeHint()
    for theme in (LIGHT, DARK):
        legend.set_theme(theme)
        legend.resize(size)
        first, last = theme.inks[Tone.FEATURE_MAP].colour, theme.accent
        assert {first, last} <= colours(legend)
        legend.resize(size.width() - 1, size.height())
        assert first in colours(legend)
        assert last not in colours(legend)
    assert legend.accessibleDescription() == "feature map, evicted, selected"
    assert not legend.sizePolicy().hasHeightForWidth()
    assert legend.minimumSizeHint().width() == 0


def test_while_rules_colour_it_explains_them_and_what_lies_over_all(legend):
    legend.set_entries([*ENTRIES, (Tone.OVER, "above the limit")])
    legend.set_entries([(Tone.RULE_1, "5 operators: Most of the time")], "rules")
    told = [text for _, text in legend.entries]
    assert told == ["5 operators: Most of the time", "selected", "above the limit"]
    assert legend.accessibleDescription() == ", ".join(told)
    legend.set_entries((), "rules")
    assert len(legend.entries) == 4
