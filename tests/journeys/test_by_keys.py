"""Front, comparison, sweep, compiled model, boards, calibration and proof, without a mouse."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QWidget

from core.ir.options import Search
from core.target.config import load
from gui.views.controls.view import ControlsView
from gui.views.front.view import FrontView
from gui.views.proof.view import ProofView
from gui.views.summary.view import SummaryView
from gui.views.tradeoff.view import TradeOffView
from tests.gui.answers import model_path
from tests.gui.running import SMALL_MODEL, wait_for_answer
from tests.journeys import test_prove
from tests.journeys.hand import Hand
from tests.journeys.test_boards import E7, PATIENCE_MS
from tests.journeys.test_calibrate import KWS
from tests.journeys.test_tradeoff import sweep  # noqa: F401  # a fixture
from tests.shared import need

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
_MOST_TABS = 40


def run(hand: Hand, words: str) -> None:
    """A command, by the letters of its title."""
    hand.press(Qt.Key.Key_P, CONTROL | SHIFT)
    hand.type(words)
    hand.press(Qt.Key.Key_Return)


def tab_to(hand: Hand, widget: QWidget) -> None:
    """Go on by Tab until a part has the keys."""
    for _ in range(_MOST_TABS):
        if QApplication.focusWidget() is widget:
            return
        hand.press(Qt.Key.Key_Tab)
    pytest.fail(f"no Tab leads to {widget.accessibleName() or widget.text()}")


def compared(app, qtbot):
    qtbot.waitUntil(lambda: app.store.compared.of(app.store.answer) is not None, timeout=60_000)


@pytest.mark.long
def test_a_schedule_of_the_front_is_adopted(open_app, qtbot):
    app = open_app(SMALL_MODEL)
    hand, view = Hand(app), app.view(FrontView)
    run(hand, "engine pareto")
    wait_for_answer(qtbot, app)
    hand.press(Qt.Key.Key_9, CONTROL)
    qtbot.waitUntil(view.canvas.isVisible)
    front = app.store.answer.scheduled.schedule.front
    for _ in front:
        hand.press(Qt.Key.Key_Left)
    hand.press(Qt.Key.Key_Return)
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.total.total_cycles == front[-1].cycles
    hand.press(Qt.Key.Key_Z, CONTROL)
    wait_for_answer(qtbot, app)
    assert app.store.document.edits == ()


@pytest.mark.long
def test_what_is_shown_is_kept_changed_swapped_and_let_go(open_app, qtbot):
    app = open_app(model_path("kws_dscnn"))
    hand, first = Hand(app), app.store.document
    hand.press(Qt.Key.Key_K, CONTROL)
    hand.press(Qt.Key.Key_Down, CONTROL)
    wait_for_answer(qtbot, app)
    compared(app, qtbot)
    assert app.store.document != first
    run(hand, "swap a")
    wait_for_answer(qtbot, app)
    assert app.store.document == first
    run(hand, "compare no more")
    assert app.store.compared.kept is None


@pytest.mark.long
def test_two_files_are_compared_from_the_start_screen(open_app, qtbot, monkeypatch):
    paths = [str(model_path(name)) for name in ("ad01_int8", "kws_dscnn")]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (paths, ""))
    app = open_app(model_path("resnet8"))
    hand = Hand(app)
    run(hand, "what to begin with")
    tab_to(hand, app.window.findChild(QPushButton, "compare.two"))
    hand.press(Qt.Key.Key_Space)
    wait_for_answer(qtbot, app)
    compared(app, qtbot)
    assert app.store.document.model.path == paths[1]
    assert app.panels.is_panel_shown("compare")


@pytest.mark.long
def test_a_cell_of_a_sweep_is_adopted(open_app, qtbot, sweep, monkeypatch):  # noqa: F811
    app = open_app(model_path("kws_dscnn"))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(sweep), ""))
    hand, panels = Hand(app), app.view(TradeOffView).panels
    run(hand, "open a sweep")
    qtbot.waitUntil(lambda: panels.isVisible() and len(panels.places()) == 8)
    tab_to(hand, panels)
    for _ in range(3):
        hand.press(Qt.Key.Key_Right)
    hand.press(Qt.Key.Key_Return)
    wait_for_answer(qtbot, app)
    wanted = panels.places()[2].cell
    assert app.store.document.settings.limit_bytes == wanted.settings.limit_bytes
    assert app.store.answer.scheduled.total.total_cycles == wanted.outcome.totals.cycles


def test_calls_of_a_compiled_program_are_gone_through(open_app):
    app = open_app(need("executorch/cpubetween_u65-256.pte"))
    hand, calls = Hand(app), app.view(SummaryView).calls
    hand.press(Qt.Key.Key_7, CONTROL)
    tab_to(hand, calls)
    graph = app.store.answer.scheduled.graph
    seen = set()
    for _ in calls.listing.rows:
        hand.press(Qt.Key.Key_Down)
        hand.press(Qt.Key.Key_Return)
        seen.add(frozenset(app.store.selection.ops))
    assert {frozenset(island.ops) for island in graph.islands} <= seen


@pytest.mark.long
def test_a_board_is_taken(open_app, qtbot):
    app = open_app(model_path("kws_dscnn"), search=Search.DIRECT)
    hand = Hand(app)
    run(hand, "boards that it fits")
    dialog = app.boards.dialog
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    tab_to(hand, dialog.table)
    while dialog.picked != E7:
        hand.press(Qt.Key.Key_Down)
    hand.press(Qt.Key.Key_Return)
    wait_for_answer(qtbot, app)
    assert app.view(ControlsView).board.currentText() == E7.title
    hand.press(Qt.Key.Key_Escape)
    assert app.boards.dialog is None


def test_a_board_is_fitted_saved_and_used(open_app, qtbot, tmp_path, monkeypatch):
    program, config = tmp_path / "kws.tflite", tmp_path / "mine.ini"
    shutil.copy(need(f"measured/programs/{KWS}.tflite"), program)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(program)], ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(config), ""))
    app = open_app(model_path("kws_dscnn"), accelerator="ethos-u55-128")
    hand = Hand(app)
    run(hand, "calibrate by")
    dialog = app.calibrations.dialog
    tab_to(hand, dialog.entries.less)
    hand.press(Qt.Key.Key_Space)
    tab_to(hand, dialog.entries.more)
    hand.press(Qt.Key.Key_Space)
    tab_to(hand, dialog.entries.log)
    hand.type("NPU TOTAL cycles: 405050")
    for button in (dialog.go, dialog.save, dialog.use):
        tab_to(hand, button)
        hand.press(Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert load([config]).system_config("mine").axi0.clock_scale == 1.0
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.target.system.name == "mine"


def test_a_row_of_a_proof_shows_its_operator(open_app, qtbot, tmp_path, monkeypatch):
    app = open_app(test_prove.MODEL)
    test_prove.choose(monkeypatch, test_prove.array_file(tmp_path))
    hand, view = Hand(app), app.view(ProofView)
    run(hand, "prove of a file")
    assert test_prove.ended(app, qtbot).latest.found.holds
    tab_to(hand, view.table)
    wanted = next(at for at, each in enumerate(view.errors) if each.kind == "SOFTMAX")
    while view.table.currentIndex().row() != wanted:
        hand.press(Qt.Key.Key_Down)
    graph = app.store.answer.scheduled.graph
    line = next(line for line in graph.lineage if line.op.op == view.errors[wanted].number)
    assert set(app.store.selection.ops) == set(line.npu_ops)
