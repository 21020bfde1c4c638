"""Timeline and memory map are one picture: the same cycles at the same pixels, under one cursor."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.items.ranges import Range
from gui.views.memory.view import MemoryView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import EXAMPLES
from tests.gui.running import Oracle

MODEL = EXAMPLES / "mobilenet_v2_035_96.tflite"


@pytest.fixture
def app(open_app, qtbot):
    found = open_app(MODEL, make_runner=Oracle, limit_bytes=96 << 10)
    found.window.resize(1600, 1000)
    found.panels.reset()
    found.store.turns.finish()
    qtbot.waitUntil(lambda: found.view(TimelineView).stage.strip.is_upright)
    return found


def canvases(app):
    stage, pane = app.view(TimelineView).stage, app.view(MemoryView).pane
    return stage.lanes, stage.usage, pane.canvas, pane.lane


def pixels(app, canvas, cycle: float) -> float:
    """Where a cycle is drawn in the window."""
    place = canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(cycle, 0.0)))
    return canvas.viewport().mapTo(app.window, place).x()


def check_one_picture(app) -> None:
    # Sizes are worked out when events are next handled.
    QApplication.processEvents()
    shown = canvases(app)[0].box.x_range
    for canvas in canvases(app):
        assert canvas.box.x_range == pytest.approx(shown)
    for cycle in (shown.start, (shown.start + shown.end) / 2, shown.end):
        places = [pixels(app, canvas, cycle) for canvas in canvases(app) if canvas.isVisible()]
        assert max(places) - min(places) <= 1


def test_whatever_moves_one_moves_the_other(app):
    check_one_picture(app)
    timeline, memory = app.view(TimelineView), app.view(MemoryView)
    whole = timeline.stage.lanes.box.x_range
    for view in (timeline, memory):
        view.zoom_in()
        assert timeline.stage.lanes.box.x_range.length < whole.length
        check_one_picture(app)
        view.show_all()
        assert timeline.stage.lanes.box.x_range == pytest.approx(whole)
        check_one_picture(app)
    memory.go_to_peak()
    check_one_picture(app)


def test_it_stays_one_picture_with_an_answer_to_another_question(app):
    app.view(MemoryView).zoom_in()
    app.actions.run("schedule.limit_up")
    app.store.turns.finish()
    check_one_picture(app)


def test_a_map_alone_does_not_follow_a_timeline_that_has_not_shown_the_answer(app):
    app.panels.show_alone("memory")
    app.actions.run("schedule.limit_up")
    app.store.turns.finish()
    pane, timeline = app.view(MemoryView).pane, app.view(TimelineView)
    assert timeline.lacks_answer
    shown = pane.canvas.box.x_range
    timeline.stage.lanes.box.show(Range(0.0, shown.end / 2))
    assert pane.canvas.box.x_range == shown


def test_both_go_their_own_ways_where_that_is_wanted_or_x_counts_steps(app):
    timeline, memory = app.view(TimelineView), app.view(MemoryView)
    whole = memory.pane.canvas.box.x_range
    app.actions.run("view.one_axis")
    assert not app.preferences.has_one_axis
    timeline.zoom_in()
    assert memory.pane.canvas.box.x_range == whole
    app.actions.run("view.one_axis")
    check_one_picture(app)
    memory.header.scales[next(s for s in memory.header.scales if s.value == "steps")].click()
    steps = memory.pane.canvas.box.x_range
    timeline.show_all()
    assert memory.pane.canvas.box.x_range == steps


def test_the_list_of_the_peak_stands_beside_the_sums_of_the_run(app, qtbot):
    strip, side = app.view(TimelineView).stage.strip, app.view(MemoryView).side
    assert strip.totals.text().startswith("All\n")
    app.view(MemoryView).header.side.click()
    qtbot.waitUntil(lambda: not strip.is_upright)
    assert not side.isVisible()
    check_one_picture(app)


def test_the_pointer_is_marked_in_all_of_it(app):
    lanes, usage, memory, _ = canvases(app)
    middle = QPoint(lanes.viewport().width() * 2 // 3, lanes.viewport().height() // 2)
    QTest.mouseMove(lanes.viewport(), middle)
    hairs = app.one_axis._hairs
    x = lanes.viewport().mapTo(app.window, middle).x()
    for canvas in (lanes, usage, memory):
        assert hairs[canvas].isVisible()
        assert abs(hairs[canvas].mapTo(app.window, QPoint(0, 0)).x() - x) <= 1


def test_where_memory_is_cut_is_marked_in_the_timeline(app):
    lanes = canvases(app)[0]
    assert not lanes.moment.isVisible()
    app.view(MemoryView).step(5)
    assert lanes.moment.isVisible()
    assert lanes.moment.value() == pytest.approx(app.view(MemoryView).pane.marks.cut.at)
    app.view(MemoryView).go_to_peak()
    assert not lanes.moment.isVisible()
