"""The minimap shows everything, and its brush shows and changes what the canvas shows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from gui.items.minimap import Minimap
from gui.items.ranges import Range
from gui.present.lod import Field
from gui.present.rects import Lit
from gui.theme.tones import LIGHT, Tone
from tests.gui.exposed import exposed
from tests.gui.items.drawing import rects_of

LEFT = Qt.MouseButton.LeftButton


BOXES = rects_of((0, 50, 0, 0, 1), (50, 100, 1, 0, 2))


@pytest.fixture
def minimap(qtbot):
    found = Minimap("The whole run")
    found.set_theme(LIGHT)
    found.set_field(Field(BOXES), Range(0, 100), Range(0, 2))
    found.set_shown(Range(25, 75))
    return exposed(qtbot, found, 400, found.height())


def test_everything_is_drawn(minimap):
    image = minimap.grab().toImage()
    colour = QColor(LIGHT.inks[Tone.COMPUTE].colour)
    assert image.pixelColor(150, minimap.height() // 4) == colour
    assert image.pixelColor(250, 3 * minimap.height() // 4) == colour


def test_what_rules_find_has_their_colours_and_all_else_fades(minimap):
    one, _ = (int(key) for key in BOXES.key)
    first, second = (QPoint(150, minimap.height() // 4), QPoint(250, 3 * minimap.height() // 4))
    minimap.set_lit(Lit(frozenset({one}), {one: Tone.RULE_1}))
    image = minimap.grab().toImage()
    assert image.pixelColor(first) == QColor(LIGHT.inks[Tone.RULE_1].colour)
    assert image.pixelColor(second) != QColor(LIGHT.inks[Tone.COMPUTE].colour)
    # Other rectangles of the same keys have the same colours.
    minimap.set_field(Field(BOXES), Range(0, 100), Range(0, 2))
    assert minimap.grab().toImage() == image
    minimap.set_lit(None)
    image = minimap.grab().toImage()
    for place in (first, second):
        assert image.pixelColor(place) == QColor(LIGHT.inks[Tone.COMPUTE].colour)


def test_the_brush_is_over_what_is_shown(minimap):
    brush = minimap.brush()
    assert (brush.left(), brush.right()) == pytest.approx((100, 300), abs=1)
    image = minimap.grab().toImage()
    accent = QColor(LIGHT.accent)
    assert image.pixelColor(101, minimap.height() // 2) == accent
    assert image.pixelColor(298, minimap.height() // 2) == accent


def drag(minimap, start, end):
    y = minimap.height() // 2
    asked = []

    def follow(wanted):
        asked.append(wanted)
        minimap.set_shown(wanted)

    minimap.brushed.connect(follow)
    QTest.mousePress(minimap, LEFT, pos=QPoint(start, y))
    QTest.mouseMove(minimap, QPoint(end, y))
    QTest.mouseRelease(minimap, LEFT, pos=QPoint(end, y))
    return asked


@pytest.mark.parametrize(
    ("start", "end", "wanted"),
    [
        (200, 240, (35, 85)),
        (101, 61, (15, 75)),
        (299, 339, (25, 85)),
        (380, 380, (70, 120)),
    ],
    ids=["the brush", "its left end", "its right end", "somewhere else"],
)
def test_dragging_asks_for_another_part(minimap, start, end, wanted):
    asked = drag(minimap, start, end)
    assert tuple(asked[-1]) == pytest.approx(wanted, abs=1.0)


def test_a_double_click_asks_for_everything(minimap, qtbot):
    with qtbot.waitSignal(minimap.all_asked):
        QTest.mouseDClick(minimap, LEFT, pos=QPoint(200, 5))


def test_the_smallest_brush_can_still_be_seen(minimap):
    minimap.set_shown(Range(99.9999, 100.0))
    brush = minimap.brush()
    assert brush.width() >= 3
    assert brush.right() <= 400


def test_it_has_a_name(minimap):
    assert minimap.accessibleName() == "The whole run"
