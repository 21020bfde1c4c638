"""A limit is met wherever some allocator meets it, or the search finds something smaller."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from core.api.listings import render_schedule
from core.api.networks import run
from core.base.frozen import replace
from core.edits.names import Names
from core.ir.addresses_tried import LimitMet
from core.ir.edits import Edit, EditFate, Ground, What
from core.ir.options import Allocator, Engine, Options, Search, Strategy
from core.memory import greedy
from core.memory.packing import solution_of
from core.memory.run import ALLOCATORS
from core.memory.run import run as place
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from tests.core.schedule.random_cases import SHORT_CASES, scheduled
from tests.effort import some_of

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")


SHARED = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")


def schedule_of(name, limit_bytes, target=DEDICATED, **options):
    data, target = (EXAMPLES / f"{name}.tflite").read_bytes(), target.with_limit(limit_bytes)
    asked = Options(**options)
    return Workbench(run(data, target, asked)).schedule(target, asked)


def wasteful(packing, options, progress):
    """Leaves the lowest 2 KiB empty."""
    found = greedy.allocate(packing, options, progress)
    return solution_of(packing, [2048 + address for address in found.addresses])


def met(done):
    return [each for each in done.schedule.decisions if isinstance(each, LimitMet)]


@pytest.mark.long
@settings(max_examples=some_of(30))
@given(SHORT_CASES)
def test_no_allocator_meets_a_limit_that_is_exceeded(case):
    done = scheduled(case)
    if done.layout.is_within_limits:
        return
    for allocator in Allocator:
        options = replace(done.options, allocator=allocator)
        layout = place(done.run.graph, done.schedule, done.target, options)
        assert not layout.is_within_limits, allocator


def test_another_allocator_is_asked_and_it_is_said():
    done = schedule_of("mobilenet_v2_035_96", 6_800, search=Search.COMPATIBLE)
    assert done.layout.is_within_limits
    assert met(done) == [
        LimitMet(
            limit_bytes=6_800,
            asked=Allocator.HILL_CLIMB,
            excess_bytes=288,
            found_by=Allocator.OPTIMAL,
            searched_bytes=6_800,
        )
    ]
    assert "Optimal instead of HillClimb" in render_schedule("model", done)
    assert done.layout.allocator is Allocator.OPTIMAL


def test_the_allocator_that_is_named_is_the_one_whose_addresses_are_shown():
    """With the same commands it finds the same addresses by itself."""
    for limit in (6_800, 60_000):
        done = schedule_of("mobilenet_v2_035_96", limit, search=Search.COMPATIBLE)
        options = replace(done.options, allocator=done.layout.allocator)
        again = place(done.run.graph, done.schedule, done.target, options)
        assert again.fast_area.placements == done.layout.fast_area.placements


@pytest.mark.parametrize(
    ("options", "limit"),
    [({"search": Search.COMPATIBLE}, 12 << 10), ({"engine": Engine.PARETO}, 12 << 10)],
)
def test_less_memory_is_searched_where_nothing_is_left_free(options, limit, monkeypatch):
    monkeypatch.setitem(ALLOCATORS, Allocator.HILL_CLIMB, wasteful)
    monkeypatch.setitem(ALLOCATORS, Allocator.OPTIMAL, wasteful)
    done = schedule_of("kws_dscnn", limit, **options)
    assert done.layout.is_within_limits
    (record,) = met(done)
    assert record.searched_bytes < record.limit_bytes == limit
    assert max(island.peak_bytes for island in done.schedule.islands) <= record.searched_bytes


def test_what_no_schedule_meets_stays_as_it_was_found(monkeypatch):
    monkeypatch.setitem(ALLOCATORS, Allocator.HILL_CLIMB, wasteful)
    monkeypatch.setitem(ALLOCATORS, Allocator.OPTIMAL, wasteful)
    done = schedule_of("kws_dscnn", 2_000, SHARED)
    assert not done.layout.is_within_limits
    assert met(done) == []
    assert [island.limit_bytes for island in done.schedule.islands] == [2_000]


def test_what_no_schedule_meets_is_no_higher_than_what_is_live_where_that_can_be(monkeypatch):
    monkeypatch.setitem(ALLOCATORS, Allocator.HILL_CLIMB, wasteful)
    done = schedule_of("kws_dscnn", 2_000, SHARED)
    assert not done.layout.is_within_limits
    area = done.layout.fast_area
    assert area.height_bytes == area.lower_bound_bytes > 2_000
    assert [record.found_by for record in met(done)] == [Allocator.OPTIMAL]


def test_nothing_is_in_fast_storage_where_nothing_has_addresses_there(monkeypatch):
    monkeypatch.setitem(ALLOCATORS, Allocator.HILL_CLIMB, wasteful)
    monkeypatch.setitem(ALLOCATORS, Allocator.OPTIMAL, wasteful)
    done = schedule_of("kws_dscnn", 2_000)
    assert done.fast_bytes == 0
    assert met(done)


@pytest.mark.long
def test_an_address_that_takes_the_room_of_others_is_left_out_and_it_is_said():
    """What has room without addresses that are asked for has room with them."""
    data = (EXAMPLES / "resnet8.tflite").read_bytes()
    options = Options(strategy=Strategy.SIZE)
    target = resolve("ethos-u55-256").with_limit(1)
    bench = Workbench(run(data, target, options))
    target = target.with_limit(bench.schedule(target, options).fast_bytes)
    free = bench.schedule(target, options)
    assert free.layout.is_within_limits
    fast = free.layout.fast_area
    maps = [item for item in fast.placements if item.fms]
    left_out = 0
    # Those at the start are packed without a gap, those at the end have room.
    tried = maps[::4]
    for item in tried:
        for address in (4096, 8192, 12288):
            name = Names.of(free.graph).maps[item.fms[0]]
            edit = Edit(subject=name, what=What.ADDRESS, value=address)
            found = bench.schedule(target, replace(options, edits=(edit,)))
            assert found.layout.is_within_limits
            (outcome,) = found.edits
            is_said = {each.ground for each in outcome.reasons} == {Ground.NO_ROOM}
            assert (outcome.fate is EditFate.HONOURED) is not is_said
            left_out += is_said
    assert 0 < left_out < 3 * len(tried)
