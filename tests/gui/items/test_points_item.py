"""Points are as large as letters, whatever is zoomed to, and their texts stay in sight."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from gui.items.canvas import Canvas
from gui.items.points_item import PointsItem, Spot, radius_px
from gui.items.ranges import Range
from gui.theme.tones import DARK, LIGHT


@pytest.fixture
def canvas(qtbot):
    found = Canvas("points")
    found.points = PointsItem()
    found.addItem(found.points, ignoreBounds=True)
    found.set_theme(LIGHT)
    found.set_bounds(Range(0.0, 100.0), Range(0.0, 100.0))
    qtbot.addWidget(found)
    found.resize(400, 300)
    found.show()
    found.show_all()
    return found


def colour_at(canvas, x, y, above_px=0.0):
    scene = canvas.box.mapViewToScene(QPointF(x, y)) - QPointF(0.0, above_px)
    pixel = canvas.mapFromScene(scene)
    return canvas.viewport().grab().toImage().pixelColor(pixel)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_how_a_point_stands_out_is_seen(canvas, theme):
    canvas.set_theme(theme)
    canvas.points.set_theme(theme)
    canvas.points.set_spots(
        [Spot(20, 50), Spot(50, 50, is_filled=True), Spot(80, 50, is_filled=True, is_wrong=True)]
    )
    assert colour_at(canvas, 20, 50) == QColor(theme.base)
    assert colour_at(canvas, 50, 50) == QColor(theme.accent)
    assert colour_at(canvas, 80, 50) == QColor(theme.danger)
    ring = 2 * radius_px() + 1
    assert colour_at(canvas, 20, 50, ring) == QColor(theme.base)
    canvas.points.set_ringed(0)
    assert colour_at(canvas, 20, 50, ring) != QColor(theme.base)


def test_zooming_moves_points_and_keeps_their_size(canvas):
    canvas.points.set_spots([Spot(50, 50, is_filled=True)])
    inside, outside = radius_px(), 2 * radius_px() + 2
    for _ in range(2):
        assert colour_at(canvas, 50, 50, inside) == QColor(LIGHT.accent)
        assert colour_at(canvas, 50, 50, outside) == QColor(LIGHT.base)
        canvas.zoom_in()


def test_a_text_at_the_border_is_on_the_side_where_there_is_room(canvas):
    blank = canvas.viewport().grab().toImage()
    canvas.points.set_spots([Spot(99, 50, text="current")])
    drawn = canvas.viewport().grab().toImage()
    point = canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(99, 50)))
    changed = [
        x
        for x in range(drawn.width())
        for y in range(drawn.height())
        if drawn.pixel(x, y) != blank.pixel(x, y)
    ]
    assert min(changed) < point.x() - 20
    assert max(changed) < drawn.width() - 1
