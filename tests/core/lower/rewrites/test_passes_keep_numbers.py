"""What follows the rewrites changes which operator does the work, and never the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.ir.network import Network
from core.lower.rewrites import (
    activation,
    argmax,
    batch_matmul,
    leaky_relu,
    lstm,
    mean,
    prelu,
    reduce_extremes,
    softmax,
    squared_difference,
    summation,
    tile,
)
from core.lower.rewrites.table import Rewrite
from tests.core.lower.rewrites.test_lstm import recurrent
from tests.core.lower.rewrites.test_matrices import difference, product
from tests.core.lower.rewrites.test_moves import tiling
from tests.core.lower.rewrites.test_reductions import reducing, searching
from tests.core.lower.rewrites.test_slopes import SLOPES, leaky, parametric
from tests.core.lower.rewrites.test_softmax import network as softmax_of
from tests.core.lower.rewrites.test_tables import pointwise
from tests.core.lower.rewrites.workbench import drafted, noise, on_npu, settled

BYTE, SHORT = DType.INT8, DType.INT16
PLANE = (1, 7, 5, 9)
CASES: dict[str, tuple[Rewrite, Network]] = {
    "relu": (activation.lower_relu, pointwise("RELU6", BYTE, (0.05, 3), (0.05, 3))),
    "neg": (activation.lower_neg, pointwise("NEG", SHORT, (0.05, 0), (0.05, 0))),
    "argmax": (argmax.lower, searching(BYTE, DType.INT64, PLANE)),
    "batch_matmul": (batch_matmul.lower, product((5, 7, 3), ((2,), (2,)))),
    "leaky_below": (leaky_relu.lower, leaky(SHORT, -0.4, 0.04)),
    "leaky_above": (leaky_relu.lower, leaky(SHORT, 1.5, 0.04)),
    "leaky_within": (leaky_relu.lower, leaky(SHORT, 0.5, 0.04)),
    "lstm": (lstm.lower, recurrent(4, 3)),
    "lstm_major": (lstm.lower, recurrent(4, 4, time_major=True)),
    "mean": (mean.lower, reducing("MEAN", BYTE, (1, 190, 64, 2), (1, 2), 0.03)),
    "prelu": (prelu.lower, parametric(BYTE, SLOPES["any"], 0.03)),
    "reduce_min": (reduce_extremes.lower_min, reducing("REDUCE_MIN", BYTE, PLANE, (3,), 0.05)),
    "softmax8": (softmax.lower, softmax_of((3, 17), BYTE, 0.1)),
    "softmax16": (softmax.lower, softmax_of((3, 17), SHORT, 1e-3)),
    "squared_difference": (squared_difference.lower, difference(BYTE, (1, 1, 1, 6))),
    "sum": (summation.lower, reducing("SUM", SHORT, PLANE, (1, 2), 0.8)),
    "tile": (tile.lower, tiling((2, 3, 4), (2, 1, 3), BYTE)),
}


@pytest.mark.parametrize("accelerator", ["ethos-u55-32", "ethos-u55-256"])
@pytest.mark.parametrize("case", CASES)
def test_numbers_stay(case: str, accelerator: str) -> None:
    rewrite, network = CASES[case]
    graph = network.main
    feeds = [
        noise(graph.tensors[index].shape, index, graph.tensors[index].dtype)
        for index in graph.inputs
    ]
    before = on_npu(drafted(rewrite, network), feeds)
    after = on_npu(settled(drafted(rewrite, network), accelerator), feeds)
    np.testing.assert_array_equal(before[0], after[0])
