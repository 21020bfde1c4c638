"""Forms whose results depend on how sums are rounded, at scales that make halves and others."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from tests.core.lower.legality.cases import GOOD, INT8, INT16, fm, scaled
from tests.core.lower.taken.holding import holds
from tests.core.lower.taken.variants import DENSE


@pytest.mark.parametrize(
    ("rows", "scales"),
    [(12, (0.5, 0.1, 0.1)), (19, (0.02, 0.02, 0.02)), (3, (0.1, 0.5, 0.02)), (9, (0.5, 0.5, 0.5))],
)
def test_computed_weights_are_rounded_as_weights_of_the_file(rows, scales):
    given, weights, made = (scaled(scale, zero_points=(at,)) for at, scale in enumerate(scales, 7))
    case = replace(DENSE, inputs=(DENSE.inputs[0], fm("weights", 11, 12), None))
    case = case.input(0, shape=(rows, 12), quantization=given).input(1, quantization=weights)
    assert holds(case.output(shape=(rows, 11), quantization=made))


@pytest.mark.parametrize(("scale", "depth"), [(0.001, 64), (0.05, 11), (0.25, 3)])
def test_shares_of_16_bits_are_those_of_the_reference(scale, depth):
    shares = scaled(1 / 65536, zero_points=(-32768,))
    given = scaled(scale, zero_points=(-45,))
    case = GOOD["SOFTMAX"].both(shape=(1, 4, 6, depth), dtype=INT8)
    assert holds(case.input(0, quantization=given).output(dtype=INT16, quantization=shares))
