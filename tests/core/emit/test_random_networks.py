"""Random small networks of every kind of operator, compiled for tight limits, and executed."""

from __future__ import annotations

import random

import pytest

from core.base.dtype import DType
from core.ir.network import Network
from core.ir.options import Options, Search, Strategy
from core.target.format import Format
from core.target.resolve import resolve
from core.target.target import Target
from tests.core.emit.executed import largest_differences, scheduled_and_compiled
from tests.core.emit.random_chains import random_chain
from tests.core.emit.shared_cases import TARGETS
from tests.networks.random_networks import random_network

FAST, SLOW = range(40), range(40, 540)
LIMITS = (None, "2048", "4096", "8192", "16384", "32768")

ROUNDED_OTHERWISE = {
    ("FULLY_CONNECTED", DType.INT16): "LiteRT's kernel multiplies with 31 bits; here 15, as others",
    ("UNIDIRECTIONAL_SEQUENCE_LSTM", DType.INT8): "the hardware's curves are its own",
}
"""Operators whose results may be off by one, and why."""

MOST_WHERE_ROUNDED_OTHERWISE = 3
"""What follows such an operator can make more of one."""


def case(seed: int) -> tuple[Network, Target, Options]:
    draws = random.Random(seed)
    accelerator, system, mode, _, strategy = TARGETS[draws.choice(list(TARGETS))]
    target = resolve(accelerator, system, mode, arena_cache_size=draws.choice(LIMITS))
    network = random_chain(seed) if seed % 2 else random_network(seed)
    search = draws.choice((Search.DIRECT, Search.COMPATIBLE))
    return network, target, Options(strategy=Strategy(strategy), search=search)


def allowed(network: Network) -> int:
    tensors = network.main.tensors
    kinds = {
        (op.kind, tensors[op.inputs[0]].dtype)
        for op in network.main.operators
        if op.inputs and op.inputs[0] is not None
    }
    return MOST_WHERE_ROUNDED_OTHERWISE if kinds & ROUNDED_OTHERWISE.keys() else 0


@pytest.mark.parametrize("seed", [*FAST, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
def test_a_random_network_computes_what_its_original_does(seed: int):
    network, target, options = case(seed)
    _, compiled = scheduled_and_compiled(network, target, options)
    differences, faults = largest_differences(network, compiled.data, [seed])
    assert not faults
    assert max(differences.values(), default=0) <= allowed(network)


@pytest.mark.parametrize("seed", [1781, 2148, 33504, 58435])
def test_what_once_differed_does_not_any_more(seed: int):
    """A table merged into a square transposition, a logistic at a half, a resize of one element."""
    network = random_network(seed)
    _, compiled = scheduled_and_compiled(network, resolve("ethos-u55-128"), Options())
    differences, faults = largest_differences(network, compiled.data, [0, 1])
    assert not faults
    assert not any(differences.values())


def test_tight_limits_bring_cascades_and_depth_slices_about():
    cascades = slices = buffers = rows = 0
    for seed in FAST:
        scheduled, _ = scheduled_and_compiled(*case(seed))
        cascades += sum(len(island.cascades) for island in scheduled.schedule.islands)
        rolling = [plan for plan in scheduled.schedule.maps if plan.rolling is not None]
        rows += sum(plan.format is Format.LINEAR for plan in rolling)
        plans = [plan.weights for plan in scheduled.schedule.ops if plan.weights is not None]
        slices += sum(len(plan.slice_bytes) > 1 for plan in plans)
        buffers += sum(plan.is_double_buffered for plan in plans)
    assert min(cascades, slices, buffers, rows) > 3
