"""The tables and the bar beside the map: what is live at a time."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from core.base.ids import NpuOpId
from gui.document.selection import NOTHING_SELECTED, Selection
from tests.gui.views.memory.watched import QUESTIONS, UNET


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_contributors_add_up_to_the_peak(show, question):
    store, view = show(*question)
    model = view.side.cut.rows
    assert model.rowCount() == len(view.shown.cut.contributors)
    shown = [int(model.index(row, 1).data().replace(",", "")) for row in range(model.rowCount())]
    live = view.shown.cut.live_bytes
    assert sum(shown) == live
    assert f"Peak: {live:,} B" in view.side.title.text()
    islands = store.answer.scheduled.schedule.islands
    if len(islands) == 1:
        assert live == islands[0].peak_bytes
    assert len(list(view.side.bar.segments())) == model.rowCount()


def test_home_goes_to_the_peak_and_the_ground_to_other_times(show, qtbot):
    _, view = show(*UNET)
    canvas = view.pane.canvas
    view.pane.ground_clicked.emit(0.0)
    assert view.shown.cut.time == 0
    assert not view.shown.is_at_peak
    assert view.side.tabText(0) == "Live"
    assert view.side.to_peak.isVisible()
    for _ in range(5):
        view.zoom_in()
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Home)
    assert view.shown.is_at_peak
    shown = canvas.box.x_range
    assert shown.start <= view.pane.marks.peak.at <= shown.end
    assert view.pane.marks.cut is None
    assert view.side.tabText(0) == "Peak"


def test_rows_of_tables_can_be_picked(show, qtbot):
    store, view = show(*UNET)
    view.side.setCurrentWidget(view.side.ghosts)
    table = view.side.ghosts
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    key = table.rows.key_at(table.currentIndex().row())
    assert store.selection == Selection(fm=view.shown.ghosts[key].evicted.fms[0])
    view.side.setCurrentWidget(view.side.ranges)
    table = view.side.ranges
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    table.selectRow(0)
    largest = max(part.placement.size_bytes for part in view.shown.drawn.ranges)
    (key,) = view.pane.ranges.selected
    assert view.shown.drawn.ranges[key].placement.size_bytes == largest


def test_the_bar_can_be_clicked(show, qtbot):
    _, view = show(*UNET)
    for segment in list(view.side.bar.segments()):
        at = segment.box.center().toPoint()
        qtbot.mouseClick(view.side.bar, Qt.MouseButton.LeftButton, pos=at)
        assert segment.key in view.pane.ranges.selected


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)], ids=str)
def test_every_table_shows_bytes_without_scrolling(show, size):
    _, view = show(*UNET, size=size)
    for tab, table in enumerate((view.side.cut, view.side.ranges, view.side.ghosts)):
        view.side.setCurrentIndex(tab)
        view.grab()
        assert table.rows.headerData(1, Qt.Orientation.Horizontal) == "bytes"
        cell = table.visualRect(table.model().index(0, 1))
        assert table.viewport().rect().contains(cell)


def test_a_table_that_is_sorted_shows_its_top(show):
    _, view = show("mobilenet_v2_035_96", {})
    view.side.setCurrentIndex(1)
    table = view.side.ranges
    table.scrollToBottom()
    assert table.verticalScrollBar().value() > 0
    table.horizontalHeader().setSortIndicator(1, Qt.SortOrder.DescendingOrder)
    assert table.verticalScrollBar().value() == 0


def test_a_row_that_was_clicked_looks_like_the_others_once_nothing_is_selected(qtbot, show):
    store, view = show(*UNET)
    view.side.setCurrentIndex(2)
    table = view.side.ghosts
    row = table.visualRect(table.model().index(1, 1)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.RightButton, pos=row)
    assert table.currentIndex().row() == 1
    store.select(NOTHING_SELECTED)
    assert not table.currentIndex().isValid()
    assert not table.selectionModel().hasSelection()


def test_steps_are_gone_along_by_keys(show, qtbot):
    _, view = show(*UNET)
    canvas = view.pane.canvas
    view.pane.ground_clicked.emit(0.0)
    qtbot.keyClick(canvas, Qt.Key.Key_Comma)
    assert view.shown.cut.time == 0
    for time in (1, 2):
        view.step(1)
        assert view.shown.cut.time == time
        assert f"step {time}" in view.side.title.text()
    view.step(-1)
    assert view.shown.cut.time == 1


@pytest.mark.parametrize("question", [UNET, ("shuffle_with_cpu", {})], ids=str)
def test_what_is_live_is_told_of_the_time_of_an_operator_that_is_selected_elsewhere(show, question):
    store, view = show(*question)
    for op, time in list(enumerate(store.answer.scheduled.layout.op_times))[::3]:
        store.select(Selection(op=NpuOpId(op)))
        view.grab()
        assert view.shown.cut.time == time
    view.go_to_peak()
    assert view.shown.is_at_peak
