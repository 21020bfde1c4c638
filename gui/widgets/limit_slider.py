"""A logarithmic slider for the limit of fast storage, with marks where the schedule changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QVBoxLayout, QWidget

from gui.present.limits import LimitScale, Mark
from gui.theme.scale import Gap, arrange
from gui.theme.tones import LIGHT, Theme
from gui.widgets.limit_bar import LimitBar

_NEAR_PX = 6


class LimitStrip(QWidget):
    """Marks under the slider, and where its ends are."""

    picked = Signal(int)

    def __init__(self, bar: LimitBar) -> None:
        super().__init__()
        self._bar = bar
        self._theme = LIGHT
        self._marks: tuple[Mark, ...] = ()
        self._write: Callable[[Mark], str] = Mark.text
        self._write_size: Callable[[int], str] = str
        self.setAccessibleName("limits at which the schedule changes")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_marks(
        self, marks: Sequence[Mark], write: Callable[[Mark], str], write_size: Callable[[int], str]
    ) -> None:
        self._marks, self._write, self._write_size = tuple(marks), write, write_size
        self.setAccessibleDescription("; ".join(map(write, self._marks)) or "none is known yet")
        self.update()

    @property
    def shown_marks(self) -> tuple[Mark, ...]:
        """Those that are on the scale."""
        scale = self._bar.scale
        return tuple(
            mark
            for mark in self._marks
            if scale.lowest_bytes <= mark.limit_bytes <= scale.highest_bytes
        )

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 20, self._tick_height() + metrics.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        scale, theme, tick = self._bar.scale, self._theme, self._tick_height()
        width = max(self.fontMetrics().lineWidth(), 1)
        for mark in self.shown_marks:
            colour = theme.good if mark.is_best else theme.accent
            height = tick if mark.is_best else tick * 2 // 3
            left = self._bar.x_of(mark.limit_bytes) - width // 2
            painter.fillRect(QRect(left, 0, width * (2 if mark.is_best else 1), height), colour)
        painter.setPen(QColor(theme.faint_text))
        line = self.rect().adjusted(0, tick, 0, 0)
        top = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(
            line, Qt.AlignmentFlag.AlignLeft | top, self._write_size(scale.lowest_bytes)
        )
        painter.drawText(
            line, Qt.AlignmentFlag.AlignRight | top, self._write_size(scale.highest_bytes)
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on a mark goes there."""
        mark = self._mark_at(event.position().toPoint().x())
        if mark:
            self.picked.emit(mark.limit_bytes)

    def event(self, event: QEvent) -> bool:
        """Say what the mark under the pointer means."""
        if isinstance(event, QHelpEvent):
            mark = self._mark_at(event.pos().x())
            QToolTip.showText(event.globalPos(), self._write(mark) if mark else "", self)
            return True
        return super().event(event)

    def _mark_at(self, x: int) -> Mark | None:
        near = [
            (abs(self._bar.x_of(mark.limit_bytes) - x), mark.limit_bytes, mark)
            for mark in self.shown_marks
        ]
        distance, _, mark = min(near, default=(_NEAR_PX + 1, 0, None))
        return mark if distance <= _NEAR_PX else None

    def _tick_height(self) -> int:
        return self.fontMetrics().xHeight() + 2


class LimitSlider(QWidget):
    """Tells limits in bytes while the user drags or types, and when a drag has ended."""

    moved = Signal(int)
    """Another limit; more may follow at once."""
    let_go = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = LimitBar(name)
        self.strip = LimitStrip(self.bar)
        lines = QVBoxLayout(self)
        arrange(lines, between=Gap.NONE)
        lines.addWidget(self.bar)
        lines.addWidget(self.strip)
        self.setFocusProxy(self.bar)
        self.bar.moved.connect(self.moved)
        self.bar.let_go.connect(self.let_go)
        self.strip.picked.connect(self._on_picked)

    def show_limit(self, scale: LimitScale, limit_bytes: int) -> None:
        """Stand at a limit; nobody is told."""
        self.bar.show_limit(scale, limit_bytes)
        self.strip.update()

    def show_marks(
        self, marks: Sequence[Mark], write: Callable[[Mark], str], write_size: Callable[[int], str]
    ) -> None:
        """Draw marks, and write what they mean and where the ends are."""
        self.bar.marks = tuple(sorted(mark.limit_bytes for mark in marks))
        self.strip.show_marks(marks, write, write_size)

    def set_theme(self, theme: Theme) -> None:
        self.bar.set_theme(theme)
        self.strip.set_theme(theme)

    def _on_picked(self, limit_bytes: int) -> None:
        self.moved.emit(limit_bytes)
        self.let_go.emit()
