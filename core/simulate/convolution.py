"""Convolutions: sums of products, in floating point as long as that is exact."""

from __future__ import annotations

import numpy as np

from core.base.fixedpoint import Ints
from core.ir.program import Job, NpuOperation
from core.simulate.faults import FaultKind
from core.simulate.filters import FilterReader, Filters, read_records
from core.simulate.maps import Values, read_map
from core.simulate.memory import Memory
from core.simulate.scaling import Reals, bands, scaled_reals
from core.simulate.windows import bordered, windows

_EXACT_IN_SINGLE = float(1 << 24)
_MOST_ELEMENTS = 1 << 18
"""Of input under all windows that are worked on at once."""


def convolve(memory: Memory, reader: FilterReader, operation: NpuOperation) -> Ints:
    """Scaled values of a convolution, or of one that has one input channel for each output."""
    stored = read_map(memory, operation.ifm, "input")
    filters = reader.filters(memory, operation)
    values = _centred(stored, operation.ifm.zero_point, filters)
    full = bordered(operation, values, 0)
    weights = filters.values.astype(values.dtype, copy=False)
    multiply = _by_channel if operation.job is Job.DEPTHWISE else _all_channels
    return _scaled(memory, reader, operation, multiply(operation, full, weights))


def _centred(stored: Values, zero_point: int, filters: Filters) -> Reals:
    """Values without their zero point, in a type in which every sum of products is exact."""
    low, high = float(min(stored.min(), zero_point)), float(max(stored.max(), zero_point))
    greatest = max(zero_point - low, high - zero_point) * filters.greatest_sum
    real = np.float32 if greatest < _EXACT_IN_SINGLE else np.float64
    centred: Reals = np.subtract(stored, zero_point, dtype=real)
    return centred


def _all_channels(operation: NpuOperation, full: Values, weights: Reals) -> Reals:
    output = operation.ofm.shape
    depth = weights.shape[0]
    matrix = weights.reshape(depth, -1).T
    seen = windows(operation, full)
    rows = max(_MOST_ELEMENTS // (output.w * matrix.shape[0]), 1)
    sums = np.empty((output.h, output.w, depth), full.dtype)
    for start in range(0, output.h, rows):
        part = seen[start : start + rows]
        product = part.reshape(-1, matrix.shape[0]) @ matrix
        sums[start : start + rows] = product.reshape(-1, output.w, depth)
    return sums


def _by_channel(operation: NpuOperation, full: Values, weights: Reals) -> Reals:
    """One turn for each tap, or for each place of the output where these are fewer."""
    kernel, output = operation.kernel, operation.ofm.shape
    seen = windows(operation, full)
    sums = np.zeros((output.h, output.w, full.shape[2]), full.dtype)
    taps = weights[..., 0].transpose(1, 2, 0)
    if output.h * output.w < kernel.taps:
        for place in np.ndindex(output.h, output.w):
            sums[place] = np.einsum("hwc,hwc->c", seen[place], taps)
        return sums
    for tap in np.ndindex(kernel.h, kernel.w):
        sums += seen[:, :, *tap] * taps[tap]
    return sums


def _scaled(memory: Memory, reader: FilterReader, operation: NpuOperation, sums: Reals) -> Ints:
    made, rounding = np.empty(sums.shape, np.int64), operation.rounding
    if operation.has_global_scale and operation.ofm_scale is not None:
        for rows in bands(sums):
            made[rows] = scaled_reals(sums[rows], *operation.ofm_scale, rounding)
        return made
    records = read_records(memory, operation, reader.accelerator.family.weights.record)
    biases = records.biases.astype(np.float64)
    limit, is_over = 1 << (operation.accumulator.bits - 1), False
    for rows in bands(sums):
        total = np.add(sums[rows], biases, dtype=np.float64)
        is_over |= bool(total.max() >= limit or total.min() < -limit)
        made[rows] = scaled_reals(total, records.multipliers, records.shifts, rounding)
    if is_over:
        memory.report(FaultKind.OVERFLOW, f"{operation.accumulator.bits} bits")
    return made
