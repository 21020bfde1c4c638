"""Turns of the event loop: what is not urgent is done piece by piece."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from shiboken6 import isValid


class Turns(QObject):
    """Gives each of those who ask a turn of its own, in the order in which they ask.

    Between two turns the user is heard, and what the last one has drawn is painted. Timers of
    their own would not do: Qt runs all that are due in one go.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[QObject, Callable[[], None]] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._take)

    @property
    def are_taken(self) -> bool:
        """Whether nobody waits."""
        return not self._waiting

    def ask(self, who: QObject, do: Callable[[], None]) -> None:
        """Do something soon; who waits already keeps its place."""
        self._waiting.setdefault(who, do)
        self._timer.start(0)

    def finish(self) -> None:
        """Do now all that waits: pictures are taken of a whole window."""
        while self._waiting:
            self._take()

    def _take(self) -> None:
        if not self._waiting:
            return
        who = next(iter(self._waiting))
        do = self._waiting.pop(who)
        if self._waiting:
            # Before the work, so that one that fails does not keep the others waiting.
            self._timer.start(0)
        if isValid(who):
            do()
