"""The summary says what the schedule says."""

from __future__ import annotations

import math
import re

import pytest

from core.api import listings
from core.base.rough import rough_text
from core.ir.options import Engine, ParetoOptions
from core.report.padding import padding_at_peak
from core.target.region import Region
from core.target.target import Area
from gui.document.display import ByteUnit, Display, Span, TimeUnit
from gui.present import units
from gui.present.summary import (
    Verdict,
    asked_rows,
    milliseconds_text,
    rate_text,
    region_summary,
    stretch_of,
    summary_of,
)
from tests.gui.answers import EXAMPLES, answer_of

NAMES = sorted(file.stem for file in EXAMPLES.glob("*.tflite"))
U65 = {"accelerator": "ethos-u65-256"}
ASKED = [
    (name, settings)
    for name in NAMES
    for settings in ({}, {"limit_bytes": 30_000}, {**U65, "limit_bytes": 60_000})
]
BYTES = Display(byte_unit=ByteUnit.BYTES)


def number(text):
    return int(re.match(r"[\d,]+", text)[0].replace(",", ""))


@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_each_region_has_its_three_numbers(name, settings):
    answer = answer_of(name, **settings)
    summary = summary_of(answer, BYTES)
    areas = [area for area in answer.scheduled.layout.areas if area.height_bytes]
    assert len(summary.regions) == len(areas)
    for region, area in zip(summary.regions, areas, strict=True):
        limited = Region.SCRATCH_FAST in area.regions and "limit_bytes" in settings
        assert f"requires {units.count(area.height_bytes)} B" in region.text
        assert ("the limit is" in region.text) == limited
        if not limited:
            assert region.verdict is Verdict.OPEN
            continue
        assert f"the limit is {units.count(area.limit_bytes)} B" in region.text
        assert region.share == pytest.approx(area.height_bytes / area.limit_bytes)
        if area.excess_bytes:
            assert region.verdict is Verdict.EXCEEDS
            assert f"{units.count(area.excess_bytes)} B" in region.text.split(":")[1]
            assert f"A limit of {units.count(area.height_bytes)} B" in region.advice
        else:
            assert region.verdict is Verdict.FITS
            left = area.limit_bytes - area.height_bytes
            assert f"{units.count(left)} B left" in region.text


@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_the_verdict_is_the_layout_s(name, settings):
    answer = answer_of(name, **settings)
    summary = summary_of(answer, BYTES)
    layout = answer.scheduled.layout
    if not layout.is_within_limits:
        assert summary.verdict is Verdict.EXCEEDS
        excess = sum(area.excess_bytes for area in layout.areas)
        assert summary.headline == f"Does not fit: {excess:,} B of SRAM too much"
    elif "limit_bytes" in settings:
        assert summary.verdict is Verdict.FITS
        assert summary.headline.startswith("Fits: ")
    else:
        assert summary.verdict is Verdict.OPEN
        assert f"{layout.used_bytes(Area.SRAM):,} B of SRAM" in summary.headline


def test_one_byte_decides():
    need = answer_of("kws_dscnn").scheduled.layout.used_bytes(Area.SRAM)
    exact = summary_of(answer_of("kws_dscnn", limit_bytes=need), BYTES)
    assert (exact.verdict, exact.headline) == (Verdict.FITS, "Fits: 0 B of SRAM left")
    answer = answer_of("kws_dscnn", limit_bytes=2_000)
    height = answer.scheduled.layout.used_bytes(Area.SRAM)
    over = summary_of(answer, BYTES)
    assert over.verdict is Verdict.EXCEEDS
    assert over.headline == f"Does not fit: {height - 2_000:,} B of SRAM too much"


@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_facts_are_the_compiler_s_numbers(name, settings):
    answer = answer_of(name, **settings)
    scheduled = answer.scheduled
    facts = {fact.title: fact for fact in summary_of(answer, BYTES).facts}
    total, graph = scheduled.total, scheduled.run.graph
    assert facts["Cycles"].value == rough_text(total.total_cycles)
    assert facts["Cycles"].tip.startswith(f"{round(total.total_cycles):,}, ")
    estimate = answer.analysis.ecosystem
    assert estimate is not None
    assert facts["Cycles"].note.endswith(f"ecosystem's: {rough_text(estimate.total_cycles)}")
    assert facts["Time"].value == milliseconds_text(total.seconds)
    assert facts["Inferences per second"].value == rate_text(total.inferences_per_second)
    assert facts["Utilisation"].value == units.share(total.utilisation)
    assert number(facts["MACs"].value) == total.macs
    assert number(facts["NPU operators"].value) == len(graph.ops)
    assert number(facts["CPU operators"].value) == len(graph.cpu_ops)
    islands = scheduled.schedule.islands
    assert number(facts["Cascades"].value) == sum(len(island.cascades) for island in islands)
    assert number(facts["Evictions"].value) == sum(len(island.evicted) for island in islands)
    live = max(island.peak_bytes for island in islands)
    peak, _, padding = facts["SRAM taken"].note.partition("; ")
    assert peak == f"peak {live:,} B"
    known = padding_at_peak(scheduled)
    assert padding.startswith(f"{known.size_bytes:,} B of it is padding" if known else "")
    assert bool(padding) == bool(known)
    permanent = [a for a in scheduled.layout.areas if any(r.is_permanent for r in a.regions)]
    assert number(facts["Weights and constants"].value) == sum(a.height_bytes for a in permanent)
    for title in ("Cycles", "Time", "Inferences per second", "Utilisation"):
        assert "estimate" in facts[title].note


@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_traffic_and_waits_add_up(name, settings):
    answer = answer_of(name, **settings)
    summary, total = summary_of(answer, BYTES), answer.scheduled.total
    moved = [total.moved_bytes(area) for area in Area if total.moved_bytes(area)]
    assert [number(bar.value) for bar in summary.traffic] == [round(size) for size in moved]
    assert [bar.share for bar in summary.traffic] == pytest.approx(
        [size / max(moved) for size in moved]
    )
    assert sum(bar.share for bar in summary.waits) == pytest.approx(1)
    counted = sum(number(bar.note) for bar in summary.waits)
    assert counted == len(answer.scheduled.costs) == sum(count for _, count in total.bounds)
    shares = [bar.share for bar in summary.waits]
    assert shares == sorted(shares, reverse=True)


def test_units_are_followed():
    answer = answer_of("unet_128", **U65)
    kib = summary_of(answer, Display(time_unit=TimeUnit.MICROSECONDS))
    assert all("KiB" in region.text for region in kib.regions)
    assert all("µs" in bar.note for bar in kib.waits)
    plain = summary_of(answer, BYTES)
    assert not any("KiB" in region.text for region in plain.regions)
    assert all("cycle" in bar.note for bar in plain.waits)


def test_small_times_and_seldom_inferences_keep_their_digits():
    assert milliseconds_text(0.000_098_4) == "0.098 ms"
    assert milliseconds_text(0.012_345) == "12.35 ms"
    assert milliseconds_text(2.5) == "2.5 s"
    assert rate_text(0.0421) == "0.0421"
    assert rate_text(1234.5) == "1,234"
    assert rate_text(math.inf) == "not known"


def test_what_was_asked_stands_beside_what_was_applied():
    asked = {row.title: row for row in asked_rows(answer_of("kws_dscnn"))}
    assert asked["memory mode"][1:] == ("default", "Shared_Sram")
    assert asked["SRAM limit"][1:] == ("default", "no limit")
    asked = {row.title: row for row in asked_rows(answer_of("kws_dscnn", limit_bytes=50_000))}
    assert asked["SRAM limit"][1:] == ("50,000 B (48.83 KiB)",) * 2
    answer = answer_of("kws_dscnn", force_symmetric_int_weights=True)
    assert {row.title: row for row in asked_rows(answer)}[
        "signed weights"
    ].applied == "as symmetric"


def test_the_engine_and_what_it_was_told_are_among_what_was_asked():
    asked = {row.title: row for row in asked_rows(answer_of("kws_dscnn"))}
    assert asked["engine"][1:] == ("cascading", "cascading")
    assert "schedule of the front" not in asked
    pareto = ParetoOptions(most_bytes=20_000)
    answer = answer_of("kws_dscnn", engine=Engine.PARETO, pareto=pareto)
    asked = {row.title: row for row in asked_rows(answer)}
    assert asked["engine"][1:] == ("pareto", "pareto")
    assert asked["schedule of the front"][1:] == ("the fastest within 20,000 B (19.53 KiB)",) * 2
    assert asked["search"][1:] == ("compatible", "compatible")


@pytest.mark.parametrize("engine", Engine, ids=lambda each: each.value)
def test_where_no_schedule_could_fit_the_summary_says_so(engine):
    answer = answer_of("unet_128", limit_bytes=100 * 1024, engine=engine)
    (area,) = [each for each in answer.scheduled.layout.areas if each.excess_bytes]
    advice = region_summary(answer.scheduled, area, ByteUnit.KIB).advice
    assert advice.endswith("No schedule that keeps the order of operators takes less.")


def test_the_json_counts_and_numbers_as_the_window_does():
    answer = answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=100_000)
    told = listings.describe_schedule("unet_128.tflite", answer.scheduled)
    facts = {fact.title: fact for fact in summary_of(answer, BYTES).facts}
    for key, title in (
        ("npu_operators", "NPU operators"),
        ("cpu_operators", "CPU operators"),
        ("cascades", "Cascades"),
        ("evictions", "Evictions"),
    ):
        assert told["counts"][key] == number(facts[title].value), key
    graph = answer.scheduled.run.graph
    ops = [op for island in told["schedules"] for op in island["ops"]]
    assert [graph.ops[op["number"]].name for op in ops] == [op["name"] for op in ops]
    assert {op["number"] for op in ops} == {op.id for op in graph.ops}


def test_a_stretch_over_all_is_the_whole():
    answer = answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=128 << 10)
    whole = summary_of(answer, Display())
    end = answer.analysis.trace.end_cycle_of_all
    stretch = stretch_of(answer, Span(start_cycle=0.0, end_cycle=float(end)), Display())
    assert stretch.traffic == whole.traffic
    assert stretch.waits == whole.waits


def test_a_stretch_of_one_operator_has_its_traffic_and_what_it_waits_for():
    answer = answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=128 << 10)
    trace, costs = answer.analysis.trace, answer.scheduled.costs
    alone = [  # whose time no other operator shares
        op
        for op, (start, end) in enumerate(
            zip(trace.op_start_cycle, trace.op_end_cycle, strict=True)
        )
        if end > start
        and sum((trace.op_start_cycle < end) & (trace.op_end_cycle > start)) == 1
        and costs[op].traffic
    ]
    assert alone
    for op in alone[:3]:
        span = Span(
            start_cycle=float(trace.op_start_cycle[op]), end_cycle=float(trace.op_end_cycle[op])
        )
        stretch = stretch_of(answer, span, Display())
        areas = {part.area for part in costs[op].traffic if part.size_bytes}
        assert len(stretch.traffic) == len(areas)
        assert [bar.value for bar in stretch.waits] == ["100 %"]
