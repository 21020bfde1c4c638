"""Each builder method against LiteRT: the file computes what the float reference computed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from ai_edge_litert.interpreter import OpResolverType

from core.base.dtype import DType
from core.synth import ranges
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.resizing import Corners
from core.synth.windows import window
from tests.core.synth.oracle import assert_well_formed, execute

I8, U8, I16 = DType.INT8, DType.UINT8, DType.INT16
ALL, EIGHT, SIGNED = (I8, U8, I16), (I8, U8), (I8, I16)

Make = Callable[[Builder], Value | tuple[Value, ...]]


def image(b: Builder, height: int = 7, width: int = 9, depth: int = 12) -> Value:
    return b.input((1, height, width, depth))


def wide(b: Builder) -> Value:
    return b.input((1, 7, 9, 12), -4.0, 5.0)


def other(b: Builder) -> Value:
    return b.input((1, 7, 9, 12), -3.0, 1.0)


def positive(b: Builder) -> Value:
    return b.input((1, 5, 5, 3), 0.5, 9.0)


BORDERS = ((0, 0), (1, 2), (0, 3), (0, 0))

CASES: dict[str, tuple[tuple[DType, ...], Make]] = {
    "conv, stride": (ALL, lambda b: b.conv(image(b), 10, window((3, 2), (2, 1)))),
    "conv, dilation": (ALL, lambda b: b.conv(image(b), 10, window(3, 1, 2), "RELU6")),
    "conv, valid": (
        ALL,
        lambda b: b.conv(image(b), 10, window(3, 2, same=False), "NONE", per_channel=False),
    ),
    "depthwise": (ALL, lambda b: b.depthwise(image(b), window(3, 2))),
    "depthwise, many": (ALL, lambda b: b.depthwise(image(b), window(3, 1, 2), multiplier=3)),
    "fully connected": (ALL, lambda b: b.fully_connected(image(b), 20)),
    "fully connected, per channel": (
        SIGNED,
        lambda b: b.fully_connected(image(b), 20, "RELU", per_channel=True),
    ),
    "transpose conv": (ALL, lambda b: b.transpose_conv(image(b), 6)),
    "transpose conv, overlap": (ALL, lambda b: b.transpose_conv(image(b), 6, window(3, 2))),
    "transpose conv, valid": (
        ALL,
        lambda b: b.transpose_conv(image(b), 6, window(3, 2, same=False)),
    ),
    "transpose conv, stride 1": (ALL, lambda b: b.transpose_conv(image(b), 6, window((4, 2)))),
    "transpose conv, gaps": (
        (I8,),
        lambda b: b.transpose_conv(image(b), 6, window(1, 2, same=False)),
    ),
    "batch matmul": (SIGNED, lambda b: b.batch_matmul(b.input((2, 7, 9)), b.input((2, 9, 5)))),
    "add": (ALL, lambda b: b.add(image(b), other(b), "RELU")),
    "add, channels": (ALL, lambda b: b.add(image(b), b.input((1, 1, 1, 12), -3.0, 1.0))),
    "add, constant": (ALL, lambda b: b.add(image(b), b.constant(np.array(0.5)))),
    "sub": (ALL, lambda b: b.sub(image(b), other(b), "RELU_N1_TO_1")),
    "mul": (ALL, lambda b: b.mul(image(b), other(b))),
    "squared difference": ((I8,), lambda b: b.squared_difference(image(b), other(b))),
    "minimum": (ALL, lambda b: b.minimum(image(b), other(b))),
    "maximum": (ALL, lambda b: b.maximum(image(b), other(b))),
    "relu": (ALL, lambda b: b.relu(wide(b))),
    "relu 6": (ALL, lambda b: b.relu(b.input((1, 5, 5, 3), -4.0, 9.0), "RELU6")),
    "relu -1..1": (EIGHT, lambda b: b.relu(wide(b), "RELU_N1_TO_1")),
    "relu 0..1": (EIGHT, lambda b: b.relu(wide(b), "RELU_0_TO_1")),
    "logistic": (ALL, lambda b: b.logistic(wide(b))),
    "tanh": (ALL, lambda b: b.tanh(wide(b))),
    "hard swish": (EIGHT, lambda b: b.hard_swish(wide(b))),
    "leaky relu": (ALL, lambda b: b.leaky_relu(wide(b), 0.2)),
    "prelu": (EIGHT, lambda b: b.prelu(wide(b))),
    "gelu": (ALL, lambda b: b.gelu(wide(b))),
    "exp": (SIGNED, lambda b: b.exp(b.input((1, 5, 5, 3), -4.0, 2.0))),
    "log": (SIGNED, lambda b: b.log(positive(b))),
    "rsqrt": (SIGNED, lambda b: b.rsqrt(positive(b))),
    "abs": (SIGNED, lambda b: b.abs(image(b))),
    "softmax": (ALL, lambda b: b.softmax(wide(b), 0.7)),
    "quantize": (ALL, lambda b: b.quantize(b.relu(wide(b)))),
    "quantize to 16": (ALL, lambda b: b.quantize(image(b), I16)),
    "quantize to 8": (ALL, lambda b: b.quantize(image(b), I8)),
    "quantize to unsigned": (EIGHT, lambda b: b.quantize(image(b), U8)),
    "reshape": (ALL, lambda b: b.reshape(image(b), (1, 63, 12))),
    "expand dims": (ALL, lambda b: b.expand_dims(image(b), 1)),
    "squeeze": (ALL, lambda b: b.squeeze(b.input((1, 1, 4, 5)), (1,))),
    "transpose": (ALL, lambda b: b.transpose(image(b), (0, 2, 3, 1))),
    "tile": (ALL, lambda b: b.tile(image(b), (1, 2, 1, 3))),
    "reverse": (ALL, lambda b: b.reverse(image(b), (1,))),
    "pad": (ALL, lambda b: b.pad(image(b), ((0, 0), (1, 2), (0, 3), (2, 1)))),
    "pad with": (ALL, lambda b: b.pad_with(image(b), BORDERS, -0.5)),
    "mirror pad": (ALL, lambda b: b.mirror_pad(image(b), BORDERS)),
    "mirror pad, edge": (ALL, lambda b: b.mirror_pad(image(b), BORDERS, "SYMMETRIC")),
    "concat": (ALL, lambda b: b.concat((image(b), b.input((1, 7, 9, 5), -3.0, 1.0)))),
    "concat, dictated": (ALL, lambda b: b.concat((image(b), b.logistic(wide(b))), 1)),
    "pack": (ALL, lambda b: b.pack((image(b), other(b)), 1)),
    "unpack": (ALL, lambda b: b.unpack(image(b), 1)),
    "split": (ALL, lambda b: b.split(image(b), 3, 3)),
    "split by": (ALL, lambda b: b.split_by(image(b), (5, 4, 3), 3)),
    "slice": (ALL, lambda b: b.slice(image(b), (0, 1, 2, 3), (1, 4, 5, 6))),
    "strided slice": (
        ALL,
        lambda b: b.strided_slice(image(b), (0, 1, 2, 3), (1, 6, 8, 9), (1, 2, 3, 1)),
    ),
    "max pool": (ALL, lambda b: b.max_pool(image(b), window((3, 2), 2))),
    "max pool, valid": (ALL, lambda b: b.max_pool(image(b), window(3, same=False), "RELU")),
    "avg pool": (ALL, lambda b: b.avg_pool(image(b), window(3, 2))),
    "avg pool, valid": (
        ALL,
        lambda b: b.avg_pool(image(b), window((2, 3), (2, 1), same=False), "RELU"),
    ),
    "mean": (ALL, lambda b: b.mean(image(b))),
    "mean of rows": (ALL, lambda b: b.mean(image(b), (1,), keep=False)),
    "sum": ((U8,), lambda b: b.sum(image(b), (3,))),
    "reduce max": (ALL, lambda b: b.reduce_max(image(b), (3,))),
    "reduce min": (ALL, lambda b: b.reduce_min(image(b), (1,), keep=False)),
    "argmax": (EIGHT, lambda b: b.argmax(image(b))),
    "nearest": (ALL, lambda b: b.resize_nearest(image(b), (14, 18))),
    "nearest, aligned": (ALL, lambda b: b.resize_nearest(image(b), (13, 17), Corners.ALIGNED)),
    "nearest, half": (ALL, lambda b: b.resize_nearest(image(b), (14, 18), Corners.HALF_PIXEL)),
    "bilinear": (ALL, lambda b: b.resize_bilinear(image(b), (28, 36))),
    "bilinear, aligned": (ALL, lambda b: b.resize_bilinear(image(b), (13, 17), Corners.ALIGNED)),
    "bilinear, half": (ALL, lambda b: b.resize_bilinear(image(b), (14, 18), Corners.HALF_PIXEL)),
    "lstm": ((I8,), lambda b: b.lstm(b.input((1, 8, 12)), 10)),
    "gather": (ALL, lambda b: b.gather(image(b), (3, 1, 2, 0, 4), 3)),
    "space to depth": (EIGHT, lambda b: b.space_to_depth(image(b, 8, 10))),
    "float island": (ALL, lambda b: b.float_cosine(image(b))),
}

RUNS = [(name, dtype) for name, (dtypes, _) in CASES.items() for dtype in dtypes]


def assert_computes(make: Make, dtype: DType, resolver: OpResolverType) -> None:
    b = Builder(7, dtype)
    made = make(b)
    outputs = made if isinstance(made, tuple) else (made,)
    network = b.build(outputs)
    assert_well_formed(network)
    tensors = [network.main.tensors[index] for index in network.main.inputs]
    feeds = [
        ranges.quantized(b.samples(value)[0], tensor.dtype, tensor.quantization)
        for value, tensor in zip(b.inputs, tensors, strict=True)
    ]
    run = execute(network, feeds, resolver)
    for output in outputs:
        found, wanted = run.real(output.index), b.samples(output)[0]
        assert found.shape == wanted.shape == output.shape
        extent = np.ptp(wanted)
        assert extent > 0
        # Inputs are rounded to an eighth of a percent or two of their range; kernels add to that.
        assert np.abs(found - wanted).max() < 0.03 * extent
        assert np.corrcoef(found.ravel(), wanted.ravel())[0, 1] > 0.998


@pytest.mark.parametrize(("name", "dtype"), RUNS, ids=[f"{n}-{d.name}" for n, d in RUNS])
def test_the_file_computes_what_the_builder_saw(name, dtype):
    assert_computes(CASES[name][1], dtype, OpResolverType.BUILTIN_REF)


def test_elu_computes_too_though_no_reference_kernel_is_registered():
    assert_computes(lambda b: b.elu(wide(b)), I8, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
