"""Turns of the event loop: what is not urgent is done piece by piece, the picture first."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

_Asked = dict[QObject, Callable[[], None]]


class Turns(QObject):
    """Gives each of those who ask a turn of its own, in the order in which they ask.

    Between two turns the user is heard, and what the last one has drawn is painted. Timers of
    their own would not do: Qt runs all that are due in one go. What is looked at first has one
    turn, and is painted before anybody else has one.
    """

    pictured = Signal()
    """What is looked at first is shown, and to be laid out and painted now."""

    def __init__(self) -> None:
        super().__init__()
        self._first: _Asked = {}
        self._waiting: _Asked = {}
        self._is_showing_first = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._take)

    @property
    def are_taken(self) -> bool:
        """Whether nobody waits."""
        return not (self._first or self._waiting)

    def ask(self, who: QObject, do: Callable[[], None], *, is_first: bool = False) -> None:
        """Do something soon; who waits already keeps its place."""
        (self._first if is_first else self._waiting).setdefault(who, do)
        self._timer.start(0)

    def once_painted(self, who: QObject, do: Callable[[], None]) -> None:
        """Do something that what is looked at first can do without: now, unless that is shown."""
        if self._is_showing_first:
            self.ask(who, do)
        else:
            do()

    def finish(self) -> None:
        """Do now all that waits: pictures are taken of a whole window."""
        while not self.are_taken:
            self._take()

    def _take(self) -> None:
        if self._first:
            self._show_first()
            self.pictured.emit()
        elif self._waiting:
            who, do = _next_of(self._waiting)
            if self._waiting:
                # Before the work, so that one that fails does not keep the others waiting.
                self._timer.start(0)
            _do(who, do)

    def _show_first(self) -> None:
        self._is_showing_first = True
        # Before the work, so that one that fails does not keep the others waiting.
        self._timer.start(0)
        try:
            while self._first:
                _do(*_next_of(self._first))
        finally:
            self._is_showing_first = False


def _next_of(asked: _Asked) -> tuple[QObject, Callable[[], None]]:
    who = next(iter(asked))
    return who, asked.pop(who)


def _do(who: QObject, do: Callable[[], None]) -> None:
    if isValid(who):
        do()
