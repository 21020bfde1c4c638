"""What operators are said to give is what they give; what a file declares otherwise is found."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.check.shapes.judge import SHAPES, verify
from core.check.shapes.types import TYPED_BY
from core.ir.constdata import ConstData
from core.ir.network import Network
from core.lower.legality.table import rules_of
from core.target.families.ethos_u55 import FAMILY
from core.tflite.reader import read
from tests.core.lower.legality.cases import GOOD, Case
from tests.networks.random_networks import FEATURED, random_network
from tests.shared import files

MODELS = files("models/*.tflite")


def network(case: Case) -> Network:
    return Network(subgraphs=(case.subgraph(),))


def found(case: Case) -> list[str]:
    return [finding.message for finding in verify(network(case))]


def test_there_is_inference_for_every_operator_that_the_npu_has():
    assert rules_of(FAMILY).keys() <= SHAPES.keys()


@pytest.mark.parametrize("kind", sorted(GOOD))
def test_an_output_of_another_shape_is_found(kind: str):
    case = GOOD[kind]
    assert found(case) == []
    for index, tensor in enumerate(case.outputs):
        for axis, dim in enumerate(tensor.shape):
            other = (*tensor.shape[:axis], dim + 1, *tensor.shape[axis + 1 :])
            said = "x".join(map(str, other)), "x".join(map(str, tensor.shape))
            assert found(case.output(index, shape=other)) == [
                f"'{tensor.name}' is declared {said[0]}, but would be {said[1]}"
            ]
        assert found(case.output(index, shape=(1, *tensor.shape)))


@pytest.mark.parametrize("seed", range(len(FEATURED)))
def test_a_sound_network_has_the_shapes_that_are_inferred(seed: int):
    """The builder finds shapes by computing arrays."""
    assert list(verify(random_network(seed))) == []


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_real_network_has_the_shapes_that_are_inferred(path):
    assert list(verify(read(path.read_bytes()))) == []


def test_what_a_file_leaves_open_is_not_held_against_it():
    case = GOOD["RESHAPE"]
    assert found(case.output(shape=(1, 8), shape_signature=(-1, 8))) == []
    assert found(case.output(shape=(1, 9), shape_signature=(-1, 9))) != []
    assert found(case.input(1, data=None).output(shape=(8, 24))) == []
    assert found(case.output(shape=())) == []


@pytest.mark.parametrize("kind", sorted(TYPED_BY.keys() & GOOD.keys()))
def test_what_computes_in_the_type_that_it_takes_gives_that_type(kind: str):
    case = GOOD[kind].output(dtype=DType.FLOAT64)
    said = GOOD[kind].outputs[0].dtype.name.lower()
    assert found(case) == [f"'y' is declared float64, but would be {said}"]


def test_one_size_may_be_what_is_left():
    case = GOOD["RESHAPE"].input(1, values=(-1, 8))
    assert found(case) == []
    assert found(case.output(shape=(8, 24))) == ["'y' is declared 8x24, but would be 24x8"]


def test_parameters_that_make_no_sense_decide_nothing():
    for kind, case in GOOD.items():
        for index, tensor in enumerate(case.inputs):
            if tensor is not None and tensor.data is not None and tensor.dtype is DType.INT32:
                array = np.full(tensor.shape, -77, np.int32)
                spoilt = case.input(index, data=ConstData.of(array))
                list(verify(network(spoilt)))
        list(verify(network(replace(case, inputs=case.inputs[:1]))))
        list(verify(network(replace(case, options=None))))
        assert kind in SHAPES
