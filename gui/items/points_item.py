"""One graphics item for a few points: hollow ones, filled ones, and one with a ring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QTransform
from PySide6.QtWidgets import QApplication

from core.base.frozen import NamedTuple
from gui.items.themed_item import ViewFillingItem
from gui.theme.tones import LIGHT, Theme

_GROUND_ALPHA = 0.9
_PADDING_PX = 4


class Spot(NamedTuple):
    """A point, and how it stands out."""

    x: float
    y: float
    is_filled: bool = False
    is_wrong: bool = False
    text: str = ""
    """Written beside it."""


class PointsItem(ViewFillingItem):
    """Draws points as large as letters are, whatever is zoomed to."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__(theme)
        self._spots: tuple[Spot, ...] = ()
        self._ringed: int | None = None

    def set_spots(self, spots: Sequence[Spot]) -> None:
        """Draw other points; none has a ring."""
        self.prepareGeometryChange()
        self._spots, self._ringed = tuple(spots), None
        self.update()

    @property
    def spots(self) -> tuple[Spot, ...]:
        """What is drawn."""
        return self._spots

    def set_ringed(self, index: int | None) -> None:
        """Draw a ring around one of them."""
        if index != self._ringed:
            self._ringed = index
            self.update()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw them straight in pixels; the text of a point never leaves the sight."""
        to_pixels = painter.worldTransform()
        sight = to_pixels.mapRect(self.viewRect())
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        for spot in self._spots:
            self._write(painter, spot, sight, to_pixels)
        for index, spot in enumerate(self._spots):
            self._draw(painter, spot, to_pixels, has_ring=index == self._ringed)
        painter.restore()

    def _draw(
        self, painter: QPainter, spot: Spot, to_pixels: QTransform, *, has_ring: bool
    ) -> None:
        theme, radius = self._theme, radius_px()
        centre = to_pixels.map(QPointF(spot.x, spot.y))
        colour = QColor(theme.danger if spot.is_wrong else theme.accent)
        painter.setPen(QPen(colour, 2))
        painter.setBrush(colour if spot.is_filled else QColor(theme.base))
        larger = radius * 4 / 3 if spot.is_filled else radius
        painter.drawEllipse(centre, larger, larger)
        if has_ring:
            painter.setPen(QPen(QColor(theme.text), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, 2 * radius + 1, 2 * radius + 1)

    def _write(self, painter: QPainter, spot: Spot, sight: QRectF, to_pixels: QTransform) -> None:
        if not spot.text:
            return
        metrics, away = QFontMetrics(QApplication.font()), 2 * radius_px() + _PADDING_PX
        at = to_pixels.map(QPointF(spot.x, spot.y))
        width = metrics.horizontalAdvance(spot.text) + 2 * _PADDING_PX
        left = at.x() + away if at.x() + away + width <= sight.right() else at.x() - away - width
        # Above it there is the empty side of a falling staircase.
        top = max(at.y() - metrics.height() - radius_px(), sight.top() + 1)
        box = QRectF(round(left), round(top), width, metrics.height())
        ground = QColor(self._theme.base)
        ground.setAlphaF(_GROUND_ALPHA)
        painter.fillRect(box, ground)
        painter.setFont(QApplication.font())
        painter.setPen(QColor(self._theme.text))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), spot.text)


def radius_px() -> float:
    """Of a hollow point."""
    return QFontMetrics(QApplication.font()).xHeight() / 2 + 1
