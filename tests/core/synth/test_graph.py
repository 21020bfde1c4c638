"""What the builder promises beyond single operators: shared quantisation, names, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.errors import InternalError
from core.ir.network import Network, Quantization
from core.synth.builder import Builder
from core.synth.draws import Draws
from core.synth.folding import fold
from core.synth.graph import table
from core.synth.windows import window
from core.tflite.reader import read
from core.tflite.writer import write


def parameters(network: Network, name: str) -> Quantization:
    (found,) = (tensor for tensor in network.main.tensors if tensor.name == name)
    assert found.quantization is not None
    return found.quantization


def test_concatenated_values_share_the_range_of_the_widest():
    b = Builder(1)
    near, far = b.input((1, 4, 4, 2), -1.0, 1.0), b.input((1, 4, 4, 3), -8.0, 8.0)
    network = b.build((b.concat((near, far)),))
    assert parameters(network, "input") == parameters(network, "input_1")
    assert parameters(network, "input") == parameters(network, "concatenation")
    assert parameters(network, "input").scales[0] == pytest.approx(16 / 255, rel=0.01)


def test_sharing_reaches_through_operators_that_move_elements():
    b = Builder(1)
    narrow, broad = b.input((1, 4, 4, 2), -1.0, 1.0), b.input((1, 2, 2, 2), -8.0, 8.0)
    pooled = b.max_pool(b.reshape(narrow, (1, 4, 4, 2)), window(2, 2))
    network = b.build((b.maximum(pooled, broad),))
    assert parameters(network, "input") == parameters(network, "input_1")


def test_a_dictated_quantisation_is_converted_before_it_is_shared():
    b = Builder(1)
    x = b.input((1, 4, 4, 2), -3.0, 3.0)
    network = b.build((b.concat((b.softmax(x), x)),))
    assert [operator.kind for operator in network.main.operators] == [
        "SOFTMAX",
        "QUANTIZE",
        "CONCATENATION",
    ]
    assert parameters(network, "softmax").scales == (1 / 256,)
    assert parameters(network, "quantize") == parameters(network, "input")


def test_two_dictated_quantisations_cannot_be_one():
    b = Builder(1)
    x = b.input((1, 4, 4, 2))
    with pytest.raises(InternalError, match="dictated"):
        b.tie(b.tanh(x), b.logistic(x))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
def test_biases_are_in_steps_of_input_and_weight_scale(dtype):
    b = Builder(3, dtype)
    network = b.build((b.conv(b.input((1, 9, 9, 4)), 6, window(3)),))
    weights, bias = parameters(network, "conv_2d/weights"), parameters(network, "conv_2d/bias")
    step = parameters(network, "input").scales[0]
    assert len(weights.scales) == len(bias.scales) == 6
    assert bias.scales == pytest.approx([step * scale for scale in weights.scales])
    assert bias.zero_points == (0,) * 6
    (stored,) = (t for t in network.main.tensors if t.name == "conv_2d/bias")
    assert stored.dtype is (DType.INT64 if dtype is DType.INT16 else DType.INT32)


def test_channels_are_scaled_one_by_one_only_when_asked():
    for per_channel in (True, False):
        b = Builder(3)
        x = b.depthwise(b.input((1, 9, 9, 4)), window(3), per_channel=per_channel)
        scales = parameters(b.build((x,)), "depthwise_conv_2d/weights").scales
        assert len(set(scales)) == (4 if per_channel else 1)


def test_folding_spreads_every_channel_alike_whatever_the_sums():
    rng = np.random.default_rng(5)
    sums = rng.normal(1000.0, (30.0, 1000.0, 100.0), (500, 3))
    folding = fold(Draws(1), [sums], per_channel=True)
    spread = folding.of(sums).std(axis=0)
    assert (spread > 0.45).all()
    assert (spread < 1.55).all()
    assert np.abs(folding.of(sums).mean(axis=0)).max() < 1.0


def test_names_begin_with_the_scope_and_are_unique():
    b = Builder(3)
    x = b.input((1, 9, 9, 4))
    b.scope = "block"
    x = b.conv(b.conv(x, 4), 4)
    names = [tensor.name for tensor in b.build((x,)).main.tensors]
    assert names[0] == "input"
    assert {"block/conv_2d", "block/conv_2d_1", "block/conv_2d_1/bias"} <= set(names)


def test_ends_are_what_nobody_reads():
    b = Builder(3)
    x = b.input((1, 6, 6, 4))
    left, right = b.split(x, 2, 3)
    done = b.relu(left)
    assert {value.index for value in b.ends()} == {right.index, done.index}


def test_what_the_format_does_not_know_is_refused():
    with pytest.raises(InternalError, match="no field colour"):
        table("Conv2DOptions", {"colour": 1})
    b = Builder(3)
    x = b.input((1, 6, 6, 4))
    with pytest.raises(InternalError, match="no operator POLISH"):
        b.apply("POLISH", (x,), np.copy)
    with pytest.raises(InternalError, match="nothing is left"):
        b.slice(x, (0, 0, 0, 0), (1, 0, 6, 4))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
def test_reading_the_file_gives_the_network_back(dtype):
    b = Builder(3, dtype)
    x = b.conv(b.input((1, 9, 9, 4)), 8, window(3))
    x = b.softmax(b.fully_connected(b.add(x, b.depthwise(x, window(3))), 5))
    network = b.build((x,))
    assert read(write(network)) == network
