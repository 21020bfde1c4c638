"""The layered drawing: nobody on top of anybody, everything below what it needs."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gui.present.network.layering import layered


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 40))
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    pairs = draw(st.lists(pair, max_size=60, unique=True))
    return count, [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]


@given(graphs())
def test_nodes_of_a_row_are_at_least_one_apart(graph):
    count, edges = graph
    rows = {}
    for place in layered(count, edges).places:
        rows.setdefault(place.y, []).append(place.x)
    for xs in rows.values():
        ordered = sorted(xs)
        assert all(b - a >= 1 - 1e-9 for a, b in itertools.pairwise(ordered))


@given(graphs())
def test_an_edge_runs_from_its_source_to_its_target(graph):
    count, edges = graph
    drawing = layered(count, edges)
    assert len(drawing.routes) == len(edges)
    for (source, target), route in zip(edges, drawing.routes, strict=True):
        assert route[0] == drawing.places[source]
        assert route[-1] == drawing.places[target]


@given(graphs())
def test_in_one_column_a_target_is_below_its_source(graph):
    count, edges = graph
    drawing = layered(count, edges, aspect=1e-9)
    assert drawing.columns == 1
    for source, target in edges:
        assert drawing.places[target].y < drawing.places[source].y


def test_a_long_chain_is_folded_into_columns():
    chain = [(node, node + 1) for node in range(399)]
    drawing = layered(400, chain)
    ys = [place.y for place in drawing.places]
    xs = [place.x for place in drawing.places]
    assert drawing.columns > 3
    height, width = max(ys) - min(ys) + 1, 3 * (max(xs) - min(xs) + 1)
    assert 0.5 < width / height < 4


def test_edges_between_columns_run_outside_of_the_nodes():
    chain = [(node, node + 1) for node in range(99)]
    drawing = layered(100, chain)
    lowest = min(place.y for place in drawing.places)
    between = [route for route in drawing.routes if len(route) > 2]
    assert len(between) == drawing.columns - 1
    for route in between:
        assert min(point.y for point in route) < lowest
        assert max(point.y for point in route) > 0


def test_the_same_graph_is_drawn_the_same():
    edges = [(0, 2), (1, 2), (0, 3), (2, 4), (3, 4)]
    assert layered(5, edges) == layered(5, edges)


def test_columns_end_where_few_edges_cross():
    """Blocks of six with a way around them: the chain is folded between blocks alone."""
    chain = [(node, node + 1) for node in range(119)]
    around = [(first, first + 5) for first in range(0, 120, 6)]
    drawing = layered(120, [*chain, *around])
    assert drawing.columns > 2
    places = drawing.places
    folds = [node for node in range(119) if places[node + 1].y > places[node].y]
    assert len(folds) == drawing.columns - 1
    assert {node % 6 for node in folds} == {5}


def test_what_needs_nothing_stands_just_above_its_first_reader():
    chain = [(node, node + 1) for node in range(1, 19)]
    places = layered(20, [*chain, (0, 15), (0, 17)], aspect=1e-9).places
    assert places[0].y == places[15].y + 1


def test_a_wide_fan_takes_several_rows():
    """Forty that read one and are read by one."""
    fan = range(1, 41)
    edges = [*((0, node) for node in fan), *((node, 41) for node in fan)]
    drawing = layered(42, edges, aspect=1e-9)
    rows = Counter(drawing.places[node].y for node in fan)
    assert max(rows.values()) <= 8
    assert all(drawing.places[41].y < drawing.places[node].y for node in fan)


def test_edges_make_way_for_operators():
    """A chain is straight, whatever runs past it, and that takes less room than operators do."""
    chain = [(node, node + 1) for node in range(19)]
    past = [(0, 15), (2, 17), (4, 19)]
    drawing = layered(20, [*chain, *past], aspect=1e-9)
    xs = [place.x for place in drawing.places]
    assert max(xs) - min(xs) < 0.1
    left, right, _, _ = drawing.extent
    assert right - left < 2


@given(graphs())
def test_the_extent_holds_nodes_and_edges(graph):
    count, edges = graph
    drawing = layered(count, edges)
    left, right, bottom, top = drawing.extent
    for point in (*drawing.places, *(point for route in drawing.routes for point in route)):
        assert left <= point.x <= right
        assert bottom <= point.y <= top
