"""Parts of a schedule are searched again: what is faster is kept, with reasons that are its own."""

from __future__ import annotations

import enum
from functools import cache
from pathlib import Path

import pytest

from core.api import compiler, networks, proof
from core.base.frozen import members, replace
from core.ir.decisions import FormatChosen
from core.ir.front import Ask, Front, Windows
from core.ir.options import Options, Search
from core.pipeline.best.plan import window_asks
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from tests.core.schedule.random_cases import findings

MODEL = Path(__file__).parents[4] / "resources" / "examples" / "shuffle_with_cpu.tflite"
TARGET = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
BEST = Options(search=Search.BEST, effort=40)


@cache
def grown() -> Front:
    run = networks.run(MODEL.read_bytes(), TARGET, BEST)
    *_, last = Workbench(run).fronts.growing(TARGET, BEST)
    return last


def test_windows_cover_all_operators_and_overlap_by_half():
    order = list(range(9))
    found = [list(window) for window in Windows(4, 0, 3).of(order)]
    assert found == [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7]]
    for size in (2, 4, 8):
        asks = [ask for ask in window_asks(None, len(order)) if ask.windows.size == size]
        covered = {op for ask in asks for window in ask.windows.of(order) for op in window}
        assert covered == set(order)


@pytest.mark.long
def test_what_was_searched_again_is_faster_and_holds():
    changed = [point for point in grown().points if point.changes]
    assert changed
    assert all(point.ask == replace(point.ask, windows=None) for point in grown().points)
    for point in changed:
        assert findings(point.scheduled) == ()
        compiled = compiler.compile_model(point.scheduled).data
        assert proof.verify(compiled, MODEL.read_bytes(), inputs=2).holds


@pytest.mark.long
def test_nothing_is_said_to_have_been_asked_for():
    for point in grown().points:
        decisions = point.scheduled.schedule.decisions
        values = [value for each in decisions for value in members(each).values()]
        reasons = {value.name for value in values if isinstance(value, enum.Enum)}
        assert "ASKED" not in reasons
        assert point.scheduled.edits == point.scheduled.options.edits == ()
        formats = [each.fm for each in decisions if isinstance(each, FormatChosen)]
        assert sorted(formats) == sorted(set(formats))
        assert len(formats) == len(point.scheduled.graph.feature_maps)


def test_edits_are_left_alone():
    assert window_asks(None, 0) == ()
    assert Ask().windows is None
