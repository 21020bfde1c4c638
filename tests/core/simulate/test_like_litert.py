"""A file that the ecosystem's compiler made computes what LiteRT computes of its original."""

from itertools import groupby

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.network import Network, Operator, Quantization, Subgraph, Tensor
from core.ir.program import DmaTransfer, NpuOperation, Wait
from core.pipeline.proof import litert
from core.pipeline.proof.simulate import CompiledModel
from core.simulate.curves import sigmoid, tanh
from core.simulate.faults import FaultKind
from core.tflite import reader
from tests.shared import need


@pytest.fixture(scope="module")
def original():
    return reader.read_file(need("models/person_detect.tflite"))


@pytest.fixture(scope="module")
def compiled():
    return CompiledModel.of(reader.read_file(need("peer/compiled/person_detect_vela.tflite")))


def picture(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-128, 128, (1, 96, 96, 1), np.int8)


@pytest.mark.parametrize("seed", range(3))
def test_person_detect_is_equal_to_the_last_bit(original, compiled, seed):
    kept = litert.compute(original, {original.main.inputs[0]: picture(seed)}, keep_all=True)
    made = []
    result = compiled.run(
        {compiled.network.main.inputs[0]: picture(seed)},
        watch=lambda _part, _position, operation, values: made.append((operation.job, values)),
    )
    assert result.faults == ()
    (got,), (number,) = result.outputs.values(), original.main.outputs
    assert got.tobytes() == kept[number].tobytes()
    # Depth slices follow each other, so that every map of the network can be put together.
    written = {
        np.concatenate([values for _, values in group], axis=2).tobytes()
        for _, slices in groupby(made, key=lambda item: (item[0], item[1].shape[:2]))
        for group in [list(slices)]
    }
    for op in original.main.operators:
        assert all(kept[number].tobytes() in written for number in op.outputs), op.kind


@pytest.mark.parametrize(("kind", "curve"), [("LOGISTIC", sigmoid), ("TANH", tanh)])
def test_curves_of_16_bits_are_those_of_the_operators(kind, curve):
    # A scale at which the operator's own multiplier is exactly 4.
    values = np.arange(-(1 << 15), 1 << 15, dtype=np.int16).reshape(1, -1)
    network = of_one_operator(kind, values.shape, 1.000001 / 3072)
    expected = litert.compute(network, {TensorId(0): values})[TensorId(1)]
    got = np.clip(curve(4 * values.astype(np.int64)), -(1 << 15), (1 << 15) - 1)
    assert np.array_equal(got, expected)


def of_one_operator(kind: str, shape: tuple[int, ...], scale: float) -> Network:
    tensors = tuple(
        Tensor(
            name=name,
            shape=shape,
            dtype=DType.INT16,
            quantization=Quantization(scales=(scale,), zero_points=(0,)),
        )
        for name, scale in (("given", scale), ("made", 2**-15))
    )
    given, made = TensorId(0), TensorId(1)
    op = Operator(kind=kind, inputs=(given,), outputs=(made,), version=3)
    graph = Subgraph(name="", tensors=tensors, operators=(op,), inputs=(given,), outputs=(made,))
    return Network(subgraphs=(graph,))


def test_a_missing_wait_is_found(compiled):
    part = compiled.program.parts[0]
    commands = [item for item in part.stream.commands if not isinstance(item, Wait)]
    faults = faults_of(compiled, commands)
    assert {fault.kind for fault in faults} == {FaultKind.HAZARD}


def test_a_map_that_is_written_elsewhere_is_missed(compiled):
    commands = list(compiled.program.parts[0].stream.commands)
    position, first = next(
        (n, item) for n, item in enumerate(commands) if isinstance(item, NpuOperation)
    )
    moved = replace(first.ofm, bases=(first.ofm.bases[0] + 16, 0, 0, 0))
    commands[position] = replace(first, ofm=moved)
    assert FaultKind.NEVER_WRITTEN in {fault.kind for fault in faults_of(compiled, commands)}


def test_weights_that_were_never_brought_are_found(compiled):
    commands = list(compiled.program.parts[0].stream.commands)
    commands.remove(next(item for item in commands if isinstance(item, DmaTransfer)))
    assert FaultKind.NEVER_WRITTEN in {fault.kind for fault in faults_of(compiled, commands)}


def faults_of(model, commands):
    """The faults of a program with other commands."""
    part = model.program.parts[0]
    stream = replace(part.stream, commands=tuple(commands), positions=())
    program = replace(model.program, parts=(replace(part, stream=stream),))
    result = CompiledModel(model.network, program).run({model.network.main.inputs[0]: picture(0)})
    return [fault for _, fault in result.faults]
