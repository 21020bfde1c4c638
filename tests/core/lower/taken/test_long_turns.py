"""Transpositions of more rows or columns than the hardware counts, in parts."""

from __future__ import annotations

import pytest

from tests.core.lower.legality.cases import INT16
from tests.core.lower.legality.shaped import turned
from tests.core.lower.taken.holding import holds


@pytest.mark.parametrize(
    ("order", "shape"),
    [((0, 2, 3, 1), (1, 3, 14, 5000)), ((0, 3, 1, 2), (1, 14, 5000, 3))],
)
def test_what_is_too_long_is_turned_in_parts(order, shape):
    assert holds(turned(order, *shape))
    assert holds(turned(order, *shape).both(dtype=INT16))
