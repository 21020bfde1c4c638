"""What was asked and answered so far, as a part of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gui.document.runs import Runs, Settled


class RunList:
    """Keeps runs, and says when they are others."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self.runs = Runs()

    def set(self, runs: Runs) -> None:
        """Keep these from now on."""
        if runs != self.runs:
            self.runs = runs
            self._announce()

    def resume(self, entries: Iterable[Settled]) -> None:
        """Keep those of work that was left."""
        self.set(Runs(tuple(entries)))
