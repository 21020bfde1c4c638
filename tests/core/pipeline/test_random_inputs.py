"""Random inputs: the full range where any value is valid, and valid ones where not."""

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.ids import TensorId
from core.ir.network import Network, Operator, Quantization, Subgraph, Table, Tensor
from core.pipeline.proof.random_inputs import MOST_INPUTS, random_inputs, usual_count


def tensor(name: str, dtype: DType, *shape: int, scale: float = 0.0, zero: int = 0) -> Tensor:
    given = Quantization(scales=(scale,), zero_points=(zero,)) if scale else None
    return Tensor(name=name, shape=shape, dtype=dtype, quantization=given)


def network(tensors: list[Tensor], *operators: Operator, inputs: int = 1) -> Network:
    graph = Subgraph(
        name="",
        tensors=tuple(tensors),
        operators=operators,
        inputs=tuple(TensorId(number) for number in range(inputs)),
        outputs=(),
    )
    return Network(subgraphs=(graph,))


def operator(kind: str, inputs: list[int], output: int, options: Table | None = None) -> Operator:
    return Operator(
        kind=kind,
        inputs=tuple(TensorId(number) for number in inputs),
        outputs=(TensorId(output),),
        options=options,
    )


def drawn(made: Network, seed: int = 0, number: int = 0) -> np.ndarray:
    return random_inputs(made, seed, number)[TensorId(0)]


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
def test_quantised_inputs_have_their_full_range(dtype):
    values = drawn(network([tensor("x", dtype, 1 << 20, scale=0.1)]))
    assert values.dtype == np.dtype(dtype.numpy)
    assert (values.min(), values.max()) == dtype.limits


def test_the_same_seed_and_number_give_the_same_values_and_others_do_not():
    made = network([tensor("x", DType.INT8, 4, 25, scale=0.1)])
    first = drawn(made, 3, 1)
    assert first.shape == (4, 25)
    assert np.array_equal(first, drawn(made, 3, 1))
    assert not np.array_equal(first, drawn(made, 3, 2))
    assert not np.array_equal(first, drawn(made, 4, 1))


def test_real_numbers_are_those_that_the_quantisation_behind_them_can_hold():
    tensors = [
        tensor("x", DType.FLOAT32, 10_000),
        tensor("q", DType.INT8, 10_000, scale=0.5, zero=28),
    ]
    values = drawn(network(tensors, operator("QUANTIZE", [0], 1)))
    assert values.dtype == np.float32
    assert -78 <= values.min() < -70
    assert 42 < values.max() <= 49.5


def test_wide_integers_stay_where_sums_and_products_do_not_overflow():
    values = drawn(network([tensor("x", DType.INT64, 10_000)])).astype(object)
    assert max(abs(values)) ** 2 < 1 << 31
    assert max(values) > 1000


@pytest.mark.parametrize(
    ("kind", "inputs", "axis", "places"),
    [
        ("GATHER", [1, 0], 0, 7),
        ("GATHER", [1, 0], 1, 5),
        ("GATHER", [1, 0], -1, 3),
        ("EMBEDDING_LOOKUP", [0, 1], 0, 7),
        ("GATHER_ND", [1, 0], 0, 3),
    ],
)
def test_places_exist(kind, inputs, axis, places):
    tensors = [
        tensor("places", DType.INT32, 400, 3),
        tensor("values", DType.INT8, 7, 5, 3),
        tensor("out", DType.INT8, 400, 3),
    ]
    options = Table(kind="GatherOptions", fields=(("axis", axis),))
    values = drawn(network(tensors, operator(kind, inputs, 2, options)))
    assert (values.min(), values.max()) == (0, places - 1)


def test_places_exist_behind_operators_that_keep_values():
    tensors = [
        tensor("given", DType.INT64, 500),
        tensor("cast", DType.INT32, 500),
        tensor("table", DType.INT8, 9, 4),
        tensor("out", DType.INT8, 500, 4),
    ]
    made = network(tensors, operator("CAST", [0], 1), operator("GATHER", [2, 1], 3))
    values = drawn(made)
    assert (values.min(), values.max()) == (0, 8)


def test_truth_values_are_both():
    assert set(drawn(network([tensor("x", DType.BOOL, 100)])).tolist()) == {False, True}


def test_what_has_no_values_is_refused():
    with pytest.raises(InputError, match="x: no values can be made for its type STRING"):
        drawn(network([tensor("x", DType.STRING, 1)]))


@pytest.mark.parametrize("shape", [(), (7,), (3, 5), (1, 20, 30, 3), (2, 3, 9, 4, 2)])
def test_every_kind_fits_every_shape_and_further_inputs_differ(shape):
    made = network([tensor("x", DType.INT8, *shape, scale=0.1)])
    values = [drawn(made, number=number) for number in range(16)]
    assert {each.shape for each in values} == {shape}
    assert len({each.tobytes() for each in values}) > (1 if shape == () else 10)


def test_steps_of_an_lstm_count_as_what_they_become():
    steps = [tensor("x", DType.INT8, 1, 28, 20, scale=0.1), tensor("y", DType.INT8, 1, 28, 20)]
    short = network(steps, operator("RESHAPE", [0], 1))
    long = network(steps, operator("UNIDIRECTIONAL_SEQUENCE_LSTM", [0], 1))
    assert usual_count(long) < usual_count(short) == MOST_INPUTS
