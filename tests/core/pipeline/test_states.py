"""States are carried from one inference to the next, as a runtime does."""

from __future__ import annotations

import numpy as np
import pytest

from core.api import compiler, proof, schedules, targets
from core.base.dtype import DType
from core.ir.network import Network
from core.ir.options import Options
from core.pipeline.proof import litert
from core.pipeline.proof.random_inputs import random_inputs
from core.pipeline.proof.simulate import CompiledModel
from core.synth.builder import Builder
from core.tflite import reader, writer


def two_in_a_row(seed: int) -> Network:
    b = Builder(seed, DType.INT8)
    first = b.lstm(b.input((1, 3 + seed % 3, 2 + seed % 7), -1.0, 2.0), 2 + seed % 11)
    return b.build([b.lstm(first, 3 + seed % 5)], "two_in_a_row")


def compiled(network: Network) -> bytes:
    target = targets.resolve_target("ethos-u55-128")
    scheduled = schedules.schedule(writer.write(network), target, Options())
    return compiler.compile_model(scheduled).data


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_two_recurrent_layers_in_a_row_hold(seed):
    network = two_in_a_row(seed)
    found = proof.verify(compiled(network), writer.write(network), inputs=5)
    assert found.holds, found.sentences()


def test_states_are_never_tried_with_fewer_than_three_inferences():
    network = two_in_a_row(1)
    found = proof.verify(compiled(network), writer.write(network), inputs=1)
    assert found.outputs[0].inputs == 3


def test_an_inference_begins_where_the_one_before_ended():
    network = two_in_a_row(4)
    made = CompiledModel.of(reader.read(compiled(network)))
    given = random_inputs(network, 0, 0)
    renamed = dict(zip(made.network.main.inputs, given.values(), strict=True))
    first, second = made.run(renamed), made.run(renamed)
    (out,) = made.network.main.outputs
    assert not np.array_equal(first.outputs[out], second.outputs[out])
    made.reset()
    assert np.array_equal(made.run(renamed).outputs[out], first.outputs[out])


def test_litert_begins_there_too():
    network = two_in_a_row(4)
    given, session = random_inputs(network, 0, 0), litert.Session(network)
    (first,), (second,) = session.run(given).values(), session.run(given).values()
    assert not np.array_equal(first, second)
    assert np.array_equal(*litert.compute(network, given).values(), first)
