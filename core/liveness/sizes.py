"""How many bytes a feature map takes."""

from __future__ import annotations

import math

from core.base.geometry import Shape4, round_up
from core.ir.npugraph import FeatureMap
from core.target.format import ALIGNMENT_BYTES, Format


def map_bytes(fm: FeatureMap, order: Format) -> int:
    """What a whole feature map takes, up to the next aligned address."""
    depth = round_up(fm.shape[-1], order.depth_multiple) if fm.shape else 1
    elements = math.prod(fm.shape[:-1]) * depth
    # Even what is empty gets an address of its own.
    return round_up(max(elements * fm.dtype.bits // 8, 1), ALIGNMENT_BYTES)


def rolling_bytes(fm: FeatureMap, shape: Shape4) -> int:
    """What the rows of a rolling buffer take, up to the next aligned address."""
    return round_up(shape.elements * fm.dtype.bits // 8, ALIGNMENT_BYTES)
