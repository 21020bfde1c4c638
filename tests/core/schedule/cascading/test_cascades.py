"""Cascades: who can be in one, where they end and why, and the rows between their operators."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.geometry import Kernel, Resampling, Shape4
from core.base.ids import FmId
from core.ir.decisions import CascadeEnd, CascadeGrown
from core.ir.freedoms import NONE
from core.ir.npugraph import LinearReason, NpuGraph, OpKind, View
from core.ir.options import Options, Search
from core.schedule.cascading.cascades import Surroundings, with_cascades
from core.schedule.cascading.stripes import striped
from core.schedule.draft import Draft
from core.schedule.fast_storage import ArenaIsFast
from core.schedule.links import rolling_shape
from core.schedule.problem import problems_of
from core.target.format import Format
from tests.core.schedule.chains import LINKS, Link, chain, lost_rows
from tests.core.schedule.sketch import DEDICATED, SHARED, Bench, Sketch, bench, scheduled

TALL = (1, 32, 8, 16)
NO_LIMIT = 1 << 40


def conv(channels: int = 16, stride: int = 1, size: int = 3) -> Link:
    return Link(OpKind.CONV_2D, channels, Kernel(h=size, w=3, stride_h=stride))


def cascaded(found: Bench, limit_bytes: int, beside: dict[int, int] | None = None) -> Draft:
    """The min schedule in cascades."""
    around = Surroundings(
        nodes=found.problem.nodes,
        storage=found.problem.storage,
        limit_bytes=limit_bytes,
        beside_bytes=beside or {},
    )
    return with_cascades(found.smallest(), found.whole().ops, around)


def members(draft: Draft) -> list[list[int]]:
    """The nodes of each cascade."""
    return [list(range(each.first, each.last + 1)) for each in draft.cascades.values()]


def grown(draft: Draft) -> list[CascadeGrown]:
    return draft.grown


def first_end(graph: NpuGraph, limit_bytes: int = 0, target=SHARED) -> CascadeEnd:
    return grown(cascaded(bench(graph, target), limit_bytes))[0].end


class TestARollingBuffer:
    @given(
        st.lists(LINKS, min_size=2, max_size=4),
        st.integers(1, 12),
        st.integers(4, 40),
    )
    @settings(max_examples=60)
    def test_has_each_row_when_it_is_read(self, links, last, height):
        """Row by row, with a slot for each row of the buffer."""
        graph = chain(links, height)
        found = bench(graph)
        draft = striped(found.problem.nodes, found.estimates, found.whole(), last)
        assert lost_in(graph, draft) == []

    @given(st.lists(LINKS, min_size=2, max_size=4), st.integers(4, 40))
    @settings(max_examples=40)
    def test_has_each_row_with_the_smallest_stripes_too(self, links, height):
        graph = chain(links, height)
        assert lost_in(graph, bench(graph).smallest()) == []

    @given(st.lists(LINKS, min_size=2, max_size=3), st.integers(1, 40), st.integers(4, 40))
    @settings(max_examples=40)
    def test_is_as_wide_as_the_map_never_higher_and_of_whole_bricks(self, links, last, height):
        found = bench(chain(links, height))
        nodes = found.problem.nodes
        draft = striped(nodes, found.estimates, found.whole(), last)
        for one, other in pairwise(nodes):
            made, read = draft.ops[one.index], draft.ops[other.index]
            shape = rolling_shape(one.ofm.shape, Format.BRICKS, made, read)
            assert shape.h <= one.ofm.shape.h
            assert shape.w >= one.ofm.shape.w
            assert shape.c % 16 == 0
            assert 0 <= shape.c - one.ofm.shape.c < 16
            # Whole windows, so that the reader never meets the end of the buffer within one.
            assert shape.h == one.ofm.shape.h or shape.h % read.cost.stripe.ifm.h == 0

    def test_is_as_wide_as_the_map_where_the_last_columns_are_not_read(self):
        graph = chain([conv(), Link(OpKind.CONV_2D, 16, Kernel(stride_h=1, stride_w=2))], 32)
        draft = bench(graph).smallest()
        assert draft.ops[1].cost.stripe.ifm.w == 5
        assert rolling_shape(Shape4(1, 32, 6, 16), Format.BRICKS, draft.ops[0], draft.ops[1]).w == 6

    def test_of_rows_that_go_on_one_by_one_holds_two_windows(self):
        draft = bench(chain([conv(), conv()], 32)).smallest()
        shape = rolling_shape(Shape4(1, 32, 6, 16), Format.BRICKS, draft.ops[0], draft.ops[1])
        assert shape == (1, 6, 6, 16)


def lost_in(graph: NpuGraph, draft: Draft) -> list[str]:
    plans = [draft.ops[index] for index in sorted(draft.ops)]
    rolling = [
        rolling_shape(op.ofm.shape, Format.BRICKS, one, other).h
        for op, (one, other) in zip(graph.ops, pairwise(plans), strict=False)
    ]
    return lost_rows(graph.ops, [plan.cost.stripe.ofm.h for plan in plans], rolling)


def test_a_buffer_that_is_too_low_is_noticed_by_the_brute_force():
    graph = chain([conv(), conv()], 32)
    assert lost_rows(graph.ops, [1, 1], [3]) == []
    assert lost_rows(graph.ops, [1, 1], [2]) != []


class TestACascadeEnds:
    def test_with_the_last_operator(self):
        assert first_end(chain([conv(), conv()], 32)) is CascadeEnd.LAST

    def test_where_two_operators_read(self):
        s = Sketch()
        both = s.conv(s.input(TALL))
        assert first_end(s.build(s.conv(both), s.conv(both))) is CascadeEnd.LAST

    def test_where_one_operator_reads_twice(self):
        s = Sketch()
        both = s.conv(s.input(TALL))
        assert first_end(s.build(s.add(both, both))) is CascadeEnd.LAST

    def test_where_the_reader_comes_later(self):
        s = Sketch()
        first = s.input(TALL)
        early, between = s.conv(first), s.conv(first)
        graph = s.build(s.conv(early), s.conv(between))
        assert first_end(graph) is CascadeEnd.NEXT_IS_ELSEWHERE

    @pytest.mark.parametrize(
        "kind", [OpKind.FULLY_CONNECTED, OpKind.REDUCE_SUM, OpKind.TRANSPOSE_CONV_2D]
    )
    def test_before_an_operator_that_cannot_run_in_stripes(self, kind):
        s = Sketch()
        graph = s.build(s.conv(s.conv(s.input(TALL)), 16, 1, kind))
        assert first_end(graph) is CascadeEnd.CANNOT

    def test_before_a_sum_of_two_maps(self):
        s = Sketch()
        first = s.input(TALL)
        assert first_end(s.build(s.add(s.conv(first), first))) is CascadeEnd.CANNOT

    def test_before_an_operator_whose_smallest_stripe_is_all_of_it(self):
        s = Sketch()
        row = s.map((1, 1, 8, 16))
        s.op(OpKind.CONV_2D, row, s.conv(s.input(TALL)), kernel=Kernel(h=32))
        assert first_end(s.build(row)) is CascadeEnd.CANNOT

    def test_at_a_map_that_must_exist_whole(self):
        s = Sketch()
        inner = s.map(TALL, linear_reason=LinearReason.READ_IN_STEPS)
        s.op(OpKind.CONV_2D, inner, s.input(TALL))
        assert first_end(s.build(s.conv(inner))) is CascadeEnd.WHOLE_MAP

    def test_at_a_map_of_which_its_last_operator_makes_a_part(self):
        s = Sketch()
        first, joined = s.input((1, 16, 8, 16)), s.map(TALL)
        for start in (0, 16):
            s.op(OpKind.CONV_2D, s.part(joined, (0, start, 0, 0), (1, 16, 8, 16)), first)
        graph = s.build(s.conv(joined))
        ends = [each.end for each in grown(cascaded(bench(graph), 0))]
        assert ends == [CascadeEnd.WHOLE_MAP, CascadeEnd.WHOLE_MAP, CascadeEnd.LAST]

    def test_where_its_operators_see_a_map_in_different_shapes(self):
        """With rows such a map is whole; so bricks are claimed here."""
        s = Sketch()
        inner = s.conv(s.input(TALL))
        graph = s.build(s.conv(View(fm=inner, shape=Shape4(1, 16, 16, 16))))
        found = bench(graph)
        orders = tuple(
            Format.BRICKS if each.fm == inner else each.format for each in found.prepared.formats
        )
        claimed = found._replace(problem=problems_of(graph, orders, ArenaIsFast(), NONE)[0])
        assert grown(cascaded(claimed, 0))[0].end is CascadeEnd.SHAPES_DIFFER

    @pytest.mark.parametrize("target", [SHARED, DEDICATED])
    def test_where_there_is_room_for_whole_maps(self, target):
        graph = chain([conv(), conv(), conv()], 32)
        assert first_end(graph, NO_LIMIT, target) is CascadeEnd.FITS_WHOLE
        assert members(cascaded(bench(graph, target), NO_LIMIT)) == []

    def test_where_rolling_buffers_take_more_than_they_save(self):
        """Each window of the tall kernels spans nearly the whole map."""
        links = [conv(16), *[conv(16, size=15) for _ in range(6)]]
        assert first_end(chain(links, 16)) is CascadeEnd.TOO_LARGE

    def test_with_spilling_where_rolling_buffers_are_above_the_limit(self):
        graph = chain([conv(), conv(), conv()], 32)
        assert first_end(graph, 100, DEDICATED) is CascadeEnd.TOO_LARGE
        assert members(cascaded(bench(graph, DEDICATED), 100)) == []


@pytest.mark.parametrize("target", [SHARED, DEDICATED])
@pytest.mark.parametrize(
    "last",
    [
        lambda s, x: s.dense(s.conv(x, 16, Kernel(h=31, w=7, stride_h=33, stride_w=9))),
        lambda s, x: s.op(OpKind.REDUCE_SUM, s.map((1, 32, 8, 1)), x),
        lambda s, x: s.add(x, s.conv(s.input(TALL))),
        lambda s, x: s.op(
            OpKind.TRANSPOSE_CONV_2D,
            s.map((1, 64, 16, 16)),
            x,
            kernel=Kernel(h=2, w=2),
            resampling=Resampling.TRANSPOSE,
        ),
        lambda s, x: s.conv(s.op(OpKind.COPY, s.map(TALL), x)),
    ],
    ids=["fully connected", "sum of channels", "two maps", "transposed", "copy"],
)
def test_operators_that_cannot_run_in_stripes_are_never_in_chains(last, target):
    s = Sketch()
    graph = s.build(last(s, s.conv(s.conv(s.input(TALL)))))
    schedule = scheduled(graph, target, 4 << 10, Options(search=Search.COMPATIBLE))
    for plan in schedule.ops:
        op = graph.ops[plan.op]
        if op.kind in {OpKind.CONV_2D, OpKind.DEPTHWISE_CONV_2D}:
            continue
        assert plan.cascade is None, op.name
        assert plan.stripe.ofm == op.ofm.shape, op.name


def test_others_are():
    """Or the tests above would hold for a search that never cascades."""
    for target in (SHARED, DEDICATED):
        options = Options(search=Search.COMPATIBLE)
        schedule = scheduled(chain([conv(), conv()], 64), target, 2 << 10, options)
        assert [plan.cascade for plan in schedule.ops] == [0, 0]


LIMITS = st.one_of(st.integers(0, 20_000), st.just(NO_LIMIT))
CHAINS = st.builds(chain, st.lists(LINKS, min_size=2, max_size=6), st.integers(8, 40))
BOTH = pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=["shared", "dedicated"])


class TestEveryCascade:
    @BOTH
    @given(graph=CHAINS, limit=LIMITS)
    @settings(max_examples=30)
    def test_is_of_neighbours_that_hand_on_rows_and_the_rest_is_whole(self, target, graph, limit):
        found = bench(graph, target)
        draft = cascaded(found, limit)
        nodes = found.problem.nodes
        assert sorted(draft.ops) == [node.index for node in nodes]
        for last, cascade in draft.cascades.items():
            assert last == cascade.last > cascade.first
            chosen = nodes[cascade.first : cascade.last + 1]
            assert all(draft.ops[node.index].cascade == last for node in chosen)
            assert all(node.can_stripe for node in chosen)
            assert len(cascade.rolling) == len(chosen) - 1
            for one, other in pairwise(chosen):
                assert one.readers == (other.index,)
                assert not one.needs_whole_ofm
                assert not other.needs_whole_ifm
        inside = {index for chosen in members(draft) for index in chosen}
        for node in nodes:
            if node.index not in inside:
                assert draft.ops[node.index].cascade is None
                assert draft.ops[node.index].cost.stripe.ofm == node.ofm.shape

    @given(graph=CHAINS, limit=LIMITS)
    @settings(max_examples=30)
    def test_counts_what_is_at_its_ends_and_between(self, graph, limit):
        found = bench(graph)
        for cascade in cascaded(found, limit).cascades.values():
            rolling = sum(shape.elements for _, shape in cascade.rolling)
            first, last = (found.problem.nodes[at] for at in (cascade.first, cascade.last))
            expected = first.ifm.size_bytes + rolling + last.ofm.size_bytes
            assert cascade.size_bytes == expected

    @given(graph=CHAINS, limit=LIMITS)
    @settings(max_examples=30)
    def test_with_spilling_counts_only_what_is_between_and_is_within_the_limit(self, graph, limit):
        for cascade in cascaded(bench(graph, DEDICATED), limit).cascades.values():
            assert cascade.size_bytes == sum(shape.elements for _, shape in cascade.rolling)
            assert cascade.size_bytes <= limit

    @given(graph=CHAINS, limit=LIMITS)
    @settings(max_examples=30)
    def test_with_spilling_stops_where_an_operator_fits_whole(self, graph, limit):
        found = bench(graph, DEDICATED)
        draft = cascaded(found, limit)
        sizes = {}
        for node in found.problem.nodes:
            made = 0 if node.overwrites else node.ofm.size_bytes
            sizes[node.index] = node.ifm.size_bytes + made
        for chosen in members(draft):
            assert all(sizes[index] >= limit for index in chosen[1:])

    @given(graph=CHAINS, limit=LIMITS)
    @settings(max_examples=30)
    def test_takes_less_than_one_of_its_operators_with_whole_maps(self, graph, limit):
        found = bench(graph)
        for cascade in cascaded(found, limit).cascades.values():
            nodes = found.problem.nodes[cascade.first : cascade.last + 1]
            alone = [node.ifm.size_bytes + node.ofm.size_bytes for node in nodes]
            assert cascade.size_bytes < max(alone)

    @BOTH
    @given(graph=CHAINS, limit=LIMITS)
    @settings(max_examples=30)
    def test_has_one_record_that_says_how_far_it_was_tried(self, target, graph, limit):
        draft = cascaded(bench(graph, target), limit)
        records = grown(draft)
        kept = [[each.first, each.last] for each in records if each.last > each.first]
        assert kept == [[chosen[0], chosen[-1]] for chosen in members(draft)]
        for each in records:
            assert each.first <= each.last <= each.tried_until
        for one, other in pairwise(records):
            assert one.last < other.first


class TestMemoryThatAPartOfTheNetworkTakes:
    """A large part and a small one, of which the second fits into what the first takes."""

    def graph(self, large: Callable[[Sketch], FmId]) -> NpuGraph:
        s = Sketch()
        made = large(s)
        return s.build(made, self.waist(s, TALL))

    def whole(self, s: Sketch) -> FmId:
        made = s.map((1, 64, 16, 32))
        twice = {"kernel": Kernel(h=2, w=2), "resampling": Resampling.TRANSPOSE}
        return s.op(OpKind.TRANSPOSE_CONV_2D, made, s.input(TALL), **twice)

    def striped(self, s: Sketch) -> FmId:
        return self.waist(s, (1, 64, 16, 16))

    def waist(self, s: Sketch, shape: tuple[int, ...]) -> FmId:
        """Much in the middle, so that a cascade takes less than any of the operators alone."""
        return s.conv(s.conv(s.conv(s.input(shape), 48), 48), 16)

    def test_whole_is_free_for_all_others_where_that_is_the_arena(self):
        draft = cascaded(bench(self.graph(self.whole)), 0)
        assert members(draft) == []
        assert grown(draft)[0].end is CascadeEnd.FITS_WHOLE

    def test_in_a_cascade_is_free_for_all_others_where_that_is_the_arena(self):
        assert members(cascaded(bench(self.graph(self.striped)), 0)) == [[0, 1, 2]]

    def test_is_not_free_where_maps_live_elsewhere(self):
        draft = cascaded(bench(self.graph(self.striped), DEDICATED), 12_000)
        assert members(draft) == [[0, 1, 2], [3, 4, 5]]


def test_what_is_live_beside_a_cascade_is_not_of_its_size():
    graph = chain([conv(), conv()], 64)
    plain = cascaded(bench(graph), 0).cascades[1]
    beside = cascaded(bench(graph), 0, {0: 5000, 1: 5000}).cascades[1]
    assert beside == plain


def test_what_is_live_beside_an_operator_can_ask_for_a_cascade():
    graph = chain([conv(), conv()], 64)
    limit = 64 << 10
    assert members(cascaded(bench(graph), limit)) == []
    assert members(cascaded(bench(graph), limit, {0: limit, 1: limit})) == [[0, 1]]


def test_an_operator_that_writes_over_its_input_needs_no_more_than_that():
    """So with spilling it fits whole sooner, and no cascade is grown over it from before."""
    s = Sketch()
    graph = s.build(s.conv(s.alone(s.conv(s.conv(s.input(TALL))))))
    size = 32 * 8 * 16
    draft = cascaded(bench(graph, DEDICATED), size + 1)
    assert grown(draft)[0].end is CascadeEnd.FITS_WHOLE
    assert members(draft)[0] == [0, 1]
