"""In the JSON of a schedule, everything that has an address says which."""

from __future__ import annotations

from functools import cache

import pytest

from core.report import schedule_json
from tests.core.report.real import NAMES, TARGETS, real


@pytest.fixture(params=[(name, kind) for name in NAMES for kind in TARGETS], ids=" ".join)
def report(request):
    return report_of(*request.param)


@cache
def report_of(name, kind):
    return schedule_json.describe(real(name, kind)[0])


def ranges_of(report):
    return [live for area in report["allocations"] for live in area["live_ranges"]]


def ops_of(report):
    return [op for part in report["schedules"] for op in part["ops"]]


@pytest.mark.long
def test_every_map_lies_where_a_range_of_its_region_does(report):
    places = {
        (live["mem_type"], live["address"], tensor)
        for live in ranges_of(report)
        for tensor in live["tensors"]
    }
    for op in ops_of(report):
        for fm in op["feature_maps"].values():
            assert (fm["mem_type"], fm["address"], fm["name"]) in places


def test_every_stream_and_buffer_lies_where_a_range_of_its_size_does(report):
    places = {(live["address"], live["bytes"]) for live in ranges_of(report)}
    for op in ops_of(report):
        buffers = op["weight_buffers"]
        assert all((buffer["address"], buffer["bytes"]) in places for buffer in buffers)
        size = op["encoded_weight_bytes"]
        assert (size is None) == (op["weights_address"] is None)
        assert size is None or (op["weights_address"], size) in places
        if op["activation"] == "LUT":
            assert op["table_address"] is not None


def test_rolling_buffers_and_evicted_maps_have_theirs(report):
    places = {(live["address"], live["bytes"]) for live in ranges_of(report)}
    for part in report["schedules"]:
        for cascade in part["cascades"]:
            assert cascade["buffers"].keys() == cascade["buffer_addresses"].keys()
            for reader, address in cascade["buffer_addresses"].items():
                assert (address, cascade["buffer_bytes"][reader]) in places
        for evicted in part["evicted"]:
            assert evicted["address"] in {address for address, _ in places}


def test_two_buffers_of_one_operator_are_told_apart():
    """A network with rolling buffers, double buffers and evictions has been looked at."""
    reports = [report_of(name, kind) for name in NAMES for kind in TARGETS]
    doubles = [op for report in reports for op in ops_of(report) if len(op["weight_buffers"]) > 1]
    assert doubles
    for op in doubles:
        assert len({buffer["address"] for buffer in op["weight_buffers"]}) > 1
    parts = [part for report in reports for part in report["schedules"]]
    assert any(part["cascades"] for part in parts)
    assert any(part["evicted"] for part in parts)
