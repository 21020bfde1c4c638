"""The numbers that addresses of our streams count from: what a driver binds to each region."""

from __future__ import annotations

from core.target.region import Region
from core.target.target import Target

CONSTANTS = 0
"""Weights, tables and other bytes that do not change."""
SCRATCH = 1
"""The tensor arena."""
SCRATCH_FAST = 2
"""Dedicated fast storage."""


def region_number(region: Region, target: Target) -> int:
    """The region of the stream in which bytes lie; both kinds of scratch may be one memory."""
    if region.is_permanent:
        return CONSTANTS
    return SCRATCH_FAST if region is Region.SCRATCH_FAST and target.is_spilling else SCRATCH
