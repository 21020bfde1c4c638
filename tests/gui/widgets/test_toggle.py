"""A toggle that is on can be told from one that is off, whatever the theme."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gui.theme.tones import DARK, LIGHT
from gui.widgets.toggle import Toggle


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_on_has_the_colour_of_the_selection(qtbot, theme):
    toggle = Toggle("0x", "Addresses in hexadecimal digits")
    qtbot.addWidget(toggle)
    toggle.set_theme(theme)
    toggle.resize(60, 30)
    assert toggle.accessibleName() == toggle.toolTip() == "Addresses in hexadecimal digits"
    for is_on, colour in ((False, theme.base), (True, theme.accent)):
        assert toggle.isChecked() == is_on
        assert toggle.grab().toImage().pixelColor(6, 15).name() == colour
        qtbot.keyClick(toggle, Qt.Key.Key_Space)
