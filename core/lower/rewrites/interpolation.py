"""Tables of 16-bit functions: 512 straight pieces, each a base and a slope.

The hardware looks the upper nine bits of a value up and interpolates with the rest. The nodes are
those of the reference kernels, which shift each towards the middle of the error of its piece.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import round_away_from_zero
from core.ir.constdata import ConstData

PIECES = 512


def interpolation_table(
    function: Callable[[float], float], low: float, high: float, units: float
) -> ConstData:
    """The hardware's table of a function over a range; `units` is how many steps one is worth."""
    step = (high - low) / PIECES
    nodes = [_node(function, low + index * step, step, units) for index in range(PIECES)]
    nodes.append(_clamp(round_away_from_zero(function(high) * units)))
    bases = np.array(nodes[:PIECES], np.int64)
    slopes = np.diff(np.array(nodes, np.int64))
    return ConstData.of((((slopes & 0xFFFF) << 16) | (bases & 0xFFFF)).astype(np.uint32))


def _node(function: Callable[[float], float], at: float, step: float, units: float) -> int:
    here, there = function(at) * units, function(at + step) * units
    sample = round_away_from_zero(here)
    interpolated = round_away_from_zero((there + sample) / 2)
    error = interpolated - round_away_from_zero(function(at + step / 2) * units)
    return _clamp(sample - round_away_from_zero(error / 2))


def _clamp(value: int) -> int:
    low, high = DType.INT16.limits
    return min(max(value, low), high)
