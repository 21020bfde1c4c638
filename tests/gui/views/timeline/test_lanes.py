"""Lanes are collapsed, moved, hidden and pinned by hand; arrows and stretches follow."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from core.base.ids import NpuOpId
from gui.document.display import Span
from gui.document.selection import Selection
from gui.present.timeline.tracks import Track
from gui.views.operators.view import OperatorsView
from gui.views.summary.view import SummaryView
from gui.views.timeline.track_menu import fill_tracks_menu
from tests.gui.exposed import exposed
from tests.gui.items.drawing import pixel_of
from tests.gui.views.timeline.watched import LEFT

RIGHT = Qt.MouseButton.RightButton


def title_place(canvas, track) -> QPoint:
    (row,) = [row for row in canvas.rows.all if row.track is track]
    return QPoint(12, pixel_of(canvas, 0.0, row.middle).toPoint().y())


def height(canvas, track) -> float:
    (row,) = [row for row in canvas.rows.all if row.track is track]
    return row.bottom - row.top


def shown(canvas):
    return [row.track for row in canvas.rows.all]


def choose(kws, *titles: str) -> None:
    top = QMenu()
    fill_tracks_menu(kws.stage, top)
    actions = top.actions()
    for title in titles[:-1]:
        (inner,) = [menu for menu in top.findChildren(QMenu) if menu.title() == title]
        actions = inner.actions()
    (action,) = [each for each in actions if each.text() == titles[-1]]
    action.trigger()


def test_a_click_on_a_title_collapses_and_another_brings_it_back(kws):
    before = height(kws.lanes, Track.DMA_IN)
    for is_low in (True, False):
        QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=title_place(kws.lanes, Track.DMA_IN))
        QApplication.processEvents()
        assert (height(kws.lanes, Track.DMA_IN) < before) == is_low


def test_a_title_that_is_dragged_takes_its_lane_along(kws):
    start, end = (title_place(kws.lanes, track) for track in (Track.DMA_IN, Track.MAC))
    QTest.mousePress(kws.lanes.viewport(), LEFT, pos=start)
    QTest.mouseMove(kws.lanes.viewport(), end)
    QTest.mouseRelease(kws.lanes.viewport(), LEFT, pos=end)
    assert shown(kws.lanes)[:2] == [Track.DMA_IN, Track.MAC]
    assert kws.lanes.box.x_range.start <= 0.0


def by_esc(canvas, place: QPoint) -> None:
    del place
    QTest.keyClick(canvas, Qt.Key.Key_Escape)


def by_right(canvas, place: QPoint) -> None:
    """As a desktop sends it: the press, the question for a menu, and the button let go."""
    QTest.mousePress(canvas.viewport(), RIGHT, pos=place)
    where = canvas.viewport().mapToGlobal(place)
    menu = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, where)
    QApplication.sendEvent(canvas.viewport(), menu)
    QTest.mouseRelease(canvas.viewport(), RIGHT, pos=place)


@pytest.mark.parametrize("give_up", [by_esc, by_right])
def test_a_title_that_is_given_up_stays_and_opens_no_menu(kws, give_up):
    before, low = shown(kws.lanes), height(kws.lanes, Track.DMA_IN)
    menus: list[object] = []
    kws.lanes.title_menu_asked.connect(lambda *asked: menus.append(asked))
    start, end = (title_place(kws.lanes, track) for track in (Track.DMA_IN, Track.MAC))
    for given_up, let_go in ((start, start), (start, end), (end, end)):
        QTest.mousePress(kws.lanes.viewport(), LEFT, pos=start)
        QTest.mouseMove(kws.lanes.viewport(), given_up)
        give_up(kws.lanes, given_up)
        QTest.mouseMove(kws.lanes.viewport(), let_go)
        QTest.mouseRelease(kws.lanes.viewport(), LEFT, pos=let_go)
        QApplication.processEvents()
        assert (shown(kws.lanes), height(kws.lanes, Track.DMA_IN)) == (before, low)
    assert not menus
    # The next right click means the menu again.
    by_right(kws.lanes, start)
    assert len(menus) == 1


def test_the_menu_hides_pins_and_brings_all_back(kws):
    before = shown(kws.lanes)
    choose(kws, "DMA in", "Hidden")
    assert Track.DMA_IN not in shown(kws.lanes)
    choose(kws, "MAC", "Pinned to the top")
    assert shown(kws.stage.pinned) == [Track.MAC]
    assert kws.stage.pinned.isVisible()
    assert Track.MAC not in shown(kws.lanes)
    kws.view.zoom_in()
    assert kws.stage.pinned.box.x_range == kws.lanes.box.x_range
    choose(kws, "All as at first")
    assert shown(kws.lanes) == before
    assert not kws.stage.pinned.isVisible()


def test_lanes_that_are_empty_take_no_room(kws):
    used = {Track.MAC, Track.ELEMENTWISE, Track.DMA_IN, Track.DMA_OUT, Track.CPU}
    assert set(shown(kws.lanes)) < used


def test_arrows_are_those_of_the_selection_and_keys_walk_along_them(kws):
    assert not kws.lanes.arrows.arrows
    kws.store.select(Selection(op=NpuOpId(2)))
    at_two = kws.lanes.arrows.arrows
    assert len(at_two) == 2
    kws.view.follow_consumer()
    assert set(kws.lanes.arrows.arrows) & set(at_two)
    picture = kws.lanes.grab().toImage()
    kws.lanes.set_arrows(())
    assert kws.lanes.grab().toImage() != picture


def test_a_marked_stretch_filters_the_table_and_has_its_sums_in_the_summary(kws, qtbot):
    table = exposed(qtbot, OperatorsView(kws.store), 700, 400)
    summary = exposed(qtbot, SummaryView(kws.store), 500, 700)
    everything = table.table.model().rowCount()
    trace = kws.trace
    span = Span(start_cycle=float(trace.op_start_cycle[2]), end_cycle=float(trace.op_end_cycle[3]))
    kws.store.mark_span(span)
    runs = (trace.op_end_cycle > span.start_cycle) & (trace.op_start_cycle < span.end_cycle)
    assert table.table.model().rowCount() == np.count_nonzero(runs) < everything
    assert table.marked.isVisible()
    assert summary.marked_facts.isVisible()
    told = [label.text() for label in summary.marked_facts.findChildren(QLabel)]
    assert told[told.index("NPU operators") + 1] == f"{np.count_nonzero(runs)}"
    table.marked.click()
    assert kws.store.selected_span is None
    assert table.table.model().rowCount() == everything
    assert not summary.marked_facts.isVisible()
