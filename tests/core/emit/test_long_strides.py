"""Strides that the hardware does not have are brought to those that it has, and nothing differs."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.ir.options import Options
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import Window, window
from core.target.resolve import resolve
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

ROW = window((3, 2), (9, 2), same=False)
"""There is one row of places for it, so that it never steps down."""


def averaged(b: Builder, x: Value, over: Window) -> Value:
    return b.avg_pool(x, over)


def convolved(b: Builder, x: Value, over: Window) -> Value:
    """Not the first operator of the network."""
    return b.conv(b.conv(x, 4), 5, over)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
@pytest.mark.parametrize(
    ("step", "width", "over"),
    [
        (averaged, 10, ROW),
        (averaged, 10, window((3, 2), (9, 2), same=True)),
        (averaged, 1, window((2, 1), (3, 5), same=False)),
        (averaged, 20, window((3, 4), (2, 5), same=False)),
        (averaged, 20, window((2, 7), (3, 10), same=False)),
        (convolved, 10, ROW),
        (convolved, 10, window((3, 2), (9, 2), same=True)),
    ],
)
def test_a_long_stride_computes_what_the_original_does(step, width: int, over: Window, dtype):
    b = Builder(width, dtype)
    network = b.build((step(b, b.input((1, 8, width, 3)), over),), "long")
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-128"), Options())
    assert largest_differences(network, compiled.data, [1, 2]) == ({}, [])
