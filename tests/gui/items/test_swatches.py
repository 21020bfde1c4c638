"""A legend shows every colour it explains, on as many lines as that takes."""

from __future__ import annotations

from gui.items.swatches import Swatches
from gui.theme.tones import DARK, LIGHT, Tone

ENTRIES = ((Tone.FEATURE_MAP, "feature map"), (Tone.GHOST, "evicted"), (None, "selected"))


def test_every_entry_is_painted_and_told(qtbot):
    legend = Swatches()
    qtbot.addWidget(legend)
    for theme in (LIGHT, DARK):
        legend.set_theme(theme)
        legend.set_entries(ENTRIES)
        legend.resize(600, legend.heightForWidth(600))
        image = legend.grab().toImage()
        shown = {
            image.pixelColor(x, y).name()
            for x in range(image.width())
            for y in range(image.height())
        }
        inks = (theme.inks[Tone.FEATURE_MAP].colour, theme.inks[Tone.GHOST].colour)
        assert {*inks, theme.accent, theme.base} <= shown
    assert legend.accessibleDescription() == "feature map, evicted, selected"
    assert legend.entries == ENTRIES


def test_it_takes_more_lines_where_it_is_narrow(qtbot):
    legend = Swatches()
    qtbot.addWidget(legend)
    assert legend.heightForWidth(100) == 0
    legend.set_entries(ENTRIES)
    wide, narrow = legend.heightForWidth(1000), legend.heightForWidth(20)
    assert narrow == len(ENTRIES) * wide > 0
