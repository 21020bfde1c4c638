"""The step of a cascade that is played in slow motion."""

from __future__ import annotations

from collections.abc import Callable

from gui.document.display import Span


class Played:
    """When the step runs, for views beside the one that plays it."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self.span: Span | None = None
        """None where nothing is played."""
        self._tell = tell

    def show(self, span: Span | None) -> None:
        """Turn to another step, or to none."""
        if span != self.span:
            self.span = span
            self._tell()
