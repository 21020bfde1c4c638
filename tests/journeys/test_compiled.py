"""Compiled models in the window: our own, an old one of another compiler, and broken ones."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from core.target.region import Region
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.views.cascades.view import CascadesView
from gui.views.controls.view import ControlsView
from gui.views.memory.view import MemoryView
from gui.views.operators.view import OperatorsView
from gui.views.summary.view import SummaryView
from gui.views.why.view import WhyView
from tests.core.pipeline.read_backs import CASES, compiled, with_words
from tests.gui.running import is_failed, wait_for_answer
from tests.journeys.agreement import check_all
from tests.shared import need

ROOT = Path(__file__).parents[2]
OLD = "peer/compiled/person_detect_vela.tflite"
WITH_CASCADES, WITH_CPU = CASES[2], CASES[3]


def written(folder: Path, data: bytes, name: str = "compiled.tflite") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_an_old_file_shows_operators_regions_live_ranges_and_what_it_cannot_tell(open_app):
    app = open_app(need(OLD))
    check_all(app)
    answer = app.store.answer
    scheduled = answer.scheduled
    assert len(app.view(OperatorsView)._model.table.texts["name"]) == 60
    assert [area.regions for area in scheduled.layout.areas if area.height_bytes] == [
        (Region.SCRATCH, Region.SCRATCH_FAST),
        (Region.PERMANENT_NPU,),
    ]
    names = {part.placement.name for part in app.view(MemoryView).shown.drawn.ranges}
    assert {"input", "convolution 0: output", "convolution 0: weight buffer"} <= names
    app.view(WhyView).open_all()
    told = app.view(WhyView).text.toPlainText()
    summary = app.view(SummaryView).untold.text()
    assert len(scheduled.untold) >= 7
    for each in scheduled.untold:
        assert each.text in told
        assert each.text in summary
    reason = app.view(CascadesView).reason.text()
    assert "no cascade to be seen" in reason
    assert "Why anything was decided" in reason
    assert app.headline.parts["fit"].told.large == ("compiled",)
    assert app.banner.problems == ()


def test_our_own_compiled_model_shows_the_cascades_that_it_was_made_with(open_app, tmp_path):
    before, data = compiled(WITH_CASCADES)
    app = open_app(written(tmp_path, data))
    check_all(app)
    found = app.store.answer.scheduled
    assert found.target.accelerator.name == WITH_CASCADES.accelerator
    assert [len(island.cascades) for island in found.schedule.islands] == [
        len(island.cascades) for island in before.schedule.islands
    ]
    op = found.schedule.islands[0].cascades[0].ops[0]
    app.store.select(Selection(op=op))
    told = app.view(WhyView).text.toPlainText()
    assert "takes turns with operators" in told
    assert "What it cannot tell" in told
    outside = next(plan.op for plan in found.schedule.ops if plan.cascade is None)
    app.panels.show_panel("cascades")
    app.store.select(Selection(op=outside))
    assert "does not take turns" in app.view(CascadesView).stage_view.note.text()
    app.store.select(NOTHING_SELECTED)


@pytest.mark.long
def test_operators_of_the_cpu_are_shown_beside_several_streams(open_app, tmp_path):
    before, data = compiled(WITH_CPU)
    app = open_app(written(tmp_path, data))
    check_all(app)
    graph = app.store.answer.scheduled.run.graph
    assert len(graph.islands) == len(before.run.graph.islands) == 2
    assert [op.kind for op in graph.cpu_ops] == [op.kind for op in before.run.graph.cpu_ops]
    app.store.select(Selection(cpu_op=0))
    assert "operator" in app.view(WhyView).text.toPlainText()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_program_of_two_delegates_shows_its_calls_and_what_is_handed_over(open_app, qtbot, theme):
    app = open_app(need("executorch/cpubetween_u65-256.pte"))
    assert app.actions.run(f"view.theme.{theme}")
    calls = app.view(SummaryView).calls
    assert calls.isVisibleTo(app.view(SummaryView))
    graph = app.store.answer.scheduled.graph
    assert (calls.listing.rows[0][3], calls.listing.rows[0][4]) == (
        "input 0, 1x3x16x16 float32",
        3072,
    )
    by_title = {row[2]: at for at, row in enumerate(calls.listing.rows) if row[2]}
    order = ["copy into delegate 0", "delegate 0", "aten::sort.values", "delegate 1"]
    assert sorted(order, key=by_title.__getitem__) == order
    for delegate, island in enumerate(graph.islands):
        click(qtbot, calls, by_title[f"delegate {delegate}"])
        assert app.store.selection.ops == island.ops
    click(qtbot, calls, by_title["aten::sort.values"])
    assert graph.cpu_ops[app.store.selection.cpu_op].kind == "aten::sort.values"
    # The second output has a line of its own, which is of the same call.
    app.store.select(NOTHING_SELECTED)
    click(qtbot, calls, by_title["aten::sort.values"] + 1)
    assert graph.cpu_ops[app.store.selection.cpu_op].kind == "aten::sort.values"


def click(qtbot, table, row):
    table.scrollTo(table.model().index(row, 0))
    place = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


@pytest.mark.long
def test_settings_that_change_nothing_cannot_be_turned(open_app, tmp_path, qtbot):
    _, data = compiled(WITH_CASCADES)
    app = open_app(written(tmp_path, data))
    controls = app.view(ControlsView)
    open_knobs = {name for name, box in controls.boxes.items() if box.isEnabled()}
    assert open_knobs == {"system_config", "memory_mode"}
    assert not controls.limit.slider.isEnabled()
    for name in ("schedule.limit_down", "schedule.limit_up", "schedule.strategy"):
        assert not app.actions.run(name), name
    before = app.store.answer.scheduled
    controls.ask("memory_mode", "Shared_Sram")
    wait_for_answer(qtbot, app)
    after = app.store.answer.scheduled
    assert (before.target.mode.name, after.target.mode.name) == (
        "Dedicated_Sram_384KB",
        "Shared_Sram",
    )
    assert after.total.total_cycles < before.total.total_cycles
    assert after.run is before.run
    assert any("Shared_Sram" in each.text for each in after.untold)
    check_all(app)


def test_what_needs_a_schedule_says_why_it_cannot_run(open_app, tmp_path):
    app = open_app(written(tmp_path, compiled(WITH_CASCADES)[1]))
    for name in ("file.export_model", "file.export_schedule"):
        action = app.actions[name]
        assert not app.actions.run(name)
        assert "compiled model" in action.toolTip() or "compiled model" in action.statusTip()


@pytest.mark.long
def test_a_compiled_model_and_an_ordinary_one_take_turns(open_app, tmp_path, qtbot):
    app = open_app(written(tmp_path, compiled(WITH_CASCADES)[1]))
    assert app.actions.run("file.example.kws_dscnn")
    wait_for_answer(qtbot, app)
    check_all(app)
    assert app.store.answer.scheduled.compiled_by is None
    assert app.view(ControlsView).limit.slider.isEnabled()
    assert app.view(SummaryView).untold.isHidden()
    app.files.open(str(need(OLD)))
    wait_for_answer(qtbot, app)
    check_all(app)
    assert app.store.answer.scheduled.compiled_by is not None


def spoilt(words: list[int]) -> None:
    words[301] = 0x0FFF


@pytest.mark.long
def test_a_broken_stream_is_refused_with_the_place(open_app, tmp_path):
    app = open_app(written(tmp_path, with_words(compiled(WITH_CASCADES)[1], spoilt)))
    assert is_failed(app)
    (problem,) = app.banner.problems
    assert "compiled.tflite" in problem.message
    assert "command stream 0" in problem.message
    assert "word 301" in problem.message


@pytest.mark.long
def test_a_file_that_is_cut_off_is_refused_with_the_place(open_app, tmp_path, qtbot):
    data = compiled(WITH_CASCADES)[1]
    app = open_app(written(tmp_path, data[: len(data) // 2]))
    assert is_failed(app)
    (problem,) = app.banner.problems
    assert "compiled.tflite" in problem.message
    app.files.open(str(need(OLD)))
    wait_for_answer(qtbot, app)
    check_all(app)


@pytest.mark.parametrize("theme", ["dark", pytest.param("light", marks=pytest.mark.slow)])
def test_the_command_line_takes_pictures_of_compiled_models(tmp_path, theme):
    path = written(tmp_path, compiled(WITH_CASCADES)[1])
    picture = tmp_path / "shot.png"
    subprocess.run(
        [
            *(sys.executable, "main.py", path, "--screenshot", picture),
            *("--size", "1280x800", "--theme", theme),
        ],
        cwd=ROOT,
        check=True,
        timeout=120,
    )
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1280, 800)
    colours = {image.pixel(x, y) for x in range(0, 1280, 7) for y in range(0, 800, 7)}
    assert len(set(islice(colours, 100))) > 10
