"""What `schedule` prints, on values made by hand."""

from __future__ import annotations

import re

import pytest

from core.base.frozen import replace
from core.base.ids import IslandId, NpuOpId
from core.cost.ecosystem.of_schedule import ecosystem_estimate
from core.ir.decisions import SmallestMemory
from core.ir.schedule import Schedule
from core.report import schedule_text
from core.report.limits import over_limits
from core.target.region import Region
from tests.core.report.hand_made import LIMIT_BYTES, NEEDED_BYTES, material

WIDEST_LINE = 140


def section(text: str, title: str) -> list[str]:
    """Lines of a section, its headers included."""
    _, _, rest = text.partition(f"\n{title}\n\n")
    return rest.partition("\n\n")[0].splitlines()


def cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


@pytest.fixture(scope="module")
def text():
    return schedule_text.render(material())


def test_an_operator_has_its_place_its_weights_and_its_cost_in_one_line(text):
    headers, _, first, second, third, *_ = section(text, "Operators")
    estimate = ecosystem_estimate(material())
    assert estimate is not None
    theirs = [f"{round(cycles):,}" for cycles in estimate.cycles]
    assert cells(headers)[:4] == ["#", "time", "kind", "output"]
    assert cells(first) == [
        *("0", "10", "conv2d", "1x25x5x64", "3", "1", "6x4x16"),
        *("1,600", "single", "12,345", "2,000", theirs[0], "DRAM"),
    ]
    assert cells(second)[5:] == [
        *("1", "6x4x16", "1,600", "2", "double, early", "12,345", "1,500", theirs[1]),
        "weight decoder",
    ]
    assert cells(third)[4:] == [
        *("6x4x16", "1,600", "2", "direct", "12,345", "1,500", theirs[2], "weight decoder")
    ]


def test_numbers_stand_right(text):
    lines = section(text, "Operators")
    end = lines[0].index("weights") + len("weights")
    assert {line[:end][-1] for line in lines[2:5]} == {"0"}


def test_a_cascade_says_what_rolls_and_what_that_saves(text):
    _, _, line = section(text, "Cascades")
    found = cells(line)
    assert found[:4] == ["1", "0-1", "9", "9,999"]
    assert found[-3:] == ["1x4x8x64", "2,048", "8,000"]


def test_cascades_are_numbered_as_they_run():
    island = material().schedule.islands[0]
    (first,) = island.cascades
    later = replace(first, ops=(island.ops[4].op, island.ops[5].op))
    ops = [replace(plan, cascade=1) if plan.op < 2 else plan for plan in island.ops]
    ops = [replace(plan, cascade=0) if plan.op in later.ops else plan for plan in ops]
    swapped = replace(island, cascades=(later, first), ops=tuple(ops))
    schedule = replace(material().schedule, islands=(swapped,))
    text = schedule_text.render(replace(material(), schedule=schedule))
    assert [cells(line)[:2] for line in section(text, "Cascades")[2:]] == [
        ["1", "0-1"],
        ["2", "4-5"],
    ]
    _, _, *lines = section(text, "Operators")
    assert [cells(lines[at])[5] for at in (0, 1)] == ["1", "1"]
    assert cells(lines[4])[4] == "2"


def test_memory_says_what_is_free_and_what_is_proven(text):
    _, _, fast, arena = section(text, "Memory")
    assert cells(fast) == [
        *("SRAM", "Scratch_fast", "24,576", "24 KiB", "20,000", "-4,576", "24,560 or more")
    ]
    assert cells(arena) == ["DRAM", "Scratch", "1,000", "this, proven"]


def test_a_limit_that_nobody_asked_for_is_not_shown():
    fast, arena = material().layout.areas
    most = material().target.accelerator.max_address
    layout = replace(material().layout, areas=(replace(fast, limit_bytes=most), arena))
    lines = section(schedule_text.render(replace(material(), layout=layout)), "Memory")
    assert cells(lines[0]) == ["memory", "what", "bytes", "least possible"]


def test_an_evicted_map_is_named(text):
    assert cells(section(text, "Maps that could be in fast storage and are not")[2])[1:] == [
        *("1x25x5x64", "8,000", "11", "15", "DRAM")
    ]


def test_a_limit_that_does_not_hold_is_told_with_what_would(text):
    (line,) = over_limits(material().schedule, material().layout)
    assert line == (
        "limit exceeded by 4,576 bytes in SRAM: 24,576 required, 20,000 allowed;"
        " this schedule needs --arena-cache-size 24576 (24 KiB)"
    )
    assert line[1:] in text
    assert "\n'rows' (24,560) alone does not fit.\n" in text


def smallest(size_bytes: int) -> Schedule:
    record = SmallestMemory(island=IslandId(0), size_bytes=size_bytes, op=NpuOpId(0))
    return replace(material().schedule, decisions=(record,))


@pytest.mark.parametrize(
    ("least", "told"), [(NEEDED_BYTES, "needs less"), (20_480, "needs less than 20,480")]
)
def test_what_no_schedule_can_be_below_is_told_where_all_maps_are_in_one_memory(least, told):
    fast, arena = material().layout.areas
    regions = (Region.SCRATCH, Region.SCRATCH_FAST)
    shared = replace(fast, regions=regions, placements=())
    layout = replace(material().layout, areas=(shared, arena))
    (line,) = over_limits(smallest(least), layout)
    assert line.endswith(f", and no schedule that keeps the order of operators {told}")


def test_with_spilling_no_limit_is_too_low_for_maps():
    (line,) = over_limits(smallest(NEEDED_BYTES), material().layout)
    assert "no schedule" not in line


def test_nothing_is_said_of_limits_that_hold():
    fast, arena = material().layout.areas
    enough = replace(fast, limit_bytes=NEEDED_BYTES)
    layout = replace(material().layout, areas=(enough, arena))
    assert over_limits(material().schedule, layout) == ()
    assert "exceeded" not in schedule_text.render(replace(material(), layout=layout))
    assert LIMIT_BYTES < NEEDED_BYTES


def test_totals_have_time_rate_and_utilisation(text):
    totals = dict(cells(line) for line in section(text, "Totals"))
    assert totals["cycles"] == "63,500; the NPU alone 63,000"
    assert totals["one inference"] == "63.50 µs at 1 GHz; 15,748 inferences per second"
    assert totals["operators wait for"] == "NPU 41, DRAM 1"


def test_operators_on_the_cpu_stand_where_they_run():
    lines = section(schedule_text.render(material("shuffle_with_cpu")), "Operators")[2:]
    (at,) = (number for number, line in enumerate(lines) if "CPU: GATHER" in line)
    assert 0 < at < len(lines) - 1


@pytest.mark.parametrize("example", ["kws_dscnn", "shuffle_with_cpu"])
def test_lines_fit_a_wide_terminal_and_have_no_blanks_at_their_ends(example):
    lines = schedule_text.render(material(example)).splitlines()
    assert [line for line in lines if len(line) > WIDEST_LINE or line != line.rstrip()] == []
