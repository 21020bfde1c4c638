"""Stripes: what they need, how heights go from operator to operator, which one is best."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.geometry import Kernel, Resampling
from core.ir.npugraph import OpKind
from core.schedule.cascading.stripes import best_height, striped
from core.schedule.draft import Draft
from core.schedule.estimates import stripe_of
from tests.core.schedule.chains import KERNELS, LINKS, Link, chain, rows_read
from tests.core.schedule.sketch import Bench, Sketch, bench

NEAREST = Link(OpKind.RESIZE_NEAREST, 0, Kernel(), Resampling.NEAREST)


def conv(stride: int = 1, size: int = 3) -> Link:
    return Link(OpKind.CONV_2D, 16, Kernel(h=size, w=3, stride_h=stride))


def heights(draft: Draft) -> list[int]:
    """Rows of each operator's stripes, in order of execution."""
    return [draft.ops[index].cost.stripe.ofm.h for index in sorted(draft.ops)]


def striped_chain(links: list[Link], height: int, last: int) -> tuple[Bench, Draft]:
    found = bench(chain(links, height))
    return found, striped(found.problem.nodes, found.estimates, found.whole(), last)


class TestAStripe:
    @given(KERNELS, st.integers(1, 20), st.integers(8, 40))
    def test_reads_enough_rows_wherever_it_lies_and_no_more_than_some_stripe_needs(
        self, kernel, height, rows
    ):
        graph = chain([Link(OpKind.CONV_2D, 16, kernel)], rows)
        node, op = bench(graph).problem.nodes[0], graph.ops[0]
        assume(height < op.ofm.shape.h)
        stripe = stripe_of(node, height)
        spans = []
        for start in range(op.ofm.shape.h - height + 1):
            read = set().union(*(rows_read(op, row) for row in range(start, start + height)))
            spans.append(max(read) - min(read) + 1 if read else 0)
        # Windows that padding cuts off, or that rows end within, can make all stripes smaller.
        padded = min((height - 1) * kernel.stride_h + kernel.dilated_h, rows)
        assert max(spans) <= stripe.ifm.h == padded
        assert stripe.ofm == op.ofm.shape.with_hw(height, op.ofm.shape.w)

    @given(st.integers(1, 12), st.sampled_from((1, 2)))
    def test_reads_every_row_that_repeated_rows_come_from(self, height, size):
        link = Link(OpKind.RESIZE_NEAREST, 0, Kernel(h=size, w=size), Resampling.NEAREST)
        graph = chain([link], 8)
        op, stripe = graph.ops[0], stripe_of(bench(graph).problem.nodes[0], height)
        for start in range(op.ofm.shape.h - height + 1):
            read = set().union(*(rows_read(op, row) for row in range(start, start + height)))
            assert max(read) - min(read) + 1 <= stripe.ifm.h

    def test_that_is_as_high_as_the_map_is_the_map(self):
        graph = chain([conv(stride=2)], 9)
        node = bench(graph).problem.nodes[0]
        assert stripe_of(node, 5) == (graph.ops[0].ofm.shape, graph.ops[0].ifm.shape, None)

    def test_is_never_larger_than_what_it_reads(self):
        graph = chain([conv(size=5)], 6)
        stripe = stripe_of(bench(graph).problem.nodes[0], 5)
        assert stripe.ifm.h == 6

    def test_reads_as_many_rows_of_a_constant_as_of_the_map(self):
        s = Sketch()
        picture = (1, 8, 8, 16)
        graph = s.build(s.add(s.input(picture), s.constant(picture)))
        assert stripe_of(bench(graph).problem.nodes[0], 3).ifm2 == (1, 3, 8, 16)

    def test_reads_a_constant_row_again_and_again(self):
        s = Sketch()
        graph = s.build(s.add(s.input((1, 8, 8, 16)), s.constant((1, 1, 1, 16))))
        assert stripe_of(bench(graph).problem.nodes[0], 3).ifm2 == (1, 1, 1, 16)


class TestHeightsBeforeTheLast:
    def test_are_multiplied_by_strides(self):
        _, draft = striped_chain([conv(), conv(2), conv(), conv(3), conv()], 96, 2)
        assert heights(draft) == [12, 6, 6, 2, 2]

    def test_are_at_most_those_of_the_maps(self):
        _, draft = striped_chain([conv(), conv(2), conv(2)], 20, 3)
        assert heights(draft) == [12, 6, 3]
        _, draft = striped_chain([conv(), conv(2), conv(2)], 10, 3)
        assert heights(draft) == [10, 5, 3]

    @given(st.lists(LINKS, min_size=2, max_size=5), st.integers(1, 9))
    @settings(max_examples=30)
    def test_are_even_or_whole_where_some_operator_repeats_rows(self, links, last):
        found, draft = striped_chain([*links, conv(), NEAREST, conv()], 30, last)
        nodes = found.problem.nodes
        for node, height, following in zip(nodes[:-1], heights(draft)[:-1], nodes[1:], strict=True):
            is_multiple = height % following.op.kernel.stride_h == 0
            assert height == node.ofm.shape.h or (height % 2 == 0 and is_multiple)

    def test_may_be_odd_where_no_operator_does(self):
        _, draft = striped_chain([conv(), conv(), conv()], 30, 5)
        assert heights(draft) == [5, 5, 5]

    @given(st.lists(LINKS, min_size=1, max_size=5), st.integers(1, 30))
    @settings(max_examples=30)
    def test_are_enough_for_each_stripe_of_the_next_operator_to_move_on_by_one_stripe(
        self, links, last
    ):
        found, draft = striped_chain([*links, conv()], 24, last)
        rows = heights(draft)
        for place, following in enumerate(found.problem.nodes[1:]):
            whole = found.problem.nodes[place].ofm.shape.h
            step = rows[place + 1] * following.op.kernel.stride_h
            assert rows[place] >= min(step // following.op.resampling.factor, whole)

    def test_the_last_operator_has_what_was_asked_for(self):
        for last in (1, 2, 7, 16, 99):
            _, draft = striped_chain([conv(), conv()], 16, last)
            assert heights(draft)[-1] == min(last, 16)


class TestTheMinSchedule:
    @pytest.mark.parametrize(
        ("links", "expected"),
        [
            ([conv(), conv(), conv()], [1, 1, 1]),
            ([conv(), conv(2), conv()], [2, 1, 1]),
            ([conv(), conv(3), conv(2)], [3, 2, 1]),
            ([conv(), NEAREST, conv()], [1, 2, 1]),
            ([conv(), NEAREST, conv(2)], [1, 2, 1]),
            ([conv(), NEAREST, conv(3)], [1, 4, 1]),
            ([conv(), NEAREST], [1, 2]),
        ],
    )
    def test_makes_as_many_rows_as_the_next_operator_steps_over(self, links, expected):
        assert heights(bench(chain(links, 24)).smallest()) == expected

    def test_makes_no_more_rows_than_there_are(self):
        assert heights(bench(chain([conv(), conv(3), conv()], 2)).smallest()) == [2, 1, 1]

    def test_steps_over_rows_of_the_next_operator_in_order_be_it_the_reader_or_not(self):
        s = Sketch()
        first = s.input((1, 16, 16, 8))
        early, late = s.conv(first), s.conv(first, kernel=Kernel(h=3, w=3, stride_h=2))
        graph = s.build(s.conv(early), s.conv(late))
        assert heights(bench(graph).smallest()) == [2, 1, 1, 1]


def test_buffers_stay_buffers_and_have_the_size_of_the_new_stream():
    found = bench(chain([conv(), conv(), conv()], 24))
    before = found.whole()
    plan = before.ops[1]
    assert plan.weights is not None
    before.ops[1] = replace(plan, weights=replace(plan.weights, buffers=(7,)))
    after = striped(found.problem.nodes, found.estimates, before, 4)
    weights = [after.ops[index].weights for index in range(3)]
    assert [len(each.buffers) for each in weights] == [0, 1, 0]
    assert weights[1].buffers == (weights[1].stream.stream_bytes,)
    assert [each.depth_slices for each in weights] == [(0, 16)] * 3


HEIGHTS = st.tuples(st.integers(1, 40), st.integers(0, 300)).map(lambda n: (n[0], n[0] + n[1]))


class Cascade:
    """Fits up to some height; notes what is tried."""

    def __init__(self, highest: int) -> None:
        self.highest = highest
        self.tried: list[int] = []

    def attempt(self, height: int) -> int | None:
        self.tried.append(height)
        return height if height <= self.highest else None

    @property
    def fitting(self) -> list[int]:
        return [height for height in self.tried if height <= self.highest]


@given(HEIGHTS, st.integers(0, 400))
def test_where_higher_is_faster_it_finds_what_a_full_scan_finds(ends, highest):
    first, last = ends
    fitting = [height for height in range(first, last + 1) if height <= highest]
    found = best_height(first, last, Cascade(highest).attempt, lambda height: 1000 - height)
    assert found == (max(fitting) if fitting else None)


@given(HEIGHTS, st.integers(0, 400), st.randoms(use_true_random=False))
def test_of_what_was_tried_it_takes_the_fastest_and_of_equals_the_highest(ends, highest, random):
    cycles = [random.randrange(5) for _ in range(400)]
    cascade = Cascade(highest)
    found = best_height(*ends, cascade.attempt, cycles.__getitem__)
    if not cascade.fitting:
        assert found is None
        return
    fastest = min(cycles[height] for height in cascade.fitting)
    assert found == max(height for height in cascade.fitting if cycles[height] == fastest)


@given(HEIGHTS, st.integers(0, 400))
def test_it_tries_few_heights_each_once_and_none_outside_its_ends(ends, highest):
    first, last = ends
    cascade = Cascade(highest)
    best_height(first, last, cascade.attempt, lambda _: 0)
    assert len(cascade.tried) == len(set(cascade.tried))
    assert all(first <= height <= last for height in cascade.tried)
    assert len(cascade.tried) <= 1 + math.ceil(math.log2(last - first + 1)) + 1 + 3


@given(HEIGHTS, st.integers(0, 400))
def test_it_tries_the_three_heights_below_the_highest(ends, highest):
    """A little lower can be faster, where the highest leaves its last block nearly empty."""
    first, last = ends
    cascade = Cascade(highest)
    best_height(first, last, cascade.attempt, lambda _: 0)
    top = min(highest, last)
    assert {height for height in range(top - 3, top + 1) if height >= first} <= set(cascade.tried)


def test_where_the_first_height_does_not_fit_nothing_else_is_tried():
    cascade = Cascade(4)
    assert best_height(5, 90, cascade.attempt, lambda _: 0) is None
    assert cascade.tried == [5]
