"""The sweep that is shown: cells of a file, made here or elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from gui.document.swept import Making, SweptCells


class Swept:
    """A part of the store."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self.shown: SweptCells | None = None
        self.making: Making | None = None
        """How far the sweep is that is being made here."""

    @property
    def path(self) -> str:
        """The file of what is shown; empty where there is none."""
        return self.shown.path if self.shown is not None else ""

    def show(self, cells: SweptCells | None) -> None:
        """Show these from now on, or none."""
        self.shown = cells
        self._announce()

    def make(self, making: Making | None, cells: SweptCells | None = None) -> None:
        """Say how far the sweep is that is being made, with all its cells where there are more."""
        self.making = making
        self.shown = cells or self.shown
        self._announce()
