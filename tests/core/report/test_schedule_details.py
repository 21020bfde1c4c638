"""What `schedule --verbose` tells, held against the values themselves."""

from __future__ import annotations

from core.ir.options import Engine
from core.ir.schedule import OpPlan
from core.ir.scheduled import Scheduled
from core.report import schedule_details
from core.report.tables import Listing
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
