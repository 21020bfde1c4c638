"""Scales of which nothing can be made: what LiteRT runs is compiled, if need be for the CPU."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.api import compiler, networks, proof, schedules, targets
from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import replace
from core.ir.network import Network
from core.ir.options import Options
from core.pipeline.proof import litert
from core.synth.builder import Builder
from core.synth.windows import window
from core.tflite import writer
from tests.shared import need

KINDS = {
    "CONV_2D": lambda b, x: b.conv(x, 6, window(3)),
    "CONV_2D of one scale": lambda b, x: b.conv(x, 6, window(3), per_channel=False),
    "DEPTHWISE_CONV_2D": lambda b, x: b.depthwise(x, window(3)),
    "TRANSPOSE_CONV": lambda b, x: b.transpose_conv(x, 5),
    "FULLY_CONNECTED": lambda b, x: b.fully_connected(b.reshape(x, (1, 96)), 7),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": lambda b, x: b.lstm(b.reshape(x, (1, 3, 32)), 5),
    "ADD": lambda b, x: b.add(x, b.relu(x)),
    "CONCATENATION": lambda b, x: b.concat((x, b.relu(x)), 3),
    "SOFTMAX": lambda b, x: b.softmax(x),
    "LOGISTIC": lambda b, x: b.logistic(x),
    "TANH": lambda b, x: b.tanh(x),
}
ODD = (0.0, -0.01, 1e-42, 3.9e-14, 5.3, 5.4, 3e38, float("inf"), float("nan"))
TARGET = targets.resolve_target("ethos-u55-128")


def spoilt(network: Network, odd: float) -> Iterator[Network]:
    """The network with that for the first scale of one tensor, of each in its turn."""
    graph = network.main
    for at, tensor in enumerate(graph.tensors):
        if tensor.quantization is None or not tensor.quantization.scales:
            continue
        scales = (float(np.float32(odd)), *tensor.quantization.scales[1:])
        other = replace(tensor, quantization=replace(tensor.quantization, scales=scales))
        tensors = (*graph.tensors[:at], other, *graph.tensors[at + 1 :])
        yield replace(network, subgraphs=(replace(graph, tensors=tensors),))


def runs(network: Network) -> bool:
    """Whether LiteRT takes it."""
    try:
        litert.Session(network)
    except InputError:
        return False
    return True


LONG = pytest.mark.long
CASES = [
    *(pytest.param(kind, DType.INT8, marks=() if "CONV" in kind else LONG) for kind in KINDS),
    *(pytest.param(kind, DType.INT16, marks=LONG) for kind in KINDS if "LSTM" not in kind),
]


@pytest.mark.parametrize(("kind", "dtype"), CASES)
@pytest.mark.parametrize("odd", ODD)
def test_what_litert_runs_is_compiled_and_computes_the_same(kind, dtype, odd):
    b = Builder(3, dtype)
    whole = b.build([KINDS[kind](b, b.input((1, 4, 8, 3), -1.0, 2.0))], kind)
    for network in spoilt(whole, odd):
        if not runs(network):
            continue
        model = writer.write(network)
        made = compiler.compile_model(schedules.schedule(model, TARGET, Options())).data
        if networks.may_be_compiled(made):
            assert proof.verify(made, model, inputs=2).holds


def test_one_weight_scale_of_zero_leaves_that_operator_to_the_cpu():
    model = need("regressions/trust/weight_scale_zero.tflite").read_bytes()
    found = schedules.schedule(model, TARGET, Options())
    (rejection,) = found.run.graph.rejections
    assert (rejection.op.op, rejection.found) == (0, "'t1' has scale 0")
    assert len(found.run.graph.ops) == 1
    verdict = proof.verify(compiler.compile_model(found).data, model)
    assert all(output.is_equal for output in verdict.outputs)
