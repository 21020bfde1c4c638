"""What is computed without LiteRT is what LiteRT computes, wherever it does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import replace
from core.ir.network import Network
from core.pipeline.proof import litert
from core.pipeline.proof.random_inputs import random_inputs
from core.pipeline.proof.reference import Reference
from tests.core.lower.rewrites.workbench import noise, single, tensor

_INFERENCES = 10
_RELU = 1


def svdf(
    sizes: Sequence[int],
    scales: Sequence[float],
    *,
    zeros: tuple[int, int] = (0, 0),
    seed: int = 0,
    reach: int = 127,
    has_bias: bool = False,
    state: DType = DType.INT16,
    activation: int = _RELU,
) -> Network:
    """An SVDF of some batch, depth, memory, units and rank; scales are by the order of tensors."""
    batch, depth, memory, units, rank = sizes
    rows = rank * units
    bias = tensor(
        "b", (units,), DType.INT32, scales[0], data=noise((units,), seed, DType.INT32, 9999)
    )
    return single(
        "SVDF",
        [
            tensor("x", (batch, depth), scale=scales[0], zero_point=zeros[0]),
            tensor(
                "f", (rows, depth), scale=scales[1], data=noise((rows, depth), seed, most=reach)
            ),
            tensor(
                "t",
                (rows, memory),
                state,
                scales[2],
                data=noise((rows, memory), seed + 1, most=reach),
            ),
            bias if has_bias else None,
            tensor("s", (batch, rows * memory), state, scales[3], is_variable=True),
        ],
        tensor("y", (batch, units), scale=scales[4], zero_point=zeros[1]),
        {"rank": rank, "fused_activation_function": activation},
        record="SVDFOptions",
        version=3,
    )


@st.composite
def filters(draw: st.DrawFn, state: DType = DType.INT16, activation: int = _RELU) -> Network:
    """An SVDF of any size and scales, whose state is of a type."""
    return svdf(
        [draw(st.integers(1, 6)) for _ in range(5)],
        [2.0 ** draw(st.floats(-9, 1)) for _ in range(5)],
        zeros=(draw(st.integers(-128, 127)), draw(st.integers(-128, 127))),
        seed=draw(st.integers(0, 1 << 16)),
        reach=draw(st.integers(1, 127)),
        has_bias=draw(st.booleans()),
        state=state,
        activation=activation,
    )


def in_a_row(session: Reference | litert.Session, network: Network) -> list[list[int]]:
    (out,) = network.main.outputs
    inputs = (random_inputs(network, 0, number) for number in range(_INFERENCES))
    return [session.run(values)[out].ravel().tolist() for values in inputs]


@given(filters())
@settings(max_examples=60)
def test_filters_over_time_are_equal_over_ten_inferences(network):
    assert in_a_row(Reference(network), network) == in_a_row(litert.Session(network), network)


@pytest.mark.parametrize("seed", range(6))
def test_sums_that_leave_32_bits_wrap_around_as_the_kernel_has_them(seed):
    """A factor of 1024 shifts by 11 bits first, which the greatest sums have no room for."""
    network = svdf((1, 2, 3, 2, 1), (2.0, 2.0, 2.0, 1.0, 2.0**-9), seed=seed)
    assert in_a_row(Reference(network), network) == in_a_row(litert.Session(network), network)


@pytest.mark.slow
@given(filters())
@settings(max_examples=1000)
def test_filters_over_time_are_equal_at_length(network):
    assert in_a_row(Reference(network), network) == in_a_row(litert.Session(network), network)


@given(filters(DType.INT8), st.integers(-20, 20))
@settings(max_examples=20)
def test_states_of_eight_bits_forget_what_is_older_than_their_memory(network, zero):
    """LiteRT reads them as if they had 16 bits; whatever was there before is gone after a while."""
    at = next(n for n, item in enumerate(network.main.tensors) if item.is_variable)
    state = network.main.tensors[at]
    assert state.quantization is not None
    shifted = replace(state, quantization=replace(state.quantization, zero_points=(zero,)))
    tensors = (*network.main.tensors[:at], shifted, *network.main.tensors[at + 1 :])
    network = replace(network, subgraphs=(replace(network.main, tensors=tensors),))
    (ifm,), (out,) = network.main.inputs, network.main.outputs
    silence = network.main.tensors[ifm]
    quiet = {ifm: np.full(silence.shape, silence.one_scale[1], np.int8)}
    session = Reference(network)
    first = session.run(quiet)[out]
    session.run(random_inputs(network, 0, 0))
    for _ in range(5):
        session.run(quiet)
    assert np.array_equal(session.run(quiet)[out], first)


def test_weights_that_do_not_fit_are_refused():
    network = single(
        "SVDF",
        [
            tensor("x", (1, 4)),
            tensor("f", (3, 5), data=noise((3, 5), 0)),
            tensor("t", (3, 2), DType.INT16, data=noise((3, 2), 0)),
            None,
            tensor("s", (1, 6), DType.INT16, is_variable=True),
        ],
        tensor("y", (1, 3)),
        {"rank": 1, "fused_activation_function": _RELU},
        record="SVDFOptions",
    )
    with pytest.raises(InputError, match="weights of other shapes than its input"):
        Reference(network).run(random_inputs(network, 0, 0))
