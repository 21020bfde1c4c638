"""Brick order equals its plain description, and the other compiler's for a few fixed cases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.geometry import Kernel
from core.target.registry import ACCELERATORS
from core.target.unit import Unit
from core.weights.bricks import BrickShape, brick_order
from tests.core.weights.reference import slow_brick_order

GOLDEN = Path(__file__).parent / "goldens" / "peer_brick_order.txt"
"""Made with the other compiler's own reordering; see `peer_cases` for what each line is."""

LARGEST_NUMBERED = np.iinfo(np.int16).max
"""With no more weights than this, each can have a number of its own."""


@st.composite
def shapes(draw) -> tuple[tuple[int, int, int, int], BrickShape]:
    unit = draw(st.sampled_from([Unit.CONVOLUTION, Unit.DEPTHWISE, Unit.VECTOR_PRODUCT]))
    sides = st.just(1) if unit is Unit.VECTOR_PRODUCT else st.integers(1, 9)
    channels = 1 if unit is Unit.DEPTHWISE else draw(st.integers(1, 40))
    kernel = Kernel(
        h=draw(sides),
        w=draw(sides),
        dilation_h=draw(st.integers(1, 2)),
        dilation_w=draw(st.integers(1, 2)),
    )
    shape = BrickShape.of(
        draw(st.sampled_from(list(ACCELERATORS.values()))),
        unit,
        kernel,
        ifm_bits=draw(st.sampled_from([8, 16])),
        block_depth=draw(st.sampled_from([4, 8, 12, 16, 24, 32])),
        is_part_kernel=draw(st.booleans()),
    )
    most = LARGEST_NUMBERED // (kernel.h * kernel.w * channels)
    return (draw(st.integers(1, min(40, most))), kernel.h, kernel.w, channels), shape


@given(case=shapes())
def test_equals_the_order_spelled_out_weight_by_weight(case) -> None:
    size, shape = case
    weights = np.random.default_rng(0).integers(-255, 256, size).astype(np.int16)
    assert np.array_equal(brick_order(weights, shape), slow_brick_order(weights, shape))


@given(case=shapes())
def test_every_weight_is_stored_once_and_the_rest_is_zero(case) -> None:
    size, shape = case
    if shape.block_depth % shape.ofm_ublock_depth:
        return  # The hardware then stores what a micro-block shares with the next block twice.
    weights = np.arange(1, np.prod(size) + 1, dtype=np.int16).reshape(size)
    stored = brick_order(weights, shape)
    assert np.array_equal(np.sort(stored[stored != 0]), weights.ravel())


def peer_cases() -> list[tuple[str, str]]:
    """Lines of: accelerator unit OxHxWxI dilation bits block traversal | the weights in order."""
    return [tuple(line.split(" | ")) for line in GOLDEN.read_text().splitlines()]


@pytest.mark.parametrize(("case", "order"), peer_cases())
def test_equals_the_order_that_the_other_compiler_makes(case: str, order: str) -> None:
    name, unit, size, dilation, bits, block_depth, traversal = case.split()
    shape = tuple(map(int, size.split("x")))
    kernel = Kernel(
        h=shape[1], w=shape[2], dilation_h=int(dilation[0]), dilation_w=int(dilation[1])
    )
    bricks = BrickShape.of(
        ACCELERATORS[name],
        Unit[unit],
        kernel,
        ifm_bits=int(bits),
        block_depth=int(block_depth),
        is_part_kernel=traversal == "part",
    )
    weights = numbered(shape)
    assert brick_order(weights, bricks).tolist() == list(map(int, order.split(",")))


def numbered(shape: tuple[int, ...]) -> np.ndarray:
    """Weights 1, 2, ... 255, 1, ..."""
    return (np.arange(np.prod(shape)) % 255 + 1).astype(np.int16).reshape(shape)
