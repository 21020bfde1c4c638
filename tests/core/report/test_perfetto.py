"""The trace: viewers can open it, and it says what the schedule says."""

from __future__ import annotations

import copy
import json
import math
import random
from collections import Counter
from functools import cache

import pytest

from core.base.frozen import replace
from core.ir.trace import Activity, Lane
from core.report.ecosystem_names import AREA_TITLES
from core.report.measured import match as measured
from core.report.perfetto import document as perfetto
from core.report.perfetto.lanes import Slice, lanes_of
from core.tflite import writer
from tests.core.report.real import NAMES, TARGETS, real, reported
from tests.core.report.trace_format import broken_rules
from tests.networks.random_networks import random_network


def trace_of(material, analysis, *more):
    return json.loads(perfetto.render(material, analysis, *more))


def events_of(trace, category):
    return [event for event in trace["traceEvents"] if event.get("cat") == category]


@pytest.fixture(params=[(name, kind) for name in NAMES for kind in TARGETS], ids=" ".join)
def case(request):
    return *real(*request.param), trace_for(*request.param)


@cache
def trace_for(name, kind):
    return trace_of(*real(name, kind))


def check_sums(material, analysis, trace):
    """Engines and operators: each alone has all cycles of the schedule."""
    total = material.total.total_cycles
    engines = ("compute", "stall", "copy")
    spent = [e["args"]["cycles"] for name in engines for e in events_of(trace, name)]
    assert math.isclose(math.fsum(spent), total, rel_tol=1e-9, abs_tol=1e-6)
    operators = events_of(trace, "operator")
    assert math.fsum(e["args"]["cycles"] for e in operators) == pytest.approx(total, rel=1e-12)
    assert {e["args"]["operator"]: e["args"]["cycles"] for e in operators} == {
        op.id: material.costs[op.id].total_cycles for op in material.graph.ops
    }
    end = max((e["ts"] + e.get("dur", 0.0) for e in trace["traceEvents"]), default=0.0)
    assert end == pytest.approx(total / material.total.clock_hz * 1e6, abs=1e-3)
    assert sum(len(events_of(trace, a.name.lower())) for a in Activity) == analysis.trace.count


def check_counters(material, analysis, trace):
    """Peaks of memory, and bytes that are moved."""
    lengths = analysis.trace.op_end_cycle - analysis.trace.op_start_cycle
    counters = [e for e in trace["traceEvents"] if e["ph"] == "C"]
    fast = material.target.fast.area
    for title in {e["name"] for e in counters if " live: " in e["name"]}:
        values = [e["args"]["bytes"] for e in counters if e["name"] == title]
        assert values[-1] == 0
        assert max(values) <= material.layout.used_bytes(fast) or "DRAM" in title
    for area in {part.area for part in material.total.traffic}:
        title = f"{AREA_TITLES[area]} traffic"
        samples = [(e["ts"], e["args"]["bytes/cycle"]) for e in counters if e["name"] == title]
        ends = [*[time for time, _ in samples[1:]], samples[-1][0]]
        cycles_per_tick = material.total.clock_hz / 1e6
        moved = math.fsum(
            rate * (end - start) * cycles_per_tick
            for (start, rate), end in zip(samples, ends, strict=True)
        )
        assert samples[-1][1] == 0
        # Moments are kept in whole nanoseconds.
        slack = sum(rate for _, rate in samples) * cycles_per_tick / 1000
        # What an operator moves that takes no time has no rate.
        whole = math.fsum(
            part.size_bytes
            for cost, length in zip(material.costs, lengths, strict=True)
            for part in cost.traffic
            if part.area is area and length > 0
        )
        assert abs(moved - whole) <= slack + 1e-6 * moved


def test_viewers_can_open_it(case):
    assert broken_rules(case[2]) == []


def test_lanes_sum_to_the_schedule(case):
    check_sums(*case)


def test_counters_say_what_the_layout_and_the_costs_say(case):
    check_counters(*case)


def test_the_peak_of_fast_storage_is_the_schedules(case):
    material, _, trace = case
    peak = max((island.peak_bytes for island in material.schedule.islands), default=0)
    fast = [
        e["args"]["bytes"]
        for e in trace["traceEvents"]
        if e["ph"] == "C" and "Scratch_fast" in e["name"]
    ]
    assert max(fast) >= peak


def test_every_operator_on_the_cpu_is_a_moment(case):
    material, _, trace = case
    moments = [e for e in trace["traceEvents"] if e["ph"] == "i" and e["cat"] == "cpu"]
    assert Counter(e["name"] for e in moments) == Counter(
        f"CPU: {op.kind}" for op in material.graph.cpu_ops
    )


def test_stripes_of_cascades_are_slices(case):
    material, analysis, trace = case
    columns = analysis.trace
    in_cascades = {
        (op, stripe)
        for op, stripe in zip(columns.op.tolist(), columns.stripe.tolist(), strict=True)
        if stripe >= 0
    }
    told = {
        (e["args"]["operator"], e["args"]["stripe"])
        for e in trace["traceEvents"]
        if "stripe" in e["args"]
    }
    assert told == in_cascades
    cascades = events_of(trace, "cascade")
    assert len(cascades) == sum(len(i.cascades) for i in material.schedule.islands)


def test_the_same_bytes_every_time():
    material, analysis = real()
    assert perfetto.render(material, analysis) == perfetto.render(material, analysis)


def test_the_unit_of_time_is_told():
    material, analysis = real()
    told = trace_of(material, analysis)["otherData"]
    assert float(told["clock_hz"]) == material.total.clock_hz
    assert float(told["total_cycles"]) == material.total.total_cycles
    assert "microseconds" in told["time_unit"]


def test_measured_cycles_are_a_lane_of_their_own():
    material, analysis = real("resnet8")
    rows = {str(op.id): 1000.5 + op.id for op in material.graph.ops if op.id % 2}
    found = measured.read(json.dumps(rows).encode(), material)
    trace = trace_of(material, analysis, found)
    assert broken_rules(trace) == []
    told = {str(e["args"]["operator"]): e["args"]["cycles"] for e in events_of(trace, "measured")}
    assert told == rows
    check_sums(material, analysis, trace)


@pytest.mark.parametrize("seed", range(12))
def test_random_networks(seed):
    model = writer.write(random_network(seed))
    kind = sorted(TARGETS)[seed % len(TARGETS)]
    material, analysis = reported(model, kind, f"random {seed}")
    trace = trace_of(material, analysis)
    assert broken_rules(trace) == []
    check_sums(material, analysis, trace)
    check_counters(material, analysis, trace)


def test_the_checker_sees_what_viewers_would_drop():
    material, analysis = real()
    good = trace_of(material, analysis)
    slices = [at for at, e in enumerate(good["traceEvents"]) if e["ph"] == "X" and e["dur"] > 0]
    samples = [at for at, e in enumerate(good["traceEvents"]) if e["ph"] == "C"]
    for at, spoil in (
        (slices[0], lambda event: event.update(dur=1e9)),
        (slices[-1], lambda event: event.update(ts=0.0)),
        (slices[3], lambda event: event.pop("args")),
        (slices[2], lambda event: event.update(tid=99)),
        (samples[1], lambda event: event.update(args={"bytes": -1})),
        (0, lambda event: event.update(name="nobody knows")),
    ):
        bad = copy.deepcopy(good)
        spoil(bad["traceEvents"][at])
        assert broken_rules(bad) != []


def test_what_overlaps_goes_to_a_further_lane():
    rng = random.Random(7)
    slices = []
    for number in range(300):
        start = rng.randrange(1000)
        slices.append(Slice(str(number), "", start, start + rng.randrange(60), {}))
    lanes = lanes_of("lane", 1, slices)
    for lane in lanes:
        for one, other in zip(lane.slices, lane.slices[1:], strict=False):
            assert one.end_cycle <= other.start_cycle
    most = max(
        sum(item.start_cycle <= at < item.end_cycle for item in slices) for at in range(1100)
    )
    assert len(lanes) <= most + 1
    assert sorted(item.name for lane in lanes for item in lane.slices) == sorted(
        item.name for item in slices
    )
    assert [lane.title for lane in lanes][:2] == ["lane", "lane (2)"]


def test_a_clock_that_is_no_round_number_keeps_lanes_apart():
    material, analysis = real("mobilenet_v2_035_96")
    system = replace(material.target.system, core_clock_hz=333_333_333.0)
    odd = replace(
        material,
        target=replace(material.target, system=system),
        total=replace(material.total, clock_hz=333_333_333.0),
    )
    assert broken_rules(trace_of(odd, analysis)) == []
    assert Lane.MAC in set(analysis.trace.lane.tolist())
