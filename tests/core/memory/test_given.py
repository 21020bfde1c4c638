"""Addresses and reserves that are asked for: they hold, or it is said with figures why not."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from core.check import memory as judge
from core.ir.edits import Ground
from core.ir.fixed import Fixed, Reserve
from core.ir.layout import MemoryLayout, Placement, Purpose
from core.ir.options import Allocator, Options
from core.ir.scheduled import Scheduled
from core.memory import run
from core.target.region import Region
from tests.gui.answers import answer_of

EXAMPLES = ("kws_dscnn", "unet_128")
MOST = 512 << 10


def scheduled(name: str) -> Scheduled:
    return answer_of(name, accelerator="ethos-u65-256").scheduled


def laid_out(
    done: Scheduled, fixed: Fixed, allocator: Allocator = Allocator.HILL_CLIMB
) -> MemoryLayout:
    options = Options(allocator=allocator)
    layout = run.run(done.graph, done.schedule, done.target, options, fixed=fixed)
    assert judge.verify(done.graph, done.target, done.schedule, layout, fixed) == ()
    return layout


def ranges(layout: MemoryLayout, region: Region = Region.SCRATCH_FAST) -> list[Placement]:
    """Of maps, the longest lives first."""
    found = [
        item
        for area in layout.areas
        if region in area.regions
        for item in area.placements
        if item.fms
    ]
    return sorted(found, key=lambda item: (item.start_time - item.end_time, item.name))


def place(layout: MemoryLayout, fm: int) -> Placement:
    return next(item for item in ranges(layout) if fm in item.fms)


@pytest.mark.parametrize("allocator", Allocator, ids=lambda each: each.value)
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_map_is_where_it_was_asked_to_be_and_the_others_are_around_it(name, allocator):
    done = scheduled(name)
    before = laid_out(done, Fixed(), allocator)
    for item in ranges(before)[:4]:
        address = 4096
        layout = laid_out(done, Fixed(addresses=((item.fms[0], address),)), allocator)
        assert place(layout, item.fms[0]).address == address
        assert layout.against == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_all_addresses_of_a_layout_give_that_layout_by_every_allocator(name):
    done = scheduled(name)
    before = laid_out(done, Fixed())
    regions = (Region.SCRATCH, Region.SCRATCH_FAST)
    moving = {item.fms: item for region in regions for item in ranges(before, region)}
    asked = tuple(sorted((fm, item.address) for fms, item in moving.items() for fm in fms))
    for allocator in Allocator:
        layout = laid_out(done, Fixed(addresses=asked), allocator)
        assert layout.against == ()
        for region in regions:
            assert ranges(layout, region) == ranges(before, region)


def test_an_address_between_two_legal_ones_becomes_the_next_and_it_is_said():
    done = scheduled("unet_128")
    fm = ranges(done.layout)[0].fms[0]
    layout = laid_out(done, Fixed(addresses=((fm, 4100),)))
    assert place(layout, fm).address == 4112
    (reason,) = layout.against
    assert (reason.ground, reason.ids, reason.legal) == (Ground.NOT_LEGAL, (fm,), (4112, 4096))


def test_two_that_would_share_bytes_are_both_refused_and_name_each_other():
    done = scheduled("unet_128")
    one, other = next(
        (one, other)
        for one in ranges(done.layout)
        for other in ranges(done.layout)
        if one.fms < other.fms
        if one.start_time <= other.end_time and other.start_time <= one.end_time
    )
    fms = one.fms[0], other.fms[0]
    layout = laid_out(done, Fixed(addresses=tuple((fm, 4096) for fm in fms)))
    assert {reason.ids[0]: reason.maps for reason in layout.against} == {
        fms[0]: fms[1:],
        fms[1]: fms[:1],
    }
    assert {reason.ground for reason in layout.against} == {Ground.CONTRADICTED}


def test_an_address_above_the_limit_is_refused_with_figures():
    done = scheduled("unet_128")
    item = ranges(done.layout)[0]
    limit = done.target.fast_limit_bytes
    layout = laid_out(done, Fixed(addresses=((item.fms[0], limit - 16),)))
    (reason,) = layout.against
    assert reason.ground is Ground.NO_ROOM
    # In another format it may be lower.
    assert not reason.is_proved
    assert reason.needed_bytes is None
    assert reason.tried_bytes == limit - 16 + place(layout, item.fms[0]).size_bytes
    assert reason.available_bytes == limit


def test_a_constant_has_no_address_to_choose():
    done = scheduled("kws_dscnn")
    fm = next(fm.id for fm in done.graph.feature_maps if fm.data is not None)
    (reason,) = laid_out(done, Fixed(addresses=((fm, 0),))).against
    assert reason.ground is Ground.NO_ADDRESS


@pytest.mark.parametrize("allocator", Allocator, ids=lambda each: each.value)
def test_reserved_bytes_belong_to_nobody_while_operators_run(allocator):
    done = scheduled("kws_dscnn")
    reserves = (Reserve(3, 9, 8192), Reserve(5, 12, 4000))
    layout = laid_out(done, Fixed(reserves=reserves), allocator)
    everything = [item for area in layout.areas for item in area.placements]
    found = [item for item in everything if item.purpose is Purpose.RESERVED]
    assert [(item.name, item.size_bytes, item.region) for item in found] == [
        ("reserved", 8192, Region.SCRATCH_FAST),
        ("reserved", 4000, Region.SCRATCH_FAST),
    ]
    for item, reserve in zip(found, reserves, strict=True):
        assert item.start_time == layout.op_times[reserve.first]
        assert item.end_time == layout.op_times[reserve.last]
    fast = layout.fast_area
    assert fast.lower_bound_bytes >= 8192 + 4000


def test_the_judge_finds_what_is_not_as_it_was_asked():
    done = scheduled("kws_dscnn")
    item = ranges(done.layout)[0]
    layout = laid_out(done, Fixed())
    moved = Fixed(addresses=((item.fms[0], item.address + 16),))
    (finding,) = judge.verify(done.graph, done.target, done.schedule, layout, moved)
    assert f"is at {item.address} instead of {item.address + 16}" in str(finding)
    reserved = Fixed(reserves=(Reserve(3, 9, 8192),))
    (finding,) = judge.verify(done.graph, done.target, done.schedule, layout, reserved)
    assert "8192 bytes that are reserved" in str(finding)
    shorter = laid_out(done, reserved)
    longer = replace(reserved, reserves=(Reserve(3, 12, 8192),))
    assert judge.verify(done.graph, done.target, done.schedule, shorter, longer)
