"""Pins: the mark of what the user has decided, in the shape of what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QApplication

from core.base.frozen import NamedTuple
from gui.items.themed_item import ViewFillingItem
from gui.present.edits.rows import State
from gui.present.rects import Rects
from gui.theme.tones import LIGHT, Theme

_ABOVE_ALL = 90
_GROUND_PX = 1.5
_STEM = 0.8
"""Of the head's diameter."""
_DOT = 0.5
"""A dot against a pin's head."""
_MOST_PINS = 2000


def pin_colour(state: State, theme: Theme) -> str:
    """The colour that goes with the shape."""
    return {
        State.HONOURED: theme.good,
        State.HELD: theme.good,
        State.CHANGED: theme.warning,
        State.REFUSED: theme.danger,
    }.get(state, theme.text)


def pin_px() -> float:
    """Diameter of a pin's head."""
    return QFontMetrics(QApplication.font()).xHeight() + 2.0


def draw_pin(painter: QPainter, head: QPointF, state: State, theme: Theme) -> None:
    """A head on a stem: full where honoured, half where changed, crossed where refused, else
    hollow; a small dot alone where it is one of a whole schedule's."""
    radius = pin_px() / 2
    colour, ground = QColor(pin_colour(state, theme)), QColor(theme.base)
    if state is State.HELD:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        painter.setPen(QPen(ground, 1.0))
        painter.setBrush(colour)
        painter.drawEllipse(head, radius * _DOT, radius * _DOT)
        painter.restore()
        return
    box = QRectF(head.x() - radius, head.y() - radius, 2 * radius, 2 * radius)
    foot = QPointF(head.x(), head.y() + radius + 2 * radius * _STEM)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    painter.setPen(QPen(ground, 2 + 2 * _GROUND_PX))
    painter.setBrush(ground)
    painter.drawLine(head, foot)
    painter.drawEllipse(box.adjusted(-_GROUND_PX, -_GROUND_PX, _GROUND_PX, _GROUND_PX))
    painter.setPen(QPen(colour, 1.5))
    painter.drawLine(QPointF(head.x(), head.y() + radius), foot)
    painter.setBrush(colour if state is State.HONOURED else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(box)
    if state is State.CHANGED:
        painter.setBrush(colour)
        painter.drawPie(box, 90 * 16, 180 * 16)
    elif state is State.REFUSED:
        arm = radius * 0.7
        painter.drawLine(head + QPointF(-arm, -arm), head + QPointF(arm, arm))
        painter.drawLine(head + QPointF(-arm, arm), head + QPointF(arm, -arm))
    painter.restore()


def pin_pixmap(state: State, theme: Theme, ratio: float = 2.0) -> QPixmap:
    """A pin for a cell of a table."""
    size = pin_px() * 2.4
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_pin(painter, QPointF(size / 2, size * 0.35), state, theme)
    painter.end()
    return pixmap


class Pin(NamedTuple):
    """Where a pin is stuck, in data, and what it tells."""

    x: float
    y: float
    state: State
    is_at_end: bool = False
    """Whether it marks what is left of it."""


class PinsItem(ViewFillingItem):
    """Draws pins as large as letters, whatever is zoomed to."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self._pins: tuple[Pin, ...] = ()
        self.setZValue(_ABOVE_ALL)

    @property
    def pins(self) -> tuple[Pin, ...]:
        """What is drawn."""
        return self._pins

    def set_pins(self, pins: Sequence[Pin]) -> None:
        """Draw other pins; far more than anyone can tell apart are not drawn."""
        self._pins = tuple(pins)[:_MOST_PINS]
        self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw those in sight, inside of what they mark."""
        to_pixels = painter.worldTransform()
        sight = to_pixels.mapRect(self.viewRect())
        inset = pin_px()
        painter.save()
        painter.resetTransform()
        for pin in self._pins:
            at = to_pixels.map(QPointF(pin.x, pin.y))
            at += QPointF(-inset if pin.is_at_end else inset, inset)
            if sight.contains(at):
                draw_pin(painter, at, pin.state, self._theme)
        painter.restore()


def pins_on(rects: Rects, states: Mapping[int, State]) -> list[Pin]:
    """A pin for each key, at the corner of its first rectangle that is right and highest in y: at
    the left are numbers, which a low rectangle has beside its corner."""
    found: dict[int, Pin] = {}
    wanted = np.flatnonzero(np.isin(rects.key, list(states)))
    for at in wanted[np.argsort(rects.left[wanted], kind="stable")].tolist():
        key = int(rects.key[at])
        place = float(rects.right[at]), float(rects.top[at])
        found.setdefault(key, Pin(*place, states[key], is_at_end=True))
    return list(found.values())
