"""What an activation makes of a value: tables in the shared buffer, and the curves in hardware.

The hyperbolic tangent and the sigmoid of 16 bits are those of the reference kernels of those two
operators: a table of the sigmoid at steps of 1/24, and straight lines between them. A value is
meant in units of 1 / 12288, and becomes one in units of 2**-15.
"""

from __future__ import annotations

import functools

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import Ints
from core.ir.program import Clip, NpuOperation
from core.simulate.faults import SHARED_BUFFER, FaultKind
from core.simulate.memory import Memory

_ENTRIES_8 = 256
_ENTRIES_16 = 512
_ENTRY_16_BYTES = 4
_STEPS_PER_UNIT = 24
_ONE = 1 << 16


def table_bytes(operation: NpuOperation) -> int:
    """Bytes of the operation's table: 512 bases and slopes, or an entry for each of 256 values."""
    dtype, clip = operation.ofm.dtype, operation.activation.clip
    if clip is Clip.INT16 or (clip is Clip.OUTPUT and dtype.bits == 16):
        return _ENTRIES_16 * _ENTRY_16_BYTES
    return _ENTRIES_8 * dtype.size_bytes


def table_start(operation: NpuOperation) -> int:
    """Where the operation's table starts in the area of tables.

    Tables are counted in 256 bytes, or, as some compilers do with those of 1 KiB, in their own
    size: the second one is number 4 to the former and 1 to the latter.
    """
    number, size = operation.activation.table or 0, table_bytes(operation)
    is_aligned = number * _ENTRIES_8 % size == 0
    return number * (_ENTRIES_8 if is_aligned else size)


def look_up(memory: Memory, operation: NpuOperation, index: Ints, target: DType) -> Ints:
    """The entries of the operation's table for values of `target`."""
    if target.bits > 16:
        raise memory.stop(FaultKind.CONTENT, f"a table has no entries for {target.name.lower()}")
    size, start = table_bytes(operation), table_start(operation)
    if start + size > memory.tables.size_bytes:
        raise memory.stop(FaultKind.OUTSIDE, f"table {operation.activation.table}")
    raw = memory.take(SHARED_BUFFER, memory.tables.start + start, size, "table")
    if target.bits == 16:
        return _interpolated(raw.view("<i4").astype(np.int64), index)
    entries: Ints = raw.view(np.dtype(operation.ofm.dtype.numpy)).astype(np.int64)
    found: Ints = entries[index - target.limits[0]]
    return found


def _interpolated(table: Ints, values: Ints) -> Ints:
    """Between the entries of a table of bases (lower half) and slopes (upper half)."""
    entries = table[(values >> 7) + _ENTRIES_16 // 2]
    bases, slopes = ((entries & 0xFFFF) ^ 0x8000) - 0x8000, entries >> 16
    between: Ints = bases + ((slopes * (values & 0x7F) + 64) >> 7)
    return between


def sigmoid(values: Ints) -> Ints:
    """The sigmoid of values in units of 1 / 12288, in Q0.15."""
    result = _on_curve(np.abs(values), 9, 0x7FFF << 10)
    half = 1 << 9
    mirrored = np.where(values >= 0, result + half, (1 << 25) - result + half - 1)
    return mirrored >> 10


def tanh(values: Ints) -> Ints:
    """The hyperbolic tangent of values in units of 1 / 12288, in Q0.15."""
    result = _on_curve(np.abs(values), 8, 0xFFFF << 8)
    one, half = 1 << 23, 1 << 7
    return np.where(values >= 0, result - one + half, one - result + half - 1) >> 8


def _on_curve(magnitudes: Ints, bits: int, most: int) -> Ints:
    """The sigmoid's table, with a value's last bits for the way to the next entry."""
    table = _sigmoid_table()
    step = np.minimum(magnitudes >> bits, _ENTRIES_8 - 2)
    low, high = table[step], table[step + 1]
    between = (low << bits) + (magnitudes & ((1 << bits) - 1)) * (high - low)
    return np.where(magnitudes >> bits >= _ENTRIES_8 - 1, most, between)


@functools.cache
def _sigmoid_table() -> Ints:
    """The sigmoid, raised by half of what straight lines between its points would lose at most.

    The last entry is the greatest number of 16 bits, beyond which the curves are level.
    """
    exact = 1 / (1 + np.exp(-np.arange(_ENTRIES_8) / _STEPS_PER_UNIT))
    curvature = exact * (1 - exact) * (2 * exact - 1)
    raised = exact + curvature / (16 * _STEPS_PER_UNIT**2)
    table: Ints = np.rint(_ONE * raised).astype(np.int64)
    table[-1] = _ONE - 1
    return table
