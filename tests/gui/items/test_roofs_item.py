"""Roofs are where they should be, and their names are in sight and off the places of others."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from gui.items.canvas import Canvas
from gui.items.ranges import Range
from gui.items.roofs_item import Rise, RoofsItem
from gui.theme.tones import LIGHT

TOP, RISE = 2.0, Rise(0.5, "SRAM: 3 B a cycle")


@pytest.fixture
def canvas(qtbot):
    found = Canvas("roofs", zooms_both=True)
    found.roofs = RoofsItem(("along x", "along y"))
    found.addItem(found.roofs, ignoreBounds=True)
    found.set_theme(LIGHT)
    found.set_bounds(Range(-1.0, 4.0), Range(-1.0, 3.0))
    found.roofs.set_roofs([RISE], TOP, "100 a cycle", -0.5)
    qtbot.addWidget(found)
    found.resize(600, 450)
    found.show()
    found.show_all()
    return found


def dark_near(canvas, x, y):
    """Whether a line is drawn at a place."""
    at = canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(x, y)))
    image = canvas.viewport().grab().toImage()
    near = [
        image.pixelColor(at.x() + right, at.y() + down).lightness()
        for right in (-1, 0, 1)
        for down in (-1, 0, 1)
    ]
    return min(near) < QColor(LIGHT.grid).lightness() - 60


def test_a_slope_rises_to_the_flat_roof_and_ends_there(canvas):
    assert dark_near(canvas, 1.2, 1.7)
    assert not dark_near(canvas, 1.8, 2.3)
    assert dark_near(canvas, 1.6, TOP)
    assert not dark_near(canvas, 1.0, TOP)
    # Below the floor places mean something else.
    assert not dark_near(canvas, -1.2, -0.7)


def pixels_of_name(canvas):
    """Those above the slope, as shares of the way along it."""
    canvas.roofs.set_roofs([RISE], TOP, "", -0.5)
    image = canvas.viewport().grab().toImage()
    canvas.roofs.set_roofs([Rise(RISE.at_zero, "")], TOP, "", -0.5)
    blank = canvas.viewport().grab().toImage()
    foot, head = (
        canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(x, x + RISE.at_zero)))
        for x in (-1.0, TOP - RISE.at_zero)
    )
    return [
        (x - foot.x()) / (head.x() - foot.x())
        for x in range(image.width())
        for y in range(image.height())
        if image.pixel(x, y) != blank.pixel(x, y)
    ]


@pytest.mark.parametrize("is_low", [True, False])
def test_the_name_of_a_slope_is_where_nothing_else_is(canvas, is_low):
    x = np.linspace(-1.0, 0.2, 9) if is_low else np.linspace(0.2, 1.5, 9)
    canvas.roofs.set_places(np.column_stack((x, x + RISE.at_zero)))
    name = pixels_of_name(canvas)
    middle = sum(name) / len(name)
    assert (middle > 0.5) == is_low
    assert min(name) > -0.02
    assert max(name) < 1.02
