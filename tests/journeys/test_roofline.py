"""From the roofline to all other views and back, in the window; of compiled models too."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.ir.options import Search
from gui.document.selection import Selection
from gui.present.roofline.picks import marks_of
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.roofline.view import RooflineView
from gui.views.timeline.view import TimelineView
from gui.views.why.view import WhyView
from tests.core.pipeline.read_backs import CASES, compiled
from tests.gui.running import SMALL_MODEL, Oracle

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def app(open_app):
    found = open_app(SMALL_MODEL, make_runner=Oracle, search=Search.DIRECT)
    found.store.turns.finish()
    found.panels.show_panel("roofline")
    found.store.turns.finish()
    return found


def click(view, op, modifiers=Qt.KeyboardModifier.NoModifier):
    place = view.canvas.place(min(marks_of(view.picture, [op])))
    QTest.mouseClick(view.canvas.viewport(), LEFT, modifiers, place.toPoint())


def test_what_is_clicked_is_selected_in_all_views(app):
    view = app.view(RooflineView)
    app.panels.show_panel("network")
    app.panels.show_panel("why")
    click(view, 0)
    click(view, 9, CONTROL)
    assert app.store.selection.ops == (0, 9)
    network = app.view(NetworkView)
    assert {network.drawing.nodes[node].op for node in network.canvas.nodes.selected} == {0, 9}
    app.panels.show_panel("operators")
    app.store.turns.finish()
    assert app.view(OperatorsView).table.selected_places() == [0, 9]
    assert app.store.answer.scheduled.graph.titles.op(9) in app.view(WhyView).text.toPlainText()
    app.store.select(Selection(op=4))
    assert view.canvas.marks.selected == marks_of(view.picture, [4])


def test_commands_go_on_choose_and_frame(app):
    view = app.view(RooflineView)
    assert app.actions.run("roofline.next")
    assert app.store.selection == Selection(op=0)
    assert app.actions.run("roofline.previous")
    last = [plan.op for plan in app.store.answer.scheduled.plans()][-1]
    assert app.store.selection == Selection(op=last)
    assert app.actions.run("roofline.next_memory")
    assert view.memory.currentText() == "SRAM"
    whole = view.canvas.box.x_range
    assert app.actions.run("roofline.frame")
    assert view.canvas.box.x_range.length < whole.length
    assert app.actions.run("roofline.all")
    assert view.canvas.box.x_range == whole


def test_a_double_click_shows_the_operator_in_all_pictures(app):
    view, timeline = app.view(RooflineView), app.view(TimelineView)
    whole = timeline.stage.lanes.box.x_range
    place = view.canvas.place(min(marks_of(view.picture, [0]))).toPoint()
    for press in (QTest.mouseClick, QTest.mouseDClick, QTest.mouseRelease):
        press(view.canvas.viewport(), LEFT, pos=place)
    assert app.store.selection == Selection(op=0)
    assert timeline.stage.lanes.box.x_range.length < whole.length


@pytest.mark.long
def test_a_compiled_model_has_its_roofline_too(open_app, tmp_path):
    path = tmp_path / "compiled.tflite"
    path.write_bytes(compiled(CASES[2])[1])
    app = open_app(path)
    app.panels.show_panel("roofline")
    app.store.turns.finish()
    view = app.view(RooflineView)
    graph = app.store.answer.scheduled.graph
    assert {mark.op for mark in view.picture.marks} == {op.id for op in graph.ops}
    click(view, 0)
    assert 0 in app.store.selection.ops
