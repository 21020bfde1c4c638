"""FULLY_CONNECTED with sums on which the last bit of a factor, or a half, can be seen."""

from __future__ import annotations

import numpy as np
import pytest

from core.api import compiler, proof, schedules, targets
from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.network import Network, Quantization
from core.ir.options import Options
from core.synth.builder import Builder
from core.tflite import writer

UNITS = 64


def with_sums(
    rows: int, dtype: DType, scales: tuple[float, float, float], sums: np.ndarray
) -> Network:
    """A matrix product of weights that are zero, whose sums are its biases."""
    b = Builder(1, dtype)
    network = b.build([b.fully_connected(b.input((rows, 8), -1.0, 2.0), UNITS)], "product")
    graph = network.main
    (op,), tensors = graph.operators, list(graph.tensors)
    given, weights, bias = op.inputs
    zeros = tensors[weights].quantization.zero_points or (0,)
    nothing = ConstData.of(np.full_like(tensors[weights].data.array, zeros[0]))
    middle = 128 if dtype is DType.UINT8 else 0
    for number, scale, zero, data in (
        (given, scales[0], middle, None),
        (weights, scales[1], zeros[0], nothing),
        (bias, scales[0] * scales[1], 0, ConstData.of(sums.astype(np.int32))),
        (op.outputs[0], scales[2], middle, None),
    ):
        quantization = Quantization(scales=(float(np.float32(scale)),), zero_points=(zero,))
        tensors[number] = replace(tensors[number], quantization=quantization, data=data)
    return replace(network, subgraphs=(replace(graph, tensors=tuple(tensors)),))


LARGE = (0.0009, 0.00037, 3.1)
"""The product of the first two is not the same in single precision."""


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
@pytest.mark.parametrize("rows", [1, 4, 7])
@pytest.mark.parametrize(
    ("scales", "sums"),
    [
        (LARGE, (np.arange(UNITS) + 0.5 - UNITS // 2) / (0.0009 * 0.00037 / 3.1 * (1 + 2e-8))),
        ((0.0625, 0.0625, 0.25), 32 * (np.arange(UNITS) - UNITS // 2)),
    ],
    ids=["large sums", "halves"],
)
def test_factors_and_halves_are_those_of_the_reference(rows, dtype, scales, sums):
    model = writer.write(with_sums(rows, dtype, scales, np.round(sums)))
    target = targets.resolve_target("ethos-u55-128")
    data = compiler.compile_model(schedules.schedule(model, target, Options())).data
    assert proof.verify(data, model, inputs=1).outputs[0].is_equal
