"""Plays the steps of a cascade: buttons, a slider, and a clock."""

from __future__ import annotations

import enum
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QWidget

from gui.theme.scale import Gap, arrange
from gui.theme.tones import LIGHT, Theme

_SIDE = 16
_RATIOS = (1.0, 2.0)
_WHOLE_FILM_MS = 12_000
_QUICKEST_MS = 33
_SLOWEST_MS = 400


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


class Player(QWidget):
    """Goes from step to step, by hand or by itself."""

    moved = Signal(int)
    """The step that is shown now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._length = 0
        self._theme: Theme = LIGHT
        self._stride = 1
        self._clock = QTimer(self)
        self._clock.timeout.connect(self._tick)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Step of the cascade")
        self.slider.setPageStep(10)
        self.slider.valueChanged.connect(self.moved)
        self.buttons = {
            Shape.FIRST: self._button("First step (Home)", self.first),
            Shape.BACK: self._button("One step back (Left)", self.step_back),
            Shape.PLAY: self._button("Play or pause (Space)", self.play_or_pause),
            Shape.FORWARD: self._button("One step forward (Right)", self.step_forward),
            Shape.LAST: self._button("Last step (End)", self.last),
        }
        layout = QHBoxLayout(self)
        arrange(layout, between=Gap.TIGHT)
        for button in self.buttons.values():
            layout.addWidget(button)
        layout.addWidget(self.slider, 1)
        self.set_theme(LIGHT)

    def _button(self, tip: str, run: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        button.clicked.connect(run)
        return button

    @property
    def is_playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._clock.isActive()

    @property
    def position(self) -> int:
        """The step that is shown."""
        return self.slider.value()

    def set_length(self, length: int, position: int) -> None:
        """Play something else, from a step on; nobody is told."""
        self._stop()
        self._length = length
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(length - 1, 0))
            self.slider.setValue(position)
        self.setEnabled(length > 0)
        # However many steps there are, the whole of it is over in some seconds.
        wanted = _WHOLE_FILM_MS / max(length, 1)
        self._clock.setInterval(round(min(max(wanted, _QUICKEST_MS), _SLOWEST_MS)))
        self._stride = max(round(_QUICKEST_MS / wanted), 1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for shape, button in self.buttons.items():
            button.setIcon(icon_of(shape, theme))
        self._show_state()

    def seek(self, position: int) -> None:
        """Go to a step."""
        self.slider.setValue(position)

    def step_forward(self) -> None:
        self._stop()
        self.seek(self.position + 1)

    def step_back(self) -> None:
        self._stop()
        self.seek(self.position - 1)

    def first(self) -> None:
        self._stop()
        self.seek(0)

    def last(self) -> None:
        self._stop()
        self.seek(self.slider.maximum())

    def play_or_pause(self) -> None:
        """Go on by itself, from the start where the end is reached; or stop doing so."""
        if self.is_playing:
            self._stop()
            return
        if self.position >= self.slider.maximum():
            self.seek(0)
        self._clock.start()
        self._show_state()

    def _tick(self) -> None:
        self.seek(self.position + self._stride)
        if self.position >= self.slider.maximum():
            self._stop()

    def _stop(self) -> None:
        self._clock.stop()
        self._show_state()

    def _show_state(self) -> None:
        shape = Shape.PAUSE if self.is_playing else Shape.PLAY
        self.buttons[Shape.PLAY].setIcon(icon_of(shape, self._theme))
