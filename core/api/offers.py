"""The door to what edits can ask for: values that are legal, and what they would come to."""

from __future__ import annotations

from core.pipeline.legal_values import (
    BlockOffer,
    FormatOffer,
    free_of,
    kept_in_order,
    kept_in_place,
    legal_blocks,
    legal_formats,
    legal_heights,
    legal_slices,
    most_lead_steps,
)
from core.pipeline.moving_out import moving
from core.pipeline.rolling_preview import rolling_if

__all__ = [
    "BlockOffer",
    "FormatOffer",
    "free_of",
    "kept_in_order",
    "kept_in_place",
    "legal_blocks",
    "legal_formats",
    "legal_heights",
    "legal_slices",
    "most_lead_steps",
    "moving",
    "rolling_if",
]
