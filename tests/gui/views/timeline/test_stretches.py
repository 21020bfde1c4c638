"""Stretches that are marked in the timeline, with their sums."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from gui.document.changes import Part
from gui.document.display import Span
from tests.gui.items.drawing import drag


def shift_drag(canvas, start, end):
    drag(canvas, QPoint(start, 60), QPoint(end, 60), Qt.KeyboardModifier.ShiftModifier)


@pytest.mark.parametrize("canvas", ["lanes", "usage"])
def test_shift_and_dragging_marks_a_stretch_with_its_sums(kws, canvas):
    canvas = getattr(kws.stage, canvas)
    shift_drag(canvas, 300, 700)
    span = kws.store.selected_span
    first, last = (
        canvas.box.mapSceneToView(canvas.mapToScene(QPoint(x, 60))).x() for x in (300, 700)
    )
    assert (span.start_cycle, span.end_cycle) == pytest.approx((first, last), rel=0.01)
    assert [change.parts for change in kws.changes] == [{Part.SPAN}]
    ops = np.count_nonzero(
        (kws.trace.op_end_cycle > span.start_cycle) & (kws.trace.op_start_cycle < span.end_cycle)
    )
    text = kws.stage.strip.totals.text().replace("\N{NO-BREAK SPACE}", " ")
    assert f"{ops} operators" in text
    assert "of the run" in text
    for shown in (kws.stage.lanes, kws.stage.usage):
        assert shown.span_lines == pytest.approx((span.start_cycle, span.end_cycle))


def test_a_tiny_drag_marks_nothing(kws):
    shift_drag(kws.lanes, 300, 301)
    assert kws.store.selected_span is None


def test_handles_change_the_stretch(kws):
    kws.store.mark_span(Span(start_cycle=10_000.0, end_cycle=20_000.0), "another view")
    kws.changes.clear()
    line = kws.lanes._span.lines[1]
    line.setValue(30_000.0)
    line.sigPositionChangeFinished.emit(line)
    assert kws.store.selected_span == Span(start_cycle=10_000.0, end_cycle=30_000.0)
    assert len(kws.changes) == 1
    assert kws.stage.usage.span_lines == (10_000.0, 30_000.0)
