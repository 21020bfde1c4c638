"""Scales, biases and stored parameters of operators that have weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.dtype import DType
from core.base.frozen import Frozen
from core.ir.network import Quantization
from core.synth.draws import Array, Draws, Integers
from core.synth.graph import Constant, Lookup, Value
from core.synth.ranges import coarse, coarse_all, single

_FEW = 48
"""Below so many values a channel's own statistics say nothing; those of all channels are used."""


class Folding(Frozen):
    """A normalisation folded into a convolution: a scale and an offset for each channel."""

    scales: Array
    biases: Array

    def of(self, sums: Array) -> Array:
        """Real results from the sums over integer weights."""
        return sums * self.scales + self.biases


def fold(draws: Draws, sums: Sequence[Array], *, per_channel: bool, gain: float = 1.0) -> Folding:
    """Scales and biases that give each channel a spread near `gain`, as training does.

    The channels are the last axis of the sums over integer weights.
    """
    rows = np.concatenate([each.reshape(-1, each.shape[-1]) for each in sums])
    channels = rows.shape[-1]
    # Sums of zeros have any scale; a large one makes the bias's too coarse for LiteRT.
    overall = max(float(rows.std()), 1e-3) if rows.any() else 1.0
    few = rows.shape[0] < _FEW
    spread = rows.std(axis=0)
    mean = np.zeros(channels) if few else rows.mean(axis=0)
    own = np.where(few | (spread < overall * 0.02), overall, spread)
    wanted = draws.uniform((channels,), 0.5, 1.5) * gain
    if per_channel:
        scales = coarse_all(wanted / own)
    else:
        scales = np.full(channels, coarse(gain / overall))
        mean = np.clip(mean, -overall, overall)
    offsets = draws.uniform((channels,), -0.5, 0.6) * gain
    # A grid of 1/1024 hides the last bits of the sums, which differ from machine to machine.
    biases = np.rint((offsets - mean * scales) * 1024.0) / 1024.0
    return Folding(scales=np.array([single(scale) for scale in scales]), biases=biases)


def weights(
    label: str, stored: Integers, scales: Array, axis: int, *, per_channel: bool
) -> Constant:
    """Weights of 8 signed bits."""
    kept = tuple(float(scale) for scale in (scales if per_channel else scales[:1]))
    parameters = Quantization(
        scales=kept, zero_points=(0,) * len(kept), axis=axis if per_channel else 0
    )
    array = stored.astype(np.int8)
    return Constant(label=label, dtype=DType.INT8, make=lambda _: (array, parameters))


def unsigned_weights(label: str, stored: Integers, scale: float, zero_point: int) -> Constant:
    """Weights of 8 unsigned bits with a zero point, as files had them before signed ones."""
    parameters = Quantization(scales=(scale,), zero_points=(zero_point,))
    array = (stored + zero_point).astype(np.uint8)
    return Constant(label=label, dtype=DType.UINT8, make=lambda _: (array, parameters))


def bias(source: Value, folding: Folding, dtype: DType, *, per_channel: bool) -> Constant:
    """Biases in steps of the input's scale times the weights' scale."""

    def make(lookup: Lookup) -> tuple[Integers, Quantization]:
        steps = [single(lookup(source).scales[0] * float(scale)) for scale in folding.scales]
        kept = tuple(steps if per_channel else steps[:1])
        parameters = Quantization(scales=kept, zero_points=(0,) * len(kept))
        stored = np.rint(folding.biases / np.array(steps)).astype(dtype.numpy)
        return stored, parameters

    return Constant(label="bias", dtype=dtype, make=make)
