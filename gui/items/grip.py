"""What takes hold of things on a canvas; until it is let go, nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QPointF, Qt

from core.base.frozen import NamedTuple
from gui.items.rects_item import Hit


class Handle(NamedTuple):
    """What can be taken hold of under the pointer, before anybody does."""

    told: str
    """How, in a line of the tip."""
    cursor: Qt.CursorShape | None = None
    """How the pointer looks; None where a plain drag moves the picture all the same."""


class Grip(Protocol):
    """Is asked at the start of a drag, and told of the rest of it if it has taken hold."""

    def offered(self, hit: Hit | None, modifiers: Qt.KeyboardModifier, /) -> Handle | None:
        """What could be taken hold of where the pointer is over something, or over nothing."""

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

    def offered(self, hit: Hit | None, modifiers: Qt.KeyboardModifier) -> Handle | None:
        """What the first of them has to offer."""
        found = (each.offered(hit, modifiers) for each in self._grips)
        return next((handle for handle in found if handle is not None), None)

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


class AsWithAlt:
    """The same as another grip is with Alt, while somebody has switched that on: many window
    managers take drags with Alt for themselves."""

    def __init__(self, grip: Grip, is_on: Callable[[], bool]) -> None:
        self._grip = grip
        self._is_on = is_on
        self.move, self.drop, self.abort = grip.move, grip.drop, grip.abort

    def offered(self, hit: Hit | None, modifiers: Qt.KeyboardModifier) -> Handle | None:
        """What it has to offer then."""
        return self._grip.offered(hit, self._with(modifiers))

    def take(self, start: QPointF, now: QPointF, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether it takes hold then."""
        return self._grip.take(start, now, self._with(modifiers))

    def _with(self, modifiers: Qt.KeyboardModifier) -> Qt.KeyboardModifier:
        return modifiers | Qt.KeyboardModifier.AltModifier if self._is_on() else modifiers
