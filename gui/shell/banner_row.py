"""One message of the strip, with buttons for what helps."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from gui.document.problem import Problem
from gui.shell.actions import Actions
from gui.theme.qpalette import ICONS
from gui.theme.tones import Theme

_TOP = Qt.AlignmentFlag.AlignTop


class DeedButton(QPushButton):
    """A command's button: it is there while the command can run."""

    def __init__(self, action: QAction, label: str) -> None:
        super().__init__()
        self._action = action
        self._label = label
        # Return works as the space bar does, which it otherwise does in dialogs alone.
        self.setAutoDefault(True)
        self.clicked.connect(action.trigger)
        action.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """See again what the command is called, and whether it can run."""
        text = self._label or self._action.text()
        self.setText(text)
        self.setAccessibleName(text.replace("&&", "&"))
        self.setToolTip(self._action.toolTip())
        self.setVisible(self._action.isEnabled())


class BannerRow(QFrame):
    """Says one thing; it can be copied, and put away."""

    put_away = Signal()

    def __init__(self, problem: Problem, actions: Actions | None, theme: Theme) -> None:
        super().__init__()
        self.problem = problem
        self.setObjectName("row")
        self.mark = QLabel("i" if problem.is_note else "!")
        self.mark.setAccessibleName("Note" if problem.is_note else "Problem")
        self.mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.mark.setFixedWidth(2 * self.fontMetrics().horizontalAdvance("M"))
        self.label = _label(problem)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 3, 6, 3)
        row.addWidget(self.mark)
        row.addWidget(self.label, 1)
        self.buttons = tuple(
            DeedButton(actions[deed.command], deed.label) for deed in problem.deeds if actions
        )
        for button in self.buttons:
            row.addWidget(button)
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.close_button.setAccessibleName(f"Put away: {problem.message}")
        self.close_button.setToolTip("Put away")
        self.close_button.clicked.connect(self.put_away)
        row.addWidget(self.close_button)
        self.dress(theme)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What takes the focus, the most likely first."""
        return (*(button for button in self.buttons if button.isEnabled()), self.close_button)

    def dress(self, theme: Theme) -> None:
        """Wear a theme's colours."""
        edge = theme.accent if self.problem.is_note else theme.danger
        self.setStyleSheet(
            f"#row {{ background: {theme.base}; border: none; border-left: 6px solid {edge};"
            f" border-bottom: 1px solid {theme.grid}; }}"
            f" QLabel {{ color: {theme.text}; }}"
        )
        self.mark.setStyleSheet(f"color: {edge}; font-weight: bold;")
        self.close_button.setIcon(QIcon(str(ICONS / f"panel.close.{theme.name}.svg")))


def _label(problem: Problem) -> QLabel:
    label = QLabel(problem.text)
    label.setAccessibleName(problem.text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label
