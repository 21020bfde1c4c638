"""The limit of fast storage as a slider and a number, with the verdict under it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.base.frozen import NamedTuple
from gui.document.display import ByteUnit
from gui.present.controls import Verdict, limit_field, limit_text
from gui.present.units import size
from gui.theme.scale import Gap, Type, arrange, set_type
from gui.theme.tones import Theme
from gui.views.controls.inks import Note, SideNote, paint_text
from gui.widgets.limit_slider import LimitSlider

_FIELD_LETTERS = 9


class LimitField(QLineEdit):
    """A number of bytes with a unit; Escape takes back what was typed."""

    typed = Signal(str)
    given_up = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shown = ""
        self.setAccessibleName("SRAM limit")
        self.setPlaceholderText("no limit")
        self.setToolTip("such as 393216, 384K, 0x60000 or 1M; empty for the memory mode's own")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.editingFinished.connect(self._on_finished)

    def sizeHint(self) -> QSize:
        """Room for a number of bytes, in whatever size it is written."""
        metrics = self.fontMetrics()
        width = metrics.averageCharWidth() * _FIELD_LETTERS + metrics.height()
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()

    def show_text(self, text: str, *, is_taken: bool = False) -> None:
        """Show what is asked; what is being typed stays, until it is taken or overtaken."""
        is_typing = self.text() != self._shown and not is_taken
        if text != self._shown or not is_typing:
            self._shown = text
            self.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape brings back what is asked."""
        if event.key() == Qt.Key.Key_Escape and self.text() != self._shown:
            self.setText(self._shown)
            self.given_up.emit()
        else:
            super().keyPressEvent(event)

    def _on_finished(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.typed.emit(self.text().strip())


class _Told(NamedTuple):
    """A verdict as it is written."""

    headline: str
    fits: bool | None
    """None where there is nothing to fit, or nobody tells what."""
    numbers: tuple[str, str, str]
    """What is required, the limit, and what is free or too much."""


def _told(verdict: Verdict | None, unit: ByteUnit) -> _Told:
    if verdict is None:
        return _Told("no schedule yet", None, ("-", "-", "-"))
    required, limit_bytes = size(verdict.required_bytes, unit), verdict.limit_bytes
    if not verdict.is_told:
        return _Told("as compiled", None, (required, "not told", "-"))
    limit = limit_text(limit_bytes, unit)
    if not verdict.fits:
        over = size(verdict.excess_bytes, unit)
        return _Told(f"✗ {over} too much", fits=False, numbers=(required, limit, over))
    free = "-" if limit_bytes is None else size(limit_bytes - verdict.required_bytes, unit)
    return _Told("✓ fits", fits=True, numbers=(required, limit, free))


class LimitBlock(QWidget):
    """Asks for limits; None is the memory mode's own."""

    asked = Signal(object)
    typed = Signal(str)
    """A text that may name a limit."""
    dragged = Signal(int)
    """A limit, and more of the same drag may follow."""
    let_go = Signal()
    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = LimitField()
        self.own = QToolButton()
        self.own.setText("Mode's own")
        self.own.setAccessibleName("SRAM limit: the memory mode's own")
        self.slider = LimitSlider("SRAM limit, slider")
        self.error = Note("SRAM limit, refused")
        self.effect = SideNote("SRAM limit, effect")
        self.verdict = QLabel()
        self.verdict.setAccessibleName("verdict on fast storage")
        self.verdict.setWordWrap(True)
        self.numbers = {name: QLabel() for name in ("Required", "Limit", "Free")}
        self._titles = {name: QLabel(name) for name in self.numbers}
        self._label = QLabel("SRAM limit")
        self._label.setBuddy(self.field)
        self._is_older = False
        self._fits: bool | None = None
        self._is_fixed = False
        self._lay_out()
        self.field.typed.connect(self.typed)
        self.field.given_up.connect(self.given_up)
        self.own.clicked.connect(lambda: self.asked.emit(None))
        self.slider.moved.connect(self.dragged)
        self.slider.let_go.connect(self.let_go)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        arrange(head, between=Gap.MEDIUM)
        head.addWidget(self._label, 1)
        head.addWidget(self.field)
        head.addWidget(self.own)
        numbers = QGridLayout()
        arrange(numbers, between=(Gap.MEDIUM, Gap.NONE))
        for column, (name, value) in enumerate(self.numbers.items()):
            numbers.addWidget(self._titles[name], 0, column)
            numbers.addWidget(value, 1, column)
            numbers.setColumnStretch(column, 1)
            value.setAccessibleName(name)
        set_type(self.verdict, Type.HEADING)
        lines = QVBoxLayout(self)
        arrange(lines)
        lines.addLayout(head)
        lines.addWidget(self.error)
        lines.addWidget(self.slider)
        lines.addWidget(self.verdict)
        lines.addLayout(numbers)
        lines.addWidget(self.effect)

    def show_limit(self, limit_bytes: int | None, *, is_own: bool, is_taken: bool) -> None:
        """Show what is asked for, instead of what was typed where that was taken."""
        self.field.show_text(limit_field(limit_bytes), is_taken=is_taken)
        self.own.setEnabled(not is_own)

    def show_verdict(self, verdict: Verdict | None, unit: ByteUnit, *, is_older: bool) -> None:
        """Show whether it fits, with the numbers."""
        told = _told(verdict, unit)
        self._is_older, self._fits = is_older, told.fits
        older = " (before this change)" if is_older and told.fits is not None else ""
        self.verdict.setText(f"{told.headline}{older}")
        for label, text in zip(self.numbers.values(), told.numbers, strict=True):
            label.setText(text)
        rest = "Excess" if told.fits is False else "Free"
        self._titles["Free"].setText(rest)
        self.numbers["Free"].setAccessibleName(rest)

    def show_effect(self, reason: str, *, is_fixed: bool = False) -> None:
        """Say why the limit has no effect, if it has none, or cannot be set at all."""
        self._is_fixed = is_fixed
        for part in (self.field, self.slider):
            part.setEnabled(not is_fixed)
        if is_fixed:
            self.own.setEnabled(False)
        self.effect.say("" if not reason else reason if is_fixed else f"no effect: {reason}")
        for control in (self.field, self.slider.bar):
            control.setAccessibleDescription("; ".join(filter(None, self._spoken())))

    def _spoken(self) -> tuple[str, ...]:
        numbers = ", ".join(
            f"{value.accessibleName()} {value.text()}" for value in self.numbers.values()
        )
        return self.verdict.text(), numbers, self.effect.text()

    def set_theme(self, theme: Theme) -> None:
        self.slider.set_theme(theme)
        paint_text(self.error, theme.danger)
        paint_text(self.effect, theme.faint_text if self._is_fixed else theme.warning)
        colours = {None: theme.faint_text, True: theme.good, False: theme.danger}
        paint_text(self.verdict, theme.warning if self._is_older else colours[self._fits])
        for title in self._titles.values():
            paint_text(title, theme.faint_text)
        for value in self.numbers.values():
            paint_text(value, theme.faint_text if self._is_older else theme.text)
        if self._fits is False and not self._is_older:
            paint_text(self.numbers["Free"], theme.danger)
