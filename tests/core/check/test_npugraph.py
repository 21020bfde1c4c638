"""The judge of NPU graphs finds each kind of fault that is planted, and nothing in ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.base.ids import FmId, NpuOpId
from core.check.npugraph import verify
from core.ir.constdata import ConstData
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.options import LoweringOptions
from core.lower import run as lower
from core.synth.builder import Builder
from core.synth.examples import EXAMPLES, SEED
from core.target.registry import ACCELERATORS, accelerator_named
from tests.networks.random_networks import random_network


@cache
def resnet() -> NpuGraph:
    return lower.run(
        EXAMPLES["resnet8"](SEED), accelerator_named("ethos-u55-128"), LoweringOptions()
    )


def with_op(graph: NpuGraph, number: int, change: Callable[[NpuOp], NpuOp]) -> NpuGraph:
    ops = list(graph.ops)
    ops[number] = change(ops[number])
    return replace(graph, ops=tuple(ops))


def test_an_example_has_no_fault() -> None:
    assert verify(resnet()) == ()


FAULTS: dict[str, tuple[Callable[[NpuOp], NpuOp], str]] = {
    "an id out of place": (lambda op: replace(op, id=NpuOpId(7)), "id is out of place"),
    "a map that does not exist": (
        lambda op: replace(op, ifm=replace(op.ifm, fm=FmId(10_000))),
        "does not exist",
    ),
    "a shape of another size": (
        lambda op: replace(op, ifm=replace(op.ifm, shape=Shape4(1, 1, 1, 5))),
        "is not the size of",
    ),
    "an offset beyond the end": (
        lambda op: replace(
            op, ofm=replace(op.ofm, offset=Shape4(0, 0, 0, 9_999), extent=Shape4(1, 1, 1, 1))
        ),
        "is not inside",
    ),
    "an offset without an extent": (
        lambda op: replace(op, ofm=replace(op.ofm, offset=Shape4(0, 0, 0, 0))),
        "goes with an extent",
    ),
    "a second input too many": (lambda op: replace(op, ifm2=op.ifm), "two inputs"),
    "no weights": (lambda op: replace(op, weights=None), "weights belong"),
    "weights of another shape": (
        lambda op: replace(
            op, weights=replace(op.weights, values=ConstData.of(np.zeros((1, 1, 1, 1), np.int8)))
        ),
        "are needed",
    ),
    "a bias too few": (
        lambda op: replace(
            op, weights=replace(op.weights, bias=ConstData.of(np.zeros(1, np.int32)))
        ),
        "biases for",
    ),
    "a scale too many": (
        lambda op: replace(op, weights=replace(op.weights, scales=(1.0, 1.0))),
        "scales for",
    ),
}


@pytest.mark.parametrize(("change", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_an_operator_is_found(change: Callable[[NpuOp], NpuOp], message: str) -> None:
    findings = verify(with_op(resnet(), 1, change))
    assert any(message in finding.message for finding in findings)


def test_an_element_that_is_read_in_another_place_than_it_is_made_is_found() -> None:
    graph = resnet()
    number = next(op.id for op in graph.ops if op.kind.is_elementwise)

    def seen_otherwise(op: NpuOp) -> NpuOp:
        n, h, w, c = op.ifm.shape
        return replace(op, ifm=replace(op.ifm, shape=Shape4(n, h * 2, w // 2, c)))

    findings = verify(with_op(graph, number, seen_otherwise))
    assert any(finding.message.startswith("reads ") for finding in findings)


def test_reading_before_making_is_found() -> None:
    graph = resnet()
    (island,) = graph.islands
    late = replace(island, ops=(island.ops[1], island.ops[0], *island.ops[2:]))
    findings = verify(replace(graph, islands=(late,)))
    assert any("before it is made" in finding.message for finding in findings)


def test_reading_what_nobody_makes_is_found() -> None:
    graph = resnet()
    lost = FmId(len(graph.feature_maps))
    unmade = replace(graph.fm(graph.ops[1].ofm), id=lost, storage=lost)
    graph = replace(graph, feature_maps=(*graph.feature_maps, unmade))
    findings = verify(with_op(graph, 2, lambda op: replace(op, ifm=replace(op.ifm, fm=lost))))
    assert [finding.where for finding in findings] == ["operator 2"]


def test_a_state_that_is_left_where_nobody_said_is_found() -> None:
    b = Builder(3)
    net = b.build([b.lstm(b.input((1, 2, 8)), 5)], "states")
    graph = lower.run(net, accelerator_named("ethos-u55-128"), LoweringOptions())
    assert verify(graph) == ()
    (island,) = graph.islands
    kept = {fm.storage for fm in graph.feature_maps if fm.storage != fm.id}
    told = tuple(fm for fm in island.inputs if fm not in kept)
    findings = verify(replace(graph, islands=(replace(island, inputs=told),)))
    assert len([each for each in findings if "kept" in each.message]) == len(kept) == 2


def test_an_operator_that_no_island_runs_is_found() -> None:
    graph = resnet()
    (island,) = graph.islands
    findings = verify(replace(graph, islands=(replace(island, ops=island.ops[:-1]),)))
    assert any(finding.where == "islands" for finding in findings)


def test_an_output_that_nothing_makes_is_found() -> None:
    graph = resnet()
    findings = verify(replace(graph, islands=(), ops=(), steps=((),)))
    assert any("outputs" in finding.where for finding in findings)


@pytest.mark.long
@pytest.mark.parametrize("accelerator", ACCELERATORS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_lowers_without_fault(name: str, accelerator: str) -> None:
    network = EXAMPLES[name](SEED)
    assert verify(lower.run(network, accelerator_named(accelerator), LoweringOptions())) == ()


def check_random(seed: int) -> None:
    accelerator = list(ACCELERATORS.values())[seed % len(ACCELERATORS)]
    assert verify(lower.run(random_network(seed), accelerator, LoweringOptions())) == ()


@pytest.mark.parametrize("seed", range(150))
def test_random_networks_lower_without_fault(seed: int) -> None:
    """Each operator kind and element type of the builder comes up once."""
    check_random(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150, 1500))
def test_more_random_networks_lower_without_fault(seed: int) -> None:
    check_random(seed)
