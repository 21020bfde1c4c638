"""One knob: its title, what is asked, what was applied, and why it has no effect."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from gui.theme.scale import Gap, arrange
from gui.theme.tones import Theme
from gui.views.controls.inks import Note, SideNote, paint_text
from gui.widgets.elided_label import ElidedLabel


class KnobRow(QWidget):
    """A title above a control, beside which stands what was applied."""

    def __init__(self, title: str, control: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.control = control
        self.applied = ElidedLabel(f"{title}, applied")
        self.error = Note(f"{title}, refused")
        self.effect = SideNote(f"{title}, effect")
        self._is_older = False
        self._is_fixed = False
        """The knob cannot be turned, which is nothing to be warned of."""
        label = QLabel(title)
        label.setBuddy(control)
        self._label = label
        grid = QGridLayout(self)
        arrange(grid, between=(Gap.MEDIUM, Gap.TIGHT))
        head = QHBoxLayout()
        arrange(head, between=Gap.MEDIUM)
        head.addWidget(label)
        head.addWidget(self.effect, 1)
        self.effect.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        grid.addLayout(head, 0, 0, 1, 2)
        grid.addWidget(control, 1, 0)
        grid.addWidget(self.applied, 1, 1)
        grid.addWidget(self.error, 2, 0, 1, 2)
        grid.setColumnStretch(0, 11)
        grid.setColumnStretch(1, 9)

    def show_applied(self, text: str, *, is_older: bool) -> None:
        """Say what the shown answer was made with, and whether something else is asked by now."""
        self.applied.show_text(text)
        self._is_older = is_older

    def show_effect(self, reason: str, *, is_fixed: bool = False) -> None:
        """Say why the knob has no effect, if it has none, or cannot be turned at all."""
        self.control.setEnabled(not is_fixed)
        self._is_fixed = is_fixed
        self.effect.say("" if not reason else reason if is_fixed else f"no effect: {reason}")
        spoken = [f"applied: {self.applied.text or 'nothing yet'}", self.effect.text()]
        self.control.setAccessibleDescription("; ".join(filter(None, spoken)))

    def set_theme(self, theme: Theme) -> None:
        paint_text(self._label, theme.faint_text)
        paint_text(self.applied, theme.warning if self._is_older else theme.text)
        paint_text(self.error, theme.danger)
        paint_text(self.effect, theme.faint_text if self._is_fixed else theme.warning)
