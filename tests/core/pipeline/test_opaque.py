"""Operators that nobody can compute: all around them is proved, and what is not proved is said."""

from __future__ import annotations

import numpy as np
import pytest
from flatbuffers import flexbuffers

from core.api import compiler, proof, schedules, targets
from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.constdata import ConstData
from core.ir.network import Network, Operator, Tensor
from core.ir.options import Options
from core.ir.program import NpuOperation
from core.synth.builder import Builder
from core.tflite import reader, writer
from tests.core.pipeline.planted import with_operation

DECODER = "PoseDecoder"


def with_decoder(*, is_last: bool, code: str = DECODER) -> Network:
    """A convolution whose output an operator decodes that no interpreter has; like a pose network.

    Where it is not the last one, another convolution follows.
    """
    b = Builder(3, DType.INT8)
    first = b.conv(b.input((1, 8, 8, 4), -1.0, 2.0), 6)
    second = b.conv(first, 6)
    network = b.build([second], "decoded")
    graph = network.main
    tensors, ops = list(graph.tensors), list(graph.operators)
    taken = ops[0].outputs[0] if not is_last else graph.outputs[0]
    decoded = TensorId(len(tensors))
    tensors.append(replace(tensors[taken], name="decoded", data=None))
    custom = Operator(kind="CUSTOM", custom_code=code, inputs=(taken,), outputs=(decoded,))
    if is_last:
        ops, outputs = [*ops, custom], (decoded,)
    else:
        after = tuple(decoded if number == taken else number for number in ops[1].inputs)
        ops, outputs = [ops[0], custom, replace(ops[1], inputs=after), *ops[2:]], graph.outputs
    main = replace(graph, tensors=tuple(tensors), operators=tuple(ops), outputs=outputs)
    return replace(network, subgraphs=(main,))


def compiled(network: Network) -> bytes:
    target = targets.resolve_target("ethos-u55-128")
    scheduled = schedules.schedule(writer.write(network), target, Options())
    return compiler.compile_model(scheduled).data


def shifted(op: NpuOperation) -> NpuOperation:
    return replace(op, ifm=replace(op.ifm, zero_point=op.ifm.zero_point + 3))


@pytest.mark.parametrize("is_last", [True, False])
def test_all_around_it_is_proved_and_what_is_not_is_said(is_last):
    network = with_decoder(is_last=is_last)
    found = proof.verify(compiled(network), writer.write(network))
    assert found.holds, found.sentences()
    assert all(output.is_equal for output in found.outputs)
    assert any(f"what {DECODER} is given" in line for line in found.sentences())
    (note,) = found.notes
    assert note.startswith(f"not proved: {DECODER}")
    assert ("'decoded'" in note) == is_last


@pytest.mark.parametrize("stream", [0, 1])
def test_a_fault_on_either_side_of_it_is_found_and_operators_keep_their_numbers(stream):
    network = with_decoder(is_last=False)
    broken = with_operation(compiled(network), 0, shifted, stream)
    found = proof.verify(broken, writer.write(network))
    assert not found.holds
    (where,) = (output.where for output in found.outputs if output.where)
    assert where.startswith(f"first at CONV_2D {2 * stream} (")
    assert f"of operator {2 * stream})" in where


def test_another_such_operator_is_not_taken_for_it():
    network = with_decoder(is_last=True)
    other = reader.read(compiled(network))
    ops = tuple(
        replace(op, custom_options=b"other") if op.custom_code == DECODER else op
        for op in other.main.operators
    )
    changed = replace(other, subgraphs=(replace(other.main, operators=ops),))
    found = proof.verify(writer.write(changed), writer.write(network))
    assert not found.holds
    assert "custom operators" in found.faults[0]


def detector() -> Network:
    """Boxes and scores from convolutions, and the post-processing that LiteRT has, on the CPU."""
    b = Builder(5, DType.INT8)
    features = b.conv(b.input((1, 4, 4, 4), -1.0, 2.0), 8)
    boxes = b.reshape(b.conv(features, 4, activation="NONE"), (1, 16, 4))
    scores = b.reshape(b.conv(features, 3), (1, 16, 3))
    real = [b.convert("DEQUANTIZE", value, DType.FLOAT32) for value in (boxes, scores)]
    network = b.build(real, "detector")
    graph, anchors = network.main, np.random.default_rng(1).random((16, 4)).astype(np.float32)
    places = [TensorId(len(graph.tensors) + number) for number in range(5)]
    made = (("boxes", (1, 5, 4)), ("classes", (1, 5)), ("scores", (1, 5)), ("count", (1,)))
    tensors = [Tensor(name=name, shape=shape, dtype=DType.FLOAT32) for name, shape in made]
    tensors.append(
        Tensor(name="anchors", shape=(16, 4), dtype=DType.FLOAT32, data=ConstData.of(anchors))
    )
    options = {"max_detections": 5, "max_classes_per_detection": 1, "num_classes": 2}
    factors = {"y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}
    limits = {"nms_score_threshold": 0.1, "nms_iou_threshold": 0.6, "use_regular_nms": False}
    custom = Operator(
        kind="CUSTOM",
        custom_code="TFLite_Detection_PostProcess",
        inputs=(*graph.outputs, places[4]),
        outputs=tuple(places[:4]),
        custom_options=bytes(flexbuffers.Dumps(options | factors | limits)),
    )
    main = replace(
        graph,
        tensors=(*graph.tensors, *tensors),
        operators=(*graph.operators, custom),
        outputs=tuple(places[:4]),
    )
    return replace(network, subgraphs=(main,))


def test_a_detector_is_proved_to_its_end_by_litert_s_own_post_processing():
    network = detector()
    found = proof.verify(compiled(network), writer.write(network))
    assert found.holds, found.sentences()
    assert [output.name for output in found.outputs] == ["boxes", "classes", "scores", "count"]
    assert found.notes == ()
