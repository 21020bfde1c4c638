"""Borders of a PAD that nobody takes over: products with 0 where the input is as large."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.freedoms import ALL
from core.ir.network import Network
from core.ir.npugraph import OpKind
from core.ir.options import LoweringOptions, Options
from core.lower import run as lower
from core.synth.builder import Builder
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

NONE = (0, 0)
DEPTH = (NONE, NONE, NONE, (3, 5))
ROWS = (NONE, (2, 1), NONE, NONE)
SIDES = (NONE, (3, 2), (1, 4), NONE)


def padded(amounts, dtype: DType, fill: float | None) -> Network:
    b = Builder(41, dtype)
    x = b.conv(b.input((1, 9, 7, 6)), 12)
    x = b.pad(x, amounts) if fill is None else b.pad_with(x, amounts, fill)
    return b.build((b.conv(x, 5),), "padded")


def products(network: Network, *, near: bool = True) -> int:
    options = LoweringOptions(freedoms=replace(ALL, near_constants=near))
    graph = lower.run(network, accelerator_named("ethos-u55-256"), options)
    return sum(op.kind is OpKind.MUL for op in graph.ops)


@pytest.mark.parametrize("fill", [None, -0.5])
@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
@pytest.mark.parametrize("amounts", [DEPTH, ROWS, SIDES], ids=["depth", "rows", "sides"])
def test_borders_hold_what_they_are_to_hold(amounts, dtype, fill):
    network = padded(amounts, dtype, fill)
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-64"), Options())
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])


@pytest.mark.parametrize(
    ("amounts", "dtype", "fill", "count"),
    [
        (DEPTH, DType.INT8, None, 2),
        (ROWS, DType.UINT8, -0.5, 2),
        # Columns are as high as rows above and below have made them.
        (SIDES, DType.INT8, None, 2),
        ((NONE, (10, 0), NONE, NONE), DType.INT8, None, 0),
        # 16 bits have no zero point to be stored as.
        (ROWS, DType.INT16, -0.5, 0),
        (ROWS, DType.INT16, None, 2),
    ],
)
def test_products_are_where_the_input_is_as_large_as_the_border(amounts, dtype, fill, count):
    assert products(padded(amounts, dtype, fill)) == count


def test_without_the_freedom_borders_are_copied_from_constants():
    assert products(padded(DEPTH, DType.INT8, None), near=False) == 0
