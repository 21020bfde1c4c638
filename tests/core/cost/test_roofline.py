"""Operators stay under the roofs, and together are what the network computes and moves."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import pytest

from core.api import listings, schedules
from core.cost.rates import Rate, Rates
from core.cost.roofline import roofline_of
from core.ir.cost import Direction
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import AREA_COLUMNS as COLUMNS
from core.report.roofline import roofline_listing
from core.target.resolve import resolve
from core.target.target import Area

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
U65 = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(32 << 10)
TARGETS = {
    "flash": resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    "sram alone": resolve("ethos-u55-64", "Ethos_U55_High_End_Embedded", "Sram_Only"),
    "dram": U65,
}
NAMES = ("kws_dscnn", "residual_tower", "mobilenet_v2_035_96")
EVERY = pytest.mark.parametrize(
    ("name", "target"), [(name, target) for name in NAMES for target in TARGETS]
)


@cache
def scheduled(name: str, target: str) -> Scheduled:
    model = (EXAMPLES / f"{name}.tflite").read_bytes()
    return schedules.schedule(model, TARGETS[target], Options())


@EVERY
def test_all_operators_together_are_the_network(name, target):
    done = scheduled(name, target)
    found = roofline_of(done)
    assert [each.op for each in found.workloads] == [op.id for op in done.graph.ops]
    assert sum(each.macs for each in found.workloads) == done.total.macs
    assert math.fsum(each.cycles for each in found.workloads) == done.total.total_cycles
    moved = {area: done.total.moved_bytes(area) for area in Area}
    assert {roof.area for roof in found.roofs} == {area for area in Area if moved[area]}
    for place, roof in enumerate(found.roofs):
        together = math.fsum(each.moved_bytes[place] for each in found.workloads)
        assert together == pytest.approx(moved[roof.area])


@EVERY
def test_no_operator_is_above_a_roof_but_by_what_dma_brings(name, target):
    done = scheduled(name, target)
    found = roofline_of(done)
    for each, cost in zip(found.workloads, done.costs, strict=True):
        assert each.macs_per_cycle <= found.macs_per_cycle
        for place, roof in enumerate(found.roofs):
            own = sum(part.size_bytes for part in cost.traffic if part.area is roof.area)
            assert own == pytest.approx(each.moved_bytes[place])
            served = sum(
                part.size_bytes
                for part in cost.traffic
                if part.area is roof.area and part.busy_bytes
            )
            assert served <= roof.bytes_per_cycle * each.cycles * 1.001
            intensity = each.macs_per_byte[place]
            if intensity and served == own:
                under = min(intensity * roof.bytes_per_cycle, found.macs_per_cycle)
                assert each.macs_per_cycle <= under * 1.001


def test_what_is_never_moved_has_no_intensity_and_what_is_never_computed_none_to_speak_of():
    done = scheduled("kws_dscnn", "flash")
    (flash,) = (
        place
        for place, roof in enumerate(roofline_of(done).roofs)
        if roof.area is Area.OFF_CHIP_FLASH
    )
    for each in roofline_of(done).workloads:
        assert (each.macs_per_byte[flash] is None) == (not each.moved_bytes[flash])
        assert bool(each.macs_per_cycle) == bool(each.macs)


def test_a_roof_is_as_high_as_answers_come_for_what_is_asked():
    memory = Rate(bytes_per_cycle=8.0, read_bytes_per_cycle=5.0, write_bytes_per_cycle=2.0)
    assert memory.most_bytes_per_cycle({Direction.READ}) == 5.0
    assert memory.most_bytes_per_cycle({Direction.WRITE}) == 2.0
    assert memory.most_bytes_per_cycle(Direction) == 7.0
    assert Rate(bytes_per_cycle=8.0).most_bytes_per_cycle(Direction) == 8.0
    # Reads that are under way bound this memory, whose bandwidth nobody reaches.
    dram = Rates.of(U65).areas[Area.DRAM]
    (roof,) = (
        roof for roof in roofline_of(scheduled("kws_dscnn", "dram")).roofs if roof.area is Area.DRAM
    )
    assert dram.read_bytes_per_cycle <= roof.bytes_per_cycle
    assert roof.bytes_per_cycle <= min(
        dram.bytes_per_cycle, dram.read_bytes_per_cycle + dram.write_bytes_per_cycle
    )


@pytest.mark.parametrize("target", TARGETS)
def test_json_and_table_have_the_same_figures(target):
    done = scheduled("kws_dscnn", target)
    found = roofline_of(done)
    told = listings.describe_schedule("x", done)
    sram = [roof.area for roof in found.roofs].index(Area.SRAM)
    assert told["roofline"]["macs_per_cycle"] == found.macs_per_cycle
    assert told["roofline"]["sram_bytes_per_cycle"] == found.roofs[sram].bytes_per_cycle
    assert (told["roofline"]["dram_bytes_per_cycle"] is None) == (target != "dram")
    ops = [op for island in told["schedules"] for op in island["ops"]]
    for op in ops:
        each = found.workloads[op["number"]]
        assert op["cost"]["macs_per_cycle"] == each.macs_per_cycle
        moved = dict(zip((roof.area for roof in found.roofs), each.moved_bytes, strict=True))
        told_bytes = {area: op["cost"][f"{name}_moved_bytes"] for area, name in COLUMNS.items()}
        assert told_bytes == {area: moved.get(area, 0.0) for area in Area}
    listing = roofline_listing(done)
    head, *rows = listing.rows
    assert head[listing.headers.index("MACs/cycle")] == found.macs_per_cycle
    assert len(rows) == len(ops)
    at = listing.headers.index("SRAM bytes")
    assert [row[at] for row in rows] == [round(each.moved_bytes[sram]) for each in found.workloads]
