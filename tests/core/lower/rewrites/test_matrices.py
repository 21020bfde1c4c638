"""BATCH_MATMUL and SQUARED_DIFFERENCE against LiteRT's reference kernels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.freedoms import Freedoms
from core.ir.network import Network
from core.ir.npugraph import OpKind
from core.lower.rewrites import batch_matmul, squared_difference
from core.lower.rewrites.batch_matmul import MOST_PRODUCTS
from core.lower.scope import Scope
from tests.conftest import Golden
from tests.core.lower.rewrites.workbench import (
    both,
    drafted,
    noise,
    on_npu,
    single,
    tensor,
    written,
)

Sizes = tuple[int, int, int]
FEWER = Freedoms(fewer_operators=True)


def product(
    sizes: Sizes,
    batches: tuple[tuple[int, ...], tuple[int, ...]] = ((), ()),
    *,
    turned: bool = False,
    right: np.ndarray | None = None,
) -> Network:
    rows, depth, columns = sizes
    inner = (columns, depth) if turned else (depth, columns)
    ifm = tensor("x", (*batches[0], rows, depth), DType.INT8, 0.05, 5)
    point = -7 if right is None else 0
    ifm2 = tensor("b", (*batches[1], *inner), DType.INT8, 0.03, point, right)
    ofm = tensor("y", (*batches[0], rows, columns), DType.INT8, 0.4 * depth**0.5, 3)
    options = {"adj_y": turned}
    return single("BATCH_MATMUL", [ifm, ifm2], ofm, options, record="BatchMatMulOptions", version=4)


BATCHES = st.sampled_from([((), ()), ((3,), (3,)), ((2, 2), (2, 2)), ((2, 3), (1, 1)), ((3,), ())])


@settings(max_examples=40)
@given(
    sizes=st.tuples(st.integers(1, 20), st.integers(1, 40), st.integers(1, 20)),
    batches=BATCHES,
    turned=st.booleans(),
    constant=st.booleans(),
)
def test_products_of_matrices_equal_the_reference(
    sizes: Sizes,
    batches: tuple[tuple[int, ...], tuple[int, ...]],
    turned: bool,
    constant: bool,
) -> None:
    plain = product(sizes, batches, turned=turned).main.tensors
    left, right = noise(plain[0].shape, 1), noise(plain[1].shape, 2)
    net = product(sizes, batches, turned=turned, right=right if constant else None)
    ours, theirs = both(batch_matmul.lower, net, [left] if constant else [left, right])
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("columns", [8, 50, 51, 99])
def test_products_that_do_not_wait_together_equal_the_reference(columns: int) -> None:
    net = product((40, 33, columns))
    ours, theirs = both(batch_matmul.lower, net, [noise((40, 33), 1), noise((33, columns), 2)])
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("sizes", [(16, 8, 40), (40, 8, 16)])
def test_matrices_of_a_stack_do_not_wait_for_each_other(sizes: Sizes) -> None:
    net, (rows, depth, columns) = product(sizes, ((2,), (2,))), sizes
    feeds = [noise((2, rows, depth), 1), noise((2, depth, columns), 2)]
    ours, theirs = both(batch_matmul.lower, net, feeds)
    np.testing.assert_array_equal(ours, theirs)


def test_what_waits_to_be_summed_is_a_row_or_a_few_kilobytes() -> None:
    draft = drafted(batch_matmul.lower, product((32, 48, 32)))
    made = {fm.name: math.prod(fm.shape) for fm in draft.feature_maps if fm.dtype is DType.INT32}
    assert set(made.values()) == {48 * 32}
    assert all("_products" in name for name in made)


of_any_stacks = given(
    sizes=st.tuples(st.integers(1, 20), st.integers(1, 40), st.integers(1, 20)),
    batches=BATCHES,
    turned=st.booleans(),
)


@settings(max_examples=20)
@of_any_stacks
def test_a_constant_matrix_on_the_left_becomes_weights_too(
    sizes: Sizes, batches: tuple[tuple[int, ...], tuple[int, ...]], turned: bool
) -> None:
    plain = product(sizes, batches, turned=turned)
    left, right, *rest = plain.main.tensors
    given = replace(left, data=ConstData.of(noise(left.shape, 1)))
    net = replace(
        plain,
        subgraphs=(
            replace(plain.main, tensors=(given, right, *rest), inputs=plain.main.inputs[1:]),
        ),
    )
    ours, theirs = both(batch_matmul.lower, net, [noise(right.shape, 2)], FEWER)
    np.testing.assert_array_equal(ours, theirs)
    kinds = {item.kind for item in drafted(batch_matmul.lower, net, FEWER).items}  # type: ignore[union-attr]
    assert not kinds & {OpKind.MUL, OpKind.REDUCE_SUM}


def sparing(scope: Scope) -> None:
    """As it is lowered where memory is saved."""
    batch_matmul.lower(replace(scope, saves_memory=True))


@settings(max_examples=20)
@of_any_stacks
def test_where_memory_is_saved_products_are_a_small_part_of_it_or_a_row(
    sizes: Sizes, batches: tuple[tuple[int, ...], tuple[int, ...]], turned: bool
) -> None:
    """A quarter of the bytes of the matrices, or a row of one of these for each row of another,
    whichever has fewer rows where that takes more bytes than all matrices."""
    net, (rows, depth, columns) = product(sizes, batches, turned=turned), sizes
    shapes = [each.shape for each in net.main.tensors]
    feeds = [noise(shape, seed) for seed, shape in enumerate(shapes[:2], 1)]
    ours, theirs = both(sparing, net, feeds)
    np.testing.assert_array_equal(ours, theirs)
    fms = drafted(sparing, net).feature_maps
    waiting = max(math.prod(fm.shape) * 4 for fm in fms if fm.dtype is DType.INT32)
    all_bytes = sum(math.prod(shape) for shape in shapes)
    more = max(rows, columns) * depth * 4
    row = more if more <= all_bytes else min(rows, columns) * depth * 4
    assert waiting <= max(all_bytes / 4, row)


@pytest.mark.parametrize("sizes", [(4, 64, 200), (200, 64, 4), (64, 64, 64)])
def test_operators_grow_with_the_smaller_side(sizes: Sizes) -> None:
    items = drafted(batch_matmul.lower, product(sizes)).items
    rows, depth, columns = sizes
    fewest, most = min(rows, columns), max(rows, columns)
    sums = -(-fewest // max(1, MOST_PRODUCTS // (most * depth)))
    assert len(items) <= fewest + sums + 1


@pytest.mark.parametrize(
    ("sizes", "each"), [((16, 32, 16), 16), ((8, 16, 40), 8), ((40, 16, 8), 8)]
)
def test_small_matrices_of_a_stack_are_multiplied_together(sizes: Sizes, each: int) -> None:
    items = drafted(batch_matmul.lower, product(sizes, ((2,), (2,)), turned=True)).items
    kinds = [item.kind for item in items]  # type: ignore[union-attr]
    assert kinds.count(OpKind.MUL) == each


def test_large_matrices_of_a_stack_do_not_wait_together() -> None:
    draft = drafted(batch_matmul.lower, product((64, 48, 64), ((8,), (8,))))
    made = {math.prod(fm.shape) for fm in draft.feature_maps if fm.dtype is DType.INT32}
    assert made == {64 * 48}


def test_constant_matrices_become_weights() -> None:
    items = drafted(batch_matmul.lower, product((1, 8, 6), right=noise((8, 6), 1))).items
    assert [item.kind for item in items] == [OpKind.FULLY_CONNECTED]  # type: ignore[union-attr]


def test_structure_of_products(golden: Golden) -> None:
    texts = [
        written(drafted(batch_matmul.lower, product((2, 7, 5), turned=True))),
        written(drafted(batch_matmul.lower, product((2, 7, 5)))),
        written(drafted(batch_matmul.lower, product((3, 7, 1), ((2,), (2,)), turned=True))),
    ]
    golden.check("batch_matmul.txt", "\n".join(texts))


def difference(dtype: DType, second: tuple[int, ...]) -> Network:
    points = (0, 0, 0) if dtype is DType.INT16 else (5, -7, -100)
    ifm = tensor("x", (1, 4, 5, 6), dtype, 0.05, points[0])
    ifm2 = tensor("x2", second, dtype, 0.03, points[1])
    made = 300.0 if dtype is DType.INT16 else 0.5
    ofm = tensor("y", (1, 4, 5, 6), dtype, made, points[2])
    return single("SQUARED_DIFFERENCE", [ifm, ifm2], ofm)


@pytest.mark.parametrize("second", [(1, 4, 5, 6), (1, 1, 1, 6)])
def test_squared_differences_equal_the_reference(second: tuple[int, ...]) -> None:
    feeds = [noise((1, 4, 5, 6), 1), noise(second, 2)]
    ours, theirs = both(squared_difference.lower, difference(DType.INT8, second), feeds)
    np.testing.assert_array_equal(ours, theirs)


def test_squared_differences_of_shorts_are_what_they_should_be() -> None:
    """LiteRT has no kernel for these; both inputs are rounded to twice their scale."""
    feeds = [noise((1, 4, 5, 6), seed, DType.INT16) for seed in (1, 2)]
    net = difference(DType.INT16, (1, 4, 5, 6))
    ours = on_npu(drafted(squared_difference.lower, net), feeds)[0]
    exact = (feeds[0] * np.float64(0.05) - feeds[1] * np.float64(0.03)) ** 2 / 300.0
    assert np.abs(ours - np.clip(exact, -32768, 32767)).max() <= 4


def test_structure_of_squared_differences(golden: Golden) -> None:
    net = difference(DType.INT8, (1, 1, 1, 6))
    golden.check("squared_difference.txt", written(drafted(squared_difference.lower, net)))
