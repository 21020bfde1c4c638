"""Icons of the player, drawn in the colours of the theme."""

from __future__ import annotations

import enum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QPolygonF

from gui.theme.tones import Theme

_SIDE = 16
_RATIOS = (1.0, 2.0)


class Shape(enum.Enum):
    """What a button does."""

    FIRST = "first"
    BACK = "back"
    PLAY = "play"
    PAUSE = "pause"
    FORWARD = "forward"
    LAST = "last"


Part = tuple[float, float, float, float] | tuple[QPointF, QPointF, QPointF]


def _to_right(left: float) -> tuple[QPointF, QPointF, QPointF]:
    return QPointF(left, 3), QPointF(left + 8, 8), QPointF(left, 13)


def _to_left(right: float) -> tuple[QPointF, QPointF, QPointF]:
    return QPointF(right, 3), QPointF(right - 8, 8), QPointF(right, 13)


_PARTS: dict[Shape, tuple[Part, ...]] = {
    Shape.FIRST: ((2, 3, 2.5, 10), _to_left(13)),
    Shape.BACK: ((10.5, 3, 2.5, 10), _to_left(10)),
    Shape.PLAY: (_to_right(4),),
    Shape.PAUSE: ((4, 3, 3, 10), (9, 3, 3, 10)),
    Shape.FORWARD: ((3, 3, 2.5, 10), _to_right(6)),
    Shape.LAST: (_to_right(3), (11.5, 3, 2.5, 10)),
}


def icon_of(shape: Shape, theme: Theme) -> QIcon:
    """An icon for screens with large and small pixels; fainter while it is disabled."""
    icon = QIcon()
    for mode, colour in (
        (QIcon.Mode.Normal, theme.text),
        (QIcon.Mode.Disabled, theme.grid),
    ):
        for ratio in _RATIOS:
            icon.addPixmap(_pixmap(shape, colour, ratio), mode)
    return icon


def _pixmap(shape: Shape, colour: str, ratio: float) -> QPixmap:
    pixmap = QPixmap(round(_SIDE * ratio), round(_SIDE * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    for part in _PARTS[shape]:
        if len(part) == 4:
            painter.drawRect(QRectF(*part))
        else:
            painter.drawPolygon(QPolygonF(list(part)))
    painter.end()
    return pixmap
