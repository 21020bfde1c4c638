"""The slider of the limit of fast storage: its handle stands on a logarithmic scale."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider

from gui.present.limits import STEPS, LimitScale
from gui.theme.tones import LIGHT, Theme

_SLIDER = QStyle.ComplexControl.CC_Slider
_PAGE = 16
_KEY_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: 1,
    Qt.Key.Key_PageDown: -_PAGE,
    Qt.Key.Key_PageUp: _PAGE,
}


class LimitBar(QSlider):
    """The slider itself; its value is a position, its limit what was last set."""

    moved = Signal(int)
    let_go = Signal()

    def __init__(self, name: str) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setAccessibleName(name)
        self.setRange(0, STEPS)
        self.setPageStep(STEPS // _PAGE)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scale = LimitScale(highest_bytes=1 << 20)
        self.limit_bytes = self.scale.highest_bytes
        self.marks: tuple[int, ...] = ()
        self._theme = LIGHT
        self.valueChanged.connect(self._on_position)

    def show_limit(self, scale: LimitScale, limit_bytes: int) -> None:
        self.scale, self.limit_bytes = scale, limit_bytes
        # Under the user's hand the handle stays where it is.
        if not self.isSliderDown():
            with QSignalBlocker(self):
                self.setValue(scale.position(limit_bytes))
            self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A groove that is filled up to the handle; the style's own is lost on dark windows."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, middle = self._theme, self.height() / 2
        thick = max(self.fontMetrics().xHeight() / 2, 4.0)
        first, last = self.x_at(0.0), self.x_at(1.0)
        at = self.x_at(self.sliderPosition() / STEPS)
        painter.setPen(Qt.PenStyle.NoPen)
        for end, colour in ((last, theme.grid), (at, theme.accent)):
            painter.setBrush(QColor(colour))
            groove = QRectF(first, middle - thick / 2, end - first, thick)
            painter.drawRoundedRect(groove, thick / 2, thick / 2)
        radius = min(2.0 * thick, middle - 1.5)
        painter.setPen(QPen(QColor(theme.accent if self.hasFocus() else theme.faint_text), 2))
        painter.setBrush(QColor(theme.base))
        painter.drawEllipse(QPointF(at, middle), radius, radius)

    def x_of(self, limit_bytes: int) -> int:
        """Where the middle of the handle is for a limit."""
        return self.x_at(self.scale.share(limit_bytes))

    def x_at(self, share: float) -> int:
        """Where the middle of the handle is for a share of the scale."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        style, parts = self.style(), QStyle.SubControl
        groove = style.subControlRect(_SLIDER, option, parts.SC_SliderGroove, self)
        handle = style.subControlRect(_SLIDER, option, parts.SC_SliderHandle, self)
        room = groove.width() - handle.width()
        return groove.left() + handle.width() // 2 + round(room * share)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the handle to the pointer, wherever the slider was pressed."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_SliderHandle
        handle = self.style().subControlRect(_SLIDER, option, part, self)
        place = event.position().toPoint()
        if event.button() is Qt.MouseButton.LeftButton and not handle.contains(place):
            first, last = self.x_at(0.0), self.x_at(1.0)
            self.setValue(QStyle.sliderValueFromPosition(0, STEPS, place.x() - first, last - first))
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The drag has ended."""
        super().mouseReleaseEvent(event)
        self.let_go.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through limits; with Ctrl, from mark to mark."""
        limit = self._limit_for(event)
        if limit is None:
            super().keyPressEvent(event)
            return
        if limit != self.limit_bytes:
            self._move(limit)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """A key that was held is one drag."""
        super().keyReleaseEvent(event)
        if not event.isAutoRepeat():
            self.let_go.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Whoever leaves has let go."""
        super().focusOutEvent(event)
        self.let_go.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only when it has the focus, and not while a panel is scrolled under the pointer."""
        turn = event.angleDelta().y()
        if self.hasFocus() and turn:
            self._move(self.scale.stepped(self.limit_bytes, 1 if turn > 0 else -1))
            self.let_go.emit()
        else:
            event.ignore()

    def _limit_for(self, event: QKeyEvent) -> int | None:
        """The limit that a key asks for."""
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Home:
            return self.scale.lowest_bytes
        if key is Qt.Key.Key_End:
            return self.scale.highest_bytes
        steps = _KEY_STEPS.get(key)
        if steps is None:
            return None
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return self._next_mark(steps)
        return self.scale.stepped(self.limit_bytes, steps)

    def _next_mark(self, direction: int) -> int:
        if direction > 0:
            above = (mark for mark in self.marks if mark > self.limit_bytes)
            return next(above, self.limit_bytes)
        below = (mark for mark in reversed(self.marks) if mark < self.limit_bytes)
        return next(below, self.limit_bytes)

    def _on_position(self, position: int) -> None:
        self._move(self.scale.size_bytes(position))

    def _move(self, limit_bytes: int) -> None:
        if limit_bytes != self.limit_bytes:
            self.limit_bytes = limit_bytes
            self.moved.emit(limit_bytes)
