"""Constants that are computed beforehand are what LiteRT computes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import SubgraphId
from core.lower.fold import fold_constants
from tests.core.lower.rewrites.workbench import single, tensor
from tests.core.synth.oracle import execute

SHAPE = (1, 4, 10, 25)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
@given(scale=st.floats(2**-9, 4.0, width=32), seed=st.integers(0, 1 << 16))
def test_real_numbers_are_stored_as_the_reference_stores_them(
    dtype: DType, scale: float, seed: int
) -> None:
    """Half of a step is where one division rounds up and a more precise one down."""
    random = np.random.default_rng(seed)
    halves = random.integers(-300, 300, SHAPE) + random.choice([0.0, 0.5], SHAPE)
    reals = np.float32(scale) * halves.astype(np.float32)
    made = tensor("y", SHAPE, dtype, scale, 0 if dtype is DType.INT16 else 5)
    net = single("QUANTIZE", [tensor("x", SHAPE, DType.FLOAT32, None)], made)
    theirs = execute(net, [reals]).outputs()[0]
    known = tensor("x", SHAPE, DType.FLOAT32, None, data=reals)
    graph = replace(net.main, tensors=(known, net.main.tensors[1]))
    folded = fold_constants(graph, SubgraphId(0)).tensors[1].data
    assert folded is not None
    np.testing.assert_array_equal(folded.array, theirs)
