"""The keys of a schedule's JSON that nobody else has, on values made by hand."""

from __future__ import annotations

import json

import pytest

from core.base.frozen import replace
from core.cost.ecosystem.of_schedule import ecosystem_estimate
from core.ir.options import Options
from core.report import schedule_json
from tests.core.report.hand_made import LIMIT_BYTES, LIVE_BYTES, NEEDED_BYTES, material


@pytest.fixture(scope="module")
def report():
    return json.loads(json.dumps(schedule_json.describe(material()), allow_nan=False))


def test_a_region_says_what_it_needs_and_by_how_much_that_is_too_much(report):
    fast, arena = report["regions"]
    assert fast == {
        "area": "Sram",
        "regions": ["Scratch_fast"],
        "required": NEEDED_BYTES,
        "limit": LIMIT_BYTES,
        "excess": NEEDED_BYTES - LIMIT_BYTES,
        "lower_bound": NEEDED_BYTES - 16,
        "is_proven_optimal": False,
    }
    assert (arena["limit"], arena["excess"], arena["is_proven_optimal"]) == (None, 0, True)


def test_an_operator_says_what_it_costs_and_what_bounds_it(report):
    first, second, *_ = report["schedules"][0]["ops"]
    estimate = ecosystem_estimate(material())
    assert estimate is not None
    assert first["cost"] == {
        "npu_cycles": 1500,
        "sram_cycles": 10.25,
        "dram_cycles": 2000.5,
        "on_chip_flash_cycles": 0.0,
        "off_chip_flash_cycles": 0.0,
        "total_cycles": 2000.5,
        "bound": "dram",
        "limit": "weight decoder",
        "decides": "external",
        "next": "decoder",
        "terms": {
            "macs": 700.0,
            "sram": 10.25,
            "external": 2000.5,
            "decoder": 1400.0,
            "output": 300.0,
            "commands": 80.0,
            "latency": 500.0,
        },
        "macs_per_cycle": 0.0,
        "sram_moved_bytes": 0.0,
        "dram_moved_bytes": 4096.0,
        "on_chip_flash_moved_bytes": 0.0,
        "off_chip_flash_moved_bytes": 0.0,
        "ecosystem_cycles": estimate.cycles[0],
    }
    assert second["cost"]["bound"] == "npu"
    assert (second["cost"]["decides"], second["cost"]["next"]) == ("decoder", "macs")


def test_blocks_and_accumulators_are_written_as_the_ecosystem_does(report):
    op = report["schedules"][0]["ops"][0]
    assert (op["block_config"], op["acc_type"], op["is_partkernel"]) == ([6, 4, 32, 16], "7", True)
    assert (op["ofm_block"], op["ifm_block"]) == ([1, 6, 4, 16], [1, 8, 6, 32])


def test_only_the_first_of_two_buffers_is_filled_early(report):
    single, double, direct, *_ = report["schedules"][0]["ops"]
    names = ("bytes", "sub_purpose", "pre_buffer")
    rows = [
        [tuple(buffer[name] for name in names) for buffer in op["weight_buffers"]]
        for op in (single, double)
    ]
    assert rows == [
        [(1600, "Standard", False)],
        [(1000, "DoubleBuffer", True), (600, "DoubleBuffer", False)],
    ]
    assert direct["weight_buffers"] == []
    assert direct["encoded_weight_bytes"] == 1600


def test_times_are_counted_from_the_start_of_the_network(report):
    (island,) = report["schedules"]
    assert island["ops"][0]["time_index"] == 10
    assert island["memory_snapshot"][:11] == [0] * 10 + [LIVE_BYTES]
    assert (island["evicted"][0]["start"], island["evicted"][0]["end"]) == (11, 15)


def test_a_cascade_goes_by_its_last_operator_and_a_buffer_by_its_reader(report):
    (island,) = report["schedules"]
    (cascade,) = island["cascades"]
    told = {"key": 1, "start": 0, "end": 1, "mem_usage": 9999, "buffers": {"1": [1, 4, 8, 64]}}
    assert cascade | told == cascade
    assert [op["cascade"] for op in island["ops"][:3]] == [1, 1, 0]


def test_a_map_says_where_it_lives_and_whether_it_rolls(report):
    maps = report["schedules"][0]["ops"][0]["feature_maps"]
    names = ("format", "mem_area", "mem_type", "rolling")
    assert [maps["ofm"][name] for name in names] == [
        "NHCWB16",
        "Sram",
        "Scratch_fast",
        [1, 4, 8, 64],
    ]
    assert [maps["ifm"][name] for name in names] == ["NHCWB16", "Dram", "Scratch", None]


def test_the_options_ask_for_the_same_again(report):
    pairs = dict(zip(report["options"][::2], report["options"][1::2], strict=True))
    assert pairs["--accelerator-config"] == "ethos-u65-256"
    assert pairs["--arena-cache-size"] == str(LIMIT_BYTES)
    forced = Options(force_symmetric_int_weights=True)
    flagged = replace(material(), options=forced)
    assert schedule_json.describe(flagged)["options"][-1] == "--force-symmetric-int-weights"


def test_islands_are_counted_in_their_subgraph():
    report = schedule_json.describe(material("shuffle_with_cpu"))
    assert [name.split("_split_")[1] for name in report["sram_limit"]] == ["1", "2"]
    assert [part["subgraph"] for part in report["schedules"]] == list(report["sram_limit"])
    assert report["cpu_ops"] == ["GatherV2"]
