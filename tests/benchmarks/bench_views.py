"""Frame times of the timeline: `python -m tests.benchmarks.bench_views [MOST_SLICES]`.

A synthetic run of 10,000 operators is drawn at 1600x900 without a screen; it is panned and zoomed
as a whole and closer. `view` is everything that a user sees move: minimap, lanes, memory in use and
axes. `lanes` are the rectangles and their axis alone.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtWidgets import QApplication, QWidget

from core.ir.trace import NOTHING, Activity, Lane, Trace
from gui.document.display import ByteUnit, TimeUnit
from gui.items.ranges import Range
from gui.present.timeline.data import TimelineData
from gui.present.timeline.memory import Usage
from gui.present.timeline.text import Scale
from gui.theme.tones import LIGHT
from gui.views.timeline.stage import Stage
from tests.benchmarks.bench_app import application

OPERATORS = 10_000
SIZE = (1600, 900)
FRAMES = 15
SLICES = (10_000, 100_000, 1_000_000)
CLOSER = (1, 30, 3000)
CLOSE = 100
"""So many times closer counts as zoomed in."""


class Frames(NamedTuple):
    """What one stage of zoom costs."""

    slices: int
    closer: int
    drawn: int
    milliseconds: float
    worst_milliseconds: float
    cpu_milliseconds: float
    """The same without what other programs of the machine took."""
    lanes_cpu_milliseconds: float

    @property
    def budget_milliseconds(self) -> float:
        """What the issue allows."""
        if self.closer >= CLOSE:
            return 5.0
        return 33.0 if self.slices <= 100_000 else 100.0


def synthetic_data(slices: int, operators: int = OPERATORS) -> TimelineData:
    """A run in which all lanes are busy, with stalls and weight transfers beside the work."""
    random = np.random.default_rng(1)
    lanes = np.array([Lane.MAC, Lane.ELEMENTWISE, Lane.DMA_IN, Lane.DMA_OUT])
    each = slices // len(lanes)
    columns = []
    for lane in lanes:
        lengths = random.exponential(40.0, each) + 1.0
        gaps = random.exponential(10.0, each) * random.integers(0, 2, each)
        end = np.cumsum(lengths + gaps)
        activity = np.where(random.random(each) < 0.2, Activity.STALL, Activity.COMPUTE)
        if lane >= Lane.DMA_IN:
            activity = np.where(random.random(each) < 0.5, Activity.PREFETCH, Activity.WEIGHTS)
        columns.append((np.full(each, lane), activity, end - lengths, end))
    lane, activity, start, end = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    order = np.argsort(start, kind="stable")
    last = float(end.max())
    op = np.minimum((start / last * operators).astype(np.int32), operators - 1)[order]
    edges = np.linspace(0.0, last, operators + 1)
    nothing = np.full(len(op), NOTHING, dtype=np.int32)
    trace = Trace(
        lane=lane[order].astype(np.uint8),
        activity=activity[order].astype(np.uint8),
        start_cycle=start[order],
        end_cycle=end[order],
        op=op,
        cpu_op=nothing,
        stripe=nothing,
        depth_slice=nothing,
        op_start_cycle=edges[:-1],
        op_end_cycle=edges[1:],
        time_cycle=np.linspace(0.0, last, 2 * operators + 1),
        end_cycle_of_all=last,
    )
    names = tuple(f"block_{number // 7}/conv_{number % 7}" for number in range(operators))
    return TimelineData(
        trace=trace,
        op_titles=names,
        cpu_titles=(),
        cascade_of_op=np.full(operators, NOTHING, dtype=np.int32),
    )


def synthetic_usage(data: TimelineData) -> Usage:
    """Memory in use, partly above its limit."""
    random = np.random.default_rng(2)
    used = random.integers(50_000, 500_000, len(data.trace.time_cycle) - 1).astype(float)
    return Usage(
        edge_cycle=data.trace.time_cycle,
        used_bytes=used,
        limit_bytes=400_000,
        height_bytes=500_000,
    )


def stage_of(data: TimelineData) -> Stage:
    """The timeline's canvases with a run that no compiler made."""
    stage = Stage()
    stage.set_theme(LIGHT)
    stage.resize(*SIZE)
    stage.show_data(data, synthetic_usage(data), Scale(TimeUnit.CYCLES, ByteUnit.KIB, 500e6))
    stage.show()
    QApplication.processEvents()
    stage.lanes.show_all()
    return stage


def frames(stage: Stage, data: TimelineData, closer: int) -> Frames:
    """Pans and zooms a little for each frame, as a hand does."""
    length = data.end_cycle / closer
    walls, busy, lanes = [], [], []
    for frame in range(FRAMES):
        start = (data.end_cycle - length) / 2 + frame * length / 50
        end = start + length * (1 + (frame % 3) / 100)
        wall, cpu = time.perf_counter(), time.process_time()
        _move(stage, Range(start, end))
        walls.append((time.perf_counter() - wall) * 1000)
        busy.append((time.process_time() - cpu) * 1000)
        stage.lanes.box.show(Range(start - length / 100, end))
        cpu = time.process_time()
        stage.lanes.viewport().repaint()
        lanes.append((time.process_time() - cpu) * 1000)
    return Frames(
        slices=data.trace.count,
        closer=closer,
        drawn=stage.lanes.slices.drawn.size,
        milliseconds=statistics.median(walls),
        worst_milliseconds=max(walls),
        cpu_milliseconds=statistics.median(busy),
        lanes_cpu_milliseconds=statistics.median(lanes),
    )


def _move(stage: Stage, shown: Range) -> None:
    stage.lanes.box.show(shown)
    parts: tuple[QWidget, ...] = (
        stage.minimap,
        stage.lanes.viewport(),
        stage.usage.viewport(),
    )
    for part in parts:
        part.repaint()


def main(arguments: Sequence[str]) -> None:
    """Print a table."""
    qt = application()
    most = int(arguments[0]) if arguments else max(SLICES)
    columns = ("view ms", "worst", "view cpu", "lanes cpu", "budget")
    print(f"{'slices':>9} {'closer':>7} {'drawn':>7}", *(f"{column:>9}" for column in columns))
    for slices in SLICES:
        if slices > most:
            continue
        data = synthetic_data(slices)
        begin = time.perf_counter()
        stage = stage_of(data)
        shown = time.perf_counter() - begin
        for closer in CLOSER:
            found = frames(stage, data, closer)
            times = (*found[3:], found.budget_milliseconds)
            print(
                f"{slices:>9,} {closer:>6,}x {found.drawn:>7,}",
                *(f"{value:>9.1f}" for value in times),
            )
        print(f"          shown for the first time after {shown:.2f} s")
        stage.close()
    qt.quit()


if __name__ == "__main__":
    main(sys.argv[1:])
