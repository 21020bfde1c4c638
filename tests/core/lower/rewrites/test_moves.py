"""TILE, REVERSE_V2, TRANSPOSE and resizing one element move elements, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.ir.freedoms import Freedoms
from core.ir.network import Network
from core.ir.npugraph import NpuOp
from core.lower.rewrites import mirror_pad, resize, reverse, tile, transpose
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

SHORTS = st.sampled_from([DType.INT8, DType.UINT8, DType.INT16])


def tiling(shape: tuple[int, ...], multiples: tuple[int, ...], dtype: DType) -> Network:
    made = tuple(size * times for size, times in zip(shape, multiples, strict=True))
    numbers = tensor("multiples", (len(multiples),), DType.INT32, None, data=multiples)
    return single("TILE", [tensor("x", shape, dtype), numbers], tensor("y", made, dtype), version=2)


@given(
    sizes=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=5),
    dtype=SHORTS,
)
def test_tiling_repeats_the_input(sizes: list[tuple[int, int]], dtype: DType) -> None:
    shape, multiples = (tuple(part) for part in zip(*sizes, strict=True))
    if len(shape) == 4:
        shape, multiples = (1, *shape[1:]), (1, *multiples[1:])
    feed = noise(shape, 1, dtype)
    draft = drafted(tile.lower, tiling(shape, multiples, dtype))
    np.testing.assert_array_equal(on_npu(draft, [feed])[0], np.tile(feed, multiples))
    repeated = [times for times in multiples if times > 1]
    assert len(draft.items) == (sum(repeated) or 1)
    assert len(draft.items) <= max(1, math.prod(multiples))


@pytest.mark.parametrize(
    ("shape", "multiples", "picture", "places"),
    [
        ((1, 1, 8, 6, 4), (1, 3, 1, 1, 1), (1, 8, 6, 4), [(0, 0), (8, 0), (16, 0)]),
        ((1, 2, 8, 6, 4), (1, 1, 2, 1, 1), (1, 2, 8, 24), [(0, 0), (0, 8)]),
        ((1, 1, 1, 1, 70), (1, 1, 1, 1, 2), (1, 1, 70, 1), [(0, 0), (0, 70)]),
        ((300, 300, 8, 1, 1), (2, 1, 1, 1, 1), (1, 1, 300, 2400), [(0, 0), (0, 300)]),
    ],
)
def test_what_is_repeated_as_a_whole_lies_below_itself_as_it_is(
    shape: tuple[int, ...],
    multiples: tuple[int, ...],
    picture: tuple[int, ...],
    places: list[tuple[int, int]],
) -> None:
    """As one pixel of all its elements, three copies of 8x8x8 took 1,866 cycles of 16 bits on
    U55-256, not 960."""
    items = drafted(tile.lower, tiling(shape, multiples, DType.INT16)).items
    ops = [item for item in items if isinstance(item, NpuOp)]
    assert {tuple(op.ifm.shape) for op in ops} == {picture}
    assert [(op.ofm.start.h, op.ofm.start.w) for op in ops] == places


def mirrored(shape: tuple[int, ...], amounts: Amounts, mode: str, dtype: DType) -> Network:
    made = tuple(size + sum(added) for size, added in zip(shape, amounts, strict=True))
    numbers = tensor("amounts", (len(amounts), 2), DType.INT32, None, data=np.array(amounts))
    given, options = [tensor("x", shape, dtype), numbers], {"mode": MODES.index(mode)}
    return single("MIRROR_PAD", given, tensor("y", made, dtype), options, record="MirrorPadOptions")


Amounts = tuple[tuple[int, int], ...]
MODES = ("reflect", "symmetric")
SIDES = st.tuples(st.integers(0, 3), st.integers(0, 3))


@given(
    size=st.tuples(st.integers(4, 30), st.integers(4, 30), st.integers(1, 20)),
    amounts=st.tuples(SIDES, SIDES),
    mode=st.sampled_from(MODES),
    dtype=SHORTS,
    is_free=st.booleans(),
)
def test_borders_are_mirrored_once_for_each_side_and_corner(
    size: tuple[int, int, int], amounts: Amounts, mode: str, dtype: DType, is_free: bool
) -> None:
    every = ((0, 0), *amounts, (0, 0))
    net, feed = mirrored((1, *size), every, mode, dtype), noise((1, *size), 1, dtype)
    draft = drafted(mirror_pad.lower, net, Freedoms(fewer_operators=is_free))
    np.testing.assert_array_equal(on_npu(draft, [feed])[0], np.pad(feed, every, mode=mode))
    rows, columns = (1 + sum(map(bool, sides)) for sides in amounts)
    if is_free and min(rows, columns) == 1:
        assert len(draft.items) == rows * columns


@given(
    size=st.tuples(st.integers(4, 8), st.integers(4, 8), st.sampled_from([4, 7, 24, 70])),
    amounts=st.tuples(SIDES, SIDES, SIDES),
    mode=st.sampled_from(MODES),
    dtype=SHORTS,
)
def test_pixels_are_made_deeper_before_their_rows_and_columns_are_mirrored(
    size: tuple[int, int, int], amounts: Amounts, mode: str, dtype: DType
) -> None:
    every = ((0, 0), *amounts)
    net, feed = mirrored((1, *size), every, mode, dtype), noise((1, *size), 1, dtype)
    draft = drafted(mirror_pad.lower, net, Freedoms(fewer_operators=True))
    np.testing.assert_array_equal(on_npu(draft, [feed])[0], np.pad(feed, every, mode=mode))


def test_a_large_map_with_mirrored_borders_is_copied_once() -> None:
    net = mirrored((1, 20, 20, 8), ((0, 0), (1, 1), (2, 2), (0, 0)), "reflect", DType.INT8)
    draft = drafted(mirror_pad.lower, net, Freedoms(fewer_operators=True))
    assert sum(item.ofm.touched.elements for item in draft.items) == 22 * 24 * 8


def reversing(shape: tuple[int, ...], axis: int, dtype: DType) -> Network:
    axes = tensor("axes", (1,), DType.INT32, None, data=[axis])
    return single("REVERSE_V2", [tensor("x", shape, dtype), axes], tensor("y", shape, dtype))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((1, 2, 3, 4), 1), ((1, 2, 3, 4), 2), ((1, 2, 3, 4), -2), ((3, 4), 0), ((3, 4, 5), 0)],
)
def test_reversing_equals_the_reference(shape: tuple[int, ...], axis: int, dtype: DType) -> None:
    feed = noise(shape, 1, dtype)
    ours, theirs = both(reverse.lower, reversing(shape, axis, dtype), [feed])
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(ours, np.flip(feed, axis))


def test_what_is_written_backwards_is_stored_row_by_row() -> None:
    draft = drafted(reverse.lower, reversing((1, 2, 3, 4), 2, DType.INT8))
    assert draft.feature_maps[draft.outputs[0]].linear_reason


@pytest.mark.parametrize("scale", [None, 0.25])
def test_a_transposition_copies_whatever_its_output_is_quantised_as(scale: float | None) -> None:
    given = tensor("a", (1, 2, 3, 4), DType.INT8, zero_point=-7)
    order = tensor("order", (4,), DType.INT32, None, data=[0, 2, 1, 3])
    turned = tensor("b", (1, 3, 2, 4), DType.INT8, scale)
    net = single("TRANSPOSE", [given, order], turned, record="TransposeOptions", version=2)
    feed = noise(given.shape, 3)
    ours, theirs = both(transpose.lower, net, [feed])
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(ours, feed.swapaxes(1, 2))


def test_groups_of_channels_change_places_in_five_dimensions() -> None:
    """As networks shuffle channels: a reshape, a transposition, and a reshape back."""
    shape = (1, 3, 4, 2, 6)
    given = tensor("a", shape, DType.INT8)
    order = tensor("order", (5,), DType.INT32, None, data=[0, 1, 2, 4, 3])
    turned = tensor("b", (1, 3, 4, 6, 2), DType.INT8)
    net = single("TRANSPOSE", [given, order], turned, record="TransposeOptions", version=2)
    feed = noise(shape, 3)
    ours, theirs = both(transpose.lower, net, [feed])
    np.testing.assert_array_equal(ours.reshape(-1), theirs.reshape(-1))
    np.testing.assert_array_equal(ours.reshape(-1), feed.swapaxes(3, 4).reshape(-1))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
def test_one_element_is_resized_to_copies_of_itself(dtype: DType) -> None:
    """Whatever its scale is: 2.59e-5 was one at which a sum with zeros was off by one."""
    zero_point = 0 if dtype is DType.INT16 else 3
    given = tensor("a", (1, 1, 1, 256), dtype, 2.59e-5, zero_point)
    made = tensor("b", (1, 2, 2, 256), dtype, 2.59e-5, zero_point)
    size = tensor("size", (2,), DType.INT32, None, data=[2, 2])
    net = single("RESIZE_BILINEAR", [given, size], made, record="ResizeBilinearOptions", version=3)
    feed = noise(given.shape, 5, dtype)
    ours, theirs = both(resize.lower, net, [feed])
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(ours, np.broadcast_to(feed, made.shape))


def test_structure(golden: Golden) -> None:
    texts = [
        written(drafted(tile.lower, tiling((1, 2, 3, 4), (1, 3, 2, 1), DType.INT8))),
        written(drafted(tile.lower, tiling((1, 2, 3, 4), (1, 1, 1, 1), DType.INT8))),
        written(drafted(reverse.lower, reversing((1, 2, 3, 4), 1, DType.INT16))),
        written(drafted(reverse.lower, reversing((1, 2, 3, 4), 2, DType.INT8))),
    ]
    golden.check("moves.txt", "\n".join(texts))
