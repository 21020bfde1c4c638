"""A sweep's file as it was read."""

from __future__ import annotations

from dataclasses import dataclass

from core.ir.sweep import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptCells:
    """What a file says, and what it is called."""

    title: str
    cells: tuple[Cell, ...]
