"""From the range that a tensor was seen to have to its quantisation parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.base.dtype import DType
from core.ir.network import Quantization
from core.synth.draws import Array, Integers

_DIGITS = 3
_LEAST_REACH = 2.0**-6
"""A tensor of zeros gets steps for this range; finer ones overflow kernels' multipliers."""


def coarse(value: float, digits: int = _DIGITS) -> float:
    """The number with few significant digits.

    Sums of many floats end in bits that depend on the machine's linear algebra library. What is
    written to a file has fewer digits than that, so that it is equal everywhere.
    """
    return float(f"{value:.{digits - 1}e}")


def coarse_all(values: Array) -> Array:
    """Each number with few significant digits."""
    return np.array([coarse(float(value)) for value in values.reshape(-1)]).reshape(values.shape)


def single(value: float) -> float:
    """The nearest number of single precision, which is what files hold."""
    return float(np.float32(value))


def seen(samples: Sequence[Array]) -> tuple[float, float]:
    """Least and greatest element of all samples."""
    low = min(float(sample.min()) for sample in samples)
    return low, max(float(sample.max()) for sample in samples)


def expected(samples: Sequence[Array]) -> tuple[float, float]:
    """The range to expect of a tensor: what was seen, and more the fewer elements were seen."""
    margin = 1.04 + 1.5 / math.sqrt(sum(sample.size for sample in samples))
    low, high = seen(samples)
    return low * margin, high * margin


def for_range(dtype: DType, low: float, high: float) -> Quantization:
    """Parameters under which a range, widened to hold zero, is just not clipped."""
    low, high = min(low, 0.0), max(high, 0.0)
    least, greatest = dtype.limits
    if dtype is DType.INT16:
        scale = single(coarse(max(high, -low, _LEAST_REACH) / greatest))
        return Quantization(scales=(scale,), zero_points=(0,))
    scale = single(coarse(max(high - low, _LEAST_REACH) / (greatest - least)))
    zero_point = least + round((greatest - least) * coarse(-low / max(high - low, _LEAST_REACH)))
    return Quantization(scales=(scale,), zero_points=(zero_point,))


def exact(scale: float, zero_point: int) -> Quantization:
    """Given parameters."""
    return Quantization(scales=(single(scale),), zero_points=(zero_point,))


def for_unit_interval(dtype: DType) -> Quantization:
    """What the format asks of operators whose results lie between 0 and 1."""
    if dtype is DType.INT16:
        return exact(1.0 / 32768.0, 0)
    return exact(1.0 / 256.0, dtype.limits[0])


def for_signed_unit_interval(dtype: DType) -> Quantization:
    """What the format asks of operators whose results lie between -1 and 1."""
    if dtype is DType.INT16:
        return exact(1.0 / 32768.0, 0)
    return exact(1.0 / 128.0, 128 if dtype is DType.UINT8 else 0)


def quantized(values: Array, dtype: DType, parameters: Quantization) -> Integers:
    """The stored integers that come nearest to real values under per-tensor parameters."""
    least, greatest = dtype.limits
    steps = np.rint(values / parameters.scales[0]) + parameters.zero_points[0]
    return np.asarray(np.clip(steps, least, greatest), dtype.numpy)
