"""The curve of an amount over time: its height, its limit, and what is above it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from gui.items.canvas import Canvas
from gui.items.ranges import Range
from gui.items.step_item import StepItem
from gui.theme.tones import DARK, LIGHT, Tone
from tests.gui.exposed import exposed
from tests.gui.items.drawing import colour_at, has_colour, pixel_of


def canvas_with(qtbot, edges, values, limit=None, theme=LIGHT):
    canvas = Canvas("Steps")
    steps = StepItem()
    steps.set_theme(theme)
    steps.set_steps(np.array(edges, dtype=float), np.array(values, dtype=float))
    steps.set_limit(limit, "")
    canvas.addItem(steps, ignoreBounds=True)
    canvas.set_theme(theme)
    canvas.set_bounds(Range(0.0, float(edges[-1])), Range(0.0, 100.0), least_y=100.0)
    exposed(qtbot, canvas, 600, 200)
    canvas.show_all()
    QApplication.processEvents()
    return canvas, steps


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_steps_are_filled_up_to_their_value(qtbot, theme):
    canvas, _ = canvas_with(qtbot, [0, 30, 60, 90], [20, 80, 50], theme=theme)
    used = theme.inks[Tone.USED].colour
    for x, y, is_there in ((15, 10, True), (15, 30, False), (45, 70, True), (45, 90, False)):
        assert has_colour(canvas, x, y, used if is_there else theme.base)


def test_what_is_above_the_limit_is_in_danger(qtbot):
    canvas, _ = canvas_with(qtbot, [0, 30, 60, 90], [20, 80, 50], limit=60)
    used = LIGHT.inks[Tone.USED].colour
    assert has_colour(canvas, 45, 70, LIGHT.danger)
    assert has_colour(canvas, 45, 50, used)
    assert has_colour(canvas, 75, 40, used)
    assert has_colour(canvas, 75, 70, LIGHT.base)


def test_the_limit_is_a_line_over_the_whole_width(qtbot):
    canvas, _ = canvas_with(qtbot, [0, 90], [20], limit=60)
    image = canvas.grab().toImage()
    y = int(pixel_of(canvas, 0, 60).y())
    for x in (5, 200, 400, 590):
        assert image.pixelColor(x, y) == QColor(LIGHT.danger)
        assert image.pixelColor(x, y + 3) != QColor(LIGHT.danger)


def test_no_peak_is_lost_however_short(qtbot):
    edges = np.sort(np.random.default_rng(1).uniform(0, 10_000, 20_001))
    values = np.full(20_000, 20.0)
    values[7_777] = 90.0
    edges[7_778] = edges[7_777]
    canvas, _ = canvas_with(qtbot, edges, values)
    image = canvas.grab().toImage()
    at = pixel_of(canvas, edges[7_777], 85)
    used = QColor(LIGHT.inks[Tone.USED].colour)
    x, y = round(at.x()), round(at.y())
    assert used.name() in {image.pixelColor(x + dx, y).name() for dx in (-1, 0, 1)}
    assert image.pixelColor(round(at.x()) + 9, round(at.y())) == QColor(LIGHT.base)


def test_the_peak_is_marked_and_texts_do_not_cover_each_other(qtbot):
    canvas, steps = canvas_with(qtbot, [0, 1, 90], [80, 20], limit=82)
    bare = canvas.grab().toImage()
    steps.set_peak(0.0, 80.0, "peak 80 B")
    steps.set_limit(82, "limit 82 B")
    marked = canvas.grab().toImage()
    assert marked != bare
    at = pixel_of(canvas, 0.0, 80.0)
    assert colour_at(canvas, 0.0, 82.0) != QColor(LIGHT.base)
    changed = [
        QPointF(x, y)
        for x in range(bare.width())
        for y in range(bare.height())
        if bare.pixel(x, y) != marked.pixel(x, y)
    ]
    assert min(point.x() for point in changed) >= at.x() - 6


def test_without_steps_nothing_is_drawn(qtbot):
    canvas, _ = canvas_with(qtbot, [0, 1], [0])
    assert has_colour(canvas, 0.5, 50, LIGHT.base)
