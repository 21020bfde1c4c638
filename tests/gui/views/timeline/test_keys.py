"""The timeline by keys: moving, stepping, framing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.ir.trace import NOTHING
from gui.document.display import Span
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.timeline.picks import neighbour
from tests.gui.items.moves import is_closer, is_earlier, is_farther, is_later
from tests.gui.views.timeline.watched import LEFT, longest

MOVES = [
    (Qt.Key.Key_W, "zoom_in", is_closer),
    (Qt.Key.Key_S, "zoom_out", is_farther),
    (Qt.Key.Key_A, "pan_left", is_earlier),
    (Qt.Key.Key_D, "pan_right", is_later),
]


@pytest.mark.parametrize("way", ["key in the lanes", "key in the curve", "method"])
@pytest.mark.parametrize(("key", "method", "holds"), MOVES, ids=[move[1] for move in MOVES])
def test_keys_and_commands_move_the_view(kws, key, method, holds, way):
    kws.lanes.frame(10_000, 20_000)
    before = kws.shown
    if way == "method":
        getattr(kws.view, method)()
    else:
        QTest.keyClick(kws.lanes if "lanes" in way else kws.stage.usage, key)
    assert holds(before, kws.shown)
    assert kws.stage.usage.box.x_range == kws.shown


STEPS = [
    (Qt.Key.Key_Period, "select_next", 1),
    (Qt.Key.Key_Comma, "select_previous", -1),
]


@pytest.mark.parametrize("is_key", [True, False])
@pytest.mark.parametrize(("key", "method", "step"), STEPS, ids=[step[1] for step in STEPS])
def test_steps_go_along_the_lane(kws, key, method, step, is_key):
    position = longest(kws.trace)
    QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=kws.middle_of(position).toPoint())
    for _ in range(3):
        position = neighbour(kws.trace, position, step)
        if position == NOTHING:
            break
        kws.changes.clear()
        if is_key:
            QTest.keyClick(kws.lanes, key)
        else:
            getattr(kws.view, method)()
        assert kws.store.selection == Selection(op=int(kws.trace.op[position]))
        assert len(kws.changes) == 1


def test_the_first_step_starts_with_what_is_in_sight(kws):
    kws.lanes.frame(20_000, 22_000)
    kws.view.select_next()
    op = kws.store.selection.op if kws.store.selection.op is not None else NOTHING
    buffer = kws.store.selection.buffer
    op = buffer.op if buffer is not None else op
    assert kws.trace.op_end_cycle[op] >= kws.shown.start


def test_brackets_go_along_the_data(kws):
    graph = kws.answer.scheduled.run.graph
    kws.store.select(Selection(op=3), "another view")
    QTest.keyClick(kws.lanes, Qt.Key.Key_BracketRight)
    reader = kws.store.selection.op
    assert graph.ops[3].ofm.fm in {view.fm for view in graph.ops[reader].views[:-1]}
    QTest.keyClick(kws.lanes, Qt.Key.Key_BracketLeft)
    maker = kws.store.selection.op
    assert graph.ops[maker].ofm.fm in {view.fm for view in graph.ops[reader].views[:-1]}


def test_f_frames_the_selection_and_f_again_everything(kws):
    everything = kws.shown
    kws.store.select(Selection(op=5), "another view")
    QTest.keyClick(kws.lanes, Qt.Key.Key_F)
    start, end = kws.trace.op_start_cycle[5], kws.trace.op_end_cycle[5]
    assert kws.shown.length < everything.length / 2
    assert kws.shown.start <= start
    assert kws.shown.end >= end
    QTest.keyClick(kws.stage.usage, Qt.Key.Key_F)
    assert kws.shown == pytest.approx(everything)


def test_escape_clears_selection_and_span(kws):
    kws.store.select(Selection(op=5), "another view")
    kws.store.mark_span(Span(start_cycle=10.0, end_cycle=5000.0), "another view")
    assert kws.stage.strip.totals.isVisible()
    QTest.keyClick(kws.lanes, Qt.Key.Key_Escape)
    assert kws.store.selection == NOTHING_SELECTED
    assert kws.store.selected_span is None
    assert not kws.stage.strip.totals.isVisible()
