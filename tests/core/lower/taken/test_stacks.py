"""PACK and UNPACK along a last dimension that is new, of what has four dimensions already."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.ir.options import LoweringOptions
from core.lower.run import run
from core.target.resolve import resolve
from tests.core.lower.legality.cases import INT8, INT16, Case, fm, options
from tests.core.lower.taken.holding import holds
from tests.core.lower.taken.variants import Variant


def stack(kind: str, dtype: DType = INT8) -> Case:
    parts = tuple(fm(name, 1, 4, 6, 8, dtype=dtype) for name in "ab")
    whole = (fm("y", 1, 4, 6, 8, 2, dtype=dtype),)
    if kind == "PACK":
        return Case(kind, parts, whole, options("Pack", axis=4, values_count=2))
    return Case(kind, whole, parts, options("Unpack", axis=4, num=2))


@pytest.mark.parametrize("kind", ["PACK", "UNPACK"])
def test_neighbours_are_beside_each_other(kind: str) -> None:
    network = Variant(what="of its own", case=stack(kind)).network
    graph = run(network, resolve("ethos-u55-128").accelerator, LoweringOptions())
    assert [tuple(op.ofm.touched) for op in graph.ops] == [(1, 4, 48, 1)] * 2


@pytest.mark.parametrize("dtype", [INT8, INT16])
@pytest.mark.parametrize("kind", ["PACK", "UNPACK"])
def test_results_equal_the_reference(kind: str, dtype: DType) -> None:
    assert holds(stack(kind, dtype))
