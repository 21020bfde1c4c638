"""Convolutions: sums of products, in floating point as long as that is exact."""

from __future__ import annotations

import numpy as np

from core.ir.program import Job, NpuOperation
from core.simulate.faults import FaultKind
from core.simulate.filters import FilterReader, Filters, read_records
from core.simulate.maps import Values, read_map
from core.simulate.memory import Memory
from core.simulate.scaling import Numbers, Reals, bands, scaled_reals
from core.simulate.windows import bordered, windows

_EXACT_IN_SINGLE = float(1 << 24)
_MOST_ELEMENTS = 1 << 18
"""Of input under all windows that are worked on at once."""
MOST_SUMS = 1 << 16
"""That are added up at once: they stay in a core's cache."""
DEEP = 64
"""Channels from which on the input is not gathered, which takes longer than the products."""


def convolve(memory: Memory, reader: FilterReader, operation: NpuOperation) -> Numbers:
    """Scaled values of a convolution, or of one that has one input channel for each output."""
    stored = read_map(memory, operation.ifm, "input")
    filters = reader.filters(memory, operation)
    greatest = _greatest_sum(stored, operation.ifm.zero_point, filters)
    real = np.float32 if greatest < _EXACT_IN_SINGLE else np.float64
    values = np.subtract(stored, operation.ifm.zero_point, dtype=real)
    full = bordered(operation, values, 0)
    weights = filters.values.astype(values.dtype, copy=False)
    multiply = _by_channel if operation.job is Job.DEPTHWISE else _all_channels
    return _scaled(memory, reader, operation, multiply(operation, full, weights), greatest)


def _greatest_sum(stored: Values, zero_point: int, filters: Filters) -> float:
    """What no sum of products of these values is beyond."""
    low, high = float(min(stored.min(), zero_point)), float(max(stored.max(), zero_point))
    return max(zero_point - low, high - zero_point) * filters.greatest_sum


def _all_channels(operation: NpuOperation, full: Values, weights: Reals) -> Reals:
    kernel = operation.kernel
    is_deep = min(weights.shape[0], weights.shape[3]) >= DEEP
    if is_deep and kernel.taps > 1 and kernel.stride_h == kernel.stride_w == 1:
        return _tap_by_tap(operation, full, weights)
    return _window_by_window(operation, full, weights)


def _window_by_window(operation: NpuOperation, full: Values, weights: Reals) -> Reals:
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


def _tap_by_tap(operation: NpuOperation, full: Values, weights: Reals) -> Reals:
    """One product for each tap, of rows as they lie: nothing of the input is copied.

    Places between the end of a row and the next have sums, too; these are dropped.
    """
    kernel, output = operation.kernel, operation.ofm.shape
    width, depth = full.shape[1], weights.shape[0]
    pixels = full.reshape(-1, full.shape[2])
    taps = np.ascontiguousarray(weights.transpose(1, 2, 3, 0))
    rows = max(MOST_SUMS // (width * depth), 1)
    sums = np.empty((output.h, output.w, depth), full.dtype)
    some, more = np.zeros((2, rows * width, depth), full.dtype)
    for start in range(0, output.h, rows):
        count = min(rows, output.h - start)
        places = (count - 1) * width + output.w
        for number, (down, right) in enumerate(np.ndindex(kernel.h, kernel.w)):
            first = (start + down * kernel.dilation_h) * width + right * kernel.dilation_w
            product = more if number else some
            np.matmul(pixels[first : first + places], taps[down, right], out=product[:places])
            if number:
                some[:places] += more[:places]
        made = some[: count * width].reshape(count, width, depth)
        sums[start : start + count] = made[:, : output.w]
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
    for rows in bands(sums):
        some = sums[rows]
        for tap in np.ndindex(kernel.h, kernel.w):
            some += seen[rows, :, *tap] * taps[tap]
    return sums


def _scaled(
    memory: Memory, reader: FilterReader, operation: NpuOperation, sums: Reals, greatest: float
) -> Numbers:
    """Sums, of which none is beyond the greatest, with their biases and factors."""
    rounding = operation.rounding
    if operation.has_global_scale and operation.ofm_scale is not None:
        made = sums.astype(np.float64)
        return scaled_reals(made, *operation.ofm_scale, rounding, greatest)
    records = read_records(memory, operation, reader.accelerator.family.weights.record)
    biases = records.biases.astype(np.float64)
    made = np.add(sums, biases, dtype=np.float64)
    greatest += float(np.abs(biases).max(initial=0.0))
    limit = 1 << (operation.accumulator.bits - 1)
    if greatest >= limit and (made.max() >= limit or made.min() < -limit):
        memory.report(FaultKind.OVERFLOW, f"{operation.accumulator.bits} bits")
    return scaled_reals(made, records.multipliers, records.shifts, rounding, greatest)
