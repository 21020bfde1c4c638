"""What is selected in the timeline is selected elsewhere, and the other way round."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from core.ir.trace import Lane
from gui.document.changes import Part
from gui.document.selection import NOTHING_SELECTED, BufferRef, Selection
from tests.gui.items.drawing import pixel_of
from tests.gui.views.timeline.watched import LEFT, Watched, longest


def test_a_click_on_a_slice_selects_its_operator_with_one_signal(kws):
    position = longest(kws.trace)
    QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=kws.middle_of(position).toPoint())
    op = int(kws.trace.op[position])
    assert kws.store.selection == Selection(op=op)
    assert [change.parts for change in kws.changes] == [{Part.SELECTION}]
    assert kws.selected_ops() == {op}
    name = kws.answer.scheduled.run.graph.titles.op(op)
    assert name in kws.lanes.accessibleDescription()
    assert name in kws.stage.strip.selection.text


def test_a_click_on_a_weight_transfer_selects_the_buffer(kws):
    position = longest(kws.trace, Lane.DMA_IN)
    kws.lanes.frame(kws.trace.start_cycle[position], kws.trace.end_cycle[position])
    QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=kws.middle_of(position).toPoint())
    buffer = kws.store.selection.buffer
    assert buffer is not None
    assert buffer.op == kws.trace.op[position]


def test_a_click_on_the_ground_selects_nothing(kws):
    kws.store.select(Selection(op=3))
    gap = kws.lanes.rows.lanes[Lane.MAC].top / 2
    at = pixel_of(kws.lanes, kws.trace.end_cycle_of_all / 2, gap).toPoint()
    QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=at)
    assert kws.store.selection == NOTHING_SELECTED
    assert kws.selected_ops() == set()


def test_a_click_on_a_cascade_selects_it(cascading):
    data = cascading.stage.data
    cascade = data.cascades[0]
    cascading.lanes.frame(cascade.start_cycle, cascade.end_cycle)
    middle = (cascade.start_cycle + cascade.end_cycle) / 2
    at = pixel_of(cascading.lanes, middle, cascading.lanes.rows.cascades.middle).toPoint()
    QTest.mouseClick(cascading.lanes.viewport(), LEFT, pos=at)
    assert cascading.store.selection == Selection(cascade=cascade.ref)
    assert cascading.lanes.cascades.selected == {0}
    assert cascading.selected_ops() == set(cascade.ops)


def test_a_click_on_the_curve_selects_what_runs_then(kws):
    position = longest(kws.trace)
    at = QPoint(kws.middle_of(position).toPoint().x(), 20)
    QTest.mouseClick(kws.stage.usage.viewport(), LEFT, pos=at)
    assert kws.store.selection == Selection(op=int(kws.trace.op[position]))


@pytest.mark.parametrize("part", ["op", "fm", "buffer", "nothing"])
def test_what_is_selected_elsewhere_is_outlined(kws, part):
    graph = kws.answer.scheduled.run.graph
    plan = next(
        plan
        for plan in kws.answer.scheduled.schedule.ops
        if plan.weights is not None and plan.weights.buffer_bytes
    )
    fm = graph.ops[4].ofm.fm
    selection = {
        "op": Selection(op=4),
        "fm": Selection(fm=fm),
        "buffer": Selection(buffer=BufferRef(plan.op, 0)),
        "nothing": NOTHING_SELECTED,
    }[part]
    users = {int(op.id) for op in graph.ops if any(view.fm == fm for view in op.views)}
    kws.store.select(selection, "another view")
    wanted = {"op": {4}, "fm": users, "buffer": {int(plan.op)}, "nothing": set()}[part]
    assert kws.selected_ops() == wanted
    if part == "buffer":
        lanes = kws.trace.lane[list(kws.lanes.slices.selected)]
        assert set(lanes.tolist()) == {Lane.DMA_IN}
    assert len(kws.changes) == (0 if part == "nothing" else 1)


def test_what_is_selected_elsewhere_comes_in_sight(kws):
    first = kws.trace.op_start_cycle[0]
    kws.lanes.frame(first, first + 100)
    length = kws.shown.length
    kws.store.select(Selection(op=40), "another view")
    start, end = kws.trace.op_start_cycle[40], kws.trace.op_end_cycle[40]
    assert kws.shown.start <= end
    assert kws.shown.end >= start
    assert kws.shown.length == pytest.approx(length)


def test_a_cpu_operator_is_a_marker_that_can_be_picked(qtbot):
    watched = Watched(qtbot, "shuffle_with_cpu")
    position = int(np.flatnonzero(watched.trace.cpu_op == 0)[0])
    at = watched.middle_of(position).toPoint()
    QTest.mouseClick(watched.lanes.viewport(), LEFT, pos=at)
    assert watched.store.selection == Selection(cpu_op=0)
    assert "CPU" in watched.lanes.accessibleDescription()
