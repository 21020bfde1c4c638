"""Our palettes and fonts as Qt sees them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QMenu,
    QStyle,
    QStyleOptionButton,
    QToolButton,
)

from gui.theme import fonts
from gui.theme.qpalette import disabled_text, mixed, palette_of, style_sheet, theme_for
from gui.theme.tones import DARK, LIGHT, THEMES
from tests.gui.theme.colours import contrast

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("choice", "scheme", "expected"),
    [
        ("system", Qt.ColorScheme.Light, LIGHT),
        ("system", Qt.ColorScheme.Dark, DARK),
        ("system", Qt.ColorScheme.Unknown, LIGHT),
        ("light", Qt.ColorScheme.Dark, LIGHT),
        ("dark", Qt.ColorScheme.Light, DARK),
    ],
)
def test_the_users_choice_comes_before_the_systems(choice, scheme, expected):
    assert theme_for(choice, scheme) is expected


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_palette_has_the_themes_colours(theme):
    palette = palette_of(theme)
    assert palette.color(QPalette.ColorRole.Base).name() == theme.base
    assert palette.color(QPalette.ColorRole.Highlight).name() == theme.accent
    disabled = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text).name()
    assert disabled == disabled_text(theme)
    # It has to look disabled, and be readable all the same.
    assert 2 < contrast(disabled, theme.window) < contrast(theme.faint_text, theme.window)
    assert theme.grid in style_sheet(theme)


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_the_frame_of_a_line_of_text_is_seen_and_shows_the_focus(qtbot, theme):
    line = QLineEdit()
    qtbot.addWidget(line)
    line.setStyleSheet(style_sheet(theme))
    line.resize(100, 30)
    middle = 15
    assert line.grab().toImage().pixelColor(0, middle).name() == theme.grid
    with qtbot.waitExposed(line):
        line.show()
    line.setFocus()
    qtbot.waitUntil(line.hasFocus)
    assert line.grab().toImage().pixelColor(0, middle).name() == theme.accent


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_a_box_to_tick_is_seen_and_shows_its_tick(qtbot, theme):
    box = QCheckBox("Align A")
    qtbot.addWidget(box)
    box.setPalette(palette_of(theme))
    box.setStyleSheet(style_sheet(theme))
    box.resize(box.sizeHint())
    option = QStyleOptionButton()
    box.initStyleOption(option)
    at = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box)
    empty = box.grab(at).toImage()
    assert empty.pixelColor(0, empty.height() // 2).name() == theme.faint_text
    assert contrast(theme.faint_text, theme.window) >= 3
    box.setChecked(True)
    assert box.grab(at).toImage() != empty


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_an_arrow_that_says_there_is_a_menu_lies_beside_the_text(qtbot, theme):
    """The style's own lies below it, and looks like a comma."""
    images = []
    for has_menu in (True, False):
        button = QToolButton()
        qtbot.addWidget(button)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setText("Lanes")
        if has_menu:
            button.setMenu(QMenu(button))
        button.setPalette(palette_of(theme))
        button.setStyleSheet(style_sheet(theme))
        button.resize(90, 24)
        images.append(button.grab().toImage())
    with_menu, without = images
    other = [
        (x, y)
        for x in range(90)
        for y in range(24)
        if with_menu.pixelColor(x, y) != without.pixelColor(x, y)
    ]
    assert other
    assert min(x for x, _ in other) > 70
    assert 8 < sum(y for _, y in other) / len(other) < 16


def test_colours_are_mixed_by_share():
    assert mixed("#000000", "#ffffff", 0) == "#000000"
    assert mixed("#000000", "#ffffff", 1) == "#ffffff"
    assert mixed("#000000", "#ffffff", 0.5) == "#808080"


def test_the_fonts_that_are_used_are_those_that_come_along():
    assert set(fonts.load()) == {fonts.SANS, fonts.MONO}
    assert fonts.sans().family() == fonts.SANS
    digits = {QFontMetrics(fonts.mono()).horizontalAdvance(letter) for letter in "0iW."}
    assert len(digits) == 1
    assert (fonts.FOLDER / "LICENSE.txt").read_text("utf-8").count("Bitstream") > 3
