"""Drafts become schedules: everything in order, and maps where the draft had them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.geometry import Kernel
from core.ir.decisions import Candidate, RoomGiven
from core.ir.npugraph import NpuGraph, OpKind
from core.ir.options import Options, Search, Strategy
from core.schedule.cascading.cascades import Surroundings, with_cascades
from core.schedule.draft import Draft, snapshot
from core.schedule.solved import Solved, island_schedule
from core.target.format import Format
from core.target.region import Region
from tests.core.schedule.sketch import DEDICATED, NEAR, SHARED, Sketch, bench, scheduled

BOTH = pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=["shared", "dedicated"])
LIMITS = st.integers(1_000, 60_000)
OPTIONS = st.builds(
    Options,
    strategy=st.sampled_from(Strategy),
    search=st.sampled_from((Search.COMPATIBLE, Search.DIRECT)),
)


def towers() -> NpuGraph:
    """Two islands; in each, ways that can be cascaded and sums that cannot."""
    s = Sketch()
    value = s.input((1, 48, 12, 8))
    for _ in range(2):
        for _ in range(2):
            start = s.conv(value, 16)
            way = s.conv(s.conv(s.conv(start, 32), 32), 16)
            value = s.add(way, start)
        made = s.map((1, 48, 12, 16))
        s.cpu((value,), (made,))
        value = made
    return s.build(value)


GRAPH = towers()


@pytest.mark.long
@BOTH
@given(limit=LIMITS, options=OPTIONS)
@settings(max_examples=20)
def test_plans_are_in_order_of_execution_island_by_island(target, limit, options):
    schedule = scheduled(GRAPH, target, limit, options)
    assert [plan.op for plan in schedule.ops] == [op.id for op in GRAPH.ops]
    assert [each.island for each in schedule.islands] == [0, 1]
    assert schedule.network == GRAPH.network
    for island in schedule.islands:
        times = [plan.time for plan in island.ops]
        assert times == sorted(times)
        assert times[0] == 0
        assert len(island.snapshot) > times[-1]
        if options.strategy is Strategy.PERFORMANCE:
            given = {d.size_bytes for d in schedule.decisions if isinstance(d, RoomGiven)}
            assert island.limit_bytes == max({limit} | given)


@pytest.mark.long
@BOTH
@given(limit=LIMITS, options=OPTIONS)
@settings(max_examples=20)
def test_cascades_are_numbered_in_order_of_execution(target, limit, options):
    for island in scheduled(GRAPH, target, limit, options).islands:
        firsts = [cascade.ops[0] for cascade in island.cascades]
        assert firsts == sorted(firsts)
        for number, cascade in enumerate(island.cascades):
            inside = [plan.op for plan in island.ops if plan.cascade == number]
            assert inside == list(cascade.ops)
            assert len({plan.time for plan in island.ops if plan.cascade == number}) == 1
        numbers = {plan.cascade for plan in island.ops} - {None}
        assert numbers == set(range(len(island.cascades)))


def test_the_order_in_which_cascades_were_found_does_not_matter():
    """Those with higher stripes come last, wherever they are."""
    found = bench(GRAPH, DEDICATED)
    around = Surroundings(
        nodes=found.problem.nodes,
        limit_bytes=9_000,
        beside_bytes={},
        storage=found.problem.storage,
    )
    draft = with_cascades(found.smallest(), found.whole().ops, around)
    assert len(draft.cascades) > 1
    turned = Draft(ops=draft.ops)
    turned.cascades = dict(reversed(draft.cascades.items()))
    one, other = (
        Solved(
            problem=found.problem,
            candidate=Candidate.CASCADES,
            draft=each,
            now=snapshot(found.problem, each),
            limit_bytes=9_000,
        )
        for each in (draft, turned)
    )
    assert island_schedule(one) == island_schedule(other)


@pytest.mark.long
@BOTH
@given(limit=LIMITS, options=OPTIONS)
@settings(max_examples=20)
def test_what_a_cascade_hands_on_is_rolling_and_nothing_else_is(target, limit, options):
    schedule = scheduled(GRAPH, target, limit, options)
    buffers = [
        buffer
        for island in schedule.islands
        for cascade in island.cascades
        for buffer in cascade.buffers
    ]
    for buffer in buffers:
        plan = schedule.maps[buffer.fm]
        assert plan.region is Region.SCRATCH_FAST
        assert plan.rolling == buffer.shape
        assert buffer.size_bytes == buffer.shape.elements
    rolling = [number for number, plan in enumerate(schedule.maps) if plan.rolling is not None]
    assert rolling == sorted(buffer.fm for buffer in buffers)


@pytest.mark.long
@given(limit=LIMITS)
@settings(max_examples=20)
def test_a_map_is_in_fast_storage_where_it_was_not_evicted(limit):
    schedule = scheduled(GRAPH, DEDICATED, limit)
    gone = {fm for island in schedule.islands for each in island.evicted for fm in each.fms}
    for island in GRAPH.islands:
        for number in island.ops:
            fm, plan = GRAPH.ops[number].ofm.fm, schedule.ops[number]
            is_fast = schedule.maps[fm].region is Region.SCRATCH_FAST
            if fm in island.outputs or fm in gone:
                assert not is_fast
            elif plan.cascade is None:
                assert is_fast


def test_the_examples_have_cascades_and_evicted_maps():
    compatible = Options(search=Search.COMPATIBLE)
    found = [scheduled(GRAPH, target, 15_000, compatible) for target in (SHARED, DEDICATED)]
    assert all(len(island.cascades) > 1 for each in found for island in each.islands)
    low = scheduled(GRAPH, DEDICATED, 40_000)
    assert any(island.evicted for island in low.islands)


def test_fast_storage_holds_the_outputs_of_an_island_until_its_end():
    """Where feature maps are in it at all."""
    s = Sketch()
    first = s.input((1, 8, 8, 16))
    early = s.conv(first)
    last = s.alone(s.alone(s.conv(first)))
    graph = s.build(early, last)
    size = 8 * 8 * 16
    for target, expected in ((NEAR, 2 * size), (DEDICATED, 0)):
        assert scheduled(graph, target, 1 << 20).islands[0].snapshot[-1] == expected


class TestWhatNoIslandMoves:
    def test_is_in_the_arena_and_constants_are_where_their_readers_are(self):
        s = Sketch()
        row, number = s.constant((1, 1, 1, 16)), s.constant((4,), seed=1)
        first, made = s.input((1, 8, 8, 16)), s.map((1, 8, 8, 16))
        inner = s.add(first, row)
        s.cpu((inner, number), (made,))
        schedule = scheduled(s.build(s.conv(made)), DEDICATED, 1 << 20)
        regions = [schedule.maps[fm].region for fm in (row, number, first, inner, made)]
        assert regions == [
            Region.PERMANENT_NPU,
            Region.PERMANENT_CPU,
            Region.SCRATCH,
            Region.SCRATCH,
            Region.SCRATCH,
        ]

    def test_has_the_format_that_was_chosen(self):
        s = Sketch()
        first = s.input((1, 8, 8, 16))
        inner = s.conv(first)
        last = s.conv(inner)
        schedule = scheduled(s.build(last), SHARED, 1 << 20, Options(search=Search.COMPATIBLE))
        formats = [schedule.maps[fm].format for fm in (first, inner, last)]
        assert formats == [Format.LINEAR, Format.BRICKS, Format.LINEAR]

    def test_without_an_island_is_all_there_is(self):
        s = Sketch()
        first, made = s.input((1, 8, 8, 16)), s.map((1, 8, 8, 16))
        s.cpu((first,), (made,))
        schedule = scheduled(s.build(made), SHARED, 1 << 20)
        assert schedule.islands == ()
        assert schedule.ops == ()
        assert [plan.region for plan in schedule.maps] == [Region.SCRATCH] * 2


def test_an_operator_of_one_slice_is_frozen_with_the_whole_of_it():
    s = Sketch()
    first = s.conv(s.input((1, 32, 32, 16)), 16, Kernel(h=7, w=7))
    graph = s.build(s.conv(first, 64, kind=OpKind.CONV_2D))
    plan = scheduled(graph, SHARED, 1 << 22).ops[1]
    assert plan.weights.depth_slices == (0, 64)
    assert plan.weights.slice_bytes == plan.weights.buffer_bytes
    assert plan.stripe.ofm == graph.ops[1].ofm.shape
    assert plan.macs == 32 * 32 * 64 * 16 * 9
