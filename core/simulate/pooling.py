"""Windows without weights: the greatest, the mean, and the sum over channels.

A border does not take part: it is never the greatest, and a mean counts the elements that are
there. The hardware divides such a mean on its own, whatever its scale, and also one that has no
scale; here it does so as compilers do for a mean without a border.
"""

from __future__ import annotations

import numpy as np

from core.base.fixedpoint import Ints, pooling_scale
from core.base.geometry import NO_PADDING
from core.ir.program import Job, NpuOperation
from core.simulate.maps import read_map
from core.simulate.memory import Memory
from core.simulate.scaling import scaled
from core.simulate.windows import bordered, folded


def pool(memory: Memory, operation: NpuOperation) -> Ints:
    """Scaled values of a pooling operation."""
    stored = read_map(memory, operation.ifm, "input")
    if operation.job is Job.REDUCE_SUM:
        sums = np.sum(stored, axis=2, keepdims=True, dtype=np.int64)
        return _by_one_scale(operation, sums - operation.ifm.zero_point * stored.shape[2])
    if operation.job is Job.MAX_POOL:
        full = bordered(operation, stored, operation.ifm.dtype.limits[0])
        greatest = folded(operation, full, np.maximum).astype(np.int64)
        return _by_one_scale(operation, greatest - operation.ifm.zero_point)
    wide = np.int32 if operation.ifm.dtype.bits == 8 else np.int64
    centred = np.subtract(stored, operation.ifm.zero_point, dtype=wide)
    sums = folded(operation, bordered(operation, centred, 0), np.add).astype(np.int64)
    if operation.has_global_scale and operation.padding == NO_PADDING:
        return _by_one_scale(operation, sums)
    return _divided(operation, sums)


def _by_one_scale(operation: NpuOperation, values: Ints) -> Ints:
    if operation.ofm_scale is None or not operation.has_global_scale:
        return values
    return scaled(values, *operation.ofm_scale, operation.rounding)


def _divided(operation: NpuOperation, sums: Ints) -> Ints:
    """Sums divided by how many elements of the input each window has."""
    ones = np.ones((operation.ifm.shape.h, operation.ifm.shape.w, 1), np.int64)
    counts = folded(operation, bordered(operation, ones, 0), np.add)
    factors = [pooling_scale(count) for count in range(1, operation.kernel.taps + 1)]
    multipliers, shifts = np.array(factors, np.int64).T
    return scaled(sums, multipliers[counts - 1], shifts[counts - 1], operation.rounding)
