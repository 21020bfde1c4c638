"""What a view says while it has nothing to show: what is missing, and how it is had."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLayout, QVBoxLayout, QWidget

from gui.theme.scale import Gap, Type, arrange, make_hint, set_type


class EmptyState(QWidget):
    """A heading, and under it a hint, in the middle; an empty line parts them in a text."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading, self.hint = QLabel(), QLabel()
        set_type(self.heading, Type.HEADING)
        make_hint(self.hint)
        self._lines = lines = QVBoxLayout(self)
        arrange(lines, Gap.LARGE, Gap.MEDIUM)
        lines.addStretch(1)
        for label in (self.heading, self.hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            lines.addWidget(label)
        lines.addStretch(1)
        self.set_text(text)

    def add_below(self, buttons: QLayout) -> None:
        """Offer what is to be done about it, under the hint."""
        self._lines.insertLayout(self._lines.count() - 1, buttons)

    def text(self) -> str:
        """All that it says."""
        return "\n\n".join(part.text() for part in (self.heading, self.hint) if part.text())

    def set_text(self, text: str) -> None:
        """Say something else."""
        heading, _, hint = text.partition("\n\n")
        self.heading.setText(heading)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))


def no_schedule(hint: str) -> str:
    """What views of a schedule say before there is one."""
    return f"There is no schedule yet.\n\n{hint}"
