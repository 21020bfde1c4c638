"""What needs addresses, from when to when, over a whole network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from core.base.dtype import DType
from core.base.geometry import Kernel
from core.base.ids import FmId
from core.ir.constdata import ConstData
from core.ir.layout import AreaLayout, MemoryLayout, Placement, Purpose
from core.ir.npugraph import Activation, ActivationKind, NpuGraph, OpKind
from core.ir.options import Allocator, Options, Search
from core.ir.schedule import Schedule
from core.liveness.lives import Life
from core.memory import run as memory
from core.memory.ranges import Timeline, constants, timeline
from core.target.region import Region
from core.target.target import Target
from tests.core.schedule.sketch import DEDICATED, SHARED, Sketch, scheduled, weights

PICTURE = (1, 8, 8, 16)
SCRATCH = (Region.SCRATCH, Region.SCRATCH_FAST)
PLENTY = 1 << 22


def times_of(
    graph: NpuGraph,
    target: Target = SHARED,
    regions: Sequence[Region] = SCRATCH,
    limit: int = PLENTY,
) -> Timeline:
    return timeline(graph, scheduled(graph, target, limit), regions)


def life_of(when: Timeline, fm: FmId) -> Life:
    (found,) = [life for life in when.lives if fm in life.fms]
    return found


def span(when: Timeline, fm: FmId) -> tuple[int, int]:
    found = life_of(when, fm)
    return found.start_time, found.end_time


class TestTime:
    def test_goes_on_by_two_for_each_operator_on_whichever_processor(self):
        s = Sketch()
        one = s.conv(s.conv(s.input(PICTURE)))
        two, three = s.map(PICTURE), s.map(PICTURE)
        s.cpu((one,), (two,))
        s.cpu((two,), (three,))
        when = times_of(s.build(s.conv(three)))
        assert when.op_times == (0, 2, 8)
        assert when.end_time == 2 * 5 + 1
        assert span(when, two) == (4, 7)

    def test_is_one_for_a_cascade(self):
        s = Sketch()
        graph = s.build(s.conv(s.conv(s.input((1, 64, 8, 16)), kernel=1), kernel=1))
        when = times_of(graph, DEDICATED, limit=4_000)
        assert when.op_times == (0, 0)
        assert when.end_time == 3

    def test_goes_on_from_one_subgraph_to_the_next(self):
        s = Sketch()
        s.next_subgraph(s.conv(s.conv(s.input(PICTURE))))
        when = times_of(s.build(s.conv(s.input(PICTURE))))
        assert when.op_times == (0, 2, 4)


class TestAMapOfTheNetwork:
    def test_that_is_an_input_is_there_from_the_beginning(self):
        s = Sketch()
        first, late = s.input(PICTURE), s.input(PICTURE)
        value = s.conv(s.conv(first))
        when = times_of(s.build(s.conv(s.add(value, late))))
        assert span(when, first) == (0, 1)
        assert span(when, late)[0] == 0
        assert span(when, late)[1] >= when.op_times[2] + 1

    def test_that_is_an_input_nobody_reads_is_there_at_the_beginning(self):
        s = Sketch()
        unread = s.input(PICTURE)
        when = times_of(s.build(s.conv(s.input(PICTURE))))
        assert span(when, unread) == (0, 1)

    def test_that_is_an_output_is_there_until_the_end(self):
        s = Sketch()
        first = s.conv(s.input(PICTURE))
        early = s.conv(first)
        when = times_of(s.build(early, s.conv(s.conv(first))))
        assert span(when, early) == (2, when.end_time)

    def test_that_is_input_and_output_is_there_always(self):
        s = Sketch()
        first = s.input(PICTURE)
        when = times_of(s.build(first, s.conv(s.conv(first))))
        assert span(when, first) == (0, when.end_time)

    def test_that_an_island_hands_on_waits_for_its_last_reader(self):
        s = Sketch()
        early = s.conv(s.input(PICTURE))
        between, made = s.conv(early), s.map(PICTURE)
        s.cpu((between,), (made,))
        value = s.conv(made)
        last = s.add(value, early)
        when = times_of(s.build(s.conv(last)))
        assert span(when, between) == (2, 5)
        reads = when.op_times[3]
        assert when.op_times == (0, 2, 6, 8, 10)
        assert span(when, early)[1] >= reads + 1

    def test_that_goes_into_an_island_is_there_from_its_beginning(self):
        """All of a command stream's inputs are handed over with it."""
        s = Sketch()
        first = s.input(PICTURE)
        kept, made = s.map(PICTURE), s.map(PICTURE)
        s.cpu((first,), (kept, made))
        value = s.conv(s.conv(made))
        when = times_of(s.build(s.conv(s.add(value, kept))))
        assert span(when, kept)[0] == 0
        assert span(when, kept)[1] >= when.op_times[2] + 1


class TestAState:
    def test_is_there_always_and_with_it_whatever_has_its_bytes(self):
        s = Sketch()
        state = s.map(PICTURE, is_variable=True)
        after = s.map(PICTURE, storage=state)
        value = s.conv(s.input(PICTURE))
        s.op(OpKind.ADD, after, state, value)
        when = times_of(s.build(s.conv(s.conv(after))))
        found = life_of(when, state)
        assert found.fms == (state, after)
        assert (found.start_time, found.end_time) == (0, when.end_time)
        assert found.size_bytes == 8 * 8 * 16

    def test_is_there_where_only_the_cpu_touches_it(self):
        s = Sketch()
        state, made = s.map(PICTURE, is_variable=True), s.map(PICTURE)
        s.cpu((state,), (made,))
        when = times_of(s.build(s.conv(s.conv(made))))
        assert span(when, state) == (0, when.end_time)


class TestAnotherSubgraph:
    def test_keeps_its_maps_always_since_its_caller_runs_beside_it(self):
        s = Sketch()
        s.next_subgraph(s.conv(s.conv(s.input(PICTURE))))
        first, made = s.input(PICTURE), s.map(PICTURE)
        inner = s.conv(first)
        s.cpu((inner,), (made,))
        graph = s.build(s.conv(made))
        when = times_of(graph)
        for fm in (first, inner, made, graph.outputs[1][0]):
            assert span(when, fm) == (0, when.end_time)

    def test_keeps_what_it_only_passes_through_or_never_reads(self):
        s = Sketch()
        s.next_subgraph(s.conv(s.input(PICTURE)))
        read, passed, unread = (s.input(PICTURE) for _ in range(3))
        when = times_of(s.build(s.conv(read), passed))
        for fm in (passed, unread):
            assert span(when, fm) == (0, when.end_time)

    def test_keeps_its_weight_buffers_since_the_caller_runs_beside(self):
        s = Sketch()
        s.next_subgraph(s.conv(s.input(PICTURE), 64))
        graph = s.build(s.conv(s.conv(s.input(PICTURE), 64), 64))
        usual = scheduled(graph, SHARED, PLENTY, Options(search=Search.COMPATIBLE))
        when = timeline(graph, usual, SCRATCH)
        inside = [life for life in when.lives if life.op in graph.islands[1].ops]
        assert inside
        assert {(life.start_time, life.end_time) for life in inside} == {(0, when.end_time)}

    def test_does_not_keep_those_of_the_main_one(self):
        s = Sketch()
        first = s.input(PICTURE)
        s.next_subgraph(s.conv(s.conv(first)))
        when = times_of(s.build(s.conv(s.input(PICTURE))))
        assert span(when, first) == (0, 1)


class TestARegion:
    def test_has_its_own_maps_only(self):
        s = Sketch()
        first = s.input(PICTURE)
        inner = s.conv(first)
        last = s.conv(inner)
        graph = s.build(last)
        slow = times_of(graph, DEDICATED, (Region.SCRATCH,))
        fast = times_of(graph, DEDICATED, (Region.SCRATCH_FAST,))
        assert {fm for life in slow.lives for fm in life.fms} == {first, last}
        assert {fm for life in fast.lives for fm in life.fms} == {inner}

    def test_has_weight_buffers_where_it_is_the_fast_one(self):
        s = Sketch()
        graph = s.build(s.conv(s.conv(s.input((1, 32, 32, 16)), 64), 64))
        slow = times_of(graph, DEDICATED, (Region.SCRATCH,))
        fast = times_of(graph, DEDICATED, (Region.SCRATCH_FAST,))
        assert all(life.op is None for life in slow.lives)
        plans = scheduled(graph, DEDICATED, PLENTY).ops
        assert [(life.op, life.buffer, life.size_bytes) for life in fast.lives if not life.fms] == [
            (plan.op, number, size)
            for plan in plans
            for number, size in enumerate(plan.weights.buffer_bytes)
        ]
        assert any(not life.fms for life in fast.lives)

    def test_has_a_rolling_buffer_in_place_of_its_map(self):
        s = Sketch()
        inner = s.conv(s.input((1, 64, 8, 16)), kernel=1)
        graph = s.build(s.conv(inner, kernel=1))
        schedule = scheduled(graph, DEDICATED, 4_000)
        when = timeline(graph, schedule, (Region.SCRATCH_FAST,))
        buffer = schedule.islands[0].cascades[0].buffers[0]
        found = life_of(when, inner)
        assert found.size_bytes == buffer.size_bytes < 64 * 8 * 16
        assert (found.start_time, found.end_time) == (0, 1)

    def test_has_one_range_for_an_output_that_lies_on_its_input(self):
        s = Sketch()
        one = s.conv(s.input(PICTURE))
        two = s.alone(one)
        when = times_of(s.build(s.conv(two)))
        assert life_of(when, one).fms == (one, two)
        assert span(when, one) == (0, 5)

    def test_has_no_constants(self):
        s = Sketch()
        row = s.constant((1, 1, 1, 16))
        when = times_of(s.build(s.conv(s.add(s.conv(s.input(PICTURE)), row))))
        assert all(row not in life.fms for life in when.lives)


def table(seed: int) -> Activation:
    values = np.random.default_rng(seed).integers(-128, 127, 256).astype(np.int8)
    return Activation(kind=ActivationKind.LUT, table=ConstData.of(values))


class TestConstants:
    def test_are_maps_tables_and_streams_in_the_order_of_their_use(self):
        s = Sketch()
        row, number = s.constant((1, 1, 1, 10)), s.constant((3,), seed=1, dtype=DType.INT32)
        value = s.conv(s.add(s.conv(s.input((1, 8, 8, 10))), row), activation=table(1))
        made = s.map(PICTURE)
        s.cpu((value, number), (made,))
        graph = s.build(made)
        schedule = scheduled(graph, SHARED, PLENTY)
        found = [
            (each.purpose, each.region, each.size_bytes, each.fms, each.op)
            for each in constants(graph, schedule)
        ]
        streams = [plan.weights and plan.weights.stream_bytes for plan in schedule.ops]
        npu = Region.PERMANENT_NPU
        assert found == [
            (Purpose.WEIGHTS, npu, streams[0], (), 0),
            (Purpose.FEATURE_MAP, npu, 16, (row,), None),
            (Purpose.TABLE, npu, 256, (), 2),
            (Purpose.WEIGHTS, npu, streams[2], (), 2),
            (Purpose.FEATURE_MAP, Region.PERMANENT_CPU, 16, (number,), None),
        ]

    def test_are_listed_once_for_all_their_readers(self):
        s = Sketch()
        row, made = s.constant((1, 1, 1, 16)), s.map(PICTURE)
        value = s.add(s.add(s.input(PICTURE), row), row)
        s.cpu((value, row), (made,))
        graph = s.build(made)
        found = list(constants(graph, scheduled(graph, SHARED, PLENTY)))
        assert [each.fms for each in found] == [(row,)]


def layout_of(graph: NpuGraph, target: Target = SHARED) -> tuple[Schedule, MemoryLayout]:
    schedule = scheduled(graph, target, PLENTY)
    options = Options(allocator=Allocator.GREEDY)
    return schedule, memory.run(graph, schedule, target, options)


def area_of(layout: MemoryLayout, region: Region) -> AreaLayout:
    (found,) = [area for area in layout.areas if region in area.regions]
    return found


def placed(layout: MemoryLayout, *fms: FmId) -> list[Placement]:
    everything = [each for area in layout.areas for each in area.placements]
    return [next(each for each in everything if fm in each.fms) for fm in fms]


class TestTheLayout:
    def test_has_equal_constants_at_one_address_and_others_apart(self):
        s = Sketch()
        rows = [s.constant((1, 1, 1, 32), seed) for seed in (1, 2, 1)]
        value = s.input((1, 8, 8, 32))
        for row in rows:
            value = s.add(value, row)
        _, layout = layout_of(s.build(s.conv(value)))
        one, other, again = (each.address for each in placed(layout, *rows))
        assert one == again != other
        assert len({each.address // 32 for each in placed(layout, *rows)}) == 2

    def test_has_equal_tables_and_equal_streams_at_one_address(self):
        s = Sketch()
        value = s.input(PICTURE)
        same = weights((16, 3, 3, 16), seed=5)
        for _ in range(2):
            value = s.conv(value, weights=same, activation=table(3))
        # Another table, and other weights.
        graph = s.build(s.conv(value, activation=table(4)))
        schedule, layout = layout_of(graph)
        streams = [plan.weights.encoding for plan in schedule.ops]
        assert (streams[0] == streams[1]) == (
            schedule.ops[0].weights.depth_slices == schedule.ops[1].weights.depth_slices
        )
        permanent = area_of(layout, Region.PERMANENT_NPU).placements
        tables = [each.address for each in permanent if each.purpose is Purpose.TABLE]
        assert tables[0] == tables[1] != tables[2]
        by_stream = {}
        for each in permanent:
            if each.purpose is Purpose.WEIGHTS:
                by_stream.setdefault(streams[each.op], set()).add(each.address)
        assert all(len(addresses) == 1 for addresses in by_stream.values())

    def test_is_as_high_as_its_different_constants(self):
        s = Sketch()
        value = s.input((1, 8, 8, 32))
        for seed in (1, 2, 1, 1):
            value = s.add(value, s.constant((1, 1, 1, 32), seed))
        _, layout = layout_of(s.build(value))
        assert area_of(layout, Region.PERMANENT_NPU).height_bytes == 64

    def test_has_constants_for_as_long_as_the_network_runs(self):
        s = Sketch()
        row = s.constant((1, 1, 1, 16))
        _, layout = layout_of(s.build(s.add(s.conv(s.input(PICTURE)), row)))
        (found,) = placed(layout, row)
        assert (found.start_time, found.end_time) == (0, layout.end_time)

    def test_has_both_kinds_of_scratch_in_one_area_where_they_are_one_memory(self):
        s = Sketch()
        graph = s.build(s.conv(s.conv(s.input(PICTURE))))
        assert [area.regions for area in layout_of(graph, SHARED)[1].areas] == [
            (Region.SCRATCH, Region.SCRATCH_FAST),
            (Region.PERMANENT_NPU,),
            (Region.PERMANENT_CPU,),
        ]
        assert [area.regions for area in layout_of(graph, DEDICATED)[1].areas] == [
            (Region.SCRATCH_FAST,),
            (Region.SCRATCH,),
            (Region.PERMANENT_NPU,),
            (Region.PERMANENT_CPU,),
        ]

    @pytest.mark.parametrize("target", [SHARED, DEDICATED])
    def test_says_when_each_operator_runs_whatever_region_was_asked(self, target):
        s = Sketch()
        one, made = s.conv(s.conv(s.input(PICTURE))), s.map(PICTURE)
        s.cpu((one,), (made,))
        _, layout = layout_of(s.build(s.conv(made, kernel=Kernel())), target)
        assert layout.op_times == (0, 2, 6)
        assert layout.end_time == 9
