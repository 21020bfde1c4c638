"""LEAKY_RELU, PRELU, and the product that a MAXIMUM takes over."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.ids import OpId, OpRef, SubgraphId, TensorId
from core.ir.network import Network
from core.lower.draft import Draft, tensor_fms
from core.lower.rewrites import leaky_relu, prelu
from core.lower.scope import Scope
from core.lower.source import SourceGraph
from core.target.families.first_architecture import LIMITS
from tests.conftest import Golden
from tests.core.lower.rewrites.workbench import (
    both,
    drafted,
    everything,
    noise,
    on_npu,
    single,
    tensor,
    written,
)

SHAPE = (1, 4, 5, 6)
SLOPES = {
    "equal": np.full(6, 30),
    "zero": np.full(6, 3),
    "negative": np.full(6, -20),
    "below_one": np.array([-20, -3, 5, 9, 30, 42]),
    "any": np.array([-90, -3, 5, 9, 30, 120]),
}


def parametric(dtype: DType, slopes: np.ndarray | None, made: float = 0.05) -> Network:
    zero_point = 0 if dtype is DType.INT16 else dtype.limits[0] + 100
    alpha_point = 0 if dtype is DType.INT16 else 3
    alpha = tensor("alpha", (1, 1, 6), dtype, 0.02, alpha_point, slopes)
    ifm = tensor("x", SHAPE, dtype, 0.05, zero_point)
    return single("PRELU", [ifm, alpha], tensor("y", SHAPE, dtype, made, zero_point))


@pytest.mark.parametrize("made", [0.05, 0.037])
@pytest.mark.parametrize("slopes", SLOPES)
def test_parametric_relu_equals_the_reference(slopes: str, made: float) -> None:
    net = parametric(DType.INT8, SLOPES[slopes], made)
    ours, theirs = both(prelu.lower, net, [noise(SHAPE, 1)])
    np.testing.assert_array_equal(ours, theirs)


def test_computed_slopes_equal_the_reference() -> None:
    feeds = [noise(SHAPE, 1), noise((1, 1, 6), 2)]
    ours, theirs = both(prelu.lower, parametric(DType.INT8, None, 0.03), feeds)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("slopes", SLOPES)
def test_structure_of_parametric_relu(slopes: str, golden: Golden) -> None:
    text = written(drafted(prelu.lower, parametric(DType.INT8, SLOPES[slopes], 0.025)))
    golden.check(f"prelu_{slopes}.txt", text)


def leaky(dtype: DType, alpha: float, made: float) -> Network:
    shape = everything(dtype).shape
    ifm, ofm = tensor("x", shape, dtype, 0.03125), tensor("y", shape, dtype, made)
    return single("LEAKY_RELU", [ifm], ofm, {"alpha": alpha}, record="LeakyReluOptions")


@pytest.mark.parametrize("made", [0.03125, 0.04])
@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.75, -0.4])
def test_leaky_relu_of_every_short(alpha: float, made: float) -> None:
    net = leaky(DType.INT16, float(np.float32(alpha)), made)
    ours, theirs = both(leaky_relu.lower, net, [everything(DType.INT16)])
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("name", "alpha", "made"),
    [
        ("own", 0.25, 0.03125),
        ("maximum", 0.25, 0.0625),
        ("halves", 1.5, 0.0625),
        ("negative", -0.5, 0.0625),
    ],
)
def test_structure_of_leaky_relu(name: str, alpha: float, made: float, golden: Golden) -> None:
    text = written(drafted(leaky_relu.lower, leaky(DType.INT16, alpha, made)))
    golden.check(f"leaky_relu_{name}.txt", text)


@settings(max_examples=30)
@given(stored=st.integers(-128, 127), unit=st.floats(0.005, 0.05))
def test_greater_of_x_and_its_product_whatever_the_factor(stored: int, unit: float) -> None:
    """The table is right for slopes above one and below zero too."""
    row = everything(DType.INT8)
    x, y = (tensor(name, row.shape, DType.INT8, 0.1, -5) for name in ("x", "y"))
    factor = tensor("factor", (), DType.INT8, unit, 2, stored)
    product = single("MUL", [x, factor], y, record="MulOptions")
    multiplied = both(lambda _: None, product, [row])[1]
    graph = SourceGraph.of(product.main, SubgraphId(0))
    draft = Draft(SubgraphId(0))
    maps = tensor_fms(draft, graph.tensors, (TensorId(0), TensorId(2)))
    scope = Scope(draft, graph.ops[0], maps, (OpRef(SubgraphId(0), OpId(0)),), LIMITS)
    leaky_relu.emit_leaky_product(scope, scope.input(0), graph.ops[0])
    draft.inputs, draft.outputs = (maps[TensorId(0)],), (maps[TensorId(2)],)
    np.testing.assert_array_equal(on_npu(draft, [row])[0], np.maximum(row, multiplied))
