"""How quick the app is: `python -m tests.benchmarks.bench_app [MODEL]`.

First paint and first answer from the start of a process, the longest time for which the window
does not react while the compiler runs, the time from a changed limit to the new picture, and memory
after many reruns.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from core.base.frozen import replace
from tests.settings import settings_with

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "resources" / "examples" / "mobilenet_v2_035_96.tflite"
RUNS = 5
CHANGES = 20
RERUNS, EACH = 200, 50
"""Of reruns, and after how many memory is looked at."""

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, Qt, QTimer  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from gui.document.answer import Answer  # noqa: E402
from gui.settings.preferences import Forgetful  # noqa: E402
from gui.shell.request import Request, Size  # noqa: E402
from gui.shell.running import RunningApp  # noqa: E402
from tests.benchmarks.start_app import STARTED  # noqa: E402

SIZE = Size(1600, 900)


def application() -> QApplication:
    """The one that there is, or the first."""
    qt = QApplication.instance()
    return qt if isinstance(qt, QApplication) else QApplication(["bench"])


def open_app(model: Path, **settings: object) -> RunningApp:
    """A window with a worker; its preferences are nobody's."""
    request = Request(model=str(model), size=SIZE)
    request = replace(request, settings=settings_with(request.settings, **settings))
    app = RunningApp(application(), request, Forgetful())
    app.start()
    return app


class Heartbeat(QTimer):
    """A timer of the window's thread, and how long it was kept from beating."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps_ms: list[float] = []
        self.busy_ms: list[float] = []
        """What of each gap the thread itself worked, whoever else wanted the machine."""
        self._last = self._last_busy = 0.0
        self.setTimerType(Qt.TimerType.PreciseTimer)
        self.timeout.connect(self._beat)
        self.start(2)

    def _beat(self) -> None:
        now, busy = time.perf_counter(), time.thread_time()
        if self._last:
            self.gaps_ms.append((now - self._last) * 1000)
            self.busy_ms.append((busy - self._last_busy) * 1000)
        self._last, self._last_busy = now, busy


def turn_until(condition: Callable[[], object], seconds: float = 120.0) -> None:
    """Let the event loop turn until something is so."""
    end = time.perf_counter() + seconds
    while not condition():
        QCoreApplication.processEvents()
        if time.perf_counter() > end:
            raise TimeoutError
        time.sleep(0.001)


def is_shown(app: RunningApp) -> bool:
    """Whether all views show what is asked for."""
    return app.store.is_current and app.store.turns.are_taken


def measure_start(model: Path, runs: int) -> dict[str, tuple[float, float]]:
    """Seconds from the start of a process until something is painted and until the answer is, and
    processor time of the window until then; medians."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    # Not as the main module, which the worker would load too.
    code = "import sys; from tests.benchmarks import start_app; start_app.run(sys.argv[1])"
    command = [sys.executable, "-c", code, str(model.absolute())]
    with tempfile.TemporaryDirectory() as home:
        for _ in range(runs):
            env = os.environ | {STARTED: str(time.time()), "XDG_CONFIG_HOME": home}
            done = subprocess.run(
                command, cwd=ROOT, env=env, capture_output=True, text=True, check=True
            )
            for line in done.stdout.splitlines():
                what, seconds, busy = line.split()
                found[what].append((float(seconds), float(busy)))
    return {
        what: (statistics.median(each[0] for each in all_), statistics.median(e[1] for e in all_))
        for what, all_ in found.items()
    }


def answer_of(app: RunningApp) -> Answer:
    """What it shows."""
    answer = app.store.answer
    assert answer is not None
    return answer


def limits_of(app: RunningApp, count: int) -> list[int]:
    """Limits from the whole need down to a quarter of it, each another."""
    needed = max(area.height_bytes for area in answer_of(app).scheduled.layout.areas)
    return [needed - (needed * 3 // 4) * step // count // 16 * 16 for step in range(1, count + 1)]


def ask(app: RunningApp, limit_bytes: int) -> None:
    """Change the limit as a slider does."""
    document = app.store.document
    settings = replace(document.settings, limit_bytes=limit_bytes)
    app.store.edit(replace(document, settings=settings), "limit")


def measure_changes(app: RunningApp, count: int) -> tuple[list[float], list[float]]:
    """Seconds from each change to its picture, and gaps of the heartbeat meanwhile."""
    heart = Heartbeat()
    times = []
    for limit in limits_of(app, count):
        begin = time.perf_counter()
        ask(app, limit)
        turn_until(lambda: is_shown(app))
        QCoreApplication.processEvents()
        times.append(time.perf_counter() - begin)
    return times, heart.gaps_ms


def measure_opening(app: RunningApp, model: Path) -> list[float]:
    """Gaps of the heartbeat while another model is opened and compiled."""
    heart = Heartbeat()
    app.files.open(str(model))
    turn_until(lambda: app.store.is_current)
    for _ in range(50):
        QCoreApplication.processEvents()
        time.sleep(0.001)
    return heart.gaps_ms


def resident_mib(pid: int | str = "self") -> float:
    """Memory of a process that is in use."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def measure_memory(app: RunningApp, reruns: int) -> list[tuple[float, float]]:
    """Memory of the window's process and of the worker, from a warm start to the end."""
    limits = limits_of(app, 25)
    sizes = []
    for number in range(reruns):
        ask(app, limits[number % len(limits)] + 16 * (number // len(limits)))
        turn_until(lambda: is_shown(app))
        QCoreApplication.processEvents()
        if (number + 1) % EACH == 0:
            sizes.append((resident_mib(), resident_mib(app.runner.worker_pid)))
    return sizes


def main(arguments: Sequence[str]) -> None:
    """Measure everything, and print it."""
    model = Path(arguments[0]) if arguments else MODEL
    print(f"{model.stem}: seconds after the start, and the window's processor time until then")
    for what, (seconds, busy) in measure_start(model, RUNS).items():
        print(f"first {what}: {seconds:.2f} s, {busy:.2f} s")
    app = open_app(MODEL if model != MODEL else ROOT / "resources/examples/kws_dscnn.tflite")
    turn_until(lambda: app.store.is_current)
    gaps = measure_opening(app, model)
    print(f"opening it: longest pause {max(gaps):.0f} ms")
    times, gaps = measure_changes(app, CHANGES)
    median, worst = statistics.median(times), max(times)
    print(f"limit to picture: median {median:.2f} s, worst {worst:.2f} s; pause {max(gaps):.0f} ms")
    for number, (own, worker) in enumerate(measure_memory(app, RERUNS), start=1):
        print(f"after {EACH * number} reruns: window {own:.0f} MiB, worker {worker:.0f} MiB")
    app.close()


if __name__ == "__main__":
    main(sys.argv[1:])
