"""MEAN, SUM, REDUCE_MAX, REDUCE_MIN and ARG_MAX against LiteRT."""

from __future__ import annotations

from math import prod
from typing import TypeGuard

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.freedoms import NONE, Freedoms
from core.ir.network import Network
from core.ir.npugraph import NpuOp, OpKind
from core.ir.rewritten import Rewrite
from core.lower.draft import Item, Pointwise
from core.lower.rewrites import argmax, mean, reduce_extremes, summation
from core.lower.scope import Scope
from tests.conftest import Golden
from tests.core.lower.rewrites.workbench import (
    both,
    both_shipped,
    drafted,
    noise,
    on_npu,
    single,
    tensor,
    written,
)

TYPES = (DType.INT8, DType.UINT8, DType.INT16)
CASES = [
    ((1, 7, 5, 9), (1, 2)),
    ((1, 100, 30, 3), (1, 2)),
    ((1, 190, 64, 2), (1, 2)),
    ((1, 6, 5, 4), (1,)),
    ((1, 6, 5, 4), (2,)),
    ((1, 70, 3, 2), (1,)),
    ((1, 6, 1, 40), (1, 3)),
    ((1, 1, 5, 40), (3,)),
    ((1, 1, 5, 40), (2, 3)),
    ((6, 40), (1,)),
    ((6, 40), (0,)),
    ((5, 6, 7), (0,)),
    ((1, 1, 1, 9), (1, 2)),
    ((1, 7, 5, 9), (-3, -2)),
    ((1, 6, 8), (-1,)),
    ((1, 6, 5, 9), (3,)),
    ((1, 16, 12, 40), (-1,)),
    ((4, 5, 9), (2,)),
]


def reducing(
    kind: str,
    dtype: DType,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    made: float,
    *,
    keep: bool = True,
) -> Network:
    counted = {axis % len(shape) for axis in axes}
    kept = tuple(1 if axis in counted else size for axis, size in enumerate(shape))
    dropped = tuple(size for axis, size in enumerate(shape) if axis not in counted)
    zero_point = 0 if dtype is DType.INT16 else 7
    ifm = tensor("x", shape, dtype, 0.05, zero_point)
    numbers = tensor("axes", (len(axes),), DType.INT32, None, data=axes)
    ofm = tensor("y", kept if keep else dropped, dtype, made, zero_point)
    options = {"keep_dims": keep}
    return single(kind, [ifm, numbers], ofm, options, record="ReducerOptions", version=2)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("shape", "axes"), CASES)
@pytest.mark.parametrize("keep", [True, False])
def test_mean_equals_the_reference(
    dtype: DType, shape: tuple[int, ...], axes: tuple[int, ...], keep: bool
) -> None:
    net = reducing("MEAN", dtype, shape, axes, 0.03, keep=keep)
    ours, theirs = both(mean.lower, net, [noise(shape, 1, dtype)])
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((1, 6, 5, 9), (3,)), ((1, 1, 5, 40), (-1,)), ((6, 700), (1,)), ((4, 5, 9), (2,))],
)
def test_a_mean_of_channels_is_one_sum_over_them(
    dtype: DType, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    """By the width of thin rows, 576 sums of eight channels took 24,192 cycles beside DRAM."""
    net, free = reducing("MEAN", dtype, shape, axes, 0.03), Freedoms(fewer_operators=True)
    sums, *_ = drafted(mean.lower, net, free).items
    kind = OpKind.REDUCE_SUM if dtype is DType.INT16 else OpKind.CONV_2D
    assert (sums.kind, sums.ifm.shape.c) == (kind, shape[-1])
    ours, theirs = both(mean.lower, net, [noise(shape, 1, dtype)], free)
    np.testing.assert_array_equal(ours, theirs)


FEWER = Freedoms(fewer_operators=True)


@settings(max_examples=60)
@given(
    shape=st.tuples(st.just(1), st.integers(1, 70), st.integers(1, 12), st.integers(1, 40)),
    axes=st.sampled_from([(1, 2), (1,), (2,), (3,), (1, 3), (1, 2, 3)]),
    dtype=st.sampled_from(TYPES),
    made=st.floats(0.004, 0.2),
)
def test_sums_of_one_operator_are_brought_to_the_output_as_by_a_product(
    shape: tuple[int, ...], axes: tuple[int, ...], dtype: DType, made: float
) -> None:
    net, feeds = reducing("MEAN", dtype, shape, axes, made), [noise(shape, 1, dtype)]
    ours, theirs = both(mean.lower, net, feeds, FEWER)
    np.testing.assert_array_equal(ours, theirs)
    net = reducing("SUM", dtype, shape, axes, made * 16)
    apart, at_once = (on_npu(drafted(summation.lower, net, f), feeds) for f in (NONE, FEWER))
    np.testing.assert_array_equal(at_once[0], apart[0])


@pytest.mark.parametrize("axes", [(1, 2), (3,)])
def test_a_mean_is_one_operator_where_one_kernel_covers_it(axes: tuple[int, ...]) -> None:
    net = reducing("MEAN", DType.INT8, (1, 7, 5, 9), axes, 0.03)
    (only,) = drafted(mean.lower, net, FEWER).items
    assert isinstance(only, NpuOp)


@pytest.mark.parametrize(
    ("axes", "kinds"),
    [
        ((1, 2), [OpKind.DEPTHWISE_CONV_2D, OpKind.MUL]),
        ((3,), [OpKind.REDUCE_SUM]),
        ((1, 2, 3), [OpKind.DEPTHWISE_CONV_2D, OpKind.REDUCE_SUM]),
    ],
)
def test_a_sum_over_the_depth_of_16_bits_or_more_needs_no_product_behind_it(
    axes: tuple[int, ...], kinds: list[OpKind]
) -> None:
    """Per-channel factors of 16-bit convolutions have too few bits, the one of a sum has 32."""
    net = reducing("MEAN", DType.INT16, (1, 7, 5, 9), axes, 0.03)
    assert [item.kind for item in drafted(mean.lower, net, FEWER).items] == kinds


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_sum_is_within_one_of_the_shipped_kernel(
    dtype: DType, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    """The reference kernel for quantised sums returns what its memory held before."""
    net = reducing("SUM", dtype, shape, axes, 0.8)
    ours, theirs = both_shipped(summation.lower, net, [noise(shape, 1, dtype)])
    assert np.abs(ours - theirs).max() <= 1


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
def test_sum_without_rescaling_is_the_sum(dtype: DType) -> None:
    shape = (1, 4, 3, 5)
    feed = noise(shape, 1, dtype, 9)
    ours, theirs = both_shipped(
        summation.lower, reducing("SUM", dtype, shape, (1, 2), 0.05), [feed]
    )
    zero_point = 0 if dtype is DType.INT16 else 7
    exact = (feed.astype(int) - zero_point).sum(axis=(1, 2), keepdims=True) + zero_point
    np.testing.assert_array_equal(ours, np.clip(exact, *dtype.limits))
    np.testing.assert_array_equal(ours, theirs)


PLANES = [
    ((1, 7, 5, 9), (1, 2)),
    ((1, 7, 5, 9), (1,)),
    ((1, 7, 5, 9), (2,)),
    ((1, 7, 5, 9), (3,)),
    ((1, 7, 5, 9), (-1,)),
    ((6, 40), (1,)),
    ((6, 40), (0,)),
    ((1, 1, 1, 9), (1, 2)),
]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("shape", "axes"), PLANES)
def test_greatest_equals_the_reference(
    dtype: DType, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    net = reducing("REDUCE_MAX", dtype, shape, axes, 0.05)
    ours, theirs = both(reduce_extremes.lower_max, net, [noise(shape, 1, dtype)])
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["REDUCE_MAX", "REDUCE_MIN"])
def test_of_a_large_plane_in_rows_columns_are_channels_first(kind: str, dtype: DType) -> None:
    net = reducing(kind, dtype, (1, 24, 23, 5), (1, 2), 0.05)
    rewrite = {"REDUCE_MAX": reduce_extremes.lower_max, "REDUCE_MIN": reduce_extremes.lower_min}
    free = Freedoms(pools_in_steps=True)
    ours, theirs = both(rewrite[kind], net, [noise((1, 24, 23, 5), 1, dtype)], free)
    np.testing.assert_array_equal(ours, theirs)
    pools = [op for op in drafted(rewrite[kind], net, free).items if _is_pool(op)]
    assert [(op.kernel.h, op.kernel.w, op.ifm.shape.c) for op in pools] == [
        (24, 1, 115),
        (1, 23, 5),
    ]


@pytest.mark.parametrize(
    "shape",
    [(1, 24, 1, 5), (1, 21, 23, 5), (1, 24, 40, 2000)],
    ids=["one column", "small", "too many channels"],
)
def test_other_planes_go_through_one_pool(shape: tuple[int, ...]) -> None:
    net = reducing("REDUCE_MAX", DType.INT8, shape, (1, 2), 0.05)
    items = drafted(reduce_extremes.lower_max, net, Freedoms(pools_in_steps=True)).items
    assert len([op for op in items if _is_pool(op)]) == 1


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", ["REDUCE_MAX", "REDUCE_MIN"])
@pytest.mark.parametrize(
    ("shape", "axes", "kernels"),
    [
        ((1, 5, 7, 96), (3,), [(6, 16), (16, 1)]),
        ((1, 1, 1820, 1), (2,), [(130, 14), (14, 1)]),
        ((1, 5, 7, 30), (3,), [(30, 1)]),
        ((1, 5, 7, 97), (3,), [(97, 1)]),
    ],
    ids=["depth", "all", "short", "no parts"],
)
def test_parts_of_long_rows_are_channels_first(
    kind: str,
    dtype: DType,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    kernels: list[tuple[int, int]],
) -> None:
    net, free = reducing(kind, dtype, shape, axes, 0.05), Freedoms(pools_in_steps=True)
    rewrite = {"REDUCE_MAX": reduce_extremes.lower_max, "REDUCE_MIN": reduce_extremes.lower_min}
    ours, theirs = both(rewrite[kind], net, [noise(shape, 1, dtype)], free)
    np.testing.assert_array_equal(ours, theirs)
    pools = [op for op in drafted(rewrite[kind], net, free).items if _is_pool(op)]
    assert [(op.kernel.w, op.ifm.shape.c) for op in pools] == kernels


def _is_pool(item: Item) -> TypeGuard[NpuOp]:
    return isinstance(item, NpuOp) and item.kind is OpKind.MAX_POOL


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("shape", "axes"), PLANES)
def test_least_equals_the_reference(
    dtype: DType, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    net = reducing("REDUCE_MIN", dtype, shape, axes, 0.05)
    ours, theirs = both(reduce_extremes.lower_min, net, [noise(shape, 1, dtype)])
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
@pytest.mark.parametrize(("macs", "first"), [(128, Pointwise), (256, NpuOp)])
def test_complements_of_what_nobody_makes_are_differences_with_many_macs(
    dtype: DType, macs: int, first: type[Item]
) -> None:
    """A table alone took 1,856 of 2,816 cycles for 6x8x30, a difference takes 1,160."""
    net = reducing("REDUCE_MIN", dtype, (1, 7, 5, 9), (3,), 0.05)

    def lower(scope: Scope) -> None:
        reduce_extremes.lower_min(replace(scope, macs=macs))

    assert isinstance(drafted(lower, net, FEWER).items[0], first)
    ours, theirs = both(lower, net, [noise((1, 7, 5, 9), 1, dtype)], FEWER)
    np.testing.assert_array_equal(ours, theirs)


def searching(dtype: DType, made: DType, shape: tuple[int, ...], zero_point: int = 7) -> Network:
    ifm = tensor("x", shape, dtype, 0.05, zero_point)
    axis = tensor("axis", (), DType.INT32, None, data=len(shape) - 1)
    ofm = tensor("y", shape[:-1], made, None)
    options = {"output_type": made.code}
    return single("ARG_MAX", [ifm, axis], ofm, options, record="ArgMaxOptions")


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
@pytest.mark.parametrize("made", [DType.INT32, DType.INT64])
@pytest.mark.parametrize("shape", [(1, 4, 5, 6), (1, 7), (3, 127), (1, 300, 300, 5)])
@pytest.mark.parametrize("freedoms", [NONE, Freedoms(fewer_operators=True)], ids=["none", "fewer"])
def test_position_of_the_greatest_equals_the_reference(
    dtype: DType, made: DType, shape: tuple[int, ...], freedoms: Freedoms
) -> None:
    feed = noise(shape, 1, dtype)
    feed[..., 0] = feed[..., -1]
    ours, theirs = both(argmax.lower, searching(dtype, made, shape), [feed], freedoms)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("channels", range(2, 128))
def test_steps_leave_one_channel_of_the_fewest_that_they_can_begin_with(channels: int) -> None:
    steps = argmax.steps_over(channels)
    begun = [2**twos * 3**threes for twos in range(8) for threes in range(6)]
    assert prod(steps) == min(count for count in begun if count >= channels)
    assert list(steps) == sorted(steps, reverse=True)


@pytest.mark.parametrize(
    "shape",
    [(1, 300, 300, 5), (1, 2000, 33, 2), (2, 70, 60, 9), (1, 1, 9000, 8), (1, 33, 40, 127)],
)
@pytest.mark.parametrize("made", [DType.INT32, DType.INT64])
@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
def test_a_large_plane_is_searched_in_steps(
    shape: tuple[int, ...], made: DType, dtype: DType
) -> None:
    net, free = searching(dtype, made, shape), Freedoms(pools_in_steps=True)
    feed = noise(shape, 1, dtype)
    feed[..., 0] = feed[..., -1]
    ours, theirs = both(argmax.lower, net, [feed], free)
    np.testing.assert_array_equal(ours, theirs)
    steps = argmax.steps_over(shape[-1])
    pools = [op for op in _operators(net, free) if op.kind is OpKind.MAX_POOL]
    assert [(op.kernel.w, op.kernel.stride_w) for op in pools] == [(step, step) for step in steps]
    assert all(op.ifm.shape.h == op.ofm.shape.h == shape[0] * shape[1] for op in pools)


def test_steps_are_told_with_what_has_to_exist_at_once() -> None:
    net = searching(DType.INT8, DType.INT32, (1, 300, 300, 5))
    free = drafted(argmax.lower, net, Freedoms(pools_in_steps=True))
    (told,) = free.rewrites
    assert told.rewrite is Rewrite.SEARCHED_IN_STEPS
    assert (told.figure_without, told.figure_with) == (300 * 300 * 5 * 2, 300 * 6 * 2)
    assert told.reason.speaks_for
    assert not drafted(argmax.lower, net).rewrites


def _operators(net: Network, freedoms: Freedoms) -> list[NpuOp]:
    items = drafted(argmax.lower, net, freedoms).items
    return [item for item in items if isinstance(item, NpuOp)]


@pytest.mark.parametrize("shape", [(1, 8, 8, 8), (1, 1, 1, 100), (1, 64, 64, 1)])
def test_a_small_plane_or_one_channel_is_searched_at_once(shape: tuple[int, ...]) -> None:
    net = searching(DType.INT8, DType.INT32, shape)
    free = drafted(argmax.lower, net, Freedoms(pools_in_steps=True))
    assert written(free) == written(drafted(argmax.lower, net))
    assert not free.rewrites


def test_wide_planes_are_searched_at_once() -> None:
    shape = (1, 1, 40000, 2)
    ours, theirs = both(
        argmax.lower,
        searching(DType.INT8, DType.INT32, shape),
        [noise(shape, 1)],
        Freedoms(pools_in_steps=True),
    )
    np.testing.assert_array_equal(ours, theirs)


def test_first_of_equals_is_found_whatever_the_zero_point() -> None:
    feed = np.zeros((1, 3, 9), np.int8)
    for zero_point in (-128, -1, 0, 5, 127):
        net = searching(DType.INT8, DType.INT32, feed.shape, zero_point)
        ours, _ = both(argmax.lower, net, [feed])
        assert not ours.any()


@pytest.mark.parametrize(
    ("name", "shape", "axes"),
    [
        ("plane", (1, 7, 5, 9), (1, 2)),
        ("flattened", (1, 100, 30, 3), (1, 2)),
        ("parts", (1, 190, 64, 2), (1, 2)),
        ("depth", (1, 1, 5, 40), (3,)),
    ],
)
def test_structure_of_mean(
    name: str, shape: tuple[int, ...], axes: tuple[int, ...], golden: Golden
) -> None:
    net = reducing("MEAN", DType.INT8, shape, axes, 0.025)
    golden.check(f"mean_{name}.txt", written(drafted(mean.lower, net)))


@pytest.mark.parametrize(
    ("name", "made", "shape"),
    [("int32", DType.INT32, (1, 5, 5, 6)), ("int64_parts", DType.INT64, (1, 300, 300, 5))],
)
def test_structure_of_arg_max(
    name: str, made: DType, shape: tuple[int, ...], golden: Golden
) -> None:
    text = written(drafted(argmax.lower, searching(DType.INT8, made, shape)))
    golden.check(f"argmax_{name}.txt", text)


def test_structure_of_extremes(golden: Golden) -> None:
    texts = [
        written(drafted(rewrite, reducing(kind, DType.INT8, (1, 7, 5, 9), axes, 0.05)))
        for kind, rewrite in (
            ("REDUCE_MAX", reduce_extremes.lower_max),
            ("REDUCE_MIN", reduce_extremes.lower_min),
        )
        for axes in ((1, 2), (3,))
    ]
    golden.check("reduce_extremes.txt", "\n".join(texts))


def test_no_kernel_of_a_mean_is_larger_than_the_hardware_has() -> None:
    for shape in (
        (1, 64, 64, 3),
        (1, 65, 64, 3),
        (1, 1000, 9, 3),
        (1, 200, 200, 2),
        (1, 4000, 1, 2),
    ):
        net = reducing("MEAN", DType.INT8, shape, (1, 2), 0.05)
        for item in drafted(mean.lower, net).items:
            op = item.op if isinstance(item, Pointwise) else item
            assert isinstance(op, NpuOp)
            assert op.kernel.h <= 64
            assert op.kernel.taps <= 4096


@given(exponent=st.floats(-30, 10), count=st.integers(2, 1 << 24))
def test_the_factor_of_a_mean_fits_the_shift_and_is_precise(exponent: float, count: int) -> None:
    scale = 2.0**exponent
    factor = mean.mean_factor(scale, count)
    assert 0 <= factor.shift <= 62
    # The scale is rounded, and cut off where it is divided; then comes the last shift.
    precision = 2**-31 + 2**-29
    assert abs(factor.real - scale / count) <= scale / count * precision + 2.0**-62
