"""Functions of one 8-bit map are one table, passed by whichever operator is faster."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.check.npugraph import verify
from core.ir.freedoms import ALL
from core.ir.network import Network, Quantization
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import LoweringOptions, Options
from core.ir.rewritten import Rewrite, RewriteReason
from core.lower import run as lower
from core.lower.rewrites.lookup import stored_values
from core.pipeline.proof import litert
from core.pipeline.proof.simulate import CompiledModel
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import window
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from core.tflite import reader
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

ACCELERATORS = ("ethos-u55-32", "ethos-u55-64", "ethos-u55-256", "ethos-u65-512")
ALL_BYTES = (1, 4, 4, 16)


def lowered(net: Network, on: str = "ethos-u55-256", **freedoms: bool) -> NpuGraph:
    options = LoweringOptions(freedoms=replace(ALL, **freedoms))
    return lower.run(net, accelerator_named(on), options)


def kinds(graph: NpuGraph) -> list[OpKind]:
    return [op.kind for op in graph.ops]


def reasons(graph: NpuGraph, rewrite: Rewrite) -> list[RewriteReason]:
    return [tried.reason for tried in graph.rewrites if tried.rewrite is rewrite]


def swish(b: Builder, x: Value) -> Value:
    return b.mul(x, b.logistic(x))


def hard_swish_in_steps(b: Builder, x: Value) -> Value:
    gate = b.add(x, b.constant(np.array(3.0)), "RELU6")
    return b.mul(b.mul(x, gate), b.constant(np.array(1 / 6)))


def swish_after_convolution(size: int = 16) -> Network:
    b = Builder(41)
    x = b.conv(b.input((1, size, size, 8)), 16, window(3), "NONE")
    return b.build((b.conv(swish(b, x), 8),), "swish")


def differences_on_every_byte(net: Network, accelerator: str) -> int:
    """How many of the 256 results of a network of one small map differ from LiteRT's."""
    _, compiled = scheduled_and_compiled(net, resolve(accelerator), Options())
    ifm = net.main.inputs[0]
    dtype = net.main.tensors[ifm].dtype
    data = stored_values(dtype).astype(dtype.numpy).reshape(ALL_BYTES)
    made = CompiledModel.of(reader.read(compiled.data))
    result = made.run({made.network.main.inputs[0]: data})
    assert not result.faults
    expected = litert.compute(net, {ifm: data})
    ours = result.outputs[made.network.main.outputs[0]]
    return int(np.count_nonzero(ours != expected[net.main.outputs[0]]))


@pytest.mark.parametrize("accelerator", ACCELERATORS)
def test_a_swish_is_a_part_of_the_convolution_or_one_pooling(accelerator):
    net = swish_after_convolution()
    graph = lowered(net, accelerator)
    assert verify(graph) == ()
    assert kinds(graph) == [OpKind.CONV_2D, OpKind.CONV_2D]
    assert reasons(graph, Rewrite.ONE_TABLE) == [RewriteReason.CHEAPER]
    assert all(each.figure_with < each.figure_without for each in graph.rewrites)
    _, compiled = scheduled_and_compiled(net, resolve(accelerator), Options())
    assert largest_differences(net, compiled.data, range(2)) == ({}, [])


def test_without_the_freedoms_it_is_three_operators():
    graph = lowered(swish_after_convolution(), composed_tables=False, tables_by_cost=False)
    assert kinds(graph) == [OpKind.CONV_2D, OpKind.ADD, OpKind.MUL, OpKind.CONV_2D]


def test_what_others_read_as_well_stays():
    b = Builder(42)
    x = b.conv(b.input((1, 8, 8, 8)), 16, window(3), "NONE")
    gate = b.logistic(x)
    graph = lowered(b.build((b.mul(x, gate), gate), "two outputs"))
    assert OpKind.MUL in kinds(graph)


def test_16_bits_stay():
    b = Builder(43, DType.INT16)
    x = b.input((1, 8, 8, 16))
    assert OpKind.MUL in kinds(lowered(b.build((swish(b, x),), "wide")))


def test_a_product_with_one_number_stays_where_looking_up_is_slower():
    b = Builder(44)
    x = b.input(ALL_BYTES)
    graph = lowered(b.build((b.mul(x, b.constant(np.array(0.3))),), "scaled"))
    assert kinds(graph) == [OpKind.MUL]
    assert reasons(graph, Rewrite.ONE_TABLE) == [RewriteReason.NOT_CHEAPER]


@pytest.mark.parametrize(("columns", "kind"), [(1, OpKind.SUB), (64, OpKind.AVERAGE_POOL)])
def test_one_operator_of_few_elements_takes_less_than_to_bring_a_table(columns, kind):
    """As one less what a gate lets through, in each step of a recurrent network."""
    b = Builder(47)
    x = b.input((1, 1, columns, 32))
    net = b.build((b.sub(b.constant(np.array([[1.0]])), x),), "rest")
    assert kinds(lowered(net, "ethos-u55-128")) == [kind]


def test_requantisation_of_a_deep_convolution_costs_nothing():
    b = Builder(45)
    x = b.conv(b.input((1, 8, 8, 64)), 16, window(3), "NONE")
    net = b.build((b.max_pool(b.quantize(x), window(2, 2)),), "requantised")
    assert kinds(lowered(net)) == [OpKind.CONV_2D, OpKind.MAX_POOL]
    _, compiled = scheduled_and_compiled(net, resolve("ethos-u55-256"), Options())
    assert largest_differences(net, compiled.data, range(3)) == ({}, [])


@pytest.mark.parametrize("accelerator", ACCELERATORS)
@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
@pytest.mark.parametrize("function", [swish, hard_swish_in_steps])
def test_every_byte_is_what_the_reference_gives(function, dtype, accelerator):
    b = Builder(46, dtype)
    x = b.input(ALL_BYTES, -6.0, 6.0)
    net = b.build((function(b, x),), "function")
    assert len(lowered(net, accelerator).ops) == 1
    assert differences_on_every_byte(net, accelerator) == 0


_STEPS = {
    "add": lambda b, x, _: b.add(x, b.constant(np.array(1.3))),
    "subtract": lambda b, x, _: b.sub(b.constant(np.array(0.4)), x),
    "multiply": lambda b, x, _: b.mul(x, b.constant(np.array(-0.7))),
    "square": lambda b, x, _: b.mul(x, x),
    "with the first": lambda b, x, first: b.mul(x, first),
    "add the first": lambda b, x, first: b.add(x, first, "RELU6"),
    "logistic": lambda b, x, _: b.logistic(x),
    "tanh": lambda b, x, _: b.tanh(x),
    "clamp": lambda b, x, _: b.relu(x, "RELU6"),
    "requantise": lambda b, x, _: b.quantize(x),
}
_RESCALED = {"ADD", "SUB", "MUL", "QUANTIZE"}


def in_other_scales(net: Network, draw: st.DataObject) -> Network:
    """The network with outputs of arithmetic in scales and zero points that no range gives."""
    tensors = list(net.main.tensors)
    for operator in net.main.operators:
        out = operator.outputs[0]
        if operator.kind in _RESCALED:
            quant = tensors[out].quantization
            assert quant is not None
            scale = float(np.float32(quant.scales[0] * draw.draw(st.floats(0.6, 1.7))))
            zero = draw.draw(st.integers(*tensors[out].dtype.limits))
            tensors[out] = replace(
                tensors[out], quantization=Quantization(scales=(scale,), zero_points=(zero,))
            )
    return replace(net, subgraphs=(replace(net.main, tensors=tuple(tensors)),))


@settings(max_examples=60)
@given(
    steps=st.lists(st.sampled_from(sorted(_STEPS)), min_size=2, max_size=6),
    dtype=st.sampled_from([DType.INT8, DType.UINT8]),
    draw=st.data(),
)
def test_any_function_gives_every_byte_as_the_reference_does(steps, dtype, draw):
    b = Builder(draw.draw(st.integers(0, 50)), dtype)
    first = x = b.input(ALL_BYTES, -3.0, 4.0)
    for step in steps:
        x = _STEPS[step](b, x, first)
    net = in_other_scales(b.build((x,), "function"), draw)
    assert differences_on_every_byte(net, "ethos-u55-64") == 0


@pytest.mark.parametrize("accelerator", ACCELERATORS)
def test_a_pooling_passes_all_16_bits(accelerator):
    b = Builder(47, DType.INT16)
    net = b.build((b.exp(b.input((1, 64, 64, 16), -2.0, 1.0)),), "exponential")
    graph = lowered(net, accelerator)
    _, compiled = scheduled_and_compiled(net, resolve(accelerator), Options())
    ifm = net.main.inputs[0]
    data = np.arange(-(1 << 15), 1 << 15).astype(np.int16).reshape(net.main.tensors[ifm].shape)
    made = CompiledModel.of(reader.read(compiled.data))
    result = made.run({TensorId(made.network.main.inputs[0]): data})
    expected = litert.compute(net, {ifm: data})
    assert len(graph.ops) == 1
    np.testing.assert_array_equal(
        result.outputs[made.network.main.outputs[0]], expected[net.main.outputs[0]]
    )


@pytest.mark.parametrize("accelerator", ACCELERATORS)
def test_a_table_goes_across_a_reshape(accelerator):
    b = Builder(5)
    x = b.leaky_relu(b.conv(b.input((1, 16, 6, 4)), 24))
    y = b.logistic(b.reshape(x, (1, 8, 18, 16)))
    network = b.build((b.conv(y, 8),), "across")
    scheduled, compiled = scheduled_and_compiled(network, resolve(accelerator), Options())
    assert verify(scheduled.graph) == ()
    assert largest_differences(network, compiled.data, range(2)) == ({}, [])
