"""What is double-clicked in one view is shown large in all pictures."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from core.ir.options import Search, Strategy
from gui.items.ranges import Range
from gui.present.operators.columns import POSITIONS
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import EXAMPLES
from tests.gui.running import Oracle

MODEL = EXAMPLES / "mobilenet_v2_035_96.tflite"


@pytest.fixture
def app(open_app):
    found = open_app(MODEL, make_runner=Oracle, search=Search.COMPATIBLE, strategy=Strategy.SIZE)
    found.store.turns.finish()
    return found


def shows_large(app, op: int) -> bool:
    """Whether the timeline and the network show an operator and little beside it."""
    trace = app.store.answer.analysis.trace
    start, end = trace.op_start_cycle[op], trace.op_end_cycle[op]
    shown = app.view(TimelineView).stage.lanes.box.x_range
    is_in_time = shown.start <= start and end <= shown.end and shown.length < trace.end_cycle_of_all
    canvas = app.view(NetworkView).canvas
    return is_in_time and canvas.box.x_range.length < canvas.box._limits[0].widest.length


def show_everything(app) -> None:
    app.view(TimelineView).show_all()
    app.view(MemoryView).show_all()
    app.view(NetworkView).show_all()


def centre_of(table, row: int, column: int) -> QPoint:
    return table.visualRect(table.model().index(row, column)).center()


def double_click(widget, place: QPoint) -> None:
    for press in (QTest.mouseClick, QTest.mouseDClick, QTest.mouseRelease):
        press(widget, Qt.MouseButton.LeftButton, pos=place)


def test_a_double_click_in_the_table_shows_the_operator_in_all_pictures(app):
    app.panels.show_panel("operators")
    timeline, table = app.view(TimelineView), app.view(OperatorsView).table
    show_everything(app)
    whole = timeline.stage.lanes.box.x_range
    double_click(table.viewport(), centre_of(table, 4, POSITIONS["name"]))
    op = app.store.selection.op
    assert op is not None
    trace, shown = app.store.answer.analysis.trace, timeline.stage.lanes.box.x_range
    assert shown.length < whole.length
    assert shown.start <= trace.op_start_cycle[op] < trace.op_end_cycle[op] <= shown.end
    # Once more, it is shown as it is; what is large already does not jump away.
    double_click(table.viewport(), centre_of(table, 4, POSITIONS["name"]))
    assert timeline.stage.lanes.box.x_range == shown


def test_a_double_click_in_the_network_and_beside_the_map_does_the_same(app):
    app.panels.show_panel("network")
    timeline, network = app.view(TimelineView), app.view(NetworkView)
    show_everything(app)
    rects = network.canvas.nodes.rects
    place = next(p for p, node in enumerate(network.drawing.nodes) if node.op == 6)
    row = int(np.flatnonzero(rects.key == place)[0])
    middle = QPointF(
        (rects.left[row] + rects.right[row]) / 2, (rects.bottom[row] + rects.top[row]) / 2
    )
    scene = network.canvas.box.mapViewToScene(middle)
    double_click(network.canvas.viewport(), network.canvas.mapFromScene(scene))
    assert app.store.selection.op == 6
    assert shows_large(app, 6)
    show_everything(app)
    side = app.view(MemoryView).side
    double_click(side.cut.viewport(), centre_of(side.cut, 0, 0))
    canvas = app.view(MemoryView).pane.canvas
    assert app.store.selection.fm is not None
    chosen = app.view(MemoryView).pane.ranges.selected_extent()
    assert canvas.box.x_range.length < canvas.box._limits[0].widest.length
    assert canvas.box.x_range.start <= chosen[0] <= chosen[1] <= canvas.box.x_range.end
    assert timeline.stage.lanes.box.x_range != Range(0.0, timeline.stage.lanes.end_cycle)
