"""Every input of every table activation, against LiteRT's reference kernels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.ir.network import FieldValue, Network
from core.lower.rewrites import activation, hard_swish, inverse_root, leaky_relu
from core.lower.rewrites.lookup import STEPS, emit_table, joined_table, stored_table, stored_values
from core.lower.rewrites.table import Rewrite
from tests.core.lower.rewrites.workbench import (
    both,
    both_shipped,
    drafted,
    everything,
    on_npu,
    single,
    tensor,
    written,
)

BYTES = (DType.INT8, DType.UINT8)
SCALES = st.floats(0.002, 0.2)
few = settings(max_examples=12)


def pointwise(
    kind: str,
    dtype: DType,
    given_scale: tuple[float, int],
    made_scale: tuple[float, int],
    options: dict[str, FieldValue] | None = None,
    record: str = "",
) -> Network:
    shape = everything(dtype).shape
    ifm, ofm = tensor("x", shape, dtype, *given_scale), tensor("y", shape, dtype, *made_scale)
    return single(kind, [ifm], ofm, options, record=record)


def check_every_value(rewrite: Rewrite, network: Network) -> None:
    ours, theirs = both(rewrite, network, [everything(network.main.tensors[0].dtype)])
    np.testing.assert_array_equal(ours, theirs)


def zero_points(dtype: DType) -> st.SearchStrategy[int]:
    return st.integers(*dtype.limits)


@pytest.mark.parametrize("dtype", BYTES)
@few
@given(scale=SCALES, data=st.data())
def test_logistic_of_every_byte(dtype: DType, scale: float, data: st.DataObject) -> None:
    given_scale = (scale, data.draw(zero_points(dtype)))
    made = (1 / 256, dtype.limits[0])
    check_every_value(activation.lower_logistic, pointwise("LOGISTIC", dtype, given_scale, made))


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("exponent", range(-12, 3))
def test_a_logistic_that_is_nearly_half_a_step_is_rounded_as_in_single_precision(
    dtype: DType, exponent: int
) -> None:
    scales = (2.0**exponent, sum(dtype.limits) // 2), (1 / 256, dtype.limits[0])
    check_every_value(activation.lower_logistic, pointwise("LOGISTIC", dtype, *scales))


@pytest.mark.parametrize("scale", [0.03125, 0.0625, 0.125])
def test_a_gelu_that_is_nearly_half_a_step_is_rounded_as_in_single_precision(scale: float) -> None:
    scales = (scale, -86), (2 * scale, 0)
    network = pointwise("GELU", DType.INT8, *scales, {"approximate": False}, "GeluOptions")
    check_every_value(activation.lower_gelu, network)


@pytest.mark.parametrize("dtype", BYTES)
@few
@given(scale=SCALES, data=st.data())
def test_tanh_of_every_byte(dtype: DType, scale: float, data: st.DataObject) -> None:
    given_scale = (scale, data.draw(zero_points(dtype)))
    made = (1 / 128, dtype.limits[0] + 128)
    check_every_value(activation.lower_tanh, pointwise("TANH", dtype, given_scale, made))


@pytest.mark.parametrize("dtype", BYTES)
@few
@given(scale=SCALES, made=SCALES, data=st.data())
def test_hard_swish_of_every_byte(
    dtype: DType, scale: float, made: float, data: st.DataObject
) -> None:
    points = data.draw(zero_points(dtype)), data.draw(zero_points(dtype))
    network = pointwise("HARD_SWISH", dtype, (scale, points[0]), (made, points[1]))
    check_every_value(hard_swish.lower, network)


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("kind", ["RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1"])
@pytest.mark.parametrize("made", [(0.05, 0), (0.031, 12)])
def test_relu_of_every_byte(dtype: DType, kind: str, made: tuple[float, int]) -> None:
    low = dtype.limits[0] + 100
    scales = (0.05, low), (made[0], low + made[1])
    check_every_value(activation.lower_relu, pointwise(kind, dtype, *scales))


@pytest.mark.parametrize("dtype", BYTES)
@few
@given(scale=SCALES, made=SCALES, alpha=st.floats(-2, 2, width=32), data=st.data())
def test_leaky_relu_of_every_byte(
    dtype: DType, scale: float, made: float, alpha: float, data: st.DataObject
) -> None:
    points = data.draw(zero_points(dtype)), data.draw(zero_points(dtype))
    scales = (scale, points[0]), (made, points[1])
    options = {"alpha": alpha}
    network = pointwise("LEAKY_RELU", dtype, *scales, options, "LeakyReluOptions")
    check_every_value(leaky_relu.lower, network)


@few
@given(scale=SCALES, made=SCALES, points=st.tuples(*[zero_points(DType.INT8)] * 2))
@pytest.mark.parametrize("kind", ["EXP", "LOG"])
def test_exp_and_log_of_every_byte(
    kind: str, scale: float, made: float, points: tuple[int, int]
) -> None:
    rewrite = activation.lower_exp if kind == "EXP" else activation.lower_log
    network = pointwise(kind, DType.INT8, (scale, points[0]), (made, points[1]))
    check_every_value(rewrite, network)


@few
@given(scale=SCALES, made=SCALES, points=st.tuples(*[zero_points(DType.INT8)] * 2))
@example(scale=0.0688942631208506, made=0.12750527117677593, points=(0, 0))
@pytest.mark.parametrize("approximate", [False, True])
def test_gelu_of_every_byte(
    approximate: bool, scale: float, made: float, points: tuple[int, int]
) -> None:
    scales = (scale, points[0]), (made, points[1])
    options = {"approximate": approximate}
    network = pointwise("GELU", DType.INT8, *scales, options, "GeluOptions")
    check_every_value(activation.lower_gelu, network)


def gelu(x: float) -> float:
    return x * math.erfc(-x * math.sqrt(0.5)) / 2


def gelu_by_tanh(x: float) -> float:
    return x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


OF_ANY_SCALE = {
    "EXP": (activation.lower_exp, math.exp, both),
    "LOG": (activation.lower_log, lambda x: math.log(-x), both),
    "ELU": (activation.lower_elu, math.expm1, both_shipped),
    "GELU": (activation.lower_gelu, gelu, both),
    "GELU by tanh": (activation.lower_gelu, gelu_by_tanh, both),
}


@pytest.mark.parametrize("name", OF_ANY_SCALE)
@settings(max_examples=100)
@given(scale=st.floats(0.01, 0.05), at=st.integers(1, 100), steps=st.integers(0, 120))
def test_what_is_half_a_step_is_rounded_as_the_c_library_has_it(
    name: str, scale: float, at: int, steps: int
) -> None:
    rewrite, function, both_ways = OF_ANY_SCALE[name]
    kind, _, by_tanh = name.partition(" ")
    real = abs(function(-float(np.float32(scale)) * at))
    assume(real > 1e-6)
    sides = (scale, 0), (real / (steps + 0.5), 0)
    options: dict[str, FieldValue] = {"approximate": bool(by_tanh)} if kind == "GELU" else {}
    network = pointwise(kind, DType.INT8, *sides, options, "GeluOptions" if options else "")
    ours, theirs = both_ways(rewrite, network, [everything(DType.INT8)])
    np.testing.assert_array_equal(ours, theirs)


@few
@given(scale=SCALES, made=SCALES, point=zero_points(DType.INT8))
def test_inverse_root_of_every_byte(scale: float, made: float, point: int) -> None:
    # The reference refuses inputs below the zero point, so that must be the least.
    network = pointwise("RSQRT", DType.INT8, (scale, -128), (made, point))
    check_every_value(inverse_root.lower, network)


@few
@given(scale=SCALES, made=SCALES, points=st.tuples(*[zero_points(DType.INT8)] * 2))
def test_elu_of_every_byte_as_the_shipped_kernel_has_it(
    scale: float, made: float, points: tuple[int, int]
) -> None:
    network = pointwise("ELU", DType.INT8, (scale, points[0]), (made, points[1]))
    ours, theirs = both_shipped(activation.lower_elu, network, [everything(DType.INT8)])
    np.testing.assert_array_equal(ours, theirs)


def test_negative_of_every_byte_overflows_as_the_reference_does() -> None:
    network = pointwise("NEG", DType.INT8, (0.05, 3), (0.02, -5))
    check_every_value(activation.lower_neg, network)


def test_negative_of_every_short_but_the_least_which_saturates() -> None:
    network = pointwise("NEG", DType.INT16, (0.05, 0), (0.05, 0))
    ours, theirs = both(activation.lower_neg, network, [everything(DType.INT16)])
    np.testing.assert_array_equal(ours[0, 1:], theirs[0, 1:])
    assert (ours[0, 0], theirs[0, 0]) == (32767, -32768)


@pytest.mark.parametrize(("kind", "scales"), [("EXP", (3e-4, 3e-3)), ("LOG", (5e-4, 3e-4))])
@pytest.mark.parametrize("factor", [0.5, 1.0, 1.7])
def test_wide_tables_for_every_short(kind: str, scales: tuple[float, float], factor: float) -> None:
    rewrite = activation.lower_exp if kind == "EXP" else activation.lower_log
    network = pointwise(kind, DType.INT16, (scales[0] * factor, 0), (scales[1], 0))
    check_every_value(rewrite, network)


@few
@given(scale=st.floats(1e-5, 3e-3), made=st.floats(1e-5, 1e-3))
@example(scale=0.000102, made=3.64e-05)
@example(scale=0.000373, made=3.56e-05)
def test_inverse_root_of_every_short_that_has_one(scale: float, made: float) -> None:
    # In double precision one sample of some hundred would be rounded otherwise.
    network = pointwise("RSQRT", DType.INT16, (scale, 0), (made, 0))
    values = np.maximum(everything(DType.INT16), 0)
    ours, theirs = both(inverse_root.lower, network, [values])
    np.testing.assert_array_equal(ours, theirs)


def test_inverse_root_in_integers_is_within_two_of_the_real_one() -> None:
    for value in range(1, 256):
        exact = (1 << 20) / value**0.5
        assert abs(inverse_root.inverse_root(value) - exact) < 2, value


@pytest.mark.parametrize("kind", ["TANH", "LOGISTIC"])
def test_saturating_curves_of_shorts_are_the_hardwares_own(kind: str) -> None:
    rewrite = activation.lower_tanh if kind == "TANH" else activation.lower_logistic
    ifm, ofm = tensor("x", (1, 8), DType.INT16, 2**-12), tensor("y", (1, 8), DType.INT16, 2**-15)
    text = written(drafted(rewrite, single(kind, [ifm], ofm)))
    curve = "tanh -1 .. 1" if kind == "TANH" else "sigmoid 0 .. 1"
    assert text.startswith("average pool: x:int16")
    assert curve in text
    assert "pointwise" not in text


def test_a_table_takes_what_its_operator_would_have_stored() -> None:
    """The sum must not rescale, so it writes with the input's scale and zero point."""
    network = pointwise("EXP", DType.INT8, (0.25, 7), (0.5, -3))
    text = written(drafted(activation.lower_exp, network))
    assert text == (
        "add: x:int8[1,1,1,256] q0.25+7 , 0:int8 q0.25"
        " -> y:int8[1,1,1,256] q0.25+7 | lut (pointwise)\n"
    )


@pytest.mark.parametrize("dtype", BYTES)
def test_a_table_is_indexed_by_the_stored_value_from_the_least(dtype: DType) -> None:
    network = pointwise("RELU", dtype, (0.5, 0), (0.5, 0))
    identity = stored_table(dtype, stored_values(dtype))
    row = everything(dtype)
    out = on_npu(drafted(lambda scope: emit_table(scope, identity) and None, network), [row])
    np.testing.assert_array_equal(out[0], row)


@given(samples=st.lists(st.integers(-16000, 16000), min_size=STEPS + 1, max_size=STEPS + 1))
@settings(max_examples=20)
def test_a_wide_table_passes_through_its_samples(samples: list[int]) -> None:
    array = np.array(samples, np.int64)
    entries = joined_table(array).array.astype(np.int64)
    base = (entries & 0xFFFF).astype(np.uint16).view(np.int16)
    slope = (entries >> 16).astype(np.uint16).view(np.int16).astype(np.int64)
    np.testing.assert_array_equal(base, array[:-1])
    np.testing.assert_array_equal(base + slope, array[1:])
