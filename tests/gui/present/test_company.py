"""Models that share a device with the one that is shown are told and drawn where they lie."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import main as program
from core.base.frozen import replace
from core.ir.options import Search
from core.ir.together import Arena, Calls, SharedMemory, Together
from core.target.target import Area
from gui.document.answer import Answer
from gui.document.display import ByteUnit, Display
from gui.document.document import Company, Document
from gui.jobs.desk import Desk
from gui.present.company import fast_memory
from gui.present.controls import verdict_of
from gui.present.headline import NOTHING, headline_of
from gui.present.memory.beside import NOBODY, beside_of
from gui.present.memory.map import TimeScale, area_map, edges_of
from gui.present.summary import Verdict, summary_of
from tests.gui.answers import answer_of, document_of, model_path, model_ref

LIMIT = 180 << 10
OTHERS = ("shuffle_with_cpu", "denoise_int16")


def beside(calls: Calls, limit: int) -> Document:
    alone = document_of("kws_dscnn", limit_bytes=limit, search=Search.DIRECT)
    models = tuple(model_ref(model_path(name)) for name in OTHERS)
    return alone.with_company(Company(models=models, calls=calls))


def answered(desk: Desk, document: Document) -> Answer:
    found = desk.solve(document)
    answer = Answer.of(found.scheduled, document)
    return replace(answer, together=found.together, unlimited_bytes=found.unlimited_bytes)


@pytest.mark.parametrize("calls", Calls)
def test_the_window_finds_what_the_command_line_does(tmp_path: Path, calls: Calls) -> None:
    file, (own, *others) = tmp_path / "told.json", map(model_path, ("kws_dscnn", *OTHERS))
    words = ["schedule", str(own), "--calls", calls.value, "--arena-cache-size", str(LIMIT)]
    words += [word for path in others for word in ("--with", str(path))]
    assert program.main([*words, "--json", str(file)]) == 0
    told = json.loads(file.read_text("utf-8"))["together"]
    answer = answered(Desk(), beside(calls, LIMIT))
    memory = fast_memory(answer)
    assert memory is not None
    (listed,) = told["memories"]
    assert memory.peak_bytes == listed["peak_bytes"]
    assert [each.base for each in memory.arenas] == [each["base"] for each in listed["arenas"]]
    assert list(answer.together.cycles) == [each["cycles"] for each in listed["arenas"]]


def test_one_verdict_is_about_all_of_them() -> None:
    desk, display = Desk(), Display(byte_unit=ByteUnit.BYTES)
    answer = answered(desk, beside(Calls.NESTED, LIMIT))
    assert answer.scheduled.target.fast_limit_bytes < LIMIT
    assert verdict_of(answer).limit_bytes == LIMIT
    headline = headline_of(answer.document, answer, display, NOTHING, NOTHING)
    assert headline.fit.large == ("fit together",)
    summary = summary_of(answer, display)
    assert summary.verdict is Verdict.FITS
    assert "3 models fit together" in summary.headline
    tight = answered(desk, beside(Calls.NESTED, 64 << 10))
    assert not tight.together.fits
    assert tight.scheduled.layout.is_within_limits
    assert verdict_of(tight).excess_bytes == fast_memory(tight).excess_bytes
    assert summary_of(tight, display).verdict is Verdict.EXCEEDS


def test_edits_are_in_the_room_that_the_others_leave() -> None:
    desk = Desk()
    document = beside(Calls.NESTED, LIMIT)
    whole = desk.solve(document).scheduled
    ignoring = replace(document, ignores_edits=True)
    assert desk.solve(ignoring).scheduled.target == whole.target


def arenas(calls: Calls, *spans: tuple[int, int]) -> Together:
    found = tuple(
        Arena(model=str(at), base=first, height_bytes=end - first)
        for at, (first, end) in enumerate(spans)
    )
    memory = SharedMemory(area=Area.SRAM, arenas=found, limit_bytes=None)
    return Together(calls=calls, memories=(memory,), cycles=(1.0,) * len(found))


@pytest.mark.parametrize(
    ("together", "parts"),
    [
        (arenas(Calls.NESTED, (0, 100), (100, 300), (300, 310)), [(100, 300), (300, 310)]),
        (arenas(Calls.IN_TURN, (0, 100), (0, 300), (0, 200)), [(100, 200), (200, 300)]),
        (arenas(Calls.IN_TURN, (0, 100), (0, 80)), []),
        (arenas(Calls.IN_TURN, (50, 100), (0, 120)), [(50, 70), (-50, 0)]),
        (arenas(Calls.IN_TURN, (64, 100), (0, 64)), [(-64, 0)]),
    ],
)
def test_what_lies_where_this_model_has_nothing_is_drawn(together, parts) -> None:
    answer = answer_of("kws_dscnn", search=Search.DIRECT)
    area = answer.scheduled.layout.fast_area
    drawn = area_map(answer.scheduled, area, edges_of(answer, TimeScale.CYCLES))
    assert beside_of(answer, drawn) is NOBODY
    found = beside_of(replace(answer, together=together), drawn)
    spans = zip(found.rects.bottom.tolist(), found.rects.top.tolist(), strict=True)
    assert list(spans) == parts
    assert found.bottom_bytes == min([0, *(bottom for bottom, _ in parts)])
