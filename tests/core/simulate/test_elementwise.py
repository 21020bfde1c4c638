"""Element-wise operations, held against Python's integers and the reference kernels' arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.fixedpoint import (
    Multiplier,
    advanced_add_scale,
    multiply_by_quantized_multiplier,
    quantise_scale,
    saturating_rounding_mul32,
)
from core.base.frozen import replace
from core.ir.npugraph import Rounding
from core.ir.program import (
    ActivationUse,
    Broadcast,
    Clip,
    Curve,
    DmaPlace,
    DmaTransfer,
    Job,
    OperandScaling,
    ScalarUse,
)
from tests.core.simulate.streams import map_at, operation, result_of, run

NUMBERS = st.lists(st.integers(-128, 127), min_size=4, max_size=4)
WIDE = st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=4, max_size=4)
AMOUNTS = st.lists(st.integers(0, 31), min_size=4, max_size=4)


def computed(job, first, second, dtype=DType.INT8, **changes):
    """The results for two columns of numbers, as 32 bits."""
    raw = np.array([*first, *second]).astype(dtype.numpy)
    size = raw.nbytes // 2
    maps = [map_at(start, (4, 1, 1), dtype) for start in (0, size)]
    ofm = map_at(256, (4, 1, 1), changes.pop("ofm", DType.INT32))
    second_use = maps[1] if job.is_binary else None
    op = operation(job, maps[0], ofm, ifm2=second_use, **changes)
    return result_of(run([op], raw.tobytes(), ofm)).ravel().tolist()


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        (Job.MUL, lambda a, b: a * b),
        (Job.ADD, lambda a, b: a + b),
        (Job.SUB, lambda a, b: a - b),
        (Job.MINIMUM, min),
        (Job.MAXIMUM, max),
        (Job.ABS, lambda a, _: abs(a)),
    ],
)
@given(first=NUMBERS, second=NUMBERS)
def test_plain_arithmetic(job, expected, first, second):
    want = [expected(a, b) for a, b in zip(first, second, strict=True)]
    assert computed(job, first, second) == want
    swapped = [expected(b, a) for a, b in zip(first, second, strict=True)]
    if job.is_binary:
        assert computed(job, first, second, operands_swapped=True) == swapped


@given(WIDE, AMOUNTS)
def test_shifts(values, amounts):
    pairs = list(zip(values, amounts, strict=True))
    left = [(a << n) & 0xFFFFFFFF for a, n in pairs]
    want = [value - (1 << 32) if value >> 31 else value for value in left]
    assert computed(Job.SHIFT_LEFT, values, amounts, DType.INT32) == want
    up = [(a + ((1 << n) >> 1)) >> n for a, n in pairs]
    got = computed(Job.SHIFT_RIGHT, values, amounts, DType.INT32, rounding=Rounding.NATURAL)
    assert got == [min(value, (1 << 31) - 1) for value in up]


@given(WIDE)
def test_leading_zeros(values):
    want = [32 - (value & 0xFFFFFFFF).bit_length() for value in values]
    assert computed(Job.COUNT_LEADING_ZEROS, values, values, DType.INT32) == want


@given(WIDE, WIDE)
def test_a_product_of_32_bits_is_shifted_and_not_scaled(first, second):
    high = {"ofm_scale": Multiplier(1 << 30, 31), "has_global_scale": True}
    want = [saturating_rounding_mul32(a, b) for a, b in zip(first, second, strict=True)]
    assert computed(Job.MUL, first, second, DType.INT32, **high) == want


@given(NUMBERS)
def test_leaky_relu_scales_what_is_negative(values):
    slope = quantise_scale(0.3)
    want = [
        multiply_by_quantized_multiplier(value, *slope) if value < 0 else value for value in values
    ]
    assert computed(Job.LEAKY_RELU, values, values, ofm_scale=slope) == want


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize("job", [Job.ADD, Job.SUB])
@given(first=NUMBERS, second=NUMBERS, scales=st.tuples(*[st.floats(0.001, 0.1)] * 3))
def test_sums_of_different_scales_are_those_of_the_reference(dtype, job, first, second, scales):
    a, b, out = scales
    shift = 20 if dtype is DType.INT8 else 15
    made = advanced_add_scale(a, b, out, dtype.bits)
    common = 2 * max(a, b)
    factors = [quantise_scale(scale / common) for scale in (a, b)]
    sign = 1 if job is Job.ADD else -1
    want = []
    for x, y in zip(first, second, strict=True):
        left, right = (
            multiply_by_quantized_multiplier(value << shift, *factor)
            for value, factor in zip((x, y), factors, strict=True)
        )
        want.append(multiply_by_quantized_multiplier(left + sign * right, *made.out))
    got = computed(
        job,
        first,
        second,
        dtype,
        ifm_scales=(made.operand, Multiplier(0, 0)),
        operand_scaling=OperandScaling.FIRST if made.scales_a else OperandScaling.SECOND,
        ofm_scale=made.out,
        has_global_scale=True,
    )
    assert got == want


def test_broadcast_scalars_zero_points_and_bounds():
    ifm = map_at(0, (2, 2, 2), DType.UINT8, zero_point=3)
    row = map_at(8, (1, 1, 2), DType.UINT8, zero_point=1)
    ofm = map_at(64, (2, 2, 2), DType.UINT8, zero_point=5)
    given_bytes = bytes([1, 2, 3, 4, 5, 6, 7, 8, 2, 11])
    bounds = ActivationUse(minimum=4, maximum=18)
    op = operation(
        Job.ADD, ifm, ofm, ifm2=row, broadcast=Broadcast(h=True, w=True), activation=bounds
    )
    got = result_of(run([op], given_bytes, ofm)).ravel().tolist()
    assert got == [4, 14, 6, 16, 8, 18, 10, 18]
    scalar = replace(op, ifm2=ScalarUse(value=-1, dtype=DType.INT8, zero_point=1))
    assert result_of(run([scalar], given_bytes, ofm)).ravel().tolist() == [4, 4, 4, 4, 5, 6, 7, 8]


def looked_up(values, table, ofm_type, clip=Clip.OUTPUT, dtype=DType.INT8):
    """Values through a table in the shared buffer."""
    raw = np.array(values).astype(dtype.numpy)
    data = np.ascontiguousarray(table).view(np.uint8).tobytes()
    ifm = map_at(0, (len(values), 1, 1), dtype)
    ofm = map_at(4096, (len(values), 1, 1), ofm_type)
    slot = 0 if len(data) > 256 else 1
    end = 48 * 1024
    load = DmaTransfer(
        source=DmaPlace(0, 0),
        destination=DmaPlace(1, end - 2048 + slot * len(data), is_internal=True),
        size_bytes=len(data),
    )
    low, high = dtype.limits
    use = ActivationUse(minimum=low, maximum=high, curve=Curve.TABLE, table=slot, clip=clip)
    op = operation(Job.ABS, ifm, ofm, activation=use)
    op = replace(op, job=Job.MINIMUM, ifm2=ScalarUse(value=high, dtype=dtype, zero_point=0))
    return result_of(run([load, op], raw.tobytes(), ofm, constants=data)).ravel().tolist()


def test_tables_of_8_and_32_bits():
    values = list(range(-128, 128))
    narrow = np.random.default_rng(1).integers(-128, 128, 256, np.int8)
    assert looked_up(values, narrow, DType.INT8) == narrow.tolist()
    wide = np.random.default_rng(2).integers(-(1 << 31), 1 << 31, 256).astype("<i4")
    assert looked_up(values, wide, DType.INT32, Clip.INT8) == wide.tolist()


def test_tables_of_16_bits_go_straight_between_their_entries():
    random = np.random.default_rng(3)
    bases = random.integers(-20000, 20000, 512)
    slopes = random.integers(-300, 300, 512)
    table = ((slopes << 16) | (bases & 0xFFFF)).astype("<i4")
    values = random.integers(-(1 << 15), 1 << 15, 500)
    got = looked_up(values, table, DType.INT16, dtype=DType.INT16)
    for value, found in zip(values.tolist(), got, strict=True):
        entry = (value >> 7) + 256
        assert found == bases[entry] + ((slopes[entry] * (value & 127) + 64) >> 7)
