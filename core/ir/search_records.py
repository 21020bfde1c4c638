"""Records of what the search did with operators: another order, and parts that are one cascade."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.ids import IslandId, NpuOpId


class OrderTried(Frozen):
    """Operators in another order than the file's, in which less is live, beside that order."""

    island: IslandId
    ops: tuple[NpuOpId, ...]
    """Those that run behind one that the file has behind them."""
    peak_bytes: int
    peak_bytes_before: int
    """In the order of the file."""
    cycles: float
    cycles_before: float
    limit_bytes: int
    is_taken: bool


class PartTaken(Frozen):
    """A part of a command stream, as the search has priced it before weights were buffered."""

    ops: tuple[NpuOpId, ...]
    size_bytes: int
    """Of all that is live while it runs, with what its cuts count on."""
    limit_bytes: int
    cycles: float
    cycles_alone: float
    """Where each of its operators makes its whole output at once, with the same maps near."""
