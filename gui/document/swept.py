"""A sweep: what is to be made, how far that is, and its file as it was read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.base.frozen import Frozen
from core.ir.settings import Settings
from core.ir.sweep import Cell


class SweptCells(Frozen):
    """What a file says, and what it is called."""

    title: str
    cells: tuple[Cell, ...]
    path: str = ""
    """The file, where it is one."""


class SweepOrder(Frozen):
    """A sweep that is to be made: all combinations of some values of knobs, into a file."""

    models: tuple[Path, ...]
    base: Settings
    """What all cells have in common."""
    axes: tuple[tuple[str, tuple[Any, ...]], ...]
    """Knobs by name, and the values that each takes."""
    path: Path
    cluster: str = ""
    """The address of a Dask scheduler, or `local`; without it, this machine's cores compute."""

    @property
    def title(self) -> str:
        """What it is called while it is made."""
        return self.path.name


class Making(Frozen):
    """How far a sweep is."""

    title: str
    done: int = 0
    cells: int = 0
    """All of them; nothing while they have not been counted."""
    seconds_left: float | None = None
    is_paused: bool = False


class Made(Frozen):
    """What became of a sweep."""

    title: str
    cells: int = 0
    computed: int = 0
    errors: tuple[str, ...] = ()
    """What cells or models were refused for, one line each."""
    message: str = ""
    """Why it could not go on."""
    is_stopped: bool = False
    """As it was asked for."""
