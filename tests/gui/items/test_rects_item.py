"""Rectangles on the screen: where they should be, in their colours, and told apart."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.items.brushes import brush_of, lines_of
from gui.items.painting import Labels
from gui.items.rects_item import Hit
from gui.present.rects import Lit
from gui.theme.tones import CONTRAST, DARK, LIGHT, Pattern, Tone
from tests.gui.items.drawing import canvas_of, has_colour, pixel_of, rects_of

COMPUTE = LIGHT.inks[Tone.COMPUTE]
STALL = LIGHT.inks[Tone.STALL]


def test_a_rectangle_has_its_colour_in_its_place_and_nowhere_else(qtbot):
    canvas, layer = canvas_of(qtbot, rects_of((10, 20, 0, 0, 7), (30, 60, 1, 0, 8)))
    for x, y, is_there in ((15, 0.5, True), (45, 1.5, True), (15, 1.5, False), (25, 0.5, False)):
        assert has_colour(canvas, x, y, COMPUTE.colour) == is_there
        assert has_colour(canvas, x, y, LIGHT.base) != is_there
    assert layer.drawn.size == 2


def test_another_theme_has_other_colours(qtbot):
    canvas, _ = canvas_of(qtbot, rects_of((10, 20, 0, 0, 7)))
    canvas.set_theme(DARK)
    assert has_colour(canvas, 15, 0.5, DARK.inks[Tone.COMPUTE].colour)
    assert has_colour(canvas, 50, 0.5, DARK.base)


def test_neighbours_are_a_pixel_apart(qtbot):
    canvas, _ = canvas_of(qtbot, rects_of((10, 50, 0, 0, 1), (50, 90, 0, 0, 2)))
    image = canvas.grab().toImage()
    y = round(pixel_of(canvas, 50, 0.5).y())
    middle = round(pixel_of(canvas, 50, 0.5).x())
    row = [image.pixelColor(x, y).name() for x in range(middle - 5, middle + 5)]
    assert row.count(QColor(LIGHT.base).name()) == 1
    assert row.count(QColor(COMPUTE.colour).name()) == 9


def test_a_pattern_is_laid_over_its_colour(qtbot):
    canvas, _ = canvas_of(qtbot, rects_of((10, 90, 0, 1, 1)))
    image = canvas.grab().toImage()
    at = pixel_of(canvas, 50, 0.5)
    seen = {
        image.pixelColor(round(at.x()) + dx, round(at.y()) + dy).name()
        for dx in range(8)
        for dy in range(8)
    }
    assert len(seen) > 1
    assert QColor(STALL.colour).name() in seen


def test_a_rectangle_narrower_than_a_pixel_is_seen(qtbot):
    canvas, _ = canvas_of(qtbot, rects_of((50, 50.01, 0, 0, 1), (20, 30, 1, 0, 2)))
    image = canvas.grab().toImage()
    at = pixel_of(canvas, 50, 0.5)
    columns = {image.pixelColor(round(at.x()) + dx, round(at.y())).name() for dx in (-1, 0, 1)}
    assert QColor(COMPUTE.colour).name() in columns


def test_one_without_length_is_a_marker(qtbot):
    canvas, _ = canvas_of(qtbot, rects_of((50, 50, 0, 0, 1)))
    image = canvas.grab().toImage()
    at = pixel_of(canvas, 50, 0.5)
    row = [image.pixelColor(round(at.x()) + dx, round(at.y())).name() for dx in range(-8, 9)]
    assert row.count(QColor(COMPUTE.colour).name()) == 5


def crowd(count=4000):
    left = np.linspace(0.0, 99.0, count)
    boxes = [(start, start + 0.02, 0, 0, key) for key, start in enumerate(left)]
    return rects_of(*boxes)


def test_a_crowd_is_merged_hatched_and_counted(qtbot):
    canvas, layer = canvas_of(qtbot, crowd())
    image = canvas.grab().toImage()
    assert layer.drawn.count.sum() == 4000
    assert layer.drawn.size <= 502
    at = pixel_of(canvas, 50, 0.5)
    area = [
        image.pixelColor(round(at.x()) + dx, round(at.y()) + dy).name()
        for dx in range(8)
        for dy in range(8)
    ]
    assert QColor(COMPUTE.colour).name() in area
    assert QColor(LIGHT.base).name() not in area
    assert len(set(area)) > 1
    hit = canvas.hit_at(at)
    assert hit is not None
    assert hit.items > 1


def test_each_pixel_column_of_a_crowd_is_coloured(qtbot):
    canvas, _ = canvas_of(qtbot, crowd())
    image = canvas.grab().toImage()
    y = round(pixel_of(canvas, 0, 0.5).y())
    first, last = (round(pixel_of(canvas, x, 0.5).x()) for x in (1, 98))
    ground = QColor(LIGHT.base)
    assert all(image.pixelColor(x, y) != ground for x in range(first, last))


def test_only_what_is_in_sight_is_drawn(qtbot):
    canvas, layer = canvas_of(qtbot, crowd())
    canvas.frame(50.0, 51.0)
    canvas.grab()
    assert 30 < layer.drawn.count.sum() < 90
    assert (layer.drawn.count == 1).all()


def test_a_point_says_what_is_there(qtbot):
    canvas, layer = canvas_of(qtbot, rects_of((10, 20, 0, 0, 7), (30, 60, 1, 0, 8)))
    assert layer.hit(15, 0.5) == Hit("layer", 7, 0, 1)
    assert layer.hit(45, 1.5).key == 8
    assert layer.hit(45, 0.5) is None
    assert canvas.hit_at(pixel_of(canvas, 15, 0.5)) == Hit("layer", 7, 0, 1)
    assert canvas.hit_at(QPointF(-5, -5)) is None


def test_the_selected_are_outlined_even_where_they_are_merged(qtbot):
    canvas, layer = canvas_of(qtbot, crowd())
    layer.set_selected([2000])
    assert layer.selected == {2000}
    start, _ = layer.selected_extent()
    image = canvas.grab().toImage()
    at = pixel_of(canvas, start, 0.5)
    near = {image.pixelColor(round(at.x()) + dx, round(at.y())).name() for dx in range(-3, 4)}
    assert QColor(LIGHT.accent).name() in near
    layer.set_selected([])
    assert layer.selected_extent() is None


def test_all_of_a_key_are_outlined_and_framed(qtbot):
    canvas, layer = canvas_of(
        qtbot, rects_of((10, 20, 0, 0, 7), (70, 80, 1, 0, 7), (30, 40, 0, 0, 1))
    )
    layer.set_selected([7])
    assert layer.selected_extent() == (10.0, 80.0)
    assert layer.extent_of([7]) == (10.0, 80.0, 0.0, 2.0)
    assert layer.extent_of([99]) is None
    image = canvas.grab().toImage()
    for x, y, is_selected in ((10, 0.5, True), (70, 1.5, True), (30, 0.5, False)):
        at = pixel_of(canvas, x, y)
        near = {image.pixelColor(round(at.x()) + dx, round(at.y())).name() for dx in (-1, 0, 1)}
        assert (QColor(LIGHT.accent).name() in near) == is_selected


def test_what_rules_find_has_their_colours_and_the_pattern_of_its_class(qtbot):
    boxes = (10, 30, 0, 0, 7), (40, 60, 0, 1, 8), (70, 90, 0, 0, 9)
    canvas, layer = canvas_of(qtbot, rects_of(*boxes))
    layer.set_lit(Lit(frozenset({7, 8, 9}), {7: Tone.RULE_2, 8: Tone.RULE_1}))
    first, second = (LIGHT.inks[tone].colour for tone in (Tone.RULE_1, Tone.RULE_2))
    assert has_colour(canvas, 20, 0.5, second)
    # What is looked at and no rule has found is as it was.
    assert has_colour(canvas, 80, 0.5, COMPUTE.colour)
    seen = around(canvas, 50)
    assert first in seen
    assert len(seen) > 1
    assert STALL.colour not in seen
    canvas.set_theme(DARK)
    assert has_colour(canvas, 20, 0.5, DARK.inks[Tone.RULE_2].colour)
    # Other rectangles of the same keys have the same colours.
    layer.set_rects(rects_of((10, 30, 1, 0, 9), (40, 60, 1, 0, 7)))
    assert has_colour(canvas, 50, 1.5, DARK.inks[Tone.RULE_2].colour)
    layer.set_lit(Lit(frozenset({7})))
    assert has_colour(canvas, 50, 1.5, DARK.inks[Tone.COMPUTE].colour)
    assert not has_colour(canvas, 20, 1.5, DARK.inks[Tone.COMPUTE].colour)
    layer.set_lit(None)
    assert has_colour(canvas, 20, 1.5, DARK.inks[Tone.COMPUTE].colour)


@pytest.mark.parametrize("theme", [LIGHT, CONTRAST], ids=lambda theme: theme.name)
def test_what_fades_keeps_its_name(qtbot, theme):
    canvas, layer = canvas_of(
        qtbot, rects_of((5, 45, 0, 0, 7), (55, 95, 0, 0, 8), labels=("conv2d", "pool"))
    )
    canvas.set_theme(theme)
    layer.set_lit(Lit(frozenset({7})))
    image, ink = canvas.grab().toImage(), theme.inks[Tone.COMPUTE]
    whole, faded = (
        {
            image.pixelColor(x, y).name()
            for x in range(round(label.left()), round(label.right()))
            for y in range(round(label.top()), round(label.bottom()))
        }
        for label in layer.written
    )
    assert ink.text in whole
    assert theme.faint_text in faded
    assert ink.colour not in faded


def test_one_that_a_rule_finds_is_seen_in_a_crowd(qtbot):
    canvas, layer = canvas_of(qtbot, crowd())
    layer.set_lit(Lit(frozenset({2000}), {2000: Tone.RULE_3}))
    start, _, _, _ = layer.extent_of([2000])
    assert LIGHT.inks[Tone.RULE_3].colour in around(canvas, start)


def around(canvas, x):
    """Colours near a point of the first row."""
    image, at = canvas.grab().toImage(), pixel_of(canvas, x, 0.5)
    left, top = round(at.x()) - 4, round(at.y()) - 4
    return {image.pixelColor(left + dx, top + dy).name() for dx in range(9) for dy in range(9)}


def test_labels_are_written_where_they_fit(qtbot):
    labels = ("wide enough", "no room for this")
    boxes = ((10, 90, 0, 0, 1), (92, 94, 0, 0, 2))
    with_texts, _ = canvas_of(qtbot, rects_of(*boxes, labels=labels))
    without, _ = canvas_of(qtbot, rects_of(*boxes))
    one, two = with_texts.grab().toImage(), without.grab().toImage()
    changed = {
        x
        for x in range(one.width())
        for y in range(one.height())
        if one.pixel(x, y) != two.pixel(x, y)
    }
    left, right = (round(pixel_of(with_texts, x, 0).x()) for x in (10, 90))
    assert changed
    assert left < min(changed)
    assert max(changed) < right


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("pattern", [each for each in Pattern if each is not Pattern.SOLID])
def test_patterns_can_be_told_apart_on_all_screens(theme, ratio, pattern):
    ink = theme.inks[Tone.ROLLING]._replace(pattern=pattern)
    side = round(48 * ratio)
    pictures = []
    for one in (ink, ink._replace(pattern=Pattern.SOLID)):
        image = QImage(side, side, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        painter = QPainter(image)
        painter.fillRect(QRectF(0, 0, 48, 48), brush_of(one, ratio))
        painter.end()
        pictures.append(image)
    drawn, plain = pictures
    share = np.mean(
        [drawn.pixel(x, y) != plain.pixel(x, y) for x in range(side) for y in range(side)]
    )
    assert 0.04 < share < 0.6


@pytest.mark.usefixtures("qtbot")
def test_patterns_differ_from_each_other():
    textures = {
        lines_of("#000000", pattern, 1.0).textureImage().constBits().tobytes()
        for pattern in Pattern
        if pattern is not Pattern.SOLID
    }
    assert len(textures) == 4


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("name", ["tf.math.multiply_11/Mul", "store_12/conv2d_3", "concat_16", "x"])
def test_a_name_is_shortened_to_one_that_can_be_told_apart_or_not_written(name):
    labels = Labels(QApplication.font())
    for width in range(4, 240, 3):
        shown = labels.fitted(name, width)
        assert "…" not in shown
        assert not shown or re.findall(r"\d+", shown) == re.findall(r"\d+", name)


@pytest.mark.usefixtures("qtbot")
def test_a_size_after_a_name_is_written_whole_or_not_at_all():
    labels = Labels(QApplication.font())
    text = "conv2d_3 · 255.5 KiB · costs 1,200 cycles"
    found = {labels.fitted(text, width) for width in range(4, 400)}
    assert {text, "conv2d_3 · 255.5 KiB", "conv2d_3", ""} < found
    for shown in found - {""}:
        assert re.fullmatch(r"\w+( · 255\.5 KiB( · costs( 1,200 cycles)?)?)?", shown)
    assert "255.5" not in {labels.fitted("255.5 KiB", width) for width in range(4, 240)}


def test_outlines_of_small_rectangles_stay_within_their_row(qtbot):
    """Selected stripes are as high as their neighbours."""
    boxes = [(start, start + 0.8, 0, 0, 7 if start % 4 == 0 else 1) for start in range(20, 60, 2)]
    canvas, layer = canvas_of(qtbot, rects_of(*boxes))
    before = canvas.grab().toImage()
    layer.set_selected([7])
    after = canvas.grab().toImage()
    covered = {
        y
        for x in range(before.width())
        for y in range(before.height())
        if before.pixelColor(x, y).name() == QColor(COMPUTE.colour).name()
    }
    changed = {
        y
        for x in range(before.width())
        for y in range(before.height())
        if before.pixel(x, y) != after.pixel(x, y)
    }
    assert changed == covered
