"""A whole task without a mouse: find what makes up the peak, read why, and take it in."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.document.examples import FIRST_EXAMPLE
from gui.views.cascades.view import CascadesView
from gui.views.memory.view import MemoryView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from gui.views.why.view import WhyView
from tests.gui.answers import model_path
from tests.gui.running import wait_for_answer
from tests.journeys.test_limit import DEDICATED

UNET = model_path("unet_128")
CONTROL = Qt.KeyboardModifier.ControlModifier


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key wherever the focus is."""
    QTest.keyClick(QApplication.focusWidget(), key, modifier)


@pytest.mark.long
def test_space_plays_a_cascade_from_every_drawing_and_shows_when_its_steps_run(open_app, qtbot):
    app = open_app(UNET, accelerator="ethos-u65-256", limit_bytes=64 << 10)
    timeline, memory = app.view(TimelineView), app.view(MemoryView)
    player = app.view(CascadesView).stage_view.player
    for key, lines in (
        (Qt.Key.Key_1, timeline.stage.lanes.played.isVisible),
        (Qt.Key.Key_2, lambda: memory.pane.marks.played is not None),
    ):
        press(key, CONTROL)
        app.store.played.show(None)
        assert not lines()
        press(Qt.Key.Key_Space)
        assert player.is_playing
        qtbot.waitUntil(lines)
        press(Qt.Key.Key_Space)
        assert not player.is_playing


@pytest.mark.long
def test_a_whole_task_by_keys(open_app, qtbot):
    app = open_app(FIRST_EXAMPLE, **DEDICATED)
    # To the map, and to its peak.
    press(Qt.Key.Key_2, CONTROL)
    memory = app.view(MemoryView)
    press(Qt.Key.Key_W)
    press(Qt.Key.Key_Home)
    assert memory.shown.is_at_peak
    # To an operator by its name.
    press(Qt.Key.Key_3, CONTROL)
    press(Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(QApplication.focusWidget(), "up2")
    press(Qt.Key.Key_Return)
    operators = app.view(OperatorsView)
    assert operators.isAncestorOf(QApplication.focusWidget())
    selected = app.store.selection
    assert selected.op is not None
    # Along the timeline to what it reads.
    press(Qt.Key.Key_1, CONTROL)
    timeline = app.view(TimelineView)
    assert timeline.isAncestorOf(QApplication.focusWidget())
    press(Qt.Key.Key_BracketLeft)
    assert app.store.selection != selected
    before = timeline.stage.lanes.box.x_range
    press(Qt.Key.Key_F)
    assert timeline.stage.lanes.box.x_range != before
    press(Qt.Key.Key_Period)
    # Why it is as it is.
    press(Qt.Key.Key_8, CONTROL)
    assert "It takes" in app.view(WhyView).text.toPlainText()
    # Take the limit in, twice, and see the answer.
    for _ in range(2):
        press(Qt.Key.Key_Down, CONTROL)
        wait_for_answer(qtbot, app)
    assert app.store.document.settings.limit_bytes
    # And give it all back.
    press(Qt.Key.Key_Z, CONTROL)
    press(Qt.Key.Key_Z, CONTROL)
    wait_for_answer(qtbot, app)
    assert app.store.document.settings.limit_bytes is None
    press(Qt.Key.Key_Escape)
    assert app.store.selection.is_empty
