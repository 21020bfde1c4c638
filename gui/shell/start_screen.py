"""What to begin with: models that were open, examples, and where to go from there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from gui.shell.actions import Actions
from gui.theme.scale import Gap, Type, arrange, make_hint, set_type

_MOST_RECENT = 6
_RECENT = tuple(f"file.recent.{place + 1}" for place in range(_MOST_RECENT))
_EXAMPLE = "file.example."
_LATER = (
    *("schedule.boards", "compare.open", "schedule.make_sweep"),
    *("help.tour", "help.contents", "help.shortcuts"),
)
_TITLES = {
    "compare.two": "Compare two files...",
    "compare.open": "Compare with a file...",
    "help.contents": "Help",
}
"""Where a title needs the menu that it stands in."""
_HINT = "Esc goes on with what is open. The menu Help has this again."
_KEYS = {Qt.Key.Key_Down: True, Qt.Key.Key_Up: False}


class StartScreen(QFrame):
    """Lies over the window until something is chosen, or Escape or a click beside it."""

    def __init__(self, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("start")
        self.setAccessibleName("Start")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._actions = actions
        self._focus_before = QApplication.focusWidget()
        examples = tuple(each.id for each in actions.commands if each.id.startswith(_EXAMPLE))
        grid = QGridLayout()
        arrange(grid, between=Gap.LARGE)
        for place, (title, names) in enumerate(
            (
                ("Open", ("file.open", "compare.two", "file.reopen_session", *_RECENT)),
                ("Examples", examples),
                ("With what is open", _LATER),
            )
        ):
            grid.addWidget(self._group(title, names), 0, place, Qt.AlignmentFlag.AlignTop)
        heading, hint = QLabel("What do you want to begin with?"), QLabel(_HINT)
        set_type(heading, Type.HEADING)
        make_hint(hint)
        lines = QVBoxLayout(self)
        arrange(lines, Gap.LARGE, Gap.MEDIUM)
        lines.addWidget(heading)
        lines.addLayout(grid)
        lines.addWidget(hint)
        self._place(window)
        self.show()
        self.raise_()
        self.buttons[0].setFocus()
        QApplication.instance().focusChanged.connect(self._on_focus)  # type: ignore[union-attr]

    @property
    def buttons(self) -> list[QPushButton]:
        """What can be chosen, from the first to the last."""
        return self.findChildren(QPushButton)

    def _group(self, title: str, names: tuple[str, ...]) -> QWidget:
        group, heading = QWidget(), QLabel(title)
        make_hint(heading)
        lines = QVBoxLayout(group)
        arrange(lines, between=Gap.TIGHT)
        lines.addWidget(heading)
        for name in names:
            action = self._actions[name]
            if action.isVisible():
                lines.addWidget(self._button(name, action))
        return group

    def _button(self, name: str, action: QAction) -> QPushButton:
        button = QPushButton(_TITLES.get(name, action.text()))
        button.setObjectName(name)
        button.setFlat(True)
        button.setEnabled(action.isEnabled())
        if name not in _TITLES or not action.isEnabled():
            button.setToolTip(action.toolTip())
        button.setStyleSheet("text-align: left")
        button.clicked.connect(partial(self._choose, name))
        return button

    def _choose(self, name: str, _is_on: object = None) -> None:
        # The focus has to be back where it was: some commands are about the view that has it.
        self._leave()
        self._actions.run(name)

    def _leave(self) -> None:
        before = self._focus_before
        self.close()
        if before is not None and isValid(before):
            before.setFocus()

    def _on_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        """It goes with the focus, which a click beside it takes away."""
        if new is not None and self.isVisible() and not self.isAncestorOf(new):
            self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go from one to the next, Escape leaves."""
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            self._leave()
        elif key in _KEYS:
            self.focusNextPrevChild(_KEYS[key])
        else:
            super().keyPressEvent(event)

    def _place(self, window: QWidget) -> None:
        size = self.sizeHint().boundedTo(window.size())
        self.resize(size)
        self.move((window.width() - size.width()) // 2, (window.height() - size.height()) // 3)
