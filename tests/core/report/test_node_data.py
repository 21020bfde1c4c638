"""Node data for Model Explorer: its own rules, and the sums of the schedule."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest

from core.ir.npugraph import SourceFate
from core.report.node_data import Quantity, node_data
from tests.core.report.real import NAMES, real

# Fields of the format's GraphNodeData, NodeDataResult and GradientItem (version 0.1.34).
GRAPH = {
    "results": dict,
    "name": str,
    "gradient": list,
    "hideAggregatedStats": list,
    "showExpandedSummaryOnGroupNode": bool,
    "showLabelCountColumnsInChildrenStatsTable": bool,
}
COLOUR = re.compile(r"#[0-9a-f]{6}")
FIGURES = tuple(quantity for quantity in Quantity if quantity is not Quantity.PLACEMENT)
ALL = pytest.mark.parametrize("example", NAMES)


def seen(network, data):
    """What the viewer shows: by operator, as it looks keys up among the tensors that it makes."""
    makers = {
        network.main.tensors[tensor].name: at
        for at, op in enumerate(network.main.operators)
        for tensor in op.outputs
    }
    return {makers[key]: result["value"] for key, result in data["results"].items()}


@ALL
@pytest.mark.parametrize("quantity", Quantity)
def test_a_file_keeps_to_the_rules_of_the_format(example, quantity):
    material, _ = real(example)
    data = node_data(material, quantity)
    for key, value in data.items():
        assert isinstance(value, GRAPH[key])
    # A file whose "results" had some themselves would be taken for several graphs.
    assert data["results"]
    assert "results" not in data["results"]
    stops = [item["stop"] for item in data.get("gradient", [])]
    if quantity is Quantity.PLACEMENT:
        assert not stops
        assert all(COLOUR.fullmatch(each["bgColor"]) for each in data["results"].values())
    else:
        assert (min(stops), max(stops)) == (0, 1)
        assert all(type(each["value"]) in (int, float) for each in data["results"].values())
    for item in data.get("gradient", []):
        assert COLOUR.fullmatch(item["bgColor"])
    assert set(data.get("hideAggregatedStats", [])) <= {"min", "max", "sum", "avg"}


@ALL
def test_every_operator_is_found_by_the_tensor_that_it_makes(example):
    material, _ = real(example)
    places = seen(material.network, node_data(material, Quantity.PLACEMENT))
    assert set(places) == set(range(len(material.network.main.operators)))
    fates = Counter(entry.fate for entry in material.graph.lineage)
    told = Counter(places.values())
    assert told["CPU"] == fates[SourceFate.CPU] == len(material.graph.cpu_ops)
    assert told["NPU"] == fates[SourceFate.NPU]


@ALL
def test_cycles_and_bytes_add_up_to_those_of_the_network(example):
    material, _ = real(example)
    cycles = seen(material.network, node_data(material, Quantity.CYCLES))
    assert math.isclose(math.fsum(cycles.values()), material.total.total_cycles)
    moved = seen(material.network, node_data(material, Quantity.MOVED))
    everything = math.fsum(part.size_bytes for part in material.total.traffic)
    assert math.isclose(math.fsum(moved.values()), everything)


@ALL
def test_the_most_that_is_live_is_the_peak_of_the_snapshot(example):
    material, _ = real(example)
    live = seen(material.network, node_data(material, Quantity.LIVE))
    peak = max(max(island.snapshot) for island in material.schedule.islands)
    assert max(live.values()) <= peak
    times = {plan.time for island in material.schedule.islands for plan in island.ops}
    shown = max(
        bytes_
        for island in material.schedule.islands
        for time, bytes_ in enumerate(island.snapshot)
        if time in times
    )
    assert max(live.values()) == shown


@ALL
def test_operators_of_the_cpu_have_a_place_and_no_figures(example):
    material, _ = real(example)
    on_cpu = {step.source.op for step in material.graph.cpu_ops}
    for quantity in FIGURES:
        assert not on_cpu & set(seen(material.network, node_data(material, quantity)))
