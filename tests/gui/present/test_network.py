"""The drawing of the network says what the graph and the schedule say."""

from __future__ import annotations

import pytest

from gui.document.display import Display
from gui.document.selection import CascadeRef, Selection
from gui.present.network.picks import (
    edge_lines,
    legend,
    node_tip,
    selected_edges,
    selected_nodes,
)
from gui.present.network.picture import Metric, drawing_of, hulls, metric_values, node_rects
from gui.theme.tones import Tone
from tests.gui.answers import answer_of

DEDICATED = {
    "accelerator": "ethos-u65-256",
    "system_config": "Ethos_U65_High_End",
    "memory_mode": "Dedicated_Sram",
    "limit_bytes": 65536,
}


@pytest.fixture(scope="module")
def mixed():
    return answer_of("shuffle_with_cpu")


@pytest.fixture(scope="module")
def cascaded():
    return answer_of("unet_128", **DEDICATED)


def test_every_operator_is_a_node_once(mixed):
    graph = mixed.scheduled.run.graph
    drawing = drawing_of(graph)
    assert sorted(node.op for node in drawing.nodes if node.op is not None) == [
        op.id for op in graph.ops
    ]
    on_cpu = [node.cpu_op for node in drawing.nodes if node.cpu_op is not None]
    assert on_cpu == list(range(len(graph.cpu_ops)))


def test_an_edge_is_a_map_from_its_maker_to_its_reader(cascaded):
    graph = cascaded.scheduled.run.graph
    drawing = drawing_of(graph)
    for edge in drawing.edges:
        source, target = drawing.nodes[edge.source], drawing.nodes[edge.target]
        assert graph.ops[source.op].ofm.fm == edge.fm
        assert edge.fm in [view.fm for view in graph.ops[target.op].views[:-1]]
    read = {
        (op.id, view.fm)
        for op in graph.ops
        for view in op.views[:-1]
        if any(other.ofm.fm == view.fm for other in graph.ops)
    }
    assert {(drawing.nodes[edge.target].op, edge.fm) for edge in drawing.edges} == read


def test_hulls_hold_their_cascades_and_nothing_else(cascaded):
    drawing = drawing_of(cascaded.scheduled.run.graph)
    found = hulls(drawing, cascaded)
    cascades = cascaded.scheduled.schedule.islands[0].cascades
    assert {hull.cascade for hull in found} == {
        CascadeRef(0, number) for number in range(len(cascades))
    }
    for place, node in enumerate(drawing.nodes):
        point = drawing.place(place)
        inside = {
            hull.cascade.cascade
            for hull in found
            if hull.left < point.x < hull.right and hull.bottom < point.y < hull.top
        }
        member = {number for number, cascade in enumerate(cascades) if node.op in cascade.ops}
        assert member <= inside


@pytest.mark.parametrize("metric", [*Metric][1:-1])
def test_the_hottest_node_is_the_one_with_most(cascaded, metric):
    drawing = drawing_of(cascaded.scheduled.run.graph)
    values = metric_values(drawing, cascaded, metric)
    rects = node_rects(drawing, cascaded, metric)
    inks = [rects.inks[ink] for ink in rects.ink]
    assert inks[max(range(len(values)), key=values.__getitem__)] == Tone.HEAT_7.value
    assert legend(drawing, cascaded, metric, Display()).startswith("from ")


def test_cycles_are_those_of_the_costs(cascaded):
    drawing = drawing_of(cascaded.scheduled.run.graph)
    values = metric_values(drawing, cascaded, Metric.CYCLES)
    assert sum(values) == pytest.approx(cascaded.scheduled.total.total_cycles)


def test_an_operator_on_the_cpu_has_no_metric_and_says_so(mixed):
    drawing = drawing_of(mixed.scheduled.run.graph)
    place = next(i for i, node in enumerate(drawing.nodes) if node.cpu_op is not None)
    assert metric_values(drawing, mixed, Metric.CYCLES)[place] is None
    assert "on the CPU" in node_tip(mixed, drawing.nodes[place], Display())


def test_a_selection_marks_what_it_is_about(cascaded):
    drawing = drawing_of(cascaded.scheduled.run.graph)
    op = cascaded.scheduled.run.graph.ops[3]

    def ops(selection):
        nodes = selected_nodes(drawing, cascaded, selection)
        return {drawing.nodes[node].op for node in nodes}

    assert ops(Selection()) == set()
    assert ops(Selection(op=op.id)) == {op.id}
    cascade = cascaded.scheduled.schedule.islands[0].cascades[0]
    assert ops(Selection(cascade=CascadeRef(0, 0))) == set(cascade.ops)
    assert op.id in ops(Selection(fm=op.ofm.fm))
    one = selected_nodes(drawing, cascaded, Selection(op=op.id))
    edges = selected_edges(drawing, Selection(op=op.id), one)
    assert {drawing.edges[edge].fm for edge in edges} >= {op.ofm.fm}
    assert len(edge_lines(drawing, edges)) >= len(edges)


def test_what_is_more_and_less_than_in_a_has_its_colour_and_its_number(cascaded):
    drawing = drawing_of(cascaded.scheduled.run.graph)
    ops = [node.op for node in drawing.nodes][:3]
    changes = {ops[0]: 120.0, ops[1]: -3.0, ops[2]: 0.0}
    rects = node_rects(drawing, cascaded, Metric.DIFFERENCE, changes)
    tones = [Tone(rects.inks[ink]) for ink in rects.ink[:3]]
    assert tones == [Tone.OVER, Tone.ROLLING, Tone.PADDING]
    assert rects.labels[:3] == ("+120", "-3", "")


def test_a_node_says_its_number_first_then_kind_and_name(mixed):
    graph = mixed.scheduled.run.graph
    for node in drawing_of(graph).nodes:
        if node.op is None:
            assert node.label == graph.titles.cpu_ops[node.cpu_op]
        else:
            number, *words = node.label.split(" ")
            assert number == graph.titles.op(node.op).split(" ")[0]
            assert words


def test_hulls_have_the_numbers_of_their_cascades(cascaded):
    numbers = cascaded.scheduled.cascade_numbers()
    found = hulls(drawing_of(cascaded.scheduled.run.graph), cascaded)
    assert {hull.number for hull in found} == set(numbers.values())
    for hull in found:
        assert hull.number == numbers[hull.cascade.island, hull.cascade.cascade]
