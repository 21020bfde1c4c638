"""Rectangles to draw in tests, and pixels to look at."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.items.canvas import Canvas
from gui.items.ranges import Range
from gui.items.rects_item import RectsItem
from gui.present.rects import Rects
from gui.theme.tones import LIGHT
from tests.gui.exposed import exposed

INKS = ("MAC", "stall")


def rects_of(*boxes, labels=()):
    """Rectangles from (left, right, row, ink, key)."""
    left, right, row, ink, key = (np.array(column) for column in zip(*boxes, strict=True))
    return Rects(
        left=left.astype(float),
        right=right.astype(float),
        bottom=row.astype(float),
        top=row + 1.0,
        ink=ink.astype(np.uint8),
        key=key.astype(np.int32),
        row=row.astype(np.int32),
        inks=INKS,
        labels=labels,
    )


def canvas_of(qtbot, rects, size=(500, 200), end=100.0, rows=2.0, **options):
    """A canvas with one layer, shown as a whole without axes."""
    canvas = Canvas("Test", **options)
    layer = RectsItem("layer")
    layer.set_rects(rects)
    canvas.add_layer(layer)
    canvas.set_theme(LIGHT)
    canvas.set_bounds(Range(0.0, end), Range(0.0, rows), least_x=1.0)
    exposed(qtbot, canvas, *size)
    canvas.show_all()
    QApplication.processEvents()
    return canvas, layer


def pixel_of(canvas, x, y):
    """The pixel of the viewport where a point of the data is."""
    scene = canvas.box.mapViewToScene(QPointF(x, y))
    return QPointF(canvas.mapFromScene(scene))


def colour_at(canvas, x, y):
    """The colour that a point of the data has on the screen."""
    at = pixel_of(canvas, x, y)
    return canvas.grab().toImage().pixelColor(round(at.x()), round(at.y()))


def has_colour(canvas, x, y, name):
    """Whether a point of the data has a colour."""
    return colour_at(canvas, x, y) == QColor(name)


def wheel(canvas, at, notches=1, modifiers=Qt.KeyboardModifier.NoModifier, *, is_sideways=False):
    """Turn the wheel over a pixel of the viewport."""
    turn = QPoint(round(notches * 120), 0) if is_sideways else QPoint(0, round(notches * 120))
    event = QWheelEvent(
        at,
        canvas.viewport().mapToGlobal(at),
        QPoint(),
        turn,
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas.viewport(), event)


def move(canvas, at, button=Qt.MouseButton.LeftButton, modifiers=Qt.KeyboardModifier.NoModifier):
    """Move the pointer to a pixel of the viewport."""
    port = canvas.viewport()
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(at),
        QPointF(port.mapToGlobal(at)),
        Qt.MouseButton.NoButton,
        button,
        modifiers,
    )
    # Otherwise moves that follow each other within ten milliseconds are left out.
    limit = pg.getConfigOption("mouseRateLimit")
    pg.setConfigOption("mouseRateLimit", -1)
    QApplication.sendEvent(port, event)
    pg.setConfigOption("mouseRateLimit", limit)


def drag(canvas, start, end, modifiers=Qt.KeyboardModifier.NoModifier, steps=5):
    """Press at a pixel of the viewport, move to another, and let go."""
    with drag_to(canvas, start, end, modifiers, steps):
        pass


@contextmanager
def drag_to(canvas, start, end, modifiers=Qt.KeyboardModifier.NoModifier, steps=5):
    """The same; what is done inside is done before the button is let go."""
    button = Qt.MouseButton.LeftButton
    QTest.mousePress(canvas.viewport(), button, modifiers, start)
    for step in range(1, steps + 1):
        move(canvas, start + (end - start) * step / steps, button, modifiers)
    yield
    QTest.mouseRelease(canvas.viewport(), button, modifiers, end)
    QApplication.processEvents()
