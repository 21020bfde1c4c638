"""A sound network has no finding; each way to spoil it has exactly the finding that names it."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.check.finding import Finding
from core.check.network import verify
from core.ir.constdata import ConstData
from core.ir.network import Network, Operator, Quantization, Subgraph, Table, Tensor
from core.tflite.reader import read
from tests.shared import files, need

MODELS = files("models/*.tflite")
MALFORMED = {"person_detect": 14}
"""LiteRT refuses this one too: 14 biases are quantised along axis 3, and have one axis."""


def constant(shape: tuple[int, ...]) -> ConstData:
    return ConstData.of(np.ones(shape, np.int8))


def tensor(name: str, shape: tuple[int, ...] = (1, 4), **fields) -> Tensor:
    return Tensor(**{"name": name, "shape": shape, "dtype": DType.INT8, **fields})


def operator(inputs: tuple, outputs: tuple, **fields) -> Operator:
    return Operator(**{"kind": "ADD", "inputs": inputs, "outputs": outputs, **fields})


TENSORS = (
    tensor("in"),
    tensor("weights", data=constant((1, 4))),
    tensor("middle"),
    tensor("out"),
    tensor("state", is_variable=True),
)
OPERATORS = (operator((0, 1), (2,)), operator((2, None, 4), (3,)))


def network(*, tensors=TENSORS, operators=OPERATORS, inputs=(0,), outputs=(3,), **fields):
    graph = Subgraph(name="", tensors=tensors, operators=operators, inputs=inputs, outputs=outputs)
    return Network(subgraphs=(graph,), **fields)


def with_tensor(index: int, **fields) -> Network:
    tensors = list(TENSORS)
    tensors[index] = replace(tensors[index], **fields)
    return network(tensors=tuple(tensors))


def quantized(**fields) -> Network:
    return with_tensor(1, quantization=Quantization(**fields))


def signed(**fields) -> Network:
    return network(signatures=(Table(kind="SignatureDef", fields=tuple(fields.items())),))


def called(index: int) -> Network:
    options = Table(kind="IfOptions", fields=(("then_subgraph_index", index),))
    return network(operators=(OPERATORS[0], replace(OPERATORS[1], options=options)))


ENTRY = Table(kind="TensorMap", fields=(("name", "x"), ("tensor_index", 5)))

SOUND = {
    "plain": network(),
    "per axis": quantized(scales=(1.0,) * 4, zero_points=(0,) * 4, axis=1),
    "one zero point for all": quantized(scales=(1.0,) * 4, zero_points=(0,), axis=1),
    "per tensor": quantized(scales=(1.0,), zero_points=(3,)),
    "scalar": with_tensor(1, shape=(), data=constant(()), quantization=Quantization(scales=(1.0,))),
    "minimum only": quantized(minimum=(0.0,), maximum=(1.0,)),
    "packed": with_tensor(
        1, dtype=DType.INT4, shape=(3,), data=ConstData.of(np.zeros(2, np.uint8))
    ),
    "sparse": with_tensor(
        1, sparsity=Table(kind="SparsityParameters"), data=ConstData.of(np.zeros(2, np.uint8))
    ),
    "strings": with_tensor(1, dtype=DType.STRING, data=ConstData.of(np.zeros(9, np.uint8))),
    "dynamic": with_tensor(0, shape_signature=(-1, 4)),
    "no branch": called(-1),
    "call": called(0),
    "working memory": network(
        tensors=(*TENSORS, tensor("scratch")),
        operators=(*OPERATORS, operator((5,), (), kind="CUSTOM", custom_code="mine")),
    ),
    "signed": signed(inputs=(), subgraph_index=0),
}

SPOILT = {
    "no subgraph": (Network(subgraphs=()), "network", "no subgraph"),
    "negative dimension": (with_tensor(2, shape=(1, -4)), "subgraph 0, tensor 2 'middle'", "-4"),
    "constant too small": (
        with_tensor(1, data=constant((1, 3))),
        "subgraph 0, tensor 1 'weights'",
        "holds 3 bytes, where int8 of shape (1, 4) takes 4",
    ),
    "constant of another shape": (
        with_tensor(1, data=constant((2, 2))),
        "subgraph 0, tensor 1 'weights'",
        "of shape (2, 2), not int8 of shape (1, 4)",
    ),
    "constant of another type": (
        with_tensor(1, data=ConstData.of(np.zeros((1, 4), np.uint8))),
        "subgraph 0, tensor 1 'weights'",
        "holds uint8",
    ),
    "signature of another rank": (
        with_tensor(0, shape_signature=(-1,)),
        "subgraph 0, tensor 0 'in'",
        "rank",
    ),
    "scales": (
        quantized(scales=(1.0,) * 3, axis=1),
        "subgraph 0, tensor 1 'weights'",
        "3 scales for 4 slices of axis 1",
    ),
    "zero points": (
        quantized(scales=(1.0,), zero_points=(0,) * 4, axis=1),
        "subgraph 0, tensor 1 'weights'",
        "4 zero points for 1 scales",
    ),
    "axis": (quantized(scales=(1.0,), axis=2), "subgraph 0, tensor 1 'weights'", "axis 2"),
    "negative axis": (quantized(scales=(1.0,), axis=-1), "subgraph 0, tensor 1 'weights'", "-1"),
    "scale below zero": (quantized(scales=(-1.0,)), "subgraph 0, tensor 1 'weights'", "negative"),
    "scale without end": (quantized(scales=(np.inf,)), "subgraph 0, tensor 1 'weights'", "finite"),
    "scale that is none": (quantized(scales=(np.nan,)), "subgraph 0, tensor 1 'weights'", "finite"),
    "input out of range": (
        network(operators=(operator((0, 5), (2,)), OPERATORS[1])),
        "subgraph 0, operator 0 ADD, inputs",
        "no tensor 5; the subgraph has 5",
    ),
    "output out of range": (
        network(operators=(*OPERATORS, operator((0,), (9,)))),
        "subgraph 0, operator 2 ADD, outputs",
        "no tensor 9",
    ),
    "intermediate out of range": (
        network(operators=(OPERATORS[0], operator((2,), (3,), intermediates=(None, -3)))),
        "subgraph 0, operator 1 ADD, intermediates",
        "no tensor -3",
    ),
    "input of the subgraph out of range": (
        network(inputs=(0, 7)),
        "subgraph 0, inputs",
        "no tensor 7",
    ),
    "output of the subgraph out of range": (
        network(outputs=(3, 7)),
        "subgraph 0, outputs",
        "no tensor 7",
    ),
    "input listed twice": (
        network(inputs=(0, 0)),
        "subgraph 0, inputs",
        "tensor 0 is listed 2 times",
    ),
    "output listed twice": (
        network(operators=(OPERATORS[0], operator((2,), (3, 3)))),
        "subgraph 0, operator 1 ADD, outputs",
        "tensor 3 is listed 2 times",
    ),
    "marks of change": (
        network(operators=(OPERATORS[0], operator((2,), (3,), mutating_inputs=(True, False)))),
        "subgraph 0, operator 1 ADD",
        "2 marks of change for 1 inputs",
    ),
    "constant as input": (network(inputs=(0, 1)), "subgraph 0, inputs", "tensor 1 is a constant"),
    "order": (
        network(operators=OPERATORS[::-1]),
        "subgraph 0, operator 0 ADD",
        "reads tensor 2 before operator 1 writes it",
    ),
    "cycle": (
        network(operators=(operator((0, 3), (2,)), OPERATORS[1])),
        "subgraph 0, operator 0 ADD",
        "reads tensor 3 before operator 1 writes it",
    ),
    "own output": (
        network(operators=(operator((0, 2), (2,)), OPERATORS[1])),
        "subgraph 0, operator 0 ADD",
        "reads tensor 2 before operator 0 writes it",
    ),
    "nothing writes": (
        network(tensors=(*TENSORS, tensor("loose")), operators=(*OPERATORS, operator((5,), ()))),
        "subgraph 0, operator 2 ADD",
        "reads tensor 5, which nothing writes",
    ),
    "custom operator too early": (
        network(operators=(operator((2,), (), kind="CUSTOM", custom_code="mine"), *OPERATORS)),
        "subgraph 0, operator 0 mine",
        "reads tensor 2 before operator 1 writes it",
    ),
    "two producers": (
        network(operators=(*OPERATORS, operator((0,), (2,)))),
        "subgraph 0, operator 2 ADD",
        "writes tensor 2, which is already written by operator 0",
    ),
    "input written": (
        network(operators=(*OPERATORS, operator((2,), (0,)))),
        "subgraph 0, operator 2 ADD",
        "writes tensor 0, which is already an input of the subgraph",
    ),
    "constant written": (
        network(operators=(*OPERATORS, operator((2,), (1,)))),
        "subgraph 0, operator 2 ADD",
        "writes tensor 1, which is a constant",
    ),
    "the first tensor, a constant, written": (
        network(
            tensors=(tensor("in", data=constant((1, 4))), *TENSORS[1:]),
            operators=(*OPERATORS, operator((2,), (0,))),
            inputs=(),
        ),
        "subgraph 0, operator 2 ADD",
        "writes tensor 0, which is a constant",
    ),
    "output that nothing produces": (
        network(tensors=(*TENSORS, tensor("loose")), outputs=(3, 5)),
        "subgraph 0, outputs",
        "nothing produces tensor 5",
    ),
    "call out of range": (called(1), "subgraph 0, operator 1 ADD", "calls subgraph 1"),
    "signature of no subgraph": (signed(subgraph_index=1), "signature 0", "no subgraph 1"),
    "signature of no tensor": (
        signed(outputs=(ENTRY,)),
        "signature 0, outputs",
        "no tensor 5 in subgraph 0",
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_network_has_no_finding(name):
    assert verify(SOUND[name]) == ()


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_network_has_the_one_finding_that_says_how(name):
    spoilt, where, words = SPOILT[name]
    findings = verify(spoilt)
    assert [finding.where for finding in findings] == [where]
    assert words in findings[0].message


def test_a_finding_prints_as_one_line():
    assert str(Finding("subgraph 0", "is odd")) == "subgraph 0: is odd"


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_real_networks_are_sound(model):
    findings = verify(read(need(model).read_bytes()))
    assert len(findings) == MALFORMED.get(model.stem, 0)
