"""When an operator may write its output over an input: each rule with what it forbids."""

from __future__ import annotations

import pytest

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.ir.npugraph import NpuGraph, OpKind, View
from core.liveness.overwrite import overwritable
from core.lower.table_carriers import with_pools_in_place
from core.target.format import Format
from tests.core.schedule.sketch import Sketch

PICTURE = (1, 8, 8, 16)


def found(graph: NpuGraph, op: int = -1, *, rows: tuple[int, ...] = ()) -> tuple[int, ...]:
    """What the output of an operator may replace, where some maps are in rows."""
    formats = [Format.LINEAR if fm.id in rows else Format.BRICKS for fm in graph.feature_maps]
    return overwritable(graph, formats)[op]


def test_an_elementwise_output_may_lie_on_an_input_that_nobody_reads_again():
    s = Sketch()
    first = s.input(PICTURE)
    assert found(s.build(s.alone(first))) == (first,)


def test_of_two_inputs_it_may_lie_on_either_and_the_first_comes_first():
    s = Sketch()
    one, other = s.input(PICTURE), s.input(PICTURE)
    assert found(s.build(s.add(one, other))) == (one, other)


def test_an_input_that_the_operator_reads_twice_is_read_by_one_operator():
    s = Sketch()
    one = s.input(PICTURE)
    assert set(found(s.build(s.add(one, one)))) == {one}


@pytest.mark.parametrize(
    "kind", [OpKind.CONV_2D, OpKind.DEPTHWISE_CONV_2D, OpKind.MAX_POOL, OpKind.REDUCE_SUM]
)
def test_other_operators_read_elements_after_they_have_written_them(kind):
    s = Sketch()
    assert found(s.build(s.conv(s.input(PICTURE), 16, 1, kind))) == ()


def test_a_pooling_of_single_elements_may_lie_on_its_input_where_lowering_says_so():
    s = Sketch()
    first = s.input(PICTURE)
    graph = s.build(s.conv(first, 16, 1, OpKind.AVERAGE_POOL))
    assert found(graph) == ()
    assert found(with_pools_in_place(graph)) == (first,)


@pytest.mark.parametrize(("shape", "may"), [((1, 8, 1, 1), False), (PICTURE, True)])
def test_but_not_where_what_it_makes_is_spread(shape, may):
    s = Sketch()
    picture, first = s.input(PICTURE), s.input(shape)
    pooled = s.conv(first, shape[-1], 1, OpKind.AVERAGE_POOL)
    graph = with_pools_in_place(s.build(s.add(picture, pooled)))
    assert found(graph, 0) == ((first,) if may else ())


class TestNotWhereTheInputIsReadAgain:
    def test_by_a_later_operator(self):
        s = Sketch()
        first = s.input(PICTURE)
        last = s.alone(first)
        assert found(s.build(last, s.conv(first)), 0) == ()

    def test_by_an_earlier_operator(self):
        """Readers are counted, whenever they read; that forbids more than it has to."""
        s = Sketch()
        first = s.input(PICTURE)
        earlier = s.conv(first)
        assert found(s.build(earlier, s.alone(first))) == ()

    def test_on_the_cpu(self):
        s = Sketch()
        first, made = s.input(PICTURE), s.map(PICTURE)
        last = s.alone(first)
        s.cpu((first,), (made,))
        assert found(s.build(last, made)) == ()

    def test_by_the_application(self):
        s = Sketch()
        inner = s.conv(s.input(PICTURE))
        assert found(s.build(inner, s.alone(inner))) == ()


def test_not_where_another_operator_makes_a_part_of_the_output():
    s = Sketch()
    joined, first = s.map(PICTURE), s.input(PICTURE)
    s.op(OpKind.CONV_2D, joined, s.input(PICTURE))
    s.op(OpKind.ABS, joined, first)
    assert found(s.build(joined)) == ()


def test_not_on_a_constant():
    s = Sketch()
    first = s.input(PICTURE)
    assert found(s.build(s.add(s.constant(PICTURE), first))) == (first,)


class TestNotWhereBytesOutliveTheInference:
    def test_of_the_input(self):
        s = Sketch()
        state = s.map(PICTURE, is_variable=True)
        assert found(s.build(s.alone(state))) == ()

    def test_of_the_output(self):
        s = Sketch()
        state = s.map(PICTURE, is_variable=True)
        s.op(OpKind.ABS, state, s.input(PICTURE))
        assert found(s.build(state)) == ()

    def test_of_what_they_are_stored_in(self):
        s = Sketch()
        state = s.map(PICTURE, is_variable=True)
        after = s.map(PICTURE, storage=state)
        s.op(OpKind.ABS, after, s.input(PICTURE))
        assert found(s.build(s.alone(after)), 0) == ()
        assert found(s.build(s.alone(after)), 1) == ()

    def test_of_what_shares_its_bytes_with_another(self):
        s = Sketch()
        other = s.map(PICTURE)
        same = s.map(PICTURE, storage=other)
        s.op(OpKind.ABS, same, s.input(PICTURE))
        assert found(s.build(s.alone(same)), 0) == ()
        assert found(s.build(s.alone(same)), 1) == ()


class TestNotWhereTheOperatorDoesNotTouchAllInOrder:
    def test_a_part_of_the_input(self):
        s = Sketch()
        first = s.input(PICTURE)
        assert found(s.build(s.alone(s.part(first, (0, 0, 0, 0), (1, 4, 8, 16))))) == ()

    def test_a_part_of_the_output(self):
        s = Sketch()
        joined = s.map(PICTURE)
        s.op(OpKind.ABS, s.part(joined, (0, 4, 0, 0), (1, 4, 8, 16)), s.input((1, 4, 8, 16)))
        assert found(s.build(joined)) == ()

    @pytest.mark.parametrize(
        "moved",
        [{"step_h": -1}, {"step_w": 2}, {"base_offset_bytes": 16}, {"is_transposed": True}],
        ids=str,
    )
    def test_in_the_order_of_memory(self, moved):
        for is_input in (True, False):
            s = Sketch()
            first, made = s.input(PICTURE), s.map(PICTURE)
            views = [s.view(made), s.view(first)]
            views[is_input] = replace(views[is_input], **moved)
            s.op(OpKind.ABS, *views)
            assert found(s.unjudged(made)) == ()

    def test_but_a_box_that_is_all_of_the_map_is_no_part(self):
        s = Sketch()
        first = s.input(PICTURE)
        assert found(s.build(s.alone(s.part(first, (0, 0, 0, 0), PICTURE)))) == (first,)


class TestNotWhereElementsLieElsewhere:
    def test_in_another_order(self):
        s = Sketch()
        first = s.input(PICTURE)
        last = s.alone(first)
        graph = s.build(last)
        assert found(graph, rows=(first,)) == found(graph, rows=(last,)) == ()
        assert found(graph, rows=(first, last)) == (first,)

    def test_in_another_width(self):
        s = Sketch()
        first, made = s.input(PICTURE, DType.INT16), s.map(PICTURE)
        s.op(OpKind.ABS, made, first)
        assert found(s.build(made)) == ()

    def test_in_another_sign(self):
        s = Sketch()
        first, made = s.input(PICTURE, DType.UINT8), s.map(PICTURE)
        s.op(OpKind.ABS, made, first)
        assert found(s.build(made)) == ()

    def test_in_another_shape(self):
        s = Sketch()
        one, row = s.input(PICTURE), s.input((1, 1, 1, 16))
        assert found(s.build(s.add(one, row))) == (one,)
        s = Sketch()
        first, made = s.input(PICTURE), s.map(PICTURE)
        s.op(OpKind.ABS, View(fm=made, shape=Shape4(1, 4, 16, 16)), first)
        assert found(s.unjudged(made)) == ()

    def test_in_a_scalar(self):
        s = Sketch()
        scalar = s.input(())
        one = s.input((1, 1, 1, 1))
        assert found(s.build(s.add(one, scalar))) == (one,)


class TestACopyToWhereTheBytesAre:
    """It is none, whatever the elements are taken to be."""

    @pytest.mark.parametrize("shape", [PICTURE, (1, 4, 16, 16), (1, 4, 8, 16), (1024,)])
    def test_may_replace_its_input_where_it_is_no_larger(self, shape):
        s = Sketch()
        first, made = s.input(PICTURE), s.map(shape)
        s.op(OpKind.COPY, made, first)
        assert found(s.unjudged(made), rows=(first, made)) == (first,)

    def test_may_be_of_another_type(self):
        s = Sketch()
        first, made = s.input(PICTURE), s.map((1, 8, 8, 8), DType.INT16)
        s.op(OpKind.COPY, made, first)
        assert found(s.unjudged(made), rows=(first, made)) == (first,)

    def test_may_not_where_it_is_larger(self):
        s = Sketch()
        first, made = s.input(PICTURE), s.map((1, 8, 8, 32))
        s.op(OpKind.COPY, made, first)
        assert found(s.unjudged(made), rows=(first, made)) == ()

    def test_may_not_where_the_input_is_read_again(self):
        s = Sketch()
        first = s.input(PICTURE)
        copied = s.op(OpKind.COPY, s.map(PICTURE), first)
        assert found(s.build(copied, s.conv(first)), 0, rows=(first, copied)) == ()


def test_each_operator_has_its_own_answer():
    s = Sketch()
    one = s.conv(s.input(PICTURE))
    two = s.alone(one)
    three = s.alone(two)
    graph = s.build(s.conv(three))
    assert overwritable(graph, [Format.BRICKS] * len(graph.feature_maps)) == (
        (),
        (one,),
        (two,),
        (),
    )
