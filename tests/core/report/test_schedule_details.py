"""What `schedule --verbose` tells, held against the values themselves."""

from __future__ import annotations

from core.ir.decisions import Streaming
from core.ir.options import Engine, Search
from core.ir.schedule import OpPlan
from core.ir.scheduled import Scheduled
from core.report import schedule_details, schedule_tables
from core.report.front import front_listing, front_note
from core.report.tables import Listing
from core.target.target import Area
from tests.core.report.hand_made import material
from tests.gui.answers import answer_of


def column(listing: Listing, name: str) -> list[object]:
    at = list(listing.headers).index(name)
    return [row[at] for row in listing.rows]


def plans() -> tuple[OpPlan, ...]:
    return material().schedule.ops


def test_blocks_have_their_input_depth_and_stripes_their_whole_shape():
    listing = schedule_details.stripes(material())
    assert column(listing, "input block") == [
        "x".join(map(str, plan.block.ifm_block)) for plan in plans()
    ]
    assert column(listing, "input stripe") == [
        "x".join(map(str, plan.stripe.ifm)) for plan in plans()
    ]


def test_slices_say_where_they_begin_and_each_buffer_how_large_it_is():
    listing = schedule_details.stripes(material())
    sliced = [plan for plan in plans() if plan.weights and len(plan.weights.slice_bytes) > 1]
    assert sliced
    for plan in sliced:
        begin = str(column(listing, "slices begin at")[plan.op]).split()
        assert begin == [str(at) for at in plan.weights.depth_slices[:-1]]
        buffers = column(listing, "weight buffers")[plan.op] or ""
        assert str(buffers).split() == [str(size) for size in plan.weights.buffer_bytes]


def test_every_range_has_its_address_and_times():
    listing, made = schedule_details.live_ranges(material()), material()
    placed = [each for area in made.layout.areas for each in area.placements]
    assert sorted(map(str, column(listing, "address"))) == sorted(hex(p.address) for p in placed)
    assert sorted(map(int, column(listing, "to"))) == sorted(p.end_time for p in placed)


def test_every_byte_of_a_front_has_its_memory_purpose_and_direction():
    found: Scheduled = answer_of("kws_dscnn", engine=Engine.PARETO).scheduled
    listing = schedule_details.front_costs(found)
    kinds = [name for name in listing.headers if ": " in name]
    for row, point in zip(listing.rows, found.schedule.front, strict=True):
        told = sum(int(row[list(listing.headers).index(name)]) for name in kinds)
        assert abs(told - sum(map(point.cost.moved_bytes, Area))) <= len(kinds)


def test_the_search_by_another_price_has_it_beside_ours():
    asked = {"engine": Engine.PARETO, "search": Search.COMPATIBLE}
    found: Scheduled = answer_of("kws_dscnn", **asked).scheduled
    estimates = column(front_listing(found), "ecosystem")
    told = [round(each.ecosystem_cycles or 0) for each in found.schedule.front]
    assert list(map(int, estimates)) == told == sorted(told, reverse=True)
    assert "ecosystem's estimate" in front_note(found)
    ours = answer_of("kws_dscnn", engine=Engine.PARETO, search=Search.DIRECT).scheduled
    assert "ecosystem" not in front_listing(ours).headers
    assert not front_note(ours)


def test_operators_of_strategies_say_what_passes_in_parts():
    found: Scheduled = answer_of(
        "kws_dscnn", engine=Engine.PARETO, search=Search.COMPATIBLE
    ).scheduled
    told = column(schedule_tables.operators(found), "streams")
    streaming = found.schedule.streaming
    assert told == [streaming[plan.op].value for plan in found.schedule.ops]
    (island,) = found.schedule.islands
    cascaded = {streaming[op] for cascade in island.cascades for op in cascade.ops}
    assert Streaming.WEIGHTS not in cascaded
    (searched,) = column(schedule_tables.streams(found), "combinations of strategies")
    assert int(searched) > 1_000
    assert "streams" not in schedule_tables.operators(material()).headers


def test_each_schedule_of_the_front_says_what_its_cycles_are_for():
    found: Scheduled = answer_of("kws_dscnn", engine=Engine.PARETO).scheduled
    listing = schedule_details.front_costs(found)
    front = found.schedule.front
    assert len(front) > 1
    assert [int(npu) for npu in column(listing, "NPU")] == [each.cost.npu_cycles for each in front]
    assert [int(all_of_it) for all_of_it in column(listing, "cycles")] == [
        round(each.cycles) for each in front
    ]
    assert set(map(int, column(listing, "MACs"))) == {found.total.macs}
