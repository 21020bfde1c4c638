"""Pins of edits, and what they leave to be read."""

from __future__ import annotations

from gui.items.pins_item import PinsItem, pin_px, pins_on
from gui.present.edits.rows import State
from gui.theme.tones import LIGHT
from tests.gui.items.drawing import canvas_of, rects_of


def pixels_of(canvas, label):
    image = canvas.viewport().grab().toImage()
    return [
        image.pixelColor(x, y).name()
        for x in range(round(label.left()), round(label.right()))
        for y in range(round(label.top()), round(label.bottom()))
    ]


def test_a_pin_covers_no_number_of_a_low_rectangle(qtbot):
    """A row that is as high as its letters: a pin reaches over all of it."""
    rects = rects_of((10, 90, 0, 0, 7), labels=("31 output",))
    canvas, layer = canvas_of(qtbot, rects, size=(500, 18), rows=1.0)
    canvas.grab()
    (label,) = layer.written
    before = pixels_of(canvas, label)
    pins = PinsItem(LIGHT)
    canvas.addItem(pins, ignoreBounds=True)
    pins.set_pins(pins_on(layer.rects, {7: State.HONOURED}))
    image = canvas.viewport().grab().toImage()
    assert LIGHT.good in {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }
    assert pixels_of(canvas, label) == before
    assert label.height() < 3 * pin_px()
