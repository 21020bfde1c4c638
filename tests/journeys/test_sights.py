"""What was shown is gone back to and forward again, with the keys of a browser."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gui.document.display import Span
from gui.shell.sights import QUIET_MS
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from tests.gui.running import SMALL_MODEL, Oracle

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def app(open_app, qtbot):
    found = open_app(SMALL_MODEL, make_runner=Oracle)
    found.store.turns.finish()
    qtbot.wait(QUIET_MS + 100)
    found.sights.look()
    return found


@pytest.mark.long
def test_zoom_filter_stretch_and_panels_are_gone_back_through(app, qtbot):
    timeline, table = app.view(TimelineView), app.view(OperatorsView)
    box = timeline.stage.lanes.box
    app.panels.show_panel("operators")
    app.sights.look()
    whole = box.x_range
    timeline.zoom_in()
    app.sights.look()
    near = box.x_range
    assert near != whole
    table.filter.setText("depthwise")
    app.sights.look()
    app.store.mark_span(Span(start_cycle=10.0, end_cycle=2000.0))
    app.sights.look()
    app.panels.show_panel("network")
    app.store.turns.finish()
    app.sights.look()

    def step(key):
        qtbot.keyClick(app.window, key, ALT)
        qtbot.wait(QUIET_MS + 50)

    step(Qt.Key.Key_Left)
    assert table.isVisible()
    assert app.store.selected_span is not None
    step(Qt.Key.Key_Left)
    assert app.store.selected_span is None
    assert table.filter.text() == "depthwise"
    step(Qt.Key.Key_Left)
    assert table.filter.text() == ""
    assert box.x_range == pytest.approx(near)
    step(Qt.Key.Key_Left)
    assert box.x_range == pytest.approx(whole)
    for _ in range(4):
        step(Qt.Key.Key_Right)
    assert box.x_range == pytest.approx(near)
    assert table.filter.text() == "depthwise"
    assert app.store.selected_span is not None
    assert app.view(NetworkView).isVisible()


@pytest.mark.long
def test_a_wheel_that_turns_fast_is_one_step_and_an_answer_is_none(app, qtbot):
    timeline = app.view(TimelineView)
    whole = timeline.stage.lanes.box.x_range
    timeline.stage.lanes.setFocus()
    for _ in range(4):
        qtbot.keyClick(app.window.windowHandle(), Qt.Key.Key_W)
    qtbot.wait(QUIET_MS + 100)
    app.store.edit(app.store.document.with_limit(24 << 10), "limit")
    app.store.turns.finish()
    qtbot.wait(QUIET_MS + 100)
    assert app.sights.has_past
    app.sights.back()
    assert not app.sights.has_past
    assert timeline.stage.lanes.box.x_range.length == pytest.approx(whole.length, rel=0.2)


@pytest.mark.long
def test_a_mouse_that_passes_is_no_step_but_what_was_chosen_before_is(app, qtbot):
    def pass_over(view):
        window = app.window.windowHandle()
        for share in (0.3, 0.5, 0.7):
            place = QPoint(int(view.width() * share), int(view.height() * share))
            QTest.mouseMove(window, view.mapTo(app.window, place))
        qtbot.wait(QUIET_MS + 100)

    def steps():
        count = 0
        while app.sights.has_past:
            app.sights.back()
            count += 1
        for _ in range(count):
            app.sights.forward()
        qtbot.wait(QUIET_MS + 100)
        return count

    for name, kind in (("memory", MemoryView), ("operators", OperatorsView)):
        app.panels.show_panel(name)
        app.store.turns.finish()
        pass_over(app.view(kind))
        before = steps()
        pass_over(app.view(kind))
        assert steps() == before
    app.view(TimelineView).zoom_in()  # as a menu does
    pass_over(app.view(OperatorsView))
    app.store.mark_span(Span(start_cycle=10.0, end_cycle=2000.0))
    assert steps() == before + 2
