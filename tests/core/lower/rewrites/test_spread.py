"""Arithmetic of which each input is spread, against LiteRT: a constant is spread beforehand, and of
what is computed parts are made."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.ir.network import Network
from core.lower.operands import parts_along
from core.lower.rewrites import elementwise, squared_difference
from core.lower.rewrites.table import Rewrite
from tests.core.lower.rewrites.workbench import both, drafted, noise, single, tensor

Shape = tuple[int, ...]
MADE = (1, 4, 6, 8)
CASES: list[tuple[Shape, Shape]] = [
    ((1, 4, 6, 1), (8,)),
    ((1, 4, 1, 8), (6, 1)),
    ((1, 1, 6, 8), (1, 4, 1, 8)),
    ((4, 1, 1), (1, 1, 6, 8)),
]
KINDS: dict[str, Rewrite] = {
    **dict.fromkeys(("ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM"), elementwise.lower_binary),
    "SQUARED_DIFFERENCE": squared_difference.lower,
}


def spread(kind: str, dtype: DType, given: Shape, known: Shape, *, is_first: bool) -> Network:
    zero = 0 if dtype is DType.INT16 else 3
    x = tensor("x", given, dtype, 0.05, zero)
    c = tensor("c", known, dtype, 0.05, zero, data=noise(known, 5, dtype))
    is_choice = kind in ("MINIMUM", "MAXIMUM")
    made = tensor("y", MADE, dtype, 0.05 if is_choice else 0.11, zero)
    return single(kind, [c, x] if is_first else [x, c], made)


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize(("given", "known"), CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_results_equal_the_reference(kind: str, given: Shape, known: Shape, is_first: bool) -> None:
    net = spread(kind, DType.INT8, given, known, is_first=is_first)
    ours, theirs = both(KINDS[kind], net, [noise(given, 1, DType.INT8)])
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize(("given", "other"), CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_parts_equal_the_reference(kind: str, given: Shape, other: Shape, is_first: bool) -> None:
    shapes = (given, other) if is_first else (other, given)
    x, y = (
        tensor(name, shape, DType.INT8, 0.05, 3) for name, shape in zip("xy", shapes, strict=True)
    )
    made = tensor("z", MADE, DType.INT8, 0.05 if kind in ("MINIMUM", "MAXIMUM") else 0.11, 3)
    drawn = [noise(shape, seed, DType.INT8) for seed, shape in enumerate(shapes)]
    ours, theirs = both(KINDS[kind], single(kind, [x, y], made), drawn)
    np.testing.assert_array_equal(ours, theirs)


def test_parts_are_as_few_as_can_be() -> None:
    assert parts_along((1, 4, 1, 8), (1, 1, 6, 1), MADE) == (1, 1, 6, 1)
    assert parts_along((6, 1), (1, 4, 1, 8), MADE) == (1, 1, 6, 1)
    assert parts_along((1, 4, 1, 1), (6, 8), MADE) == (1, 4, 1, 1)
    assert parts_along((8,), MADE, MADE) == (1, 1, 1, 1)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
def test_the_constant_is_what_is_spread(dtype: DType) -> None:
    net = spread("MUL", dtype, (1, 4, 6, 1), (8,), is_first=True)
    draft = drafted(elementwise.lower_binary, net)
    (repeated,) = [fm for fm in draft.feature_maps if fm.data is not None and fm.shape == MADE]
    assert repeated.data is not None
    row = net.main.tensors[0].data
    assert row is not None
    np.testing.assert_array_equal(repeated.data.array, np.broadcast_to(row.array, MADE))
