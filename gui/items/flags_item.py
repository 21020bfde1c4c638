"""Flags: the mark of a note, with as much of its text as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QApplication

from gui.items.themed_item import ViewFillingItem
from gui.present.fitting import fitted
from gui.present.notes.flags import Flag
from gui.theme.tones import LIGHT, Theme

_ABOVE_ALL = 110
_MOST_LETTERS = 48
_LEAST_LETTERS = 4
_PAD_PX = 4.0
_GAP_PX = 3.0
_PENNANT = 0.6
"""Width of a flag without a text, of its height."""


class FlagsItem(ViewFillingItem):
    """Draws flags as high as a line of text at any zoom; what they span is underlined."""

    def __init__(self, theme: Theme = LIGHT, *, lines_below_top: float = 0.0) -> None:
        super().__init__(theme)
        self._flags: tuple[Flag, ...] = ()
        self._below = lines_below_top
        self.setZValue(_ABOVE_ALL)

    @property
    def shown(self) -> tuple[Flag, ...]:
        """What is drawn; graphics items have a method `flags`, which Qt asks for at each press."""
        return self._flags

    def set_flags(self, flags: Sequence[Flag]) -> None:
        """Draw other flags."""
        self._flags = tuple(sorted(flags, key=lambda flag: (flag.start, flag.number)))
        self.update()

    def flag_at(self, scene: QPointF) -> Flag | None:
        """The flag at a place of the scene, the last drawn first."""
        for flag, box, _ in reversed(self._boxes(self.sceneTransform())):
            if box.contains(scene):
                return flag
        return None

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw straight in pixels those in sight."""
        to_pixels = painter.worldTransform()
        sight = to_pixels.mapRect(self.viewRect())
        painter.save()
        painter.resetTransform()
        painter.setFont(QApplication.font())
        painter.setClipRect(sight)
        for flag, box, text in self._boxes(to_pixels):
            self._draw(painter, to_pixels, flag, box, text)
        painter.restore()

    def _boxes(self, to_pixels: QTransform) -> list[tuple[Flag, QRectF, str]]:
        """Where flags in sight are, in pixels, with their texts; none covers the next."""
        if not self._flags or self.viewRect().isEmpty():
            return []
        sight = to_pixels.mapRect(self.viewRect())
        metrics = QFontMetricsF(QApplication.font())
        height = metrics.height() + 2.0
        letter = metrics.averageCharWidth()
        places: list[tuple[Flag, float, float]] = []
        for flag in self._flags:
            corner = to_pixels.map(QPointF(flag.start, flag.y or 0.0))
            end = to_pixels.map(QPointF(flag.end, 0.0)).x()
            if end < sight.left() or corner.x() > sight.right():
                continue
            # What began before is told at the edge, as long as it goes on.
            x = max(corner.x(), sight.left())
            top = sight.top() + self._below * height if flag.y is None else corner.y() - height
            top = min(max(top, sight.top()), sight.bottom() - height)
            places.append((flag, x, top))
        boxes = []
        for place, (flag, x, top) in enumerate(places):
            others = (
                other_x
                for _, other_x, other_top in places[place + 1 :]
                if abs(other_top - top) < height and other_x > x
            )
            room = min(min(others, default=sight.right()), sight.right()) - x - _GAP_PX
            wanted = metrics.horizontalAdvance(flag.text) + 2 * _PAD_PX
            width = min(wanted, room, _MOST_LETTERS * letter)
            text = ""
            if width >= _LEAST_LETTERS * letter:
                text = fitted(flag.text, width - 2 * _PAD_PX + 0.5, metrics.horizontalAdvance)
            else:
                width = height * _PENNANT
            boxes.append((flag, QRectF(x, top, width, height), text))
        return boxes

    def _draw(
        self, painter: QPainter, to_pixels: QTransform, flag: Flag, box: QRectF, text: str
    ) -> None:
        theme = self._theme
        accent, ground = QColor(theme.accent), QColor(theme.base)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=not text)
        painter.setPen(QPen(accent, 1))
        if text:
            painter.setBrush(ground)
            painter.drawRect(box.toAlignedRect().adjusted(0, 0, -1, -1))
            painter.setPen(QColor(theme.text))
            inner = box.adjusted(_PAD_PX, 0.0, 0.0, 0.0)
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(inner, int(flags), text)
        else:
            painter.setBrush(accent)
            points = [box.topLeft(), QPointF(box.right(), box.top() + box.height() * 0.3)]
            points.append(QPointF(box.left(), box.top() + box.height() * 0.6))
            painter.drawPolygon(QPolygonF(points))
        left = to_pixels.map(QPointF(flag.start, 0.0)).x()
        right = to_pixels.map(QPointF(flag.end, 0.0)).x()
        painter.fillRect(QRectF(left, box.top(), 2.0, box.height()), accent)
        painter.fillRect(QRectF(left, box.bottom() - 2.0, max(right - left, 2.0), 2.0), accent)
