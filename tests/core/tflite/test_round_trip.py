"""Reading and writing undo each other, and a rewritten file computes what the original does."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import tflite
from hypothesis import given

from core.base.digest import digest
from core.base.frozen import replace
from core.check.network import verify
from core.ir.network import Network
from core.tflite.reader import read
from core.tflite.writer import write
from tests.core.tflite.interpreter import computed
from tests.core.tflite.networks import many_parts, networks
from tests.shared import files, need

MODELS = files("models/*.tflite")


@given(networks())
def test_any_network_survives_a_file(network):
    data = write(network)
    again = read(data)
    assert again == network
    assert digest(again) == digest(network)
    assert write(again) == data


def test_a_network_with_something_of_everything_survives_a_file():
    assert read(write(many_parts())) == many_parts()


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_a_real_network_survives_a_file(model):
    network = read(need(model).read_bytes())
    data = write(network)
    assert read(data) == network
    assert write(read(data)) == data


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_litert_computes_the_same_from_a_rewritten_file(model):
    original = need(model).read_bytes()
    network = read(original)
    if verify(network):
        original, network = mended_bytes(original), mended(network)
    count = len(network.main.tensors)
    rewritten = computed(write(network), 7, count)
    for tensor, expected in computed(original, 7, count).items():
        np.testing.assert_array_equal(rewritten[tensor], expected, f"tensor {tensor}")


def mended(network: Network) -> Network:
    """The network with axis 0 wherever a quantisation names one that the shape does not have."""
    tensors = tuple(
        replace(tensor, quantization=replace(tensor.quantization, axis=0))
        if tensor.quantization and tensor.quantization.axis >= max(len(tensor.shape), 1)
        else tensor
        for tensor in network.main.tensors
    )
    main = replace(network.main, tensors=tensors)
    return replace(network, subgraphs=(main, *network.subgraphs[1:]))


def mended_bytes(data: bytes) -> bytes:
    """The same in the file itself, found by the bindings instead of our reader."""
    copy = bytearray(data)
    graph = tflite.Model.GetRootAs(copy).Subgraphs(0)
    for index in range(graph.TensorsLength()):
        tensor = graph.Tensors(index)
        quantization = tensor.Quantization()
        if quantization and quantization.QuantizedDimension() >= max(tensor.ShapeLength(), 1):
            table = quantization._tab
            struct.pack_into("<i", copy, table.Pos + table.Offset(16), 0)
    return bytes(copy)
