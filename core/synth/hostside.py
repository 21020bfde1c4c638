"""Operators that no NPU of this family runs, so that they stay on the CPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.dtype import DType
from core.synth.graph import Value, integers, table
from core.synth.shaping import Shaping


class HostSide(Shaping):
    """Builders of operators that stay on the CPU."""

    def gather(self, value: Value, indices: Sequence[int], axis: int) -> Value:
        """GATHER of positions along an axis, as a channel shuffle uses it."""
        options = table("GatherOptions", {"axis": axis, "batch_dims": 0})
        operands = (value, integers("indices", indices))
        return self.apply(
            "GATHER", operands, lambda array: np.take(array, indices, axis), options, tied=True
        )

    def float_cosine(self, value: Value) -> Value:
        """A float island: DEQUANTIZE, COS, QUANTIZE."""
        real = self.convert("DEQUANTIZE", value, DType.FLOAT32)
        wave = self.apply("COS", (real,), np.cos, table("CosOptions"))
        return self.convert("QUANTIZE", wave, self.dtype_of(value))
