"""What is picked in the memory view, and what is picked elsewhere."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from core.target.region import Region
from gui.document.changes import ChangeSet, Part
from gui.document.display import Span
from gui.document.selection import BufferRef, Selection
from tests.gui.views.memory.watched import SCALES, UNET, boxes, choose, pixel


def test_a_click_on_the_ground_clears_and_cuts(show, qtbot):
    store, view = show(*UNET)
    canvas = view.pane.canvas
    store.select(Selection(op=3))
    at = pixel(view, canvas.box.x_range.start, canvas.box.y_range.end * 0.99) + QPoint(4, 8)
    qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert store.selection == Selection()
    assert view.shown.cut.time == 0


def test_clicking_a_range_selects_it_and_tells_once(show, qtbot):
    store, view = show(*UNET)
    changes: list[ChangeSet] = []
    store.changed.connect(changes.append)
    for key, low, high in boxes(view):
        if high.x() - low.x() < 12 or low.y() - high.y() < 12:
            continue
        changes.clear()
        before = store.selection
        at = QPoint((low.x() + high.x()) // 2, (low.y() + high.y()) // 2)
        qtbot.mouseClick(view.pane.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
        placement = view.shown.drawn.ranges[key].placement
        expected = (
            Selection(fm=placement.fms[0])
            if placement.fms
            else Selection(buffer=BufferRef(placement.op, placement.buffer))
        )
        assert store.selection == expected
        assert key in view.pane.ranges.selected
        assert len(changes) == (before != expected)
        assert all(change == ChangeSet(frozenset({Part.SELECTION}), "memory") for change in changes)


def test_a_selection_from_elsewhere_is_shown(show):
    store, view = show(*UNET)
    scheduled = store.answer.scheduled
    for plan in scheduled.schedule.ops:
        store.select(Selection(op=plan.op))
        ranges, ghosts = view.shown.keys_of(store.selection)
        assert view.pane.ranges.selected == ranges
        assert view.pane.ghosts.selected == ghosts
        (band,) = view.pane.marks.bands
        time = scheduled.layout.op_times[plan.op]
        edges = view.shown.drawn.edges
        assert tuple(band) == (edges[time], edges[time + 1])


def test_a_map_in_another_memory_brings_that_memory(show):
    store, view = show(*UNET)
    scheduled = store.answer.scheduled
    assert Region.SCRATCH_FAST in scheduled.layout.areas[view.shown.area].regions
    slow = scheduled.layout.areas[1].placements[0]
    store.select(Selection(fm=slow.fms[0]))
    assert view.shown.area == 1
    assert view.pane.ranges.selected == {0}
    assert view.header.tabs.currentIndex() == 1


def test_a_stretch_of_time_is_marked_for_all(show):
    store, view = show(*UNET)
    for scale in SCALES:
        choose(view, scale)
        edges = view.shown.drawn.edges
        view.pane.span_dragged.emit(float(edges[4]), float(edges[10]), True)
        cycles = store.answer.analysis.trace.time_cycle
        assert store.selected_span.start_cycle == pytest.approx(cycles[4])
        assert store.selected_span.end_cycle == pytest.approx(cycles[10])
        assert len(view.pane.marks.bands) == 1
    store.mark_span(Span(start_cycle=0.0, end_cycle=1000.0))
    assert view.pane.marks.bands[0].start == 0.0


def test_tips_tell_what_is_under_the_pointer(show):
    store, view = show(*UNET)
    for key, low, high in boxes(view):
        if high.x() - low.x() < 12 or low.y() - high.y() < 12:
            continue
        at = QPointF((low.x() + high.x()) / 2, (low.y() + high.y()) / 2)
        placement = view.shown.drawn.ranges[key].placement
        text = view.pane.canvas.tip_at(at)
        assert text.startswith(store.answer.scheduled.graph.titles.place(placement))
        assert f"0x{placement.address:x} to" in text
    bar = view.side.bar
    for segment in bar.segments():
        placement = view.shown.drawn.ranges[segment.key].placement
        text = bar.tip_at(segment.box.center())
        assert text.startswith(store.answer.scheduled.graph.titles.place(placement))
        assert f"{placement.size_bytes:,} B" in text
    assert bar.tip_at(QPointF(-5, -5)) == ""
