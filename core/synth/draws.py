"""Random numbers that are the same with every version of numpy and on every machine.

Only the raw 64-bit stream of PCG64 is promised to stay as it is, so everything is derived from it
here, without the library's distributions and without transcendental functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[Any]
_Choice = TypeVar("_Choice")

_PALETTE_STEPS = 14
_ZERO_SHARE = 0.12
_LIMIT = 127


class Draws:
    """A stream of random numbers that its seed determines."""

    def __init__(self, *seed: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed))

    def uniform(self, shape: Sequence[int], low: float = 0.0, high: float = 1.0) -> Array:
        """Numbers of equal likelihood between two bounds, the upper one left out."""
        raw = self._bits.random_raw(math.prod(shape))
        unit = (np.asarray(raw, np.uint64) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return (low + (high - low) * unit).reshape(tuple(shape))

    def integer(self, low: int, high: int) -> int:
        """An integer between two bounds, both included."""
        return low + int(self.uniform(()) * (high - low + 1))

    def chance(self, likelihood: float) -> bool:
        """True as often as the likelihood says."""
        return bool(self.uniform(()) < likelihood)

    def pick(self, choices: Sequence[_Choice]) -> _Choice:
        """One of the choices."""
        return choices[self.integer(0, len(choices) - 1)]

    def shuffled(self, count: int) -> tuple[int, ...]:
        """The numbers below `count` in random order."""
        return tuple(int(index) for index in np.argsort(self.uniform((count,)), kind="stable"))

    def clustered(self, shape: Sequence[int], channel_axis: int) -> Integers:
        """Weights as training and clustering leave them, in -127..127.

        They sit on a palette of few values of both signs, small ones more often than large ones,
        some exactly zero, and each channel reaches 127 or -127 once, as its scale would have it.
        """
        palette, likelihoods = self._palette()
        spots = np.searchsorted(np.cumsum(likelihoods)[:-1], self.uniform(shape), side="right")
        weights = palette[spots] * np.where(self.uniform(shape) < 0.5, -1, 1)
        rows = np.moveaxis(weights, channel_axis, 0)
        flat = rows.reshape(rows.shape[0], -1)
        peaks = (self.uniform((flat.shape[0],)) * flat.shape[1]).astype(np.int64)
        channels = np.arange(flat.shape[0])
        flat[channels, peaks] = np.where(flat[channels, peaks] < 0, -_LIMIT, _LIMIT)
        return np.ascontiguousarray(np.moveaxis(flat.reshape(rows.shape), 0, channel_axis))

    def _palette(self) -> tuple[Integers, Array]:
        """Magnitudes, denser near zero, and how likely each is (falling like a Laplacian)."""
        ranks = np.arange(1, _PALETTE_STEPS + 1)
        jitter = self.uniform((_PALETTE_STEPS,), -0.3, 0.3)
        magnitudes = np.rint(_LIMIT * ((ranks + jitter) / (_PALETTE_STEPS + 1)) ** 1.5)
        falling = 0.82**ranks
        likelihoods = falling / falling.sum() * (1.0 - _ZERO_SHARE)
        palette = np.concatenate(([0.0], np.maximum(magnitudes, 1.0))).astype(np.int64)
        return palette, np.concatenate(([_ZERO_SHARE], likelihoods))
