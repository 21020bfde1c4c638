"""Activations are bounded by numbers that can be stored, or the network is refused."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.base.errors import InputError
from core.check.bounds import verify
from core.check.network import demand_consistent
from core.ir.network import Network
from tests.core.lower.legality.cases import GOOD, Case, scaled
from tests.networks.random_networks import FEATURED, random_network

POOL = GOOD["MAX_POOL_2D"].option(fused_activation_function=3)


def network(case: Case) -> Network:
    return Network(subgraphs=(case.subgraph(),))


@pytest.mark.parametrize("kind", sorted(GOOD))
def test_ordinary_operators_have_bounds(kind: str):
    assert list(verify(network(GOOD[kind]))) == []


@pytest.mark.parametrize("seed", range(0, len(FEATURED), 7))
def test_sound_networks_have_bounds(seed: int):
    assert list(verify(random_network(seed))) == []


@pytest.mark.parametrize(
    ("case", "name"),
    [
        (POOL.output(quantization=None), "RELU6"),
        (POOL.output(quantization=scaled(0.0)), "RELU6"),
        (POOL.output(quantization=scaled(1e-9)), "RELU6"),
        (POOL.output(quantization=scaled(-1e-9)), "RELU6"),
        (POOL.option(fused_activation_function=1).output(quantization=None), "RELU"),
        (GOOD["RELU_N1_TO_1"].output(quantization=scaled(1e-10)), "RELU_N1_TO_1"),
    ],
)
def test_a_bound_without_number_is_refused(case: Case, name: str):
    said = f"'y' has no scale in which {name} has bounds of 32 bits"
    with pytest.raises(InputError, match=said):
        demand_consistent(network(case))


def test_a_scale_below_zero_has_bounds():
    """LiteRT computes with it, though it makes no sense."""
    assert list(verify(network(POOL.output(quantization=scaled(-0.5))))) == []


def test_real_numbers_and_wide_integers_need_no_scale():
    for dtype in (DType.FLOAT32, DType.INT32):
        assert list(verify(network(POOL.both(dtype=dtype).output(quantization=None)))) == []
