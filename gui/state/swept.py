"""The sweep that is shown: cells of a file, made here or elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from gui.document.swept import SweptCells


class Swept:
    """A part of the store."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self.shown: SweptCells | None = None

    def show(self, cells: SweptCells | None) -> None:
        """Show these from now on, or none."""
        self.shown = cells
        self._announce()
