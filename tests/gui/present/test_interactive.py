"""The interactive page as a file: what is in it is what reports and the app say."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from core.api import queries, reports
from core.base.digest import digest_bytes
from core.base.frozen import replace
from core.base.progress import SILENT
from core.ir.options import Engine
from core.ir.schedule import FrontPoint
from gui.document.answer import Answer
from gui.document.selection import Selection
from gui.jobs.desk import Desk
from gui.present.interactive.around import MOST_SCHEDULES, page, spread
from gui.present.interactive.keys import key_of, selections
from gui.present.interactive.page import Contents, render
from tests.gui.answers import answer_of, document_of

DATA = re.compile(r'<template id="data">(.*?)</template>', re.DOTALL)


def data_of(text: str) -> dict[str, Any]:
    found = DATA.findall(text)
    assert len(found) == 1
    return dict(json.loads(found[0]))


def keys_of(data: dict[str, Any], line: list[Any]) -> set[str]:
    return {data["texts"][piece[1]] for piece in line if isinstance(piece, list)}


@pytest.fixture(scope="module", params=["residual_tower", "shuffle_with_cpu"])
def made(request):
    answer = answer_of(request.param, limit_bytes=64 << 10)
    return answer, page("net.tflite", answer, None, now="today")


def test_all_figures_and_operators_are_those_of_the_report(made):
    answer, text = made
    data = data_of(text)
    report = reports.report_of(
        "net.tflite", answer.scheduled, answer.analysis, reports.ReportContents(now="today")
    )
    told = data["schedules"][0]
    assert [data["texts"][number] for number, _ in told["figures"]] == [
        figure.number for figure in report.figures
    ]
    rows = [[data["texts"][cell] for cell in row] for row in told["operators"]["rows"]]
    blocks = next(each.blocks for each in report.sections if each.name == "all-operators")
    assert rows == [
        [column.text(cell) for column, cell in zip(blocks[0].columns, row, strict=True)]
        for row in blocks[0].rows
    ]
    assert (data["title"], data["foot"]) == (report.title, report.foot)


def test_whatever_can_be_selected_has_its_why_and_its_place_in_every_view(made):
    answer, text = made
    data = data_of(text)
    told = data["schedules"][0]
    every = {key_of(each) for each in selections(answer.scheduled)}
    assert set(told["marks"]) == every
    assert set(told["why"]) == every | {""}
    drawn = [
        *told["timeline"]["layers"],
        *(layer for part in told["maps"] for layer in part["layers"]),
    ]
    shown = {data["texts"][key] for layer in drawn for key in layer["keys"]}
    listed = {data["texts"][key] for key in told["operators"]["keys"]}
    assert (shown - {""}) | listed <= every
    links = set()
    for why in told["why"].values():
        lines = [*why["lead"], *(line for _, lines in why["topics"] for line in lines)]
        links |= set().union(*(keys_of(data, line) for line in lines))
        links |= {data["texts"][key] for _, _, key in why["related"]}
    assert links
    assert links <= every
    things = {data["texts"][key] for key, _, _ in told["things"]}
    assert len(things) == len(list(queries.things_of(answer.scheduled)))


def test_slices_and_ranges_are_where_the_schedule_has_them(made):
    answer, text = made
    told = data_of(text)["schedules"][0]
    slices = told["timeline"]["layers"][1]
    trace = answer.analysis.trace
    assert sum(slices["left"][:1]) == round(float(trace.start_cycle[0]))
    assert len(slices["left"]) == trace.count
    ends = [sum(slices["left"][: at + 1]) + width for at, width in enumerate(slices["width"])]
    assert max(ends) == pytest.approx(trace.end_cycle_of_all, abs=1)
    fast = answer.scheduled.layout.fast_area
    assert told["maps"][0]["height"] == fast.height_bytes
    assert max(told["maps"][0]["layers"][0]["top"]) == fast.height_bytes


def test_no_name_ends_what_it_is_in():
    answer = answer_of("kws_dscnn")
    name = "</script><script>alert(1)</script><!--&amp;\N{LINE SEPARATOR}.tflite"
    text = page(name, answer, None)
    assert "<script>alert" not in text
    assert text.count("</script>") == 1
    assert "\N{LINE SEPARATOR}" not in text
    assert data_of(text)["model"] == name


def test_the_same_is_written_again():
    """Texts are counted up in the order in which they come."""
    answer = answer_of("kws_dscnn")
    contents = Contents(name="a", answers=(answer,), asked=0)
    first, second = (digest_bytes(render(contents).encode()) for _ in range(2))
    assert first == second


def test_a_buffer_is_another_thing_than_its_operator():
    answer = answer_of("residual_tower", limit_bytes=64 << 10)
    keys = [key_of(each) for each in selections(answer.scheduled)]
    assert len(keys) == len(set(keys))
    assert key_of(Selection()) == ""


def test_of_a_long_front_both_ends_are_shown():
    answer = answer_of("kws_dscnn")
    point = replace(_point(answer), is_taken=False)
    front = [replace(point, peak_bytes=size) for size in range(100)]
    chosen = [each.peak_bytes for each in spread(front, MOST_SCHEDULES)]
    assert len(chosen) == MOST_SCHEDULES
    assert (chosen[0], chosen[-1]) == (0, 99)
    assert spread(front[:3], MOST_SCHEDULES) == front[:3]


def _point(answer):
    return FrontPoint(
        cost=answer.scheduled.total,
        peak_bytes=1,
        cascades=0,
        cascaded_ops=0,
        evicted_bytes=0,
        is_taken=True,
    )


@pytest.mark.long
def test_a_page_with_all_schedules_of_mobilenet_v2_can_be_sent():
    document = document_of("mobilenet_v2_1.0_224", engine=Engine.PARETO)
    desk = Desk()
    found = desk.solve(document, SILENT)
    answer = Answer(
        number=0,
        document=document,
        scheduled=found.scheduled,
        analysis=found.analysis,
        seconds=0.0,
    )
    text = page("mobilenet_v2.tflite", answer, desk.bench(document, SILENT).workbench)
    assert len(data_of(text)["schedules"]) > MOST_SCHEDULES / 2
    assert len(text.encode()) < 3_000_000
