"""From a gesture to its picture, and how long each step of a drag takes to be shown.

`python -m tests.benchmarks.bench_edits [MODEL]`, with the direct search, where feature maps are
in SRAM and where they are in DRAM and move to SRAM.

Decisions are made in the real window (1600x900, without a screen) by commands, as keys and menus
run them; each is undone. Printed are medians until the picture is painted that has the new schedule
(timeline, memory map, headline): by the clock, which other programs lengthen, and processor time of
what is done one after the other: by the window until it has asked, by the worker until it has
answered, by the window from then on. What the window shows and paints while it waits, and what the
worker goes on to (what edits cost), keeps nobody waiting. The last figure is what the window takes
for all other views, which come after the picture.
Then things are dragged, which the window's thread answers alone.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent

from core.base.ids import NpuOpId
from core.ir.options import Search
from gui.document.answer import Answer
from gui.document.job import JobPhase
from gui.document.selection import Selection
from gui.items.canvas import Canvas
from gui.present.rects import Rects
from gui.shell.running import RunningApp
from gui.views.memory.view import MemoryView
from gui.views.timeline.view import TimelineView
from tests.benchmarks import bench_app
from tests.gui.items.drawing import drag_to, move

COMMANDS = (
    "edits.evict",
    "edits.keep",
    "edits.rows",
    "edits.split",
    "edits.merge",
    "edits.alone",
    "edits.higher",
    "edits.weights.direct",
    "edits.weights.two",
)
TARGETS = {
    "shared SRAM": {"accelerator": "ethos-u55-256", "memory_mode": "Shared_Sram"},
    "dedicated SRAM": {
        "accelerator": "ethos-u65-256",
        "system_config": "Ethos_U65_High_End",
        "memory_mode": "Dedicated_Sram_384KB",
    },
}
GESTURES = 4
"""Of each command, at operators spread over the network."""
SETTLING = 8
"""Turns of the event loop: what is laid out is so from part to part, and then painted."""
STEPS = 60
"""Of a drag."""
NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier


class Taken(NamedTuple):
    """Seconds that something took."""

    clock: float
    asking: float
    answering: float
    showing: float
    rest: float

    @property
    def in_turn(self) -> float:
        """Processor time of what has to be done one after the other."""
        return self.asking + self.answering + self.showing


def worker_seconds(app: RunningApp) -> float:
    """Processor time of the worker so far, that of threads which have ended too."""
    # Linux numbers the clock of a process so (clock_getcpuclockid); Python has no name for it.
    return time.clock_gettime(~app.runner.worker_pid << 3 | 2)


def timed(app: RunningApp, act: Callable[[], object]) -> Taken:
    """What an act takes until what came of it is painted, and the rest until every view has it."""
    painted: list[tuple[float, float]] = []
    answered: list[tuple[float, float]] = []
    asked: list[float] = []

    def note_asked() -> None:
        # Heard behind the runner, which has sent the question by then if it could.
        if app.store.job.phase is JobPhase.RUNNING:
            asked.append(time.thread_time())

    show = app.store.set_answer

    def noted(answer: Answer) -> None:
        answered.append((time.thread_time(), worker_seconds(app)))
        show(answer)

    def note_painted() -> None:
        # Heard behind the window, which has painted by then.
        painted.append((time.perf_counter(), time.thread_time()))

    clock, window, worker = time.perf_counter(), time.thread_time(), worker_seconds(app)
    with patch.object(app.store, "set_answer", noted):
        app.store.asked.connect(note_asked)
        app.store.turns.pictured.connect(note_painted)
        act()
        app.store.asked.disconnect(note_asked)
        asked.append(time.thread_time())
        bench_app.turn_until(lambda: bench_app.is_shown(app))
        QCoreApplication.processEvents()
        app.store.turns.pictured.disconnect(note_painted)
    window_then, worker_then = answered[0]
    clock_then, picture_then = painted[0]
    return Taken(
        clock=clock_then - clock,
        asking=asked[0] - window,
        answering=worker_then - worker,
        showing=picture_then - window_then,
        rest=time.thread_time() - picture_then,
    )


def settle(app: RunningApp) -> None:
    """Let be painted what is selected: who decides has seen it."""
    app.store.turns.finish()
    for _ in range(SETTLING):
        QCoreApplication.processEvents()


def undo(app: RunningApp) -> None:
    """Take the last decision back, and let the worker come to rest."""
    while app.store.document.edits:
        app.actions.run("edit.undo")
    bench_app.turn_until(lambda: bench_app.is_shown(app))


def measure_gestures(app: RunningApp) -> dict[str, list[Taken]]:
    """Each command at some operators, as far as it can be there."""
    found: dict[str, list[Taken]] = defaultdict(list)
    count = len(bench_app.answer_of(app).scheduled.graph.ops)
    for command in COMMANDS:
        for place in range(GESTURES):
            app.store.select(Selection(op=NpuOpId((2 * place + 1) * count // (2 * GESTURES))))
            settle(app)
            if app.actions[command].isEnabled():
                taken = timed(app, partial(app.actions.run, command))
                if app.store.document.edits:
                    found[command].append(taken)
            undo(app)
    return found


def dragged(
    canvas: Canvas, start: QPoint, end: QPoint, modifier: Qt.KeyboardModifier = NONE
) -> list[float]:
    """Processor time of the window for each step of a drag, painted; broken off in the end."""
    seconds = []
    with drag_to(canvas, start, start + (end - start) * 0.2, modifier):
        for step in range(1, STEPS + 1):
            begin = time.thread_time()
            move(canvas, start + (end - start) * (0.2 + 0.8 * step / STEPS), modifiers=modifier)
            QCoreApplication.processEvents()
            seconds.append(time.thread_time() - begin)
        escape = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Escape, NONE)
        QCoreApplication.sendEvent(canvas, escape)
    return seconds


def middle_of(canvas: Canvas, rects: Rects, at: int) -> QPoint:
    """A rectangle's middle, as a pixel."""
    x, y = (rects.left[at] + rects.right[at]) / 2, (rects.bottom[at] + rects.top[at]) / 2
    pixel: QPoint = canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(x, y)))
    return pixel


def measure_drags(app: RunningApp) -> Iterator[tuple[str, list[float]]]:
    """A map out of fast storage, its address, and the bar of a cascade onto the next."""
    memory, timeline = app.view(MemoryView), app.view(TimelineView)
    app.panels.show_panel("memory")
    bench_app.turn_until(lambda: bench_app.is_shown(app))
    assert memory.shown is not None
    canvas, rects = memory.pane.canvas, memory.shown.drawn.rects
    largest = int(np.argmax((rects.right - rects.left) * (rects.top - rects.bottom)))
    start = middle_of(canvas, rects, largest)
    yield "a map, moved out", dragged(canvas, start, QPoint(start.x(), 2))
    yield "an address", dragged(canvas, start, QPoint(start.x(), 2), ALT)
    app.panels.show_panel("timeline")
    bench_app.turn_until(lambda: bench_app.is_shown(app))
    lanes = timeline.stage.lanes
    if lanes.cascades.rects.count > 1:
        start, end = (middle_of(lanes, lanes.cascades.rects, at) for at in (0, 1))
        yield "a cascade, onto the next", dragged(lanes, start, end)


def tell(model: Path, target: str) -> None:
    """Measure everything for a target, and print it."""
    app = bench_app.open_app(model, search=Search.DIRECT, **TARGETS[target])
    bench_app.turn_until(lambda: bench_app.is_shown(app))
    print(
        f"{model.stem}, {target}: medians by the clock; asking, answering, showing; rest; in turn"
    )
    found = measure_gestures(app)
    every = [taken for each in found.values() for taken in each]
    for name, each in [*found.items(), ("all", every)]:
        parts = [*zip(*each, strict=True), [taken.in_turn for taken in each]]
        medians = [statistics.median(part) for part in parts]
        told = " ".join(f"{1000 * median:6.0f} ms" for median in medians)
        print(f"{name:<28} {len(each):>4} gestures {told}", flush=True)
    for name, seconds in measure_drags(app):
        median, worst = statistics.median(seconds), max(seconds)
        print(f"{name:<28} a step {1000 * median:.1f} ms, at most {1000 * worst:.1f} ms")
    app.close()


def main(arguments: Sequence[str]) -> None:
    """Both targets."""
    model = Path(arguments[0]) if arguments else bench_app.MODEL
    for target in TARGETS:
        tell(model, target)


if __name__ == "__main__":
    main(sys.argv[1:])
