"""Networks whose memory is looked at, and where things are in the picture of it."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from core.ir.options import Strategy
from gui.present.memory.map import TimeScale
from gui.views.memory.view import MemoryView

UNET = ("unet_128", {"accelerator": "ethos-u65-256", "limit_bytes": 100_000})
QUESTIONS = [
    ("kws_dscnn", {}),
    ("kws_dscnn", {"limit_bytes": 12_000}),
    ("mobilenet_v2_035_96", {"strategy": Strategy.SIZE}),
    ("shuffle_with_cpu", {}),
    UNET,
]
SCALES = list(TimeScale)


def choose(view: MemoryView, scale: TimeScale) -> None:
    view.header.scales[scale].click()


def pixel(view: MemoryView, x: float, address: float) -> QPoint:
    """Where a time and an address are in the picture of the map."""
    canvas = view.pane.canvas
    return canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(x, address)))


def picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()


def colours(image: QImage, at: QPoint, reach: int = 4) -> Counter[str]:
    return Counter(
        image.pixelColor(at.x() + x, at.y() + y).name()
        for x in range(-reach, reach + 1)
        for y in range(-reach, reach + 1)
    )


def boxes(view: MemoryView):
    """By range: its corners in the picture."""
    rects = view.pane.ranges.rects
    for key in range(rects.count):
        low = pixel(view, rects.left[key], rects.bottom[key])
        high = pixel(view, rects.right[key], rects.top[key])
        yield key, low, high
