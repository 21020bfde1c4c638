"""What the filter of the operators does not find fades in all pictures."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QTabBar

from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView


def test_what_is_filtered_out_fades_everywhere_and_comes_back(app_again):
    app = app_again
    lanes, nodes = app.view(TimelineView).stage.lanes.slices, app.view(NetworkView).canvas.nodes
    memory = app.view(MemoryView)
    for name in ("network", "timeline", "memory"):
        app.panels.show_panel(name)
    QApplication.processEvents()
    before = app.view(TimelineView).grab().toImage()
    app.view(OperatorsView).filter.setText("kind=depthwise")
    QApplication.processEvents()
    graph = app.store.answer.scheduled.graph
    wanted = {op.id for op in graph.ops if "depthwise" in op.kind.value}
    assert wanted
    trace = app.store.answer.analysis.trace
    assert {int(trace.op[key]) for key in lanes.lit.keys if key >= 0} == wanted
    drawing = app.view(NetworkView).drawing
    app.panels.show_panel("network")
    QApplication.processEvents()
    assert {drawing.nodes[key].op for key in nodes.lit.keys} == wanted
    made = {graph.ops[op].ofm.fm for op in wanted}
    ranges = [memory.shown.drawn.ranges[key].placement for key in memory.pane.ranges.lit.keys]
    assert all(made.intersection(each.fms) or each.op in wanted for each in ranges)
    assert made <= {fm for each in ranges for fm in each.fms}
    rows = memory.side.ranges.rows
    faded = {rows.key_at(row) for row in range(rows.rowCount()) if is_faint(rows, row)}
    assert faded
    assert faded == set(range(rows.rowCount())) - memory.pane.ranges.lit.keys
    # What is only typed has no colour.
    assert not any(each.lit.tones for each in (lanes, nodes, memory.pane.ranges))
    # It is seen, and gone with the filter.
    app.panels.show_panel("timeline")
    QApplication.processEvents()
    assert brightness(app.view(TimelineView).grab().toImage()) > brightness(before)
    app.view(OperatorsView).filter.clear()
    QApplication.processEvents()
    assert lanes.lit is None
    assert memory.pane.ranges.lit is None
    assert not any(is_faint(rows, row) for row in range(rows.rowCount()))
    app.panels.show_panel("network")
    QApplication.processEvents()
    assert nodes.lit is None


def is_faint(rows, row: int) -> bool:
    """Whether a row of a table is in a colour of its own."""
    return rows.data(rows.index(row, 0), Qt.ItemDataRole.ForegroundRole) is not None


def test_the_tab_says_that_there_is_a_filter_where_another_lies_before_it(app_again):
    app = app_again
    app.panels.show_panel("summary")
    dock = app.panels.dock("operators")

    def tabs() -> list[str]:
        QApplication.processEvents()
        bars = [bar for bar in app.panels.findChildren(QTabBar) if bar.isVisible()]
        return [bar.tabText(at) for bar in bars for at in range(bar.count())]

    assert "Operators" in tabs()
    app.view(OperatorsView).filter.setText("kind=depthwise")
    assert "Operators (filtered)" in tabs()
    assert "Operators" not in tabs()
    # Nothing is filtered by what is no query.
    app.view(OperatorsView).filter.setText("kind=")
    assert app.store.matched.is_empty is ("Operators" in tabs())
    app.view(OperatorsView).filter.clear()
    assert dock.windowTitle() == "Operators"
    assert "Operators" in tabs()


def brightness(image) -> float:
    places = [(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)]
    return sum(QColor(image.pixel(x, y)).lightnessF() for x, y in places) / len(places)
