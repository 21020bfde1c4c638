"""A sweep is made in the window: drawn while it grows, held up, stopped, gone on with."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from core.api import sweeps
from core.base.files import read_bytes
from core.ir.options import Engine, Search, Strategy
from gui.present.runs import making as making_words
from gui.views.tradeoff.view import TradeOffView
from tests.core.sweep.test_cluster import NEEDS_DASK, cluster
from tests.gui.answers import model_path
from tests.gui.running import wait_for_answer

PATIENCE_MS = 60_000
MANY, MANY_CELLS = "4K:400K:5K", 80
"""Enough to be in the midst of them."""


@pytest.fixture
def model(tmp_path):
    """A copy, beside which a sweep can be put."""
    path = tmp_path / "kws.tflite"
    path.write_bytes(read_bytes(model_path("kws_dscnn")))
    return path


def asked(app, limits, *, strategies=(Strategy.PERFORMANCE,), searches=(Search.DIRECT,)):
    """The dialog, filled in and agreed to."""
    assert app.actions.run("schedule.make_sweep")
    dialog = app._sweeps.dialog
    dialog.limits.setText(limits)
    dialog.lists["strategy"].choose(strategies)
    dialog.lists["search"].choose(searches)
    dialog.tell()
    path, told = Path(dialog.file.text()), dialog.count.text()
    QTest.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    return path, told


def drawn(app):
    return [place.cell for place in app.view(TradeOffView).panels.places()]


def is_whole(path):
    connection = sqlite3.connect(path)
    found = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return found == ("ok",)


@pytest.mark.long
def test_a_sweep_is_made_and_a_cell_of_it_kept_as_a(open_app, qtbot, model):
    app = open_app(model)
    path, told = asked(app, "8K:32K:4K", strategies=tuple(Strategy))
    assert (path.parent, told) == (model.parent, "14 cells")
    view = app.view(TradeOffView)
    assert view.isVisible()
    qtbot.waitUntil(lambda: app.store.swept.making is None, timeout=PATIENCE_MS)
    assert len(drawn(app)) == 14
    assert is_whole(path)
    note = app.banner.problems[0]
    assert "14 cells, 14 computed" in note.message
    with sweeps.SweepFile.read(path) as file:
        assert tuple(file.cells()) == app.store.swept.shown.cells
    # Keys go to a cell, K keeps it, and the comparison is with what the cell says.
    view.panels.setFocus()
    QTest.keyClick(view.panels, Qt.Key.Key_Right)
    cell = view.panels.current
    assert app.actions.run("tradeoff.keep")
    kept = app.store.compared.kept
    assert kept.document.settings.limit_bytes == cell.settings.limit_bytes
    qtbot.waitUntil(lambda: app.store.compared.latest is not None, timeout=PATIENCE_MS)
    assert app.store.compared.latest.figure("total_cycles").before == cell.outcome.totals.cycles


@pytest.mark.long
def test_a_sweep_is_held_up_gone_on_with_and_stopped(open_app, qtbot, model):
    app = open_app(model)
    path, _ = asked(app, MANY)
    qtbot.waitUntil(lambda: len(drawn(app)) > 0, timeout=PATIENCE_MS)
    view, answer = app.view(TradeOffView), app.store.answer
    QTest.mouseClick(view.making.pause, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "paused" in view.making.text.text)
    qtbot.waitUntil(lambda: app._sweeps.sweeper.is_held, timeout=PATIENCE_MS)
    qtbot.wait(100)
    held = app.store.swept.making.done
    qtbot.wait(1_000)
    assert app.store.swept.making.done == held
    assert held < app.store.swept.making.cells
    # What is shown goes on being answered meanwhile.
    app.actions.run("schedule.limit_down")
    wait_for_answer(qtbot, app)
    assert app.store.answer is not answer
    QTest.mouseClick(view.making.pause, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app.store.swept.making.done > held, timeout=PATIENCE_MS)
    QTest.mouseClick(view.making.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app.store.swept.making is None, timeout=PATIENCE_MS)
    assert "was stopped" in app.banner.problems[0].message
    assert is_whole(path)
    with sweeps.SweepFile.read(path) as file:
        known = file.count()
    assert held < known < MANY_CELLS
    # The same again goes on with the rest.
    path, _ = asked(app, MANY)
    qtbot.waitUntil(lambda: app.store.swept.making is None, timeout=PATIENCE_MS)
    assert (
        f"{MANY_CELLS} cells, {MANY_CELLS - known} computed and {known} there"
        in app.banner.problems[0].message
    )


@pytest.mark.long
def test_a_window_that_closes_leaves_a_good_file(open_app, qtbot, model):
    app = open_app(model)
    path, _ = asked(app, MANY)
    qtbot.waitUntil(lambda: len(drawn(app)) > 0, timeout=PATIENCE_MS)
    app.window.close()
    assert not app._sweeps.sweeper.is_busy
    assert is_whole(path)
    with sweeps.SweepFile.read(path) as file:
        assert 0 < file.count() < MANY_CELLS


def test_what_cannot_be_swept_is_told_where_it_is_asked(open_app, model):
    app = open_app(model)
    app.actions.run("schedule.make_sweep")
    dialog = app._sweeps.dialog
    for limits, said in (
        ("64K:1M", "is no range"),
        ("", "which limits"),
        ("1:2M:1", "more than 100,000"),
        ("1K,9G", "1 left out"),
    ):
        dialog.limits.setText(limits)
        dialog.tell()
        assert said in dialog.count.text()
        assert dialog.go.isEnabled() is ("left out" in said)
    dialog.limits.setText("1K:64K:1K")
    dialog.boards.choose(["corstone-300"])
    dialog.tell()
    assert dialog.count.text() == "65 cells"
    for path, said in (
        (model, "which is read and would be lost"),
        (model.parent / "none" / "s.sqlite", "No such file or directory"),
    ):
        dialog.file.setText(str(path))
        dialog.go.click()
        assert said in dialog.count.text()
        assert app.store.swept.making is None
    dialog.reject()


@pytest.mark.long
def test_further_models_are_swept_with_the_one_that_is_open(open_app, qtbot, model):
    other = model.parent / "resnet.tflite"
    other.write_bytes(read_bytes(model_path("resnet8")))
    app = open_app(model)
    app.actions.run("schedule.make_sweep")
    dialog = app._sweeps.dialog
    dialog.models.add([str(other), str(model)])
    path, told = asked(app, "8K:32K:8K")
    assert told == "8 cells of 2 models"
    qtbot.waitUntil(lambda: app.store.swept.making is None, timeout=PATIENCE_MS)
    assert "8 cells, 8 computed" in app.banner.problems[0].message
    with sweeps.SweepFile.read(path) as file:
        assert {cell.model.name for cell in file.cells()} == {model.name, other.name}
    assert len(list(app.view(TradeOffView).panels.grid.areas)) == 2


@pytest.mark.long
def test_models_are_taken_off_the_list_again(open_app, model):
    app = open_app(model)
    app.actions.run("schedule.make_sweep")
    dialog = app._sweeps.dialog
    dialog.models.add([f"{model}{number}" for number in range(3)])
    assert dialog.models.paths == tuple(f"{model}{number}" for number in range(3))
    dialog.models.names.setCurrentRow(1)
    QTest.mouseClick(dialog.models.less, Qt.MouseButton.LeftButton)
    assert dialog.models.paths == (f"{model}0", f"{model}2")
    dialog.reject()


@pytest.mark.long
def test_a_cluster_that_is_not_there_is_one_line(open_app, qtbot, model):
    app = open_app(model)
    app.actions.run("schedule.make_sweep")
    app._sweeps.dialog.cluster.setText("tcp://127.0.0.1:1")
    asked(app, "8K:32K:8K")
    qtbot.waitUntil(lambda: app.store.swept.making is None, timeout=PATIENCE_MS)
    message = app.banner.problems[0].message
    assert "--dask tcp://127.0.0.1:1: no scheduler answers" in message or "--dask asks" in message
    assert len(message.splitlines()) == 1


@NEEDS_DASK
@pytest.mark.slow
def test_workers_of_a_cluster_compute_what_the_window_asks_for(open_app, qtbot, model, tmp_path):
    app = open_app(model)
    with cluster(tmp_path, 2) as made:
        app.actions.run("schedule.make_sweep")
        app._sweeps.dialog.cluster.setText(made.address)
        path, _ = asked(app, "8K:64K:1K")
        qtbot.waitUntil(lambda: app.store.swept.making is None, timeout=PATIENCE_MS)
        assert "57 cells, 57 computed" in app.banner.problems[0].message
    with sweeps.SweepFile.read(path) as file:
        by_cluster = {cell.settings: cell.outcome for cell in file.cells()}
    path.unlink()
    asked(app, "8K:64K:1K")
    qtbot.waitUntil(lambda: app.store.swept.making is None, timeout=PATIENCE_MS)
    with sweeps.SweepFile.read(path) as file:
        assert by_cluster == {cell.settings: cell.outcome for cell in file.cells()}


@pytest.mark.long
def test_limits_offered_reach_what_is_needed(open_app, model):
    answer = open_app(model).store.answer
    limits = sweeps.parse_limits(making_words.usual_limits(answer))
    assert 4 <= len(limits) <= 16
    assert max(limits) >= answer.unlimited_bytes > limits[-2]


@pytest.mark.long
def test_targets_engines_and_boards_are_chosen_drawn_and_pointed_at(open_app, qtbot, model):
    app = open_app(model)
    app.actions.run("schedule.make_sweep")
    dialog = app._sweeps.dialog
    dialog.lists["accelerator"].choose(["ethos-u55-128", "ethos-u55-256"])
    dialog.lists["engine"].choose(tuple(Engine))
    dialog.boards.choose(["imx93-linux"])
    _, told = asked(app, "32K,128K")
    assert told == "12 cells"
    qtbot.waitUntil(lambda: app.store.swept.making is None, timeout=PATIENCE_MS)
    panels = app.view(TradeOffView).panels
    assert {place.cell.settings.engine for place in panels.places()} == {e.value for e in Engine}
    assert {place.cell.settings.limit_bytes >> 10 for place in panels.places()} == {32, 96, 128}
    # One panel for each target, with the board's memory as a line that says what it is.
    areas = list(panels.grid.areas)
    assert len(areas) == 2
    for area in areas:
        at = QPoint(round(area.left() + area.width() * 2 / 3), round(area.center().y()))
        where = panels.mapToGlobal(at)
        QApplication.sendEvent(panels, QHelpEvent(QEvent.Type.ToolTip, at, where))
        assert "NXP i.MX 93 under Linux" in QToolTip.text()
        assert "96 KiB" in QToolTip.text()
    # Keys bring every cell into sight, and tell it beside what is shown. So does the pointer; a
    # tip is a window of its own, which would get the pointer where it lies over a cell.
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    sentence = app.view(TradeOffView).sentence
    for number, cell in enumerate(drawn(app)):
        QTest.keyClick(panels, Qt.Key.Key_Right)
        at = panels.places()[number].at
        assert panels.current is cell
        assert panels.visibleRegion().contains(at.toPoint())
        assert f"{cell.outcome.totals.cycles:,.0f} cycles" in sentence.text()
        assert "against what is shown" in sentence.text()
        panels.go(None)
        QTest.mouseMove(panels, at.toPoint())
        qtbot.waitUntil(lambda: panels.current is not None)
        assert f"{panels.current.outcome.totals.cycles:,.0f} cycles" in sentence.text()
        panels.go(cell)
