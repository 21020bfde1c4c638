"""How long an answer that comes holds the window.

`python -m tests.benchmarks.bench_arrival [MODEL ...]`

For each model, answers to other limits are worked out before, and then arrive one by one in a
window of 1600x900 without a screen. What is printed is the longest time for which the event loop
did not turn, and the most that the window's own thread worked in one piece, which other programs
of the machine do not lengthen. First with the panels as at the first start, then with all of them
in sight.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer

from core.base.frozen import replace
from gui.commands.panels import PANELS
from gui.document.answer import Answer
from gui.shell.running import RunningApp
from tests.benchmarks import bench_app
from tests.gui import models

EXAMPLES = bench_app.ROOT / "resources" / "examples"
MODELS = (bench_app.MODEL, EXAMPLES / "unet_128.tflite")
OUTPUTS = 2_000
LIMITS = 5
ROUNDS = 6
_COLUMNS = 3
_SETTLED_MS = 300


def turn_for(milliseconds: int) -> None:
    """Let the event loop turn as it does in the app."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def show_all_panels(app: RunningApp) -> None:
    """Put all panels beside each other, in rows."""
    panels = app._panels
    docks = [panels.dock(panel.name) for panel in PANELS]
    for dock in docks:
        panels.removeDockWidget(dock)
    turn_for(50)
    area = Qt.DockWidgetArea.LeftDockWidgetArea
    for place, dock in enumerate(docks):
        if not place:
            panels.addDockWidget(area, dock)
        elif place < _COLUMNS:
            panels.splitDockWidget(docks[place - 1], dock, Qt.Orientation.Horizontal)
        else:
            panels.splitDockWidget(docks[place - _COLUMNS], dock, Qt.Orientation.Vertical)
    for dock in docks:
        dock.show()
    turn_for(_SETTLED_MS)


def answers_of(app: RunningApp) -> list[Answer]:
    """Answers to some limits, so that nothing has to be worked out while they arrive."""
    found = [bench_app.answer_of(app)]
    for limit in bench_app.limits_of(app, LIMITS):
        bench_app.ask(app, limit)
        bench_app.turn_until(lambda: app.store.is_current, 600)
        found.append(bench_app.answer_of(app))
    turn_for(_SETTLED_MS)
    return found


def measure(app: RunningApp, answers: list[Answer]) -> tuple[list[float], list[float]]:
    """The longest pause at each arrival, and the most work in one piece, in milliseconds."""
    pauses, works = [], []
    for number in range(ROUNDS * len(answers)):
        answer = answers[number % len(answers)]
        # As if it had just been asked for, but nobody has to answer.
        app.store.history = app.store.history.edited(answer.document, "limit")
        heart = bench_app.Heartbeat()
        turn_for(20)
        heart.gaps_ms.clear()
        heart.busy_ms.clear()
        QTimer.singleShot(5, lambda answer=answer: app.store.set_answer(replace(answer)))
        turn_for(_SETTLED_MS)
        heart.stop()
        pauses.append(max(heart.gaps_ms))
        works.append(max(heart.busy_ms))
    return pauses, works


def tell(model: Path) -> None:
    """Measure one model, and print it."""
    app = bench_app.open_app(model)
    bench_app.turn_until(lambda: app.store.is_current, 600)
    answers = answers_of(app)
    # Collecting garbage has its own time, which is not when an answer comes.
    app.runner.shutdown()
    gc.collect()
    gc.disable()
    for arranged in ("first start", "all panels"):
        if arranged == "all panels":
            show_all_panels(app)
        seen = sum(view.isVisible() for view in app._views.values())
        pauses, works = measure(app, answers)
        print(
            f"{model.stem:<28} {arranged:<12} {seen} views:",
            f"longest pause {_spread(pauses)}; of it work {_spread(works)}",
            flush=True,
        )
    gc.enable()
    app.close()


def _spread(times: list[float]) -> str:
    nine_in_ten = sorted(times)[len(times) * 9 // 10]
    return (
        f"median {statistics.median(times):.1f} ms, 90 % {nine_in_ten:.1f}, worst {max(times):.1f}"
    )


def main(arguments: Sequence[str]) -> None:
    """Print a line for each model and arrangement."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(argument) for argument in arguments]
        for path in paths or [*MODELS, models.many_outputs(Path(folder), OUTPUTS)]:
            tell(path)


if __name__ == "__main__":
    main(sys.argv[1:])
