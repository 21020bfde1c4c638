"""What schedules, compiles, and computes what the original does: shapes and ends that are odd."""

from __future__ import annotations

import random

import pytest

from core.ir.network import Network
from core.ir.options import Engine, Options, Strategy
from core.target.resolve import resolve
from core.target.target import Target
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.emit.shared_cases import TARGETS
from tests.core.emit.test_random_networks import LIMITS
from tests.networks.odd_networks import odd_network

FAST, SLOW = range(72), range(72, 1500)


def case(seed: int) -> tuple[Network, Target, Options]:
    draws = random.Random(seed)
    accelerator, system, mode, _, strategy = TARGETS[draws.choice(list(TARGETS))]
    target = resolve(accelerator, system, mode, arena_cache_size=draws.choice(LIMITS))
    options = Options(strategy=Strategy(strategy), engine=draws.choice(list(Engine)))
    return odd_network(seed), target, options


@pytest.mark.parametrize("seed", [*FAST, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
def test_an_odd_network_computes_what_its_original_does(seed: int):
    network, target, options = case(seed)
    _, compiled = scheduled_and_compiled(network, target, options)
    differences, faults = largest_differences(network, compiled.data, [seed])
    assert not faults
    assert differences == {}
