"""The SRAM limit of a U-Net in dedicated mode: dragged, stepped, undone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from gui.document.examples import FIRST_EXAMPLE
from gui.views.controls.view import ControlsView
from tests.gui.running import wait_for_answer
from tests.journeys.agreement import check_all, check_evictions, evicted_groups

DEDICATED = {
    "accelerator": "ethos-u65-256",
    "system_config": "Ethos_U65_High_End",
    "memory_mode": "Dedicated_Sram",
}


@pytest.fixture
def app(open_app):
    return open_app(FIRST_EXAMPLE, **DEDICATED)


@pytest.mark.long
def test_evictions_appear_everywhere_while_the_limit_is_dragged(app, qtbot):
    first = app.store.document
    assert evicted_groups(app) == []
    app.panels.show_panel("operators")
    app.panels.show_panel("why")
    bar = app.view(ControlsView).limit.slider.bar
    middle = bar.height() // 2
    seen = []
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(bar.width() - 5, middle))
    for share in (0.9, 0.8, 0.7, 0.6):
        qtbot.mouseMove(bar, QPoint(int(bar.width() * share), middle))
        qtbot.waitUntil(lambda: not app.store.is_current)
        # The hand rests, and the answer comes while the button is still down.
        wait_for_answer(qtbot, app)
        check_evictions(app)
        seen.append((app.store.document.settings.limit_bytes, len(evicted_groups(app))))
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(int(bar.width() * 0.6), middle))
    limits = [limit for limit, _ in seen]
    assert limits == sorted(limits, reverse=True)
    assert seen[-1][1] > 0
    # The whole drag is one step back.
    assert app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document == first
    assert evicted_groups(app) == []
    assert not app.actions["edit.undo"].isEnabled()


@pytest.mark.long
def test_steps_by_keys_and_all_of_them_undone(app, qtbot):
    first = app.store.document
    control = Qt.KeyboardModifier.ControlModifier
    heights = []
    for _ in range(4):
        qtbot.keyClick(app.window, Qt.Key.Key_Down, control)
        wait_for_answer(qtbot, app)
        heights.append(app.store.document.settings.limit_bytes)
    assert heights == sorted(set(heights), reverse=True)
    check_all(app)
    while app.actions["edit.undo"].isEnabled():
        qtbot.keyClick(app.window, Qt.Key.Key_Z, control)
    wait_for_answer(qtbot, app)
    assert app.store.document == first
    while app.actions["edit.redo"].isEnabled():
        app.actions.run("edit.redo")
    wait_for_answer(qtbot, app)
    assert app.store.document.settings.limit_bytes == heights[-1]
    check_all(app)


@pytest.mark.long
def test_what_is_over_the_limit_is_told_in_the_window(open_app, qtbot):
    app = open_app(FIRST_EXAMPLE)
    app.view(ControlsView).ask_limit("4K")
    wait_for_answer(qtbot, app)
    excess = sum(area.excess_bytes for area in app.store.answer.scheduled.layout.areas)
    assert excess > 0
    app.actions.run("view.bytes")
    assert app.headline.parts["fit"].told.large == (f"over by {excess:,} B",)


@pytest.mark.long
def test_a_target_by_commands(app, qtbot):
    app.actions.run("schedule.accelerator.ethos-u55-128")
    wait_for_answer(qtbot, app)
    target = app.store.answer.scheduled.target
    assert target.accelerator.name == "ethos-u55-128"
    app.actions.run("schedule.memory_mode.Sram_Only")
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.target.mode.name == "Sram_Only"
    assert app.actions["schedule.memory_mode.Sram_Only"].isChecked()
    app.actions.run("schedule.strategy")
    app.actions.run("schedule.allocator.Greedy")
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.options.allocator.value == "Greedy"
    assert app.store.answer.scheduled.options.strategy.value == "Size"
    check_all(app)
