"""Records of addresses that were tried for a schedule."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.ids import NpuOpId
from core.ir.options import Allocator


class ArrivalsTried(Frozen):
    """Addresses beside which weights can arrive operators earlier, beside the lowest."""

    size_bytes: int
    """Of the memory that has fast storage."""
    size_bytes_before: int
    cycles: float
    cycles_before: float
    is_taken: bool


class TakenAsHigh(Frozen):
    """The smallest schedule has no addresses as low as what is live; a faster one is as high."""

    size_bytes: int
    """Of the memory that has fast storage, with either."""
    peak_bytes_before: int
    """What is live at most in the smallest schedule."""
    cycles: float
    cycles_before: float


class LimitMet(Frozen):
    """The allocator that was asked found no addresses within the limit; then these were found."""

    limit_bytes: int
    asked: Allocator
    excess_bytes: int
    """What its addresses stood above the limit."""
    found_by: Allocator
    searched_bytes: int
    """What the search was given: the limit, or less where no addresses for that are within it."""
    lost_bytes: tuple[tuple[NpuOpId, int], ...] = ()
    """What some operators were given less, since addresses lose it while they run."""
