"""Look-up tables: the activations that the hardware does not compute.

    x -> LOGISTIC -> y      becomes   x -> ADD 0, with a table -> y

The sum passes x on as it is stored; the table does the arithmetic and the rescaling. A merge may
later hang the table onto the operator that makes x.

Tables of real functions follow the reference's generator, single precision included, so that every
entry is the number that an interpreter looks up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import Ints, round_array_away_from_zero
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.npugraph import Activation, ActivationKind, OpKind, Quant, View
from core.lower.scaling import Scaling, scaling_of
from core.lower.scope import Scope

Reals = npt.NDArray[np.float64]
Floats = npt.NDArray[np.floating]
Precise = np.float32 | np.float64
Function = Callable[[Reals], Reals]

STEPS = 512
"""Entries of a 16-bit table; the low seven bits of a value interpolate between two of them."""

_FAR = float(1 << 24)
"""Beyond every quantised value, and still exact in single precision."""


def emit_table(
    scope: Scope, table: ConstData, ifm: View | None = None, ofm: View | None = None
) -> View:
    """Add the operator that sends a feature map (the scope's own, if not told) through a table."""
    source, target = ifm or scope.ifm, ofm or scope.ofm
    scale = None if source.quant is None else source.quant.scale
    zero = scope.constant("zero", 0, scope.dtype(source), Quant(scale=scale), shape=())
    # The table rescales, so what comes before it must not: its result has the input's scaling.
    unscaled = replace(target, quant=source.quant)
    return scope.emit_pointwise(
        OpKind.ADD,
        source,
        unscaled,
        "lut",
        ifm2=zero,
        activation=Activation(kind=ActivationKind.LUT, table=table),
    )


def emit_function(scope: Scope, function: Function) -> View:
    """Add the table of a real function, in the width of the operator's feature maps."""
    given, made = scaling_of(scope.ifm), scaling_of(scope.ofm)
    dtype = scope.dtype(scope.ofm)
    is_wide = dtype is DType.INT16
    table = wide_table(given, made, function) if is_wide else table_of(dtype, given, made, function)
    return emit_table(scope, table)


_FAR_ENTRY = np.float32(1 << 24)
"""Farther than any 8-bit entry, and still a number that is a whole one in single precision."""


def stored_values(dtype: DType) -> Ints:
    """Every value that an 8-bit type can store, in the order of a table's entries."""
    low, high = dtype.limits
    return np.arange(low, high + 1, dtype=np.int64)


def stored_table(dtype: DType, entries: Ints) -> ConstData:
    """An 8-bit table from integers, held within the type."""
    return ConstData.of(np.clip(entries, *dtype.limits).astype(dtype.numpy))


def table_of(dtype: DType, given: Scaling, made: Scaling, function: Function) -> ConstData:
    """The 8-bit table of a real function."""
    offsets = (stored_values(dtype) - given.zero_point).astype(np.float32)
    results = _apply(function, np.float32(given.scale) * offsets)
    with np.errstate(over="ignore"):
        scaled = results * (np.float32(1) / np.float32(made.scale))
    # What is above all numbers is above the table's greatest entry too.
    steps = _rounded(np.clip(scaled, -_FAR_ENTRY, _FAR_ENTRY))
    return stored_table(dtype, steps.astype(np.int64) + made.zero_point)


def wide_table(given: Scaling, made: Scaling, function: Function) -> ConstData:
    """The 16-bit table of a real function, in single precision."""
    low, high = DType.INT16.limits
    ends = np.array([low, high], np.float32)
    with np.errstate(over="ignore"):
        first, last = np.float32(given.scale) * (ends - np.float32(given.zero_point))
        lowest, highest = np.float32(made.scale) * (ends - np.float32(made.zero_point))
    return sampled_table(function, (first, last), np.float32(high - low + 1) / (highest - lowest))


def sampled_table(
    function: Function, within: tuple[Precise, Precise], steps_per_unit: Precise
) -> ConstData:
    """The 16-bit table of a function over a range: lines that halve the error at their middle.

    The numbers given say by their type in which precision the samples are taken.
    """
    first, last = within
    step = (last - first) / type(first)(STEPS)
    at = first + np.arange(STEPS + 1).astype(step.dtype) * step
    scaled = _apply(function, at) * steps_per_unit
    samples = _rounded(scaled)
    middles = _rounded(_apply(function, at[:-1] + step / 2) * steps_per_unit)
    straight = _rounded((scaled[1:] + samples[:-1]) / 2)
    samples[:-1] -= _rounded((straight - middles) / 2)
    samples[-1:] = _rounded(_apply(function, np.array([last])) * steps_per_unit)
    return joined_table(np.clip(samples, *DType.INT16.limits).astype(np.int64))


def joined_table(samples: Ints) -> ConstData:
    """The 16-bit table of 513 samples, each entry a line from one to the next."""
    # A jump by more than half the range does not fit; the line then ends short of its sample.
    slopes = np.clip(np.diff(samples), *DType.INT16.limits)
    return packed_table(bases=samples[:-1], slopes=slopes)


def packed_table(*, bases: Ints, slopes: Ints) -> ConstData:
    """A 16-bit table as the hardware takes it: in each entry the slope above the base."""
    return ConstData.of(((slopes & 0xFFFF) << 16 | (bases & 0xFFFF)).astype("<u4"))


def _apply(function: Function, real: Floats) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        return function(real.astype(np.float64)).astype(real.dtype)


def _rounded(values: Floats) -> Floats:
    return round_array_away_from_zero(np.clip(values, -_FAR, _FAR)).astype(values.dtype)
