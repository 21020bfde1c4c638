"""Makes the pictures of the README anew, in the real window without a display:

    QT_QPA_PLATFORM=offscreen python -m tests.make_screenshots MODELS SWEEP.sqlite [NAME...]

MODELS is a folder with `mobilenet_v2_1.0_224_quant.tflite` and `omv_yolov8n_192.tflite`; the sweep
is what `reefpoint sweep` makes of the first for `Performance,Size` on `ethos-u65-256,ethos-u65-512`
with High_End memories in Dedicated_Sram, `--sram 64K:1M:32K --search direct`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication

from core.ir.options import Engine
from gui.document.display import Display, ThemeChoice
from gui.document.examples import FIRST_EXAMPLE
from gui.document.selection import Selection
from gui.settings.preferences import Forgetful
from gui.shell.request import Request, Size
from gui.shell.running import RunningApp
from gui.views.memory.view import MemoryView
from tests.gui.items.drawing import drag_to
from tests.settings import settings_with

FOLDER = Path(__file__).parents[1] / "resources" / "screenshots"
U65 = {
    "accelerator": "ethos-u65-256",
    "system_config": "Ethos_U65_High_End",
    "memory_mode": "Dedicated_Sram",
}
KIB = 1024
PATIENCE_S = 120.0
LARGE, MIDDLE, SMALL = Size(1600, 1000), Size(1440, 900), Size(1280, 800)


@contextmanager
def window(
    model: Path, size: Size, theme: str = "light", **settings: object
) -> Iterator[RunningApp]:
    """A window that shows an answer and its range."""
    asked = settings_with(None, **U65 | settings)
    request = Request(model=str(model), settings=asked, size=size, theme=theme)
    app = RunningApp(QApplication.instance(), request, Forgetful())
    app.store.set_display(Display(theme=ThemeChoice(theme)))
    app.start()
    answered(app)
    yield app
    app.window.close()


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        QApplication.processEvents()
        if time.monotonic() > end:
            sys.exit("it takes too long")


def answered(app: RunningApp) -> None:
    """Wait for an answer, with its range and what edits cost."""

    def is_whole() -> bool:
        store = app.store
        priced = store.answer and all(
            each.price for each in store.answer.scheduled.edits if each.fate
        )
        return store.is_current and not store.answer.awaits_spread and bool(priced)

    until(is_whole)
    settle(app)


def settle(app: RunningApp) -> None:
    for _ in range(20):
        app.store.turns.finish()
        QApplication.processEvents()


def save(app: RunningApp, name: str) -> None:
    settle(app)
    app.window.grab().save(str(FOLDER / f"{name}.png"))


def decided(app: RunningApp, *decisions: tuple[str, dict[str, int]]) -> None:
    for command, picked in decisions:
        app.store.select(Selection(**picked))
        app.actions.run(command)
        answered(app)


def mobilenet_v2(models: Path, _: Path) -> None:
    model = models / "mobilenet_v2_1.0_224_quant.tflite"
    with window(model, LARGE, limit_bytes=384 * KIB) as app:
        app.panels.show_panel("network")
        app.store.select(Selection(op=5))
        save(app, "mobilenet_v2")


def unet_memory(_: Path, __: Path) -> None:
    with window(FIRST_EXAMPLE, SMALL, "dark", limit_bytes=96 * KIB) as app:
        app.panels.show_alone("memory")
        save(app, "unet_memory")


def yolov8n_front(models: Path, _: Path) -> None:
    model = models / "omv_yolov8n_192.tflite"
    asked = {"limit_bytes": 384 * KIB, "engine": Engine.PARETO}
    with window(model, Size(1100, 620), **asked) as app:
        app.panels.show_alone("front")
        save(app, "yolov8n_front")


def tradeoff(models: Path, sweep: Path) -> None:
    model = models / "mobilenet_v2_1.0_224_quant.tflite"
    with window(model, Size(1280, 640), limit_bytes=384 * KIB) as app:
        app.files.open_sweep(str(sweep))
        app.panels.show_alone("tradeoff")
        save(app, "tradeoff")


def compare(_: Path, __: Path) -> None:
    with window(FIRST_EXAMPLE, LARGE, "dark", limit_bytes=96 * KIB) as app:
        app.actions.run("compare.keep")
        store = app.store
        store.edit(store.document.with_limit(160 * KIB), "limit")
        answered(app)
        until(lambda: store.compared.of(store.answer) is not None)
        app.panels.show_panel("compare")
        save(app, "compare")


FIVE = (
    ("edits.keep", {"op": 3}),
    ("edits.evict", {"op": 11}),
    ("edits.split", {"op": 23}),
    ("edits.lower", {"op": 6}),
    ("edits.weights.two", {"op": 9}),
)


def edits(_: Path, __: Path) -> None:
    with window(FIRST_EXAMPLE, MIDDLE, limit_bytes=128 * KIB) as app:
        decided(app, *FIVE)
        app.panels.show_panel("edits")
        save(app, "edits")


def edits_drag(_: Path, __: Path) -> None:
    with window(FIRST_EXAMPLE, MIDDLE, "dark", limit_bytes=96 * KIB) as app:
        view = app.view(MemoryView)
        settle(app)
        lane, canvas = view.pane.lane, view.pane.canvas
        rects = view.pane.ghosts.rects
        for at in range(len(rects.left)):
            middle = QPointF(
                (rects.left[at] + rects.right[at]) / 2, (rects.bottom[at] + rects.top[at]) / 2
            )
            start = lane.mapFromScene(lane.box.mapViewToScene(middle))
            below = lane.viewport().mapFromGlobal(
                canvas.viewport().mapToGlobal(QPoint(0, canvas.height() // 2))
            )
            with drag_to(lane, start, QPoint(start.x(), below.y())):
                until(lambda: view.overlay.told not in ("", "trying..."))
                if "moves" in view.overlay.told:
                    save(app, "edits_drag")
                    view.grips[1].abort()
                    return
                view.grips[1].abort()


def edits_why(_: Path, __: Path) -> None:
    with window(FIRST_EXAMPLE, MIDDLE, limit_bytes=128 * KIB) as app:
        decided(app, *FIVE, ("edits.keep", {"op": 1}))
        app.store.select(Selection(fm=app.store.answer.scheduled.graph.ops[1].ofm.fm))
        app.panels.show_panel("edits")
        app.panels.show_panel("why")
        save(app, "edits_why")


PICTURES = (
    *(mobilenet_v2, unet_memory, yolov8n_front, tradeoff, compare),
    *(edits, edits_drag, edits_why),
)


def main() -> None:
    QApplication(["reefpoint"])
    models, sweep, *names = sys.argv[1:]
    for make in PICTURES:
        if not names or make.__name__ in names:
            make(Path(models), Path(sweep))
            print(make.__name__, flush=True)  # noqa: T201 - it says how far it is


if __name__ == "__main__":
    main()
