"""A board is chosen in the window, and the model is tried on all of them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.api import targets
from gui.views.controls.view import ControlsView
from tests.gui.answers import model_path
from tests.gui.running import wait_for_answer
from tests.shared import need

PATIENCE_MS = 120_000
E7 = targets.board_named("alif-e7-hp")


def choose(box, name):
    place = next(at for at, value in enumerate(box._choices) if value.value == name)
    box.setCurrentIndex(place)
    box.activated.emit(place)


def test_a_board_is_chosen_where_the_target_is_with_who_tells_its_figures(open_app, qtbot):
    app = open_app(model_path("kws_dscnn"))
    controls = app.view(ControlsView)
    before = app.store.document
    assert controls.board.currentText() == "none"
    choose(controls.board, "alif-e7-hp")
    wait_for_answer(qtbot, app)
    target = app.store.answer.scheduled.target
    assert (target.accelerator.name, target.system.name) == ("ethos-u55-256", "Board_Alif_HP")
    assert target.fast_limit_bytes == E7.sram_bytes
    assert controls.board.currentText() == E7.title
    for figure in (E7.accelerator, E7.clock, E7.system_config, E7.memory_mode):
        assert figure.source in controls.board.toolTip()
    assert E7.source in controls.board.toolTip()
    # Another limit is no longer the board's; one step of undo leads back to it.
    controls.ask("limit_bytes", 65_536)
    assert controls.board.currentText() == "none"
    app.actions.run("edit.undo")
    assert controls.board.currentText() == E7.title
    assert controls.board_row.applied.text == "all figures are public"
    choose(controls.board, "sr100")
    assert controls.board_row.applied.text == "assumed: NPU, memories, memory mode"
    app.actions.run("edit.undo")
    app.actions.run("edit.undo")
    assert app.store.document == before


def test_the_model_is_tried_on_all_boards_and_one_is_taken(open_app, qtbot):
    app = open_app(model_path("kws_dscnn"))
    assert app.actions.run("schedule.boards")
    dialog = app.boards.dialog
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert {fit.board for fit in dialog.fits} == set(targets.BOARDS)
    assert dialog.message.text().startswith("Fits 15 of 15 boards")
    rows = dialog.table.listing.rows
    assert [row[1] for row in rows] == [fit.board.title for fit in dialog.fits]
    seconds = [fit.seconds for fit in dialog.fits]
    assert seconds == sorted(seconds)
    wanted = next(at for at, fit in enumerate(dialog.fits) if fit.board == E7)
    dialog.table.pick(wanted)
    assert E7.source in dialog.figures.text()
    QTest.mouseClick(dialog.use, Qt.MouseButton.LeftButton)
    wait_for_answer(qtbot, app)
    assert app.view(ControlsView).board.currentText() == E7.title
    QTest.mouseClick(dialog.no, Qt.MouseButton.LeftButton)
    assert app.boards.dialog is None


def test_trying_boards_can_be_stopped(open_app, qtbot):
    app = open_app(model_path("kws_dscnn"))
    assert app.actions.run("schedule.boards")
    dialog = app.boards.dialog
    assert dialog.no.text() == "Stop"
    QTest.mouseClick(dialog.no, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert not app.boards.errands.is_busy
    QTest.mouseClick(dialog.no, Qt.MouseButton.LeftButton)
    assert app.boards.dialog is None


@pytest.mark.long
def test_a_compiled_model_is_on_no_other_board(open_app):
    app = open_app(need("peer/compiled/person_detect_vela.tflite"))
    assert not app.actions.run("schedule.boards")
    assert not app.view(ControlsView).board.isEnabled()
