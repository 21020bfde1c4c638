"""Frame times with A and B shown: `python -m tests.benchmarks.bench_versus`.

A network of 600 operators is scheduled within two limits. Timeline, memory map and network show B
with what they tell of A, at 1600x900 without a screen, and are panned as a whole and closer. Times
are of the processor: what else runs on the machine does not count. Nothing may take 16 ms.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtWidgets import QApplication, QWidget

from core.api import comparisons, networks, schedules
from core.ir.options import Options, Search
from core.ir.settings import Settings
from core.pipeline.scheduled import Workbench
from core.tflite import writer
from gui.document.answer import Answer
from gui.document.document import Document
from gui.document.kept import Kept
from gui.items.hands_box import HandsBox
from gui.items.ranges import Range
from gui.state.store import Store
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.timeline.view import TimelineView
from tests.benchmarks.bench_app import application
from tests.benchmarks.networks import tree

OPERATORS = 600
LIMITS = (32 << 10, 12 << 10)
SIZE = (1600, 900)
FRAMES = 30
CLOSER = (1, 8, 60)
BUDGET_MS = 16.0
DIFFERENCE = "difference to A"


class Panned(NamedTuple):
    """A view, what is moved in it, and what is drawn then."""

    name: str
    view: QWidget
    box: HandsBox
    drawn: Sequence[QWidget]


def answers() -> tuple[Answer, Answer]:
    """One network within two limits."""
    model = writer.write(tree(OPERATORS))
    first, second = (_settings(limit) for limit in LIMITS)
    bench = Workbench(networks.run(model, first.target(), first.options))
    return _answer(bench, first), _answer(bench, second)


def _settings(limit_bytes: int) -> Settings:
    return Settings(
        accelerator="ethos-u65-256",
        system_config="Ethos_U65_High_End",
        memory_mode="Dedicated_Sram",
        limit_bytes=limit_bytes,
        # The quickest to search: what is drawn is as much.
        options=Options(search=Search.COMPATIBLE),
    )


def _answer(bench: Workbench, settings: Settings) -> Answer:
    scheduled = bench.schedule(settings.target(), settings.options)
    return Answer(
        number=1,
        document=Document(settings=settings),
        scheduled=scheduled,
        analysis=schedules.analyse(scheduled),
        seconds=0.0,
    )


def views(a: Answer, b: Answer) -> list[Panned]:
    """All that draw A beside B, as a user would see them."""
    store = Store(b.document)
    store.set_answer(b)
    store.compared.keep(Kept(title="A", scheduled=a.scheduled))
    accounts = (comparisons.account_of_schedule(each.scheduled) for each in (a, b))
    store.compared.tell(b, comparisons.compare(*accounts), before=a)
    timeline, memory, network = TimelineView(store), MemoryView(store), NetworkView(store)
    store.setParent(timeline)
    for view in (timeline, memory, network):
        view.resize(*SIZE)
        view.show()
        view.catch_up()
    network.overlay.setCurrentText(DIFFERENCE)
    QApplication.processEvents()
    stage, pane = timeline.stage, memory.pane
    assert stage.before is not None
    lanes = (stage.minimap, stage.lanes.viewport(), stage.usage.viewport())
    maps = (pane.canvas.viewport(), pane.lane.viewport())
    stage.lanes.show_all()
    pane.canvas.show_all()
    network.canvas.show_all()
    return [
        Panned("timeline", timeline, stage.lanes.box, lanes),
        Panned("memory map", memory, pane.canvas.box, maps),
        Panned("network", network, network.canvas.box, (network.canvas.viewport(),)),
    ]


def frames(panned: Panned, whole: Range, closer: int) -> list[float]:
    """Milliseconds of each frame while the picture is panned."""
    length, found = whole.length / closer, []
    for frame in range(FRAMES):
        start = whole.start + (whole.length - length) / 2 + frame * length / 50
        begin = time.process_time()
        panned.box.show(Range(start, start + length))
        for part in panned.drawn:
            part.repaint()
        found.append((time.process_time() - begin) * 1000)
    return found


def main(_: Sequence[str]) -> int:
    """Print a table; 1 where a frame takes longer in the median than it may."""
    qt = application()
    a, b = answers()
    print(f"{len(b.scheduled.graph.ops)} operators, {LIMITS[0] >> 10} and {LIMITS[1] >> 10} KiB")
    print(f"{'view':<12} {'closer':>6} {'median ms':>10} {'most ms':>8}")
    slowest = 0.0
    for panned in views(a, b):
        whole = panned.box.x_range
        for closer in CLOSER:
            found = frames(panned, whole, closer)
            median = statistics.median(found)
            slowest = max(slowest, median)
            print(f"{panned.name:<12} {closer:>5}x {median:>10.1f} {max(found):>8.1f}")
    print(f"slowest {slowest:.1f} ms, budget {BUDGET_MS:.0f} ms")
    qt.quit()
    return int(slowest > BUDGET_MS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
