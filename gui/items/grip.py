"""What takes hold of things on a canvas; until it is let go, nothing is changed."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPointF, Qt


class Grip(Protocol):
    """Is asked at the start of a drag, and told of the rest of it if it has taken hold."""

    def take(self, start: QPointF, now: QPointF, modifiers: Qt.KeyboardModifier, /) -> bool:
        """Whether what is at a place of the scene is taken hold of; else the view is moved."""

    def move(self, now: QPointF, /) -> None:
        """The pointer is at another place of the scene."""

    def drop(self, now: QPointF, /) -> None:
        """It is let go."""

    def abort(self) -> None:
        """All is as it was."""


class FirstOf:
    """Several of them: whoever takes hold first has it."""

    def __init__(self, *grips: Grip) -> None:
        self._grips = grips
        self._now: Grip | None = None

    def take(self, start: QPointF, now: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether one of them takes hold."""
        self._now = next((each for each in self._grips if each.take(start, now, modifiers)), None)
        return self._now is not None

    def move(self, now: QPointF) -> None:
        """Tell the one that has hold."""
        if self._now is not None:
            self._now.move(now)

    def drop(self, now: QPointF) -> None:
        """Tell it too."""
        if self._now is not None:
            self._now.drop(now)

    def abort(self) -> None:
        """Tell it as well."""
        if self._now is not None:
            self._now.abort()
