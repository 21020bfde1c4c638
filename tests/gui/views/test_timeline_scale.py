"""Of a million slices all are drawn, in no more rectangles than there are pixels."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gui.items.ranges import Range
from tests.benchmarks.bench_views import SIZE, frames, stage_of, synthetic_data

GENEROUS = 5.0


@pytest.fixture(scope="module", params=[10_000, 100_000, 1_000_000])
def data(request):
    return synthetic_data(request.param)


@pytest.fixture
def stage(qtbot, data):
    found = stage_of(data)
    qtbot.addWidget(found)
    return found


def test_all_slices_are_counted_in_as_many_rectangles_as_there_are_pixels(stage, data):
    stage.lanes.viewport().repaint()
    drawn = stage.lanes.slices.drawn
    assert drawn.count.sum() == data.trace.count
    assert drawn.size <= SIZE[0] * 2 * 4


def test_closer_only_what_is_in_sight_is_drawn(stage, data):
    trace = data.trace
    start, end = data.end_cycle / 2, data.end_cycle / 2 * 1.002
    stage.lanes.box.show(Range(start, end))
    stage.lanes.viewport().repaint()
    inside = np.count_nonzero((trace.end_cycle >= start) & (trace.start_cycle <= end))
    drawn = stage.lanes.slices.drawn.count.sum()
    pixels = (end - start) / SIZE[0] * 12
    around = (trace.end_cycle >= start - pixels) & (trace.start_cycle <= end + pixels)
    assert inside <= drawn <= np.count_nonzero(around)


@pytest.mark.slow
@pytest.mark.parametrize("closer", [1, 30, 3000])
def test_frames_come_in_time(stage, data, closer):
    found = frames(stage, data, closer)
    assert found.cpu_milliseconds <= GENEROUS * found.budget_milliseconds


def test_the_minimap_is_drawn_once_and_not_at_each_move(stage):
    QApplication.processEvents()
    stage.minimap.repaint()
    picture = stage.minimap._picture
    stage.lanes.zoom_in()
    stage.minimap.repaint()
    assert stage.minimap._picture is picture
