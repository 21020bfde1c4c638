"""Where the hardware looks values up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMemory:
    """The memory of look-up tables, by the addresses that transfers inside the accelerator use."""

    start: int
    size_bytes: int
    unit_bytes: int
    """In which tables are numbered."""
    is_apart: bool
    """Operators without a table leave what is in it as it is."""
