"""Random small networks: every operator kind, sound, alive, and runnable by the oracle."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from core.ir.network import Network, Operator
from core.tflite.writer import write
from tests.core.synth.oracle import assert_well_formed, execute, noise
from tests.networks.random_networks import FEATURED, random_network
from tests.networks.random_steps import STEPS


def run_all(seeds: range) -> list[float]:
    """Run each network; for each, the share of its outputs that are not constant."""
    shares = []
    for seed in seeds:
        network = random_network(seed)
        assert_well_formed(network)
        step, dtype = FEATURED[seed % len(FEATURED)]
        assert network.main.tensors[network.main.inputs[0]].dtype is dtype
        assert step.kind in {operator.kind for operator in network.main.operators}
        outputs = execute(network, noise(network, seed)).outputs()
        shares.append(float(np.mean([output.std() > 0 or output.size < 8 for output in outputs])))
    return shares


def test_every_kind_with_every_type_runs_and_hardly_any_output_is_constant():
    shares = run_all(range(len(FEATURED)))
    assert np.mean(shares) > 0.95


@pytest.mark.slow
def test_two_thousand_run():
    assert np.mean(run_all(range(len(FEATURED), len(FEATURED) + 2000))) > 0.95


def test_a_seed_says_it_all():
    assert write(random_network(5)) == write(random_network(5))
    assert write(random_network(5)) != write(random_network(5 + len(FEATURED)))


def test_parameters_vary_as_tests_of_a_compiler_need_them():
    networks = [random_network(seed) for seed in range(300)]
    seen = Counter(fact for network in networks for fact in facts(network))
    rare = {fact: seen[fact] for fact in WANTED if seen[fact] < 3}
    assert rare == {}


WANTED = (
    "stride 1",
    "stride 2",
    "stride 3",
    "dilated",
    "same",
    "valid",
    "per channel",
    "per tensor",
    "branches",
    "several outputs",
    "odd height",
    "depth 1",
    "negative weights",
    "positive weights",
    "mixed types",
    *(step.kind for step in STEPS),
)


def facts(network: Network) -> set[str]:
    graph = network.main
    found = {operator.kind for operator in graph.operators}
    reads = Counter(index for operator in graph.operators for index in operator.inputs)
    activations = {index for operator in graph.operators for index in operator.outputs}
    if any(reads[index] > 1 for index in activations | set(graph.inputs)):
        found.add("branches")
    if len(graph.outputs) > 1:
        found.add("several outputs")
    shape = graph.tensors[graph.inputs[0]].shape
    found |= {"odd height"} if shape[1] % 2 else set()
    found |= {"depth 1"} if shape[3] == 1 else set()
    types = {graph.tensors[index].dtype for index in activations}
    found |= {"mixed types"} if len(types) > 1 else set()
    for operator in graph.operators:
        if operator.kind in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            found |= facts_of_convolution(network, operator)
    return found


def facts_of_convolution(network: Network, operator: Operator) -> set[str]:
    options, weights = operator.options, network.main.tensors[operator.inputs[1]]
    real = weights.data.array.astype(int) - weights.quantization.zero_points[0]
    found = {f"stride {options.integer('stride_w')}", f"stride {options.integer('stride_h')}"}
    found.add("valid" if options.integer("padding") else "same")
    found.add("per channel" if weights.quantization.is_per_axis else "per tensor")
    if options.integer("dilation_w_factor") * options.integer("dilation_h_factor") > 1:
        found.add("dilated")
    found |= {"negative weights"} if real.min() < 0 else set()
    return found | ({"positive weights"} if real.max() > 0 else set())
