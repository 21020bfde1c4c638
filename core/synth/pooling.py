"""Operators that summarise: pooling over windows, reductions over axes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from core.base.dtype import DType
from core.synth.activations import clipped, fused
from core.synth.draws import Array
from core.synth.graph import Graph, Result, Value, integers, table
from core.synth.windows import Window

_REDUCTIONS: Mapping[str, Callable[..., Array]] = MappingProxyType(
    {"MEAN": np.mean, "SUM": np.sum, "REDUCE_MAX": np.max, "REDUCE_MIN": np.min}
)


class Pooling(Graph):
    """Builders of poolings and reductions."""

    def max_pool(self, image: Value, over: Window, activation: str = "NONE") -> Value:
        """MAX_POOL_2D."""

        def forward(array: Array) -> Array:
            taps = (tap for _, _, tap in over.taps(array, -np.inf))
            return clipped(functools.reduce(np.maximum, taps), activation)

        return self._pool("MAX_POOL_2D", image, over, activation, forward)

    def avg_pool(self, image: Value, over: Window, activation: str = "NONE") -> Value:
        """AVERAGE_POOL_2D; what lies in the padding does not count."""

        def forward(array: Array) -> Array:
            sums = sum(tap for _, _, tap in over.taps(array))
            counts = sum(tap for _, _, tap in over.taps(np.ones_like(array)))
            return clipped(np.asarray(sums / counts), activation)

        return self._pool("AVERAGE_POOL_2D", image, over, activation, forward)

    def mean(self, value: Value, axes: Sequence[int] = (1, 2), *, keep: bool = True) -> Value:
        """MEAN over axes."""
        return self._reduce("MEAN", value, axes, keep=keep)

    def sum(self, value: Value, axes: Sequence[int], *, keep: bool = True) -> Value:
        """SUM over axes."""
        return self._reduce("SUM", value, axes, keep=keep)

    def reduce_max(self, value: Value, axes: Sequence[int], *, keep: bool = True) -> Value:
        """REDUCE_MAX over axes."""
        return self._reduce("REDUCE_MAX", value, axes, keep=keep)

    def reduce_min(self, value: Value, axes: Sequence[int], *, keep: bool = True) -> Value:
        """REDUCE_MIN over axes."""
        return self._reduce("REDUCE_MIN", value, axes, keep=keep)

    def argmax(self, value: Value, axis: int = -1) -> Value:
        """ARG_MAX: where along an axis the greatest element is."""
        axis %= len(value.shape)
        found = [np.argmax(array, axis).astype(np.float64) for array in self.samples(value)]
        result = Result(samples=tuple(found), dtype=DType.INT32)
        options = table("ArgMaxOptions", {"output_type": DType.INT32.code})
        return self.emit("ARG_MAX", (value, integers("axis", axis)), (result,), options)[0]

    def _pool(
        self,
        kind: str,
        image: Value,
        over: Window,
        activation: str,
        forward: Callable[[Array], Array],
    ) -> Value:
        fields = over.options() | fused(activation)
        fields |= {"filter_height": over.kernel.h, "filter_width": over.kernel.w}
        return self.apply(kind, (image,), forward, table("Pool2DOptions", fields), tied=True)

    def _reduce(self, kind: str, value: Value, axes: Sequence[int], *, keep: bool) -> Value:
        compute = _REDUCTIONS[kind]
        return self.apply(
            kind,
            (value, integers("axes", tuple(axes))),
            lambda array: np.asarray(compute(array, axis=tuple(axes), keepdims=keep)),
            table("ReducerOptions", {"keep_dims": keep}),
            tied=kind in ("REDUCE_MAX", "REDUCE_MIN"),
        )
