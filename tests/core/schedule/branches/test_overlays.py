"""Outputs over rows that nobody reads any more: as near as they may be, and no nearer."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from core.base.frozen import replace
from core.base.ids import FmId
from core.check import memory as memory_check
from core.check import schedule as schedule_check
from core.check.overlays import collisions
from core.ir.freedoms import ALL
from core.ir.options import Engine, Options, ParetoOptions, Search, Strategy
from core.ir.schedule import Cascade, Overlay, Schedule
from core.ir.scheduled import Scheduled
from core.memory import run as memory
from core.pipeline import within
from core.pipeline.compile import compile_model
from core.pipeline.proof import verify as proof
from core.pipeline.run import run
from core.pipeline.scheduled import Workbench
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.resolve import resolve
from core.tflite.writer import write
from tests.shared import need

TARGET = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
MODELS = ["kws_dscnn_int8", "person_detect", "resnet8_int8", "str_ww_int8", "vww_96_int8"]


PATCHES = "patches"
"""Rows of patches are copied from every eighth row of the input, which the output lies over."""


@pytest.fixture(scope="module", params=[*MODELS, PATCHES])
def smallest(request) -> Scheduled:
    """The smallest schedule of a real network."""
    options = Options(strategy=Strategy.SIZE)
    return Workbench(run(_model(request.param), TARGET, options)).schedule(TARGET, options)


def _model(name: str) -> bytes:
    if name == PATCHES:
        b = Builder(1)
        x = b.conv(b.input((1, 64, 64, 3)), 32, window(8, stride=8, same=False))
        return write(b.build((b.mean(b.conv(x, 32)),)))
    return need(f"models/{name}.tflite").read_bytes()


def _overlays(schedule: Schedule) -> Iterator[tuple[Cascade, Overlay]]:
    for island in schedule.islands:
        for cascade in island.cascades:
            yield from ((cascade, overlay) for overlay in cascade.overlays)


def _with_lead(schedule: Schedule, chosen: Overlay, lead_bytes: int) -> Schedule:
    """The same, where one output is said to need another lead."""
    changed = chosen._replace(lead_bytes=lead_bytes)
    return replace(
        schedule,
        islands=tuple(
            replace(
                island,
                cascades=tuple(
                    replace(
                        cascade,
                        overlays=tuple(
                            changed if each == chosen else each for each in cascade.overlays
                        ),
                    )
                    for cascade in island.cascades
                ),
            )
            for island in schedule.islands
        ),
    )


def test_a_lead_is_the_least_with_which_no_row_is_lost(smallest):
    schedule, graph = smallest.schedule, smallest.graph
    stripes = {plan.op: plan.stripe for plan in schedule.ops}
    found = list(_overlays(schedule))
    assert found
    for cascade, overlay in found:
        assert not list(collisions(graph, schedule, cascade, stripes, overlay, {}))
        less = overlay._replace(lead_bytes=overlay.lead_bytes - 1)
        found = list(collisions(graph, schedule, cascade, stripes, less, {}))
        assert found or not overlay.lead_bytes


def test_the_judge_of_schedules_finds_a_lead_that_is_too_small(smallest):
    for _, overlay in _overlays(smallest.schedule):
        if not overlay.lead_bytes:
            continue
        wrong = _with_lead(smallest.schedule, overlay, overlay.lead_bytes - 1)
        said = [str(each) for each in schedule_check.verify(smallest.graph, TARGET, wrong)]
        assert any("writes over row" in each for each in said)


def test_the_judge_of_schedules_finds_maps_that_are_still_needed(smallest):
    cascade, overlay = next(_overlays(smallest.schedule))
    results = smallest.graph.outputs[0]
    wrong = _with_lead(smallest.schedule, overlay, overlay.lead_bytes)
    lost = overlay._replace(given=results[0])
    wrong = replace(
        wrong,
        islands=tuple(
            replace(
                island,
                cascades=tuple(
                    replace(each, overlays=(lost,)) if each == cascade else each
                    for each in island.cascades
                ),
            )
            for island in wrong.islands
        ),
    )
    said = [str(each) for each in schedule_check.verify(smallest.graph, TARGET, wrong)]
    assert any("has to stay as it is" in each for each in said)


def _too_near(smallest: Scheduled) -> Iterator[Scheduled]:
    """Layouts in which an output begins a row too late, so that it reaches what is still read."""
    for _, overlay in _overlays(smallest.schedule):
        wrong = _with_lead(smallest.schedule, overlay, max(overlay.lead_bytes // 2, 0))
        layout = memory.run(smallest.graph, wrong, TARGET, Options(strategy=Strategy.SIZE))
        if layout.fast_bytes < smallest.layout.fast_bytes and overlay.lead_bytes >= 32:
            yield replace(smallest, layout=layout)


def test_the_judge_of_layouts_finds_an_output_that_begins_too_late(smallest):
    for wrong in _too_near(smallest):
        graph, schedule, layout = wrong.graph, wrong.schedule, wrong.layout
        said = [str(each) for each in memory_check.verify(graph, TARGET, schedule, layout)]
        assert any("shares byte" in each for each in said)


def test_the_simulator_finds_an_output_that_begins_too_late(monkeypatch):
    """By its own means: what comes out is not what the original makes."""
    model, options = _model("kws_dscnn_int8"), Options(strategy=Strategy.SIZE)
    # Where all bytes that addresses take are in use, no lead is all that keeps them so high.
    monkeypatch.setattr(within, "_fastest_as_high", lambda _, found, layout: (found, layout))
    found = Workbench(run(model, TARGET, options)).schedule(TARGET, options)
    monkeypatch.setattr(memory_check, "verify", lambda *_: ())
    wrong = list(_too_near(found))
    assert wrong
    for each in wrong:
        compiled = compile_model(each).data
        assert not proof.verify(compiled, model, inputs=2).holds


def test_nothing_lies_over_another_without_that_freedom():
    """And what is found with it takes less."""
    model, options = _model("person_detect"), Options(strategy=Strategy.SIZE)
    found = Workbench(run(model, TARGET, options)).schedule(TARGET, options)
    with patch.object(Options, "freedoms", replace(ALL, dead_rows=False)):
        before = Workbench(run(model, TARGET, options)).schedule(TARGET, options)
    assert not list(_overlays(before.schedule))
    assert found.layout.fast_bytes < 0.7 * before.layout.fast_bytes


def test_maps_in_two_pairs_are_refused(smallest):
    cascade, overlay = next(_overlays(smallest.schedule))
    twice = replace(
        smallest.schedule,
        islands=tuple(
            replace(
                island,
                cascades=tuple(
                    replace(each, overlays=(overlay, overlay)) if each == cascade else each
                    for each in island.cascades
                ),
            )
            for island in smallest.schedule.islands
        ),
    )
    said = [str(each) for each in schedule_check.verify(smallest.graph, TARGET, twice)]
    assert any("lie over others too" in each for each in said)
    assert FmId(overlay.made) in {fm for each in cascade.overlays for fm in each[:2]}


def test_what_a_later_island_reads_is_given_up_by_none_where_maps_are_elsewhere():
    # Its first islands read maps in cascades that others read again, after the CPU.
    target = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
    model = _model("movenet_single_pose_lightning_ptq")
    options = Options(
        search=Search.DIRECT, engine=Engine.PARETO, pareto=ParetoOptions(most_bytes=48 * 1024)
    )
    schedule = Workbench(run(model, target, options)).schedule(target, options).schedule
    assert any(island.cascades for island in schedule.islands)
