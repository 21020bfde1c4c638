"""The record of whole maps that were tried where not all of them have room."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.ids import IslandId


class WholeMapsTried(Frozen):
    """Whole maps, of which some stay in the slower memory, beside the best with cascades."""

    island: IslandId
    peak_bytes: int
    peak_bytes_before: int
    """With cascades."""
    cycles: float
    cycles_before: float
    is_taken: bool
