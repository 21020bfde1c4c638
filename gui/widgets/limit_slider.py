"""A logarithmic slider for the limit of fast storage, with marks where the schedule changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.present.limits import LimitScale, Mark
from gui.theme.tones import Theme
from gui.widgets.limit_bar import LimitBar
from gui.widgets.limit_strip import LimitStrip


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
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(0)
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
        """Draw in the colours of a theme."""
        self.bar.set_theme(theme)
        self.strip.set_theme(theme)

    def _on_picked(self, limit_bytes: int) -> None:
        self.moved.emit(limit_bytes)
        self.let_go.emit()
