"""A strip across the top of the window for what the user should know of: the latest is on top."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QIcon, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.document.changes import ChangeSet, Part
from gui.document.job import JobPhase
from gui.document.problem import Lasts, Problem
from gui.present.problems import ANSWER_KEY, EDITS_KEY, edits_ignored, problem_of
from gui.shell.actions import Actions
from gui.shell.announce import announce
from gui.state.store import Store
from gui.theme.qpalette import ICONS
from gui.theme.scale import Gap, Type, arrange, set_type
from gui.theme.tones import Theme

_TOP = Qt.AlignmentFlag.AlignTop
MOST_LINES = 9
"""What is longer scrolls."""


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
        set_type(self.mark, Type.HEADING)
        self.mark.setFixedWidth(2 * self.fontMetrics().horizontalAdvance("M"))
        self.label = _label(problem)
        row = QHBoxLayout(self)
        arrange(row, (Gap.MEDIUM, Gap.SMALL), Gap.MEDIUM)
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
        self.mark.setStyleSheet(f"color: {edge};")
        self.close_button.setIcon(QIcon(str(ICONS / f"panel.close.{theme.drawings}.svg")))


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


class Banner(QScrollArea):
    """Shows why there is no answer, why a file cannot be opened, and what else is told to it."""

    changed = Signal()
    """There are more, fewer or other messages."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.commands: Actions | None = None
        """Set as soon as there are any."""
        self.setObjectName("banner")
        self.setAccessibleName("Messages")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = QWidget()
        self._lines = QVBoxLayout(self._page)
        arrange(self._lines, between=Gap.NONE)
        self.setWidget(self._page)
        self.rows: tuple[BannerRow, ...] = ()
        self._told: object = None
        self._focus_before: QWidget | None = None
        self.hide()
        store.changed.connect(self._on_changed)

    # What commands ask for, and the parts of the shell.

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is told, the latest first."""
        return tuple(row.problem for row in self.rows)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.rows)

    @property
    def text(self) -> str:
        """All that is told, a line for each."""
        return "\n".join(problem.text for problem in self.problems)

    def add(self, problem: Problem) -> None:
        """Tell of a problem, in the place of an older one with its key."""
        row = BannerRow(problem, self.commands, self._store.theme)
        row.put_away.connect(lambda: self._put_away(row))
        self._replace(tuple(old for old in self.rows if old.problem.key == problem.key), row)
        announce(self, problem.text, is_urgent=not problem.is_note)

    def take_back(self, key: str) -> None:
        """Tell of it no more, because it is none any more."""
        self._replace(tuple(row for row in self.rows if row.problem.key == key))

    def go_to_next(self) -> None:
        """Give the focus to the next of them."""
        focused = QApplication.focusWidget()
        at = next((at for at, row in enumerate(self.rows) if _has(row, focused)), -1)
        if at < 0:
            self._focus_before = focused
        if self.rows:
            stop = self.rows[(at + 1) % len(self.rows)].stops[0]
            stop.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.ensureWidgetVisible(stop)

    def put_all_away(self) -> None:
        """Tell of none of them any more."""
        for row in self.rows:
            self._put_away(row)

    # How.

    def _put_away(self, row: BannerRow) -> None:
        command = row.problem.put_away
        self._replace((row,))
        if command and self.commands is not None:
            self.commands.run(command)

    def _replace(self, old: tuple[BannerRow, ...], new: BannerRow | None = None) -> None:
        """Take rows out, and put another on top; the focus stays in the strip while it can."""
        focused = QApplication.focusWidget()
        had_focus = any(_has(row, focused) for row in old)
        kept = tuple(row for row in self.rows if row not in old)
        self.rows = kept if new is None else (new, *kept)
        for row in old:
            row.hide()
            self._lines.removeWidget(row)
            row.deleteLater()
        if new is not None:
            self._lines.insertWidget(0, new)
            # Not only in the next turn of the event loop: a key may come before it.
            new.show()
        stops = [stop for row in self.rows for stop in (*row.buttons, row.close_button)]
        for stop, following in pairwise(stops):
            QWidget.setTabOrder(stop, following)
        self.setVisible(bool(self.rows))
        self._fit()
        if old or new is not None:
            self.changed.emit()
        if had_focus:
            self._move_focus()

    def _move_focus(self) -> None:
        before = self._focus_before
        if self.rows:
            self.rows[0].stops[0].setFocus()
        elif before is not None and before.isVisible():
            before.setFocus()

    def _fit(self) -> None:
        """Be as high as the rows are, but leave room for the views."""
        width = self.viewport().width()
        needed = sum(
            max(row.heightForWidth(width), row.minimumSizeHint().height()) for row in self.rows
        )
        most = MOST_LINES * self.fontMetrics().lineSpacing()
        self.setFixedHeight(min(needed, most))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Be higher where the window is narrow."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.DISPLAY):
            for row in self.rows:
                row.dress(self._store.theme)
        if changes.has(Part.DOCUMENT) and changes.has(Part.ANSWER):
            # Only another model changes both at once.
            self._forget(Lasts.MODEL)
        if changes.has(Part.DOCUMENT):
            self._tell_of_edits()
        if changes.has(Part.JOB, Part.ANSWER):
            self._on_job()

    def _tell_of_edits(self) -> None:
        """While edits are ignored, say so."""
        if not self._store.document.ignores_edits:
            self.take_back(EDITS_KEY)
        elif EDITS_KEY not in [problem.key for problem in self.problems]:
            self.add(edits_ignored())

    def _on_job(self) -> None:
        job = self._store.job
        if job.phase is JobPhase.FAILED and job.failure is not None:
            if job.failure is not self._told:
                self._told = job.failure
                model = self._store.document.model
                is_there = model is None or Path(model.path).exists()
                can_undo = bool(self._store.history.past)
                self.add(problem_of(job.failure, can_undo=can_undo, is_model_there=is_there))
        elif self._store.is_current and self._store.answer is not None:
            self.take_back(ANSWER_KEY)

    def _forget(self, lasts: Lasts) -> None:
        self._replace(tuple(row for row in self.rows if row.problem.lasts is lasts))


def _has(row: QWidget, part: QWidget | None) -> bool:
    return part is not None and row.isAncestorOf(part)
