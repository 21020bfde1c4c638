"""Operators that are taken to cost the same do, and copies have no twins."""

from __future__ import annotations

import pytest

from core.api import networks, targets
from core.cost.from_graph import block_query, whole
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.cost.twins import twins_of, weights_twins_of
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from core.ir.options import Options
from core.ir.schedule import MapPlan
from core.target.format import Format
from core.target.region import Region
from core.target.target import Target
from core.tflite import writer
from tests.networks.random_networks import random_network
from tests.shared import need

TARGET = targets.resolve_target("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
of_models = pytest.mark.parametrize("name", ["keras_lstm_mnist_ptq", "mobilenet_v2_1.0_224_quant"])
STORED = [
    MapPlan(format=order, region=region)
    for order in Format
    for region in (Region.SCRATCH, Region.SCRATCH_FAST)
]


def prices_alone(graph: NpuGraph, target: Target) -> StripePrices:
    """Of operators that are nobody's twins."""
    prices = StripePrices(graph, CostModel(target))
    prices.twins = tuple(op.id for op in graph.ops)
    return prices


def assert_twins_cost_the_same(graph: NpuGraph) -> None:
    shared, alone = StripePrices(graph, CostModel(TARGET)), prices_alone(graph, TARGET)
    for op in graph.ops:
        if op.kind is OpKind.COPY:
            continue
        block = shared.model.block(block_query(graph, op, whole(op)))
        assert block is not None
        for height in {1, op.ofm.shape.h}:
            for number, plan in enumerate(STORED):
                plans = {view.fm: STORED[(number + at) % 4] for at, view in enumerate(op.views)}
                plans[op.ofm.fm] = plan
                asked = op, height, block, None, plans.__getitem__
                assert shared.of(*asked) == alone.of(*asked)


def graph_of(name: str) -> NpuGraph:
    model = need(f"models/{name}.tflite").read_bytes()
    return networks.run(model, TARGET, Options()).graph


@pytest.mark.parametrize("seed", range(20))
def test_twins_of_random_networks_cost_the_same(seed: int):
    run = networks.run(writer.write(random_network(seed)), TARGET, Options())
    assert_twins_cost_the_same(run.graph)


@of_models
def test_twins_of_real_networks_cost_the_same(name: str):
    graph = graph_of(name)
    assert len(set(twins_of(graph))) < len(graph.ops)
    assert_twins_cost_the_same(graph)


def weights_of(op: NpuOp) -> tuple[object, ...] | None:
    return op.weights and (op.weights.values, op.weights.zero_points)


@of_models
def test_twins_by_weights_have_the_same_weights_and_are_twins(name: str):
    graph = graph_of(name)
    twins = twins_of(graph)
    for op, first in zip(graph.ops, weights_twins_of(graph, twins), strict=True):
        assert weights_of(op) == weights_of(graph.ops[first])
        assert twins[op.id] == twins[first]


@pytest.mark.parametrize("seed", range(8))
def test_copies_have_no_twins(seed: int):
    graph = networks.run(writer.write(random_network(seed)), TARGET, Options()).graph
    for op, twin in zip(graph.ops, twins_of(graph), strict=True):
        assert op.kind is not OpKind.COPY or twin == op.id
