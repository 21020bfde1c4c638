"""A legend of one line: what fits is painted, and all of it can be read by others."""

from __future__ import annotations

from PySide6.QtGui import QColor

from gui.items.legend import Legend
from gui.theme.tones import DARK, LIGHT, Tone

ENTRIES = ((Tone.WEIGHTS, "weights"), (Tone.COPY, "copy"))


def colours(legend):
    image = legend.grab().toImage()
    return {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }


def test_entries_are_painted_as_far_as_there_is_room(qtbot):
    legend = Legend()
    qtbot.addWidget(legend)
    legend.set_entries(ENTRIES)
    size = legend.sizeHint()
    for theme in (LIGHT, DARK):
        legend.set_theme(theme)
        weights, copy = (QColor(theme.inks[tone].colour).name() for tone, _ in ENTRIES)
        legend.resize(size)
        assert {weights, copy} <= colours(legend)
        legend.resize(size.width() - 30, size.height())
        assert weights in colours(legend)
        assert copy not in colours(legend)
    assert legend.accessibleDescription() == "weights, copy"
    assert legend.minimumSizeHint().width() == 0
