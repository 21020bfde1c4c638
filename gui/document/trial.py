"""What a choice would come to, tried before it is taken."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.ir.edits import EditOutcome


class Trial(Frozen):
    """A schedule that is not shown: the one on the screen with something else decided."""

    cycles: float
    fast_bytes: int
    is_within_limits: bool
    edits: tuple[EditOutcome, ...]
