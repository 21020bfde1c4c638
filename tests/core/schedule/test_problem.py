"""Which maps must exist whole and why, which operators can run in stripes, the smallest memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.geometry import Kernel, Padding, Resampling, Shape4
from core.base.ids import FmId
from core.ir.decisions import FullMapNeeded, Role, SmallestMemory, WholeReason
from core.ir.freedoms import NONE
from core.ir.npugraph import LinearReason, NpuGraph, OpKind, View
from core.schedule.least import least_memory
from core.schedule.problem import IslandProblem, Node
from core.schedule.spans import handed_on
from tests.core.schedule.sketch import SHARED, Sketch, problems_for

PICTURE = (1, 8, 8, 16)


def problem_of(graph: NpuGraph) -> IslandProblem:
    return problems_for(graph, SHARED)[0]


def maker_of(problem: IslandProblem, fm: FmId) -> Node:
    return next(node for node in problem.nodes if node.ofm.fm == fm)


def whole(problem: IslandProblem) -> dict[tuple[int, Role], WholeReason]:
    """By operator and role, why a map must exist whole."""
    return {
        (found.op, found.role): found.reason
        for found in problem.decisions
        if isinstance(found, FullMapNeeded)
    }


class TestMapsThatMustExistWhole:
    def test_are_the_ends_of_a_chain_and_nothing_between(self):
        s = Sketch()
        first = s.input(PICTURE)
        graph = s.build(s.conv(s.conv(s.conv(first))))
        assert whole(problem_of(graph)) == {
            (0, Role.IFM): WholeReason.MADE_OUTSIDE,
            (2, Role.OFM): WholeReason.READ_OUTSIDE,
        }

    def test_are_those_that_are_stored_in_rows(self):
        s = Sketch()
        inner = s.map(PICTURE, linear_reason=LinearReason.READ_IN_STEPS)
        s.op(OpKind.ABS, inner, s.conv(s.input(PICTURE)))
        found = whole(problem_of(s.build(s.conv(inner))))
        assert found[1, Role.OFM] == found[2, Role.IFM] == WholeReason.IN_ROWS

    def test_are_those_that_several_operators_read(self):
        s = Sketch()
        both = s.conv(s.input(PICTURE))
        found = whole(problem_of(s.build(s.conv(both), s.conv(both))))
        assert found[0, Role.OFM] is WholeReason.SEVERAL_READERS
        # Only where it is made does that have to be said: whoever reads it finds it.
        assert (1, Role.IFM) not in found

    def test_are_not_those_that_one_operator_reads_twice(self):
        s = Sketch()
        one = s.conv(s.input(PICTURE))
        problem = problem_of(s.build(s.conv(s.add(one, one))))
        assert (0, Role.OFM) not in whole(problem)
        assert maker_of(problem, one).readers == (1, 1)

    def test_are_those_of_which_an_operator_makes_a_part(self):
        s = Sketch()
        joined = s.map((1, 8, 8, 32))
        first = s.input(PICTURE)
        for start in (0, 16):
            s.op(OpKind.ABS, s.part(joined, (0, 0, 0, start), PICTURE), first)
        found = whole(problem_of(s.build(s.conv(joined))))
        assert found[0, Role.OFM] == found[1, Role.OFM] == WholeReason.IN_PARTS

    def test_are_those_of_which_only_a_part_is_made_here(self):
        s = Sketch()
        joined, first = s.map((1, 8, 8, 32)), s.input(PICTURE)
        s.op(OpKind.ABS, s.part(joined, (0, 0, 0, 16), PICTURE), first)
        found = whole(problem_of(s.build(s.conv(joined))))
        assert found[0, Role.OFM] is WholeReason.IN_PARTS

    def test_are_those_that_several_operators_make(self):
        s = Sketch()
        twice = s.map(PICTURE)
        first = s.input(PICTURE)
        s.op(OpKind.ABS, twice, first)
        s.op(OpKind.CONV_2D, twice, first)
        found = whole(problem_of(s.build(s.conv(twice))))
        assert (0, Role.OFM) in found
        assert (1, Role.OFM) in found

    def test_are_second_inputs_too(self):
        s = Sketch()
        other = s.input(PICTURE)
        graph = s.build(s.conv(s.add(s.conv(s.input(PICTURE)), other)))
        assert whole(problem_of(graph))[1, Role.IFM2] == WholeReason.MADE_OUTSIDE

    def test_are_no_constants(self):
        s = Sketch()
        row = s.constant((1, 1, 1, 16))
        graph = s.build(s.conv(s.add(s.conv(s.input(PICTURE)), row)))
        assert (1, Role.IFM2) not in whole(problem_of(graph))

    def test_are_those_that_go_from_island_to_island(self):
        s = Sketch()
        early = s.conv(s.input(PICTURE))
        made = s.map(PICTURE)
        s.cpu((s.conv(early),), (made,))
        graph = s.build(s.add(made, early))
        first, second = problems_for(graph, SHARED)
        assert whole(first)[0, Role.OFM] == WholeReason.READ_OUTSIDE
        assert whole(second)[2, Role.IFM] == whole(second)[2, Role.IFM2] == WholeReason.MADE_OUTSIDE


SIZES = st.lists(st.sampled_from((1, 8, 16, 24)), min_size=1, max_size=5)


@given(SIZES, st.sampled_from((DType.INT8, DType.INT16)))
def test_the_smallest_memory_is_that_of_the_operator_whose_whole_maps_are_largest(depths, dtype):
    """Between the ends of a chain nothing has to be whole."""
    s = Sketch()
    first = s.input((1, 7, 5, 3), dtype)
    value = first
    for depth in depths:
        value = s.conv(value, depth)
    problem = problem_of(s.build(value))
    rows = (7 * 5 * 3 * dtype.size_bytes, 7 * 5 * depths[-1] * dtype.size_bytes)
    given_, made = (-(-size // 16) * 16 for size in rows)
    expected = given_ + made if len(depths) == 1 else max(given_, made)
    at = 0 if len(depths) == 1 or given_ >= made else len(depths) - 1
    assert problem.smallest_bytes == expected
    assert least_memory(problem, handed_on(problem), NONE) == SmallestMemory(
        island=problem.island.id, size_bytes=expected, op=at
    )


def test_bricks_count_with_the_channels_that_are_stored_and_not_used():
    s = Sketch()
    both = s.conv(s.input((1, 4, 4, 1)), 3)
    problem = problem_of(s.build(s.conv(both, 1), s.conv(both, 1)))
    assert maker_of(problem, both).ofm.size_bytes == 4 * 4 * 16
    assert maker_of(problem, both).ofm.shape == (1, 4, 4, 3)


class TestRunsInStripes:
    @pytest.mark.parametrize(
        "kind",
        [
            OpKind.CONV_2D,
            OpKind.DEPTHWISE_CONV_2D,
            OpKind.AVERAGE_POOL,
            OpKind.MAX_POOL,
            OpKind.ABS,
            OpKind.LEAKY_RELU,
            OpKind.RESIZE_BILINEAR,
        ],
    )
    def test_whatever_works_row_by_row(self, kind):
        s = Sketch()
        graph = s.build(s.conv(s.input(PICTURE), 16, 1, kind))
        assert problem_of(graph).nodes[0].can_stripe

    @pytest.mark.parametrize(
        "kind", [OpKind.FULLY_CONNECTED, OpKind.REDUCE_SUM, OpKind.COPY, OpKind.TRANSPOSE_CONV_2D]
    )
    def test_but_not_these_kinds(self, kind):
        s = Sketch()
        graph = s.build(s.conv(s.input(PICTURE), 16, 1, kind))
        assert not problem_of(graph).nodes[0].can_stripe

    @pytest.mark.parametrize("kind", [kind for kind in OpKind if kind.is_binary])
    def test_but_not_an_operator_of_two_maps(self, kind):
        s = Sketch()
        made = s.op(kind, s.map(PICTURE), s.input(PICTURE), s.input(PICTURE))
        assert not problem_of(s.build(made)).nodes[0].can_stripe

    @pytest.mark.parametrize("shape", [(), (1, 1, 1, 16), PICTURE])
    def test_and_an_operator_of_a_map_and_a_constant(self, shape):
        s = Sketch()
        made = s.add(s.input(PICTURE), s.constant(shape))
        assert problem_of(s.build(made)).nodes[0].can_stripe

    def test_but_not_of_a_constant_and_a_map(self):
        """Rows of the second input are not handed on by cascades."""
        s = Sketch()
        made = s.add(s.constant(PICTURE), s.input(PICTURE))
        assert not problem_of(s.build(made)).nodes[0].can_stripe

    def test_but_not_an_operator_that_repeats_its_map(self):
        s = Sketch()
        made = s.op(OpKind.ADD, s.map(PICTURE), s.input((1, 1, 1, 16)), s.constant((1, 1, 1, 16)))
        assert not problem_of(s.build(made)).nodes[0].can_stripe

    def test_but_not_where_the_edge_is_repeated(self):
        s = Sketch()
        made = s.conv(s.input(PICTURE), pads_with_edge=True, padding=Padding(top=1, left=1))
        assert not problem_of(s.build(made)).nodes[0].can_stripe

    def test_but_not_on_a_part_of_a_map(self):
        s = Sketch()
        made = s.conv(s.part(s.input(PICTURE), (0, 0, 0, 0), (1, 4, 8, 16)))
        assert not problem_of(s.build(made)).nodes[0].can_stripe

    def test_and_where_it_makes_a_part(self):
        s = Sketch()
        joined = s.map((1, 8, 8, 32))
        s.op(OpKind.CONV_2D, s.part(joined, (0, 0, 0, 16), PICTURE), s.input(PICTURE))
        assert problem_of(s.build(joined)).nodes[0].can_stripe


def test_rows_come_in_pairs_only_where_each_row_is_repeated():
    for resampling in Resampling:
        s = Sketch()
        graph = s.build(s.conv(s.input(PICTURE), 16, Kernel(), resampling=resampling))
        found = problem_of(graph).nodes[0].needs_even_rows
        assert found == (resampling is Resampling.NEAREST)


def test_the_maps_of_a_node_are_by_their_bytes_each_once_and_no_constants():
    s = Sketch()
    state = s.map(PICTURE, is_variable=True)
    after = s.map(PICTURE, storage=state)
    s.op(OpKind.ADD, after, state, s.constant((1, 1, 1, 16)))
    problem = problem_of(s.build(after))
    assert problem.nodes[0].maps == (state,)


def test_readers_are_of_this_island_and_by_their_place_in_it():
    s = Sketch()
    made = s.map(PICTURE)
    s.cpu((s.conv(s.input(PICTURE)),), (made,))
    inner = s.conv(made)
    graph = s.build(s.conv(inner))
    first, second = problems_for(graph, SHARED)
    assert [node.readers for node in first.nodes] == [()]
    assert [node.readers for node in second.nodes] == [(1,), ()]
    assert [node.op.id for node in second.nodes] == [1, 2]


def test_a_port_has_the_shape_in_which_its_operator_sees_the_map():
    s = Sketch()
    other = View(fm=s.input(PICTURE), shape=Shape4(1, 4, 16, 16))
    node = problem_of(s.build(s.conv(other))).nodes[0]
    assert node.ifm.shape == (1, 4, 16, 16)
    assert node.ifm.size_bytes == 4 * 16 * 16
