"""The record of a search in another order of operators."""

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
