"""Marks are told apart by shapes alone, keep their size, and lie on each other once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from gui.items.canvas import Canvas
from gui.items.marks_item import MarkSign, MarksItem, draw_mark, mark_radius_px
from gui.items.ranges import Range
from gui.theme.tones import DARK, LIGHT, SHAPES, Tone

FILLED, HOLLOW = MarkSign(Tone.BY_MACS, False), MarkSign(Tone.BY_MACS, True)
SIDE = 32


@pytest.fixture
def canvas(qtbot):
    found = Canvas("marks", zooms_both=True)
    found.marks = MarksItem()
    found.addItem(found.marks, ignoreBounds=True)
    found.set_theme(LIGHT)
    found.set_bounds(Range(0.0, 100.0), Range(0.0, 100.0))
    qtbot.addWidget(found)
    found.resize(400, 300)
    found.show()
    found.show_all()
    return found


def colour_at(canvas, x, y, right_px=0.0):
    scene = canvas.box.mapViewToScene(QPointF(x, y)) + QPointF(right_px, 0.0)
    return canvas.viewport().grab().toImage().pixelColor(canvas.mapFromScene(scene))


def outline(sign):
    """Where a mark is, whatever its colour."""
    image = QImage(SIDE, SIDE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.base))
    painter = QPainter(image)
    draw_mark(painter, QPointF(SIDE / 2, SIDE / 2), mark_radius_px(), sign, LIGHT)
    painter.end()
    base = QColor(LIGHT.base).rgb()
    return {(x, y) for x in range(SIDE) for y in range(SIDE) if image.pixel(x, y) != base}


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("is_hollow", [False, True])
def test_each_tone_has_a_shape_of_its_own(is_hollow):
    drawn = [outline(MarkSign(tone, is_hollow)) for tone in SHAPES]
    for one, other in itertools.combinations(drawn, 2):
        assert len(one ^ other) >= len(one | other) / 8


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_filled_hollow_and_selected_ones_are_seen(canvas, theme):
    canvas.set_theme(theme)
    canvas.marks.set_theme(theme)
    canvas.marks.set_marks(np.array([[20.0, 50.0], [60.0, 50.0]]), [FILLED, HOLLOW])
    assert colour_at(canvas, 20, 50) == QColor(theme.inks[Tone.BY_MACS].colour)
    assert colour_at(canvas, 60, 50) == QColor(theme.base)
    ring = 2 * mark_radius_px()
    assert colour_at(canvas, 20, 50, ring) == QColor(theme.base)
    canvas.marks.set_hovered([0])
    assert colour_at(canvas, 20, 50, ring) != QColor(theme.base)
    canvas.marks.set_selected([0])
    assert colour_at(canvas, 20, 50, ring) != QColor(theme.base)
    assert colour_at(canvas, 60, 50, ring) == QColor(theme.base)


def test_zooming_moves_marks_and_keeps_their_size(canvas):
    canvas.marks.set_marks(np.array([[50.0, 50.0]]), [FILLED])
    for _ in range(2):
        assert colour_at(canvas, 50, 50) == QColor(LIGHT.inks[Tone.BY_MACS].colour)
        assert colour_at(canvas, 50, 50, 2 * mark_radius_px() + 2) == QColor(LIGHT.base)
        canvas.zoom_in()


def test_of_marks_in_one_place_and_out_of_sight_none_is_drawn_twice_or_at_all(canvas):
    places = np.array([[50.0, 50.0]] * 500 + [[20.0, 50.0]])
    canvas.marks.set_marks(places, [FILLED] * 400 + [HOLLOW] * 101)
    canvas.viewport().grab()
    assert canvas.marks.drawn == 3
    canvas.box.show(Range(40.0, 60.0), Range(40.0, 60.0))
    canvas.viewport().grab()
    assert canvas.marks.drawn == 2
