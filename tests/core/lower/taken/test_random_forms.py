"""Operators that the NPU has in a way of its own, at random shapes, scales and types.

Each is compiled and run, and holds what LiteRT's reference kernels make of the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.network import Quantization
from core.lower.rewrites import inverse_root, transpose
from tests.core.lower.legality.cases import GOOD, INT8, INT16, INT32, UINT8, const, fm, scaled
from tests.core.lower.legality.shaped import DENSE, reduced
from tests.core.lower.rewrites.workbench import both, drafted, on_npu, single, tensor
from tests.core.lower.taken.holding import holds
from tests.effort import some_of

TYPES = st.sampled_from([INT8, UINT8, INT16])
SIDES = st.integers(1, 9)
LONG_SIDES = st.integers(1, 9) | st.integers(250, 330)
STEPS = st.floats(1e-3, 10.0).map(lambda scale: float(np.float32(scale)))
AXES = st.sampled_from([(1, 3), (2, 3), (1, 2, 3), (3,), (1, 2), (1,), (2,)])
random_examples = settings(max_examples=some_of(36), deadline=None)


def point(dtype: DType, share: float) -> int:
    """A zero point; of 16 bits it is 0."""
    low, high = dtype.limits
    return 0 if dtype is INT16 else round(low + share * (high - low))


def stepped(dtype: DType, scale: float, share: float) -> Quantization:
    return scaled(scale, zero_points=(point(dtype, share),))


@random_examples
@given(
    kind=st.sampled_from(["REDUCE_MAX", "REDUCE_MIN"]),
    dtype=TYPES,
    sides=st.tuples(LONG_SIDES, LONG_SIDES, SIDES),
    axes=st.sampled_from([(1, 2), (3,), (2,)]),
)
def test_extremes_of_windows_of_any_size(kind, dtype, sides, axes):
    case = reduced(GOOD[kind].option(keep_dims=False), axes, 1, *sides)
    # What is reduced is one element each: nothing is left to do.
    is_plain = sides[2] == 1
    is_long = axes == (3,) and not is_plain and sides[0] * sides[1] > 65_535
    assert holds(case.both(dtype=dtype)) != is_long


@random_examples
@given(
    kind=st.sampled_from(["SUM", "MEAN"]),
    dtype=TYPES,
    sides=st.tuples(st.integers(1, 90), SIDES, SIDES),
    axes=AXES,
    scale=STEPS,
    ratio=st.floats(0.01, 2.0),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_sums_and_means_over_the_depth_with_rows_or_columns(
    kind, dtype, sides, axes, scale, ratio, shares
):
    given_as = stepped(dtype, scale, shares[0])
    made_as = stepped(dtype, float(np.float32(scale / ratio)), shares[1])
    case = reduced(GOOD[kind], axes, 1, *sides).both(dtype=dtype)
    assert holds(case.input(0, quantization=given_as).output(quantization=made_as))


@random_examples
@given(
    sizes=st.tuples(st.integers(1, 20), st.integers(1, 20), st.integers(1, 40)),
    steps=st.tuples(st.floats(0.001, 0.2), st.floats(0.001, 0.2)),
    ratio=st.floats(0.001, 0.5),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
    activation=st.sampled_from([0, 1, 2, 3]),
    seed=st.integers(0, 99) | st.none(),
)
def test_products_with_computed_weights_and_a_bias(sizes, steps, ratio, shares, activation, seed):
    rows, outputs, depth = sizes
    first, second = (float(np.float32(step)) for step in steps)
    product = float(np.float32(first) * np.float32(second))
    bias = None
    if seed is not None:
        added = np.random.default_rng(seed).integers(-(1 << 15), 1 << 15, outputs)
        bias = const("bias", added, INT32, scaled(product))
    case = replace(DENSE, inputs=(DENSE.inputs[0], fm("weights", outputs, depth), bias))
    case = case.input(0, shape=(rows, depth), quantization=stepped(INT8, first, shares[0]))
    case = case.input(1, quantization=stepped(INT8, second, shares[1]))
    made = stepped(INT8, float(np.float32(product / ratio)), shares[2])
    case = case.output(shape=(rows, outputs), quantization=made)
    assert holds(case.option(fused_activation_function=activation))


@random_examples
@given(
    shape=st.lists(SIDES, min_size=1, max_size=5),
    order=st.randoms(use_true_random=False),
    is_scaled=st.booleans(),
)
def test_elements_of_32_bits_are_turned_as_they_are(
    shape: Sequence[int], order, is_scaled: bool
) -> None:
    axes = list(range(len(shape)))
    order.shuffle(axes)
    low, high = INT32.limits
    values = np.random.default_rng(len(shape)).integers(low, high, shape, np.int32, endpoint=True)
    values.reshape(-1)[:2] = (low, high)[: values.size]
    scale = 0.5 if is_scaled else None
    numbers = tensor("order", (len(axes),), INT32, None, data=axes)
    made = tensor("y", tuple(shape[axis] for axis in axes), INT32, scale)
    network = single("TRANSPOSE", [tensor("x", shape, INT32, scale), numbers], made)
    turned = on_npu(drafted(transpose.lower, network), [values])[0]
    np.testing.assert_array_equal(turned, np.transpose(values, axes))


def test_what_has_32_bits_is_moved_by_the_npu() -> None:
    for kind in ("RESHAPE", "TRANSPOSE"):
        for quantization in (None, scaled(1.0)):
            assert holds(GOOD[kind].both(dtype=INT32, quantization=quantization))


@random_examples
@given(scale=st.floats(1e-5, 0.1), made=st.floats(1e-4, 0.5))
def test_inverse_roots_of_every_short_that_has_one(scale: float, made: float) -> None:
    row = np.arange(1, 32768, dtype=np.int16).reshape(1, -1)
    ifm, ofm = tensor("x", row.shape, INT16, scale), tensor("y", row.shape, INT16, made)
    ours, theirs = both(inverse_root.lower, single("RSQRT", [ifm], ofm), [row])
    np.testing.assert_array_equal(ours, theirs)
