"""A small picture of everything, with a brush over what the canvas shows."""

from __future__ import annotations

import enum

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.items.looked_at import LookedAt
from gui.items.painting import Brushwork, Screen
from gui.items.ranges import Range
from gui.items.ratio import is_vector, ratio_of
from gui.present.lod import Field, Viewport
from gui.present.rects import Lit, empty_rects
from gui.theme.tones import LIGHT, Theme

_HANDLE_PX = 5
_LEAST_BRUSH_PX = 3
_LINES = 2.2
_INSET_PX = 3
_SHADE_ALPHA = 150


class _Grip(enum.Enum):
    """What of the brush is held."""

    NOTHING = 0
    LEFT = 1
    RIGHT = 2
    ALL = 3


class Minimap(QWidget):
    """Draws all rectangles once, and a brush that can be dragged; its ends change the zoom."""

    brushed = Signal(object)
    """The `Range` that should be shown."""
    all_asked = Signal()
    """Everything should be shown."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedHeight(round(self.fontMetrics().height() * _LINES))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self._theme = LIGHT
        self._field = Field(empty_rects())
        self._lit: Lit | None = None
        self._looked_at = LookedAt.of(self._field.rects, None)
        self._all = Range(0.0, 1.0)
        self._rows = Range(0.0, 1.0)
        self._shown = Range(0.0, 1.0)
        self._title = ""
        self._margins = (0.0, 0.0)
        self._picture: QPixmap | None = None
        self._grip = _Grip.NOTHING
        self._grip_offset = 0.0

    def set_field(self, field: Field, along_x: Range, along_y: Range) -> None:
        """Draw other rectangles, those that lie in some range of y (which grows downwards)."""
        self._field, self._all, self._rows = field, along_x, along_y
        self._looked_at = LookedAt.of(field.rects, self._lit)
        self._renew()

    def set_lit(self, lit: Lit | None) -> None:
        """Let fade what fades in the canvas, and colour what is coloured there."""
        if lit != self._lit:
            self._lit, self._looked_at = lit, LookedAt.of(self._field.rects, lit)
            self._renew()

    def set_shown(self, shown: Range) -> None:
        """Put the brush over what is shown now."""
        if shown != self._shown:
            self._shown = shown
            self.update()

    def set_title(self, title: str, left: float, right: float) -> None:
        """Leave room at both sides, as the canvas does, with a title at the left."""
        if (title, (left, right)) != (self._title, self._margins):
            self._title, self._margins = title, (left, right)
            self._renew()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._renew()

    def brush(self) -> QRectF:
        """Where the brush is."""
        strip = self._strip()
        left = max(self._x_of(self._shown.start), strip.left())
        right = min(self._x_of(self._shown.end), strip.right())
        width = max(right - left, _LEAST_BRUSH_PX)
        return QRectF(min(left, strip.right() - width), strip.top(), width, strip.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size needs another picture."""
        super().resizeEvent(event)
        self._renew()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the picture, and the brush over it."""
        painter = QPainter(self)
        if is_vector(painter):
            self._draw_on(painter, 1.0)
        else:
            painter.drawPixmap(0, 0, self._drawn(ratio_of(painter)))
        strip, brush = self._strip(), self.brush()
        shade = QColor(self._theme.base)
        shade.setAlpha(_SHADE_ALPHA)
        painter.fillRect(QRectF(strip.topLeft(), brush.bottomLeft()), shade)
        painter.fillRect(QRectF(brush.topRight(), strip.bottomRight()), shade)
        accent = QColor(self._theme.accent)
        painter.setPen(accent)
        painter.drawRect(brush.adjusted(0, 0, -1, -1))
        for x in (brush.left(), brush.right() - 3):
            painter.fillRect(QRectF(x, brush.top(), 3, brush.height()), accent)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the brush; elsewhere, bring it there first."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        position = event.position()
        self._grip = _grip_at(self.brush(), position.x())
        if self._grip is _Grip.NOTHING:
            self._grip = _Grip.ALL
            self._move_to(position.x() - self.brush().width() / 2)
        self._grip_offset = position.x() - self.brush().left()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag what is held."""
        x = event.position().x()
        if self._grip is _Grip.ALL:
            self._move_to(x - self._grip_offset)
        elif self._grip is _Grip.LEFT:
            self.brushed.emit(Range(min(self._data_of(x), self._shown.end), self._shown.end))
        elif self._grip is _Grip.RIGHT:
            self.brushed.emit(Range(self._shown.start, max(self._data_of(x), self._shown.start)))
        else:
            self.setCursor(_CURSORS[_grip_at(self.brush(), event.position().x())])

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self._grip = _Grip.NOTHING
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show everything."""
        event.accept()
        self.all_asked.emit()

    def _move_to(self, left: float) -> None:
        start = self._data_of(left)
        self.brushed.emit(Range(start, start + self._shown.length))

    def _strip(self) -> QRectF:
        left, right = self._margins
        return QRectF(left, 1, max(self.width() - left - right, 1.0), self.height() - 2)

    def _x_of(self, data: float) -> float:
        strip = self._strip()
        share = (data - self._all.start) / max(self._all.length, 1e-9)
        return strip.left() + share * strip.width()

    def _data_of(self, x: float) -> float:
        strip = self._strip()
        return self._all.start + (x - strip.left()) / strip.width() * self._all.length

    def _renew(self) -> None:
        self._picture = None
        self.update()

    def _drawn(self, ratio: float) -> QPixmap:
        """The picture for pixels of some fineness; it is kept."""
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            picture = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            picture.setDevicePixelRatio(ratio)
            painter = QPainter(picture)
            self._draw_on(painter, ratio)
            painter.end()
            self._picture = picture
        return self._picture

    def _draw_on(self, painter: QPainter, ratio: float) -> None:
        strip = self._strip()
        area = strip.adjusted(0, _INSET_PX, 0, -_INSET_PX)
        to_pixels = QTransform()
        to_pixels.translate(area.left(), area.top())
        to_pixels.scale(
            area.width() / max(self._all.length, 1e-9),
            area.height() / max(self._rows.length, 1e-9),
        )
        to_pixels.translate(-self._all.start, -self._rows.start)
        painter.save()
        painter.fillRect(QRectF(self.rect()), QColor(self._theme.base))
        painter.setFont(self.font())
        painter.setPen(QColor(self._theme.faint_text))
        margin = QRectF(0, 0, strip.left() - 6, self.height())
        painter.drawText(
            margin, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), self._title
        )
        painter.setClipRect(strip)
        window = Viewport(*self._all, *self._rows, self._all.length / (strip.width() * ratio))
        screen = Screen(to_pixels, strip, ratio)
        # There is no room for labels: the rectangles are those of the canvas, but lower.
        brushwork, visible = Brushwork(self._theme), self._field.visible(window)
        brushwork.paint(painter, screen, self._field.rects, visible, has_labels=False)
        self._looked_at.paint(painter, screen, window, brushwork, has_labels=False)
        painter.restore()


def _grip_at(brush: QRectF, x: float) -> _Grip:
    """What of a brush is to be had at a place."""
    reach = min(_HANDLE_PX, brush.width() / 4)
    if abs(x - brush.left()) <= reach or -_HANDLE_PX <= x - brush.left() < 0:
        return _Grip.LEFT
    if abs(x - brush.right()) <= reach or 0 < x - brush.right() <= _HANDLE_PX:
        return _Grip.RIGHT
    return _Grip.ALL if brush.left() < x < brush.right() else _Grip.NOTHING


_CURSORS = {
    _Grip.NOTHING: Qt.CursorShape.ArrowCursor,
    _Grip.LEFT: Qt.CursorShape.SizeHorCursor,
    _Grip.RIGHT: Qt.CursorShape.SizeHorCursor,
    _Grip.ALL: Qt.CursorShape.OpenHandCursor,
}
