"""Sums of 16-bit inputs: LiteRT goes by the type of bias that the options name, and so do we."""

from __future__ import annotations

import pytest

from core.api import compiler, proof, schedules, targets
from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.network import Network
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.pipeline.proof import litert
from core.synth.builder import Builder
from core.synth.windows import window
from core.tflite import writer
from tests.shared import need

KINDS = {
    "CONV_2D": lambda b, x, sums: b.conv(x, 32, window(3), "NONE", sums=sums),
    "1x1 CONV_2D": lambda b, x, sums: b.conv(b.mean(x, (1, 2), keep=True), 96, sums=sums),
    "CONV_2D in steps": lambda b, x, sums: b.conv(x, 24, window(1, stride=5), sums=sums),
    "TRANSPOSE_CONV": lambda b, x, sums: b.transpose_conv(x, 8, sums=sums),
    "FULLY_CONNECTED": lambda b, x, sums: b.fully_connected(b.reshape(x, (64, 12)), 32, sums=sums),
    "DEPTHWISE_CONV_2D": lambda b, x, _: b.depthwise(x, window(3), "NONE"),
}
TYPES = (None, DType.INT32, DType.INT64)
TARGET = targets.resolve_target("ethos-u55-128")


def network(what: str, named: DType | None, bias: DType | None) -> Network:
    """One operator whose options name a type of bias, and whose bias has another, or none."""
    b = Builder(3, DType.INT16)
    made = b.build([KINDS[what](b, b.input((1, 8, 8, 12), -1.0, 2.0), named)], what)
    op, tensors = made.main.operators[-1], list(made.main.tensors)
    given = op.inputs[-1]
    if bias is None:
        op = replace(op, inputs=op.inputs[:-1])
    else:
        stored = ConstData.of(tensors[given].data.array.astype(bias.numpy))
        tensors[given] = replace(tensors[given], dtype=bias, data=stored)
    operators = (*made.main.operators[:-1], op)
    graph = replace(made.main, tensors=tuple(tensors), operators=operators)
    return replace(made, subgraphs=(graph,))


def runs(net: Network) -> bool:
    """Whether LiteRT takes it."""
    try:
        litert.Session(net)
    except InputError:
        return False
    return True


def scheduled(net: Network) -> Scheduled:
    return schedules.schedule(writer.write(net), TARGET, Options())


@pytest.mark.parametrize("what", KINDS)
@pytest.mark.parametrize("named", TYPES)
@pytest.mark.parametrize("bias", TYPES)
def test_what_litert_defines_is_on_the_npu_and_computes_the_same(what, named, bias):
    net = network(what, named, bias)
    found = scheduled(net)
    reads = DType.INT64 if what == "DEPTHWISE_CONV_2D" else named or DType.INT64
    rejected = [item.found for item in found.run.graph.rejections]
    if bias not in {None, reads}:
        (text,) = rejected
        assert text.endswith(f"is {bias.name.lower()}, LiteRT reads {reads.name.lower()}")
        return
    assert rejected == []
    if runs(net):
        verdict = proof.verify(compiler.compile_model(found).data, writer.write(net))
        assert verdict.holds
        is_known = what == "FULLY_CONNECTED" and reads is DType.INT64
        assert verdict.outputs[0].is_equal is not is_known


def test_what_interpreters_read_differently_is_told_beside_the_proof():
    right, wrong = (
        writer.write(network("CONV_2D", named, DType.INT32)) for named in (DType.INT32, None)
    )
    made = compiler.compile_model(schedules.schedule(right, TARGET, Options())).data
    found = proof.verify(made, wrong, inputs=1)
    assert not found.holds
    (note,) = found.notes
    assert note == (
        "CONV_2D 0: LiteRT reads its bias 'conv_2d/bias' of 32 bits as one of 64, since the options"
        " do not name its type; TensorFlow Lite Micro reads 32"
    )
    assert proof.verify(made, right, inputs=1).notes == ()


def test_a_convolution_that_names_32_bits_is_rounded_twice_as_litert_does():
    model = need("regressions/trust/conv_16x8_bias32.tflite").read_bytes()
    made = compiler.compile_model(schedules.schedule(model, TARGET, Options())).data
    (output,) = proof.verify(made, model).outputs
    assert output.is_equal
