"""The log of a search says of everything once what was decided, and agrees with the result."""

from __future__ import annotations

from collections import Counter

import pytest

from core.ir.decisions import (
    Buffering,
    BuffersReduced,
    CandidateSized,
    CascadeGrown,
    Fate,
    FormatChosen,
    MapPlaced,
    StripeTried,
    WeightsBuffered,
)
from core.ir.npugraph import NpuGraph
from core.ir.options import EvictionPolicy, Options, Search, Strategy
from core.ir.schedule import Schedule
from core.ir.search_records import PartTaken
from core.target.region import Region
from core.target.target import Target
from tests.core.schedule.sketch import DEDICATED, NEAR, SHARED, Sketch, scheduled


def tower() -> NpuGraph:
    """Ways with large weights beside each other, sums, and an end that is fully connected."""
    s = Sketch()
    value = s.conv(s.input((1, 32, 16, 8)), 16)
    for _ in range(3):
        start = s.conv(value, 32)
        value = s.add(s.conv(s.conv(start, 64), 32), start)
    made = s.map((1, 32, 16, 32))
    s.cpu((value,), (made,))
    value = s.conv(s.conv(s.conv(made, 64), 64), 8)
    return s.build(s.dense(s.conv(s.alone(value)), 16))


GRAPH = tower()
CASES = [
    pytest.param(target, limit, options, id=f"{name}-{limit}-{number}")
    for name, target in (("near", NEAR), ("shared", SHARED), ("dedicated", DEDICATED))
    for limit in (4_000, 20_000, 60_000, 100_000, 1 << 22)
    for number, options in enumerate(
        (
            Options(),
            Options(strategy=Strategy.SIZE),
            Options(eviction=EvictionPolicy.OVER_LIMIT),
            Options(search=Search.COMPATIBLE),
        )
    )
    if number < 3 or limit == 20_000
]
ALL = pytest.mark.parametrize(("target", "limit", "options"), CASES)
_KNOWN: dict[tuple[Target, int, Options], Schedule] = {}


def schedule_of(target: Target, limit: int, options: Options) -> Schedule:
    key = (target, limit, options)
    if key not in _KNOWN:
        _KNOWN[key] = scheduled(GRAPH, target, limit, options)
    return _KNOWN[key]


def of(schedule: Schedule, kind: type) -> list:
    return [each for each in schedule.decisions if isinstance(each, kind)]


@pytest.mark.long
@ALL
def test_every_operator_with_weights_has_one_record_and_it_is_what_became_of_them(
    target, limit, options
):
    schedule = schedule_of(target, limit, options)
    found = {each.op: each for each in of(schedule, WeightsBuffered)}
    assert len(found) == len(of(schedule, WeightsBuffered))
    assert sorted(found) == [op.id for op in GRAPH.ops if op.weights is not None]
    kinds = (Buffering.DIRECT, Buffering.SINGLE, Buffering.DOUBLE)
    for number, record in found.items():
        plan = schedule.ops[number].weights
        assert record.buffering is kinds[len(plan.buffer_bytes)]
        assert record.depth_slices == plan.depth_slices
        assert record.stream_bytes == plan.stream_bytes
        assert record.buffer_bytes == sum(plan.buffer_bytes)
        assert record.is_prefetched == plan.is_prefetched


@pytest.mark.long
@ALL
def test_every_map_that_could_move_has_one_record_of_where_it_is(target, limit, options):
    schedule = schedule_of(target, limit, options)
    placed = of(schedule, MapPlaced)
    counts = Counter(fm for each in placed for fm in each.fms)
    assert set(counts.values()) <= {1}
    if not target.is_spilling:
        assert placed == []
        return
    evicted = {fm for each in schedule.evicted for fm in each.fms}
    left = {fm for each in placed if each.region is Region.SCRATCH for fm in each.fms}
    assert left == evicted
    cascaded = {op for island in schedule.islands for each in island.cascades for op in each.ops}
    for each in placed:
        if each.reason is Fate.CASCADED:
            assert {op.id for op in GRAPH.ops if op.ofm.fm in each.fms} <= cascaded
    for each in placed:
        assert {schedule.maps[fm].region for fm in each.fms} == {each.region}
    moved = {
        number
        for number, plan in enumerate(schedule.maps)
        if plan.region is Region.SCRATCH_FAST and plan.rolling is None
    }
    assert moved <= set(counts)


@ALL
def test_every_cascade_was_grown_or_comes_from_higher_stripes_that_fit(target, limit, options):
    """Higher stripes can divide a cascade that was grown with the smallest ones; where all cuts
    are looked at, nothing is grown, and its part is told."""
    schedule = schedule_of(target, limit, options)
    grown = {(each.first, each.last) for each in of(schedule, CascadeGrown)}
    higher = [each for each in of(schedule, StripeTried) if each.fits]
    for island in schedule.islands:
        for cascade in island.cascades:
            first, last = cascade.ops[0], cascade.ops[-1]
            height = schedule.ops[last].stripe.ofm.h
            around = [each for each in higher if each.first <= first and last <= each.last]
            heights = {each.height for each in around if each.last == last}
            is_divided = any(each.cascades > 1 for each in around)
            is_part = cascade.ops in {each.ops for each in of(schedule, PartTaken)}
            assert (first, last) in grown or is_divided or height in heights or is_part


@ALL
def test_no_cascade_is_in_the_log_twice(target, limit, options):
    """The same operators can be tried with other stripes and limits, which is another record."""
    assert set(Counter(of(schedule_of(target, limit, options), CascadeGrown)).values()) <= {1}


@ALL
def test_heights_were_only_tried_for_cascades_that_were_grown(target, limit, options):
    schedule = schedule_of(target, limit, options)
    tried = {(each.first, each.last) for each in of(schedule, StripeTried)}
    grown = {(each.first, each.last) for each in of(schedule, CascadeGrown)}
    assert tried <= {(first, last) for first, last in grown if first < last}


@ALL
def test_one_candidate_of_each_island_is_taken_and_its_peak_is_that_of_the_schedule(
    target, limit, options
):
    schedule = schedule_of(target, limit, options)
    for island in schedule.islands:
        taken = [
            each
            for each in of(schedule, CandidateSized)
            if each.is_taken and each.island == island.island
        ]
        assert taken[-1].candidate is island.candidate
        assert taken[-1].peak_bytes == island.peak_bytes


@ALL
def test_buffers_were_only_reduced_where_something_was_evicted_and_kept_where_it_paid(
    target, limit, options
):
    for each in of(schedule_of(target, limit, options), BuffersReduced):
        assert target.is_spilling
        assert options.strategy is Strategy.PERFORMANCE
        assert each.evicted_bytes_before > 0
        assert each.ops
        if options.search is not Search.COMPATIBLE:
            assert each.is_kept == (each.cycles < each.cycles_before)
        elif each.is_kept:
            assert each.dram_cycles < each.dram_cycles_before
            assert each.cycles < 1.01 * each.cycles_before


@ALL
def test_formats_are_said_once_for_each_map(target, limit, options):
    schedule = schedule_of(target, limit, options)
    found = of(schedule, FormatChosen)
    assert [each.fm for each in found] == list(range(len(GRAPH.feature_maps)))
    for each in found:
        assert schedule.maps[each.fm].format is each.format


def test_the_cases_have_all_kinds_of_records():
    """Or what is said above would hold for an empty log."""
    kinds = {type(each) for case in CASES for each in schedule_of(*case.values).decisions}
    assert {
        CandidateSized,
        CascadeGrown,
        StripeTried,
        WeightsBuffered,
        MapPlaced,
        BuffersReduced,
    } <= kinds
