"""The record of operators that run as one cascade because the best cuts have them so."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.ids import NpuOpId


class PartTaken(Frozen):
    """A part of a command stream, as the search has priced it before weights were buffered."""

    ops: tuple[NpuOpId, ...]
    size_bytes: int
    """Of all that is live while it runs, with what its cuts count on."""
    limit_bytes: int
    cycles: float
    cycles_alone: float
    """Where each of its operators makes its whole output at once, with the same maps near."""
