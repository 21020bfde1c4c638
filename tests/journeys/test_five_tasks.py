"""Five tasks from the first look to the end, by mouse and by keys alone, each step counted.

`pytest tests/journeys/test_five_tasks.py --update-goldens` writes `resources/tasks.md`.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

import main
from core.api import programs
from core.ir.edits import EditFate, Living
from gui.document.examples import FIRST_EXAMPLE
from gui.present.units import counted
from gui.shell.request import Request, Size
from gui.views.compare.view import CompareView
from gui.views.controls.view import ControlsView
from gui.views.memory.view import MemoryView
from tests.conftest import Golden
from tests.gui.answers import model_path
from tests.gui.running import OpenApp, wait_for_answer
from tests.journeys.hand import Effort, Hand
from tests.journeys.test_export import finish

pytestmark = pytest.mark.long

UNET = model_path("unet_128")
TARGET = {
    "accelerator": "ethos-u65-256",
    "system_config": "Ethos_U65_High_End",
    "memory_mode": "Dedicated_Sram_384KB",
}
SIZE = Size(1600, 1000)
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PAGE = Path(__file__).parents[2] / "resources" / "tasks.md"
_SECONDS = re.compile(r"\d+\.\d s")


class Scene(NamedTuple):
    """Where a task is done, and how."""

    open_app: OpenApp
    qtbot: QtBot
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    by_keys: bool


def opened(scene: Scene, model: Path):
    """The window as a user finds it, with a search that ends."""
    return scene.open_app(request=Request(model=str(model), size=SIZE), **TARGET)


def find_what_makes_the_peak(scene: Scene) -> Hand:
    """The list beside the memory map is that of the peak, the largest first."""
    app = opened(scene, UNET)
    hand, memory = Hand(app), app.view(MemoryView)
    table = memory.side.cut
    if scene.by_keys:
        hand.press(Qt.Key.Key_2, CONTROL)
        hand.press(Qt.Key.Key_Tab)
        hand.press(Qt.Key.Key_Tab)
        hand.press(Qt.Key.Key_Down)
    else:
        hand.click_row(table, 0)
    assert memory.shown.is_at_peak
    model = table.model()
    sizes = [int(model.index(row, 1).data().replace(",", "")) for row in range(model.rowCount())]
    assert sizes[0] == max(sizes)
    assert app.store.selection.fm is not None
    return hand


def keep_one_map_and_say_what_it_costs(scene: Scene) -> Hand:
    """A map that was evicted stays; the headline tells the difference to the state before."""
    app = opened(scene, UNET)
    hand, memory = Hand(app), app.view(MemoryView)
    before = app.store.answer.scheduled.total.total_cycles
    if scene.by_keys:
        hand.press(Qt.Key.Key_F, CONTROL | SHIFT)
        hand.type("up2 is=evicted")
        hand.press(Qt.Key.Key_Return)
        hand.press(Qt.Key.Key_Down)
        hand.press(Qt.Key.Key_K)
    else:
        lane, place = memory.pane.lane, _ghost(memory)
        hand.click(lane.viewport(), place, Qt.MouseButton.RightButton)
        menu = _context_menu(app, scene.qtbot, lane.viewport(), place)
        hand.click_in(menu, next(a for a in menu.actions() if a.objectName() == "edits.keep"))
    wait_for_answer(scene.qtbot, app)
    (outcome,) = app.store.answer.scheduled.edits
    assert outcome.edit.value is Living.FAST
    assert outcome.fate is EditFate.HONOURED
    now = app.store.answer.scheduled.total.total_cycles
    assert outcome.price.cycles - outcome.price.cycles_without == now - before
    assert "1 of 1 edit, honoured" in app.headline.parts["edits"].said
    return hand


def make_it_fit_256_kib(scene: Scene) -> Hand:
    """The limit is typed; the headline says that it fits."""
    app = opened(scene, UNET)
    hand, controls = Hand(app), app.view(ControlsView)
    if scene.by_keys:
        hand.press(Qt.Key.Key_6, CONTROL)
        hand.press(Qt.Key.Key_Backtab, SHIFT)
        hand.press(Qt.Key.Key_A, CONTROL)
    else:
        hand.click(app.headline.parts["fit"])
        field = controls.limit.field
        hand.click(field)
        hand.press(Qt.Key.Key_A, CONTROL, field)
    hand.type("256K")
    hand.press(Qt.Key.Key_Return)
    wait_for_answer(scene.qtbot, app)
    assert app.store.answer.scheduled.target.fast_limit_bytes == 256 << 10
    assert app.headline.parts["fit"].said.startswith("fits")
    return hand


def say_which_of_two_files_is_better_and_why(scene: Scene) -> Hand:
    """Both are chosen in one dialog of the system; a headline tells which, and lines below why."""
    paths = [str(scene.folder / name) for name in ("one.tflite", "other.tflite")]
    for path, search in zip(paths, ("compatible", "direct"), strict=True):
        asked = [str(FIRST_EXAMPLE), "--accelerator", "ethos-u65-256", "--search", search]
        limit = ["--memory-mode", "Dedicated_Sram_384KB", "--arena-cache-size", "64K"]
        assert main.main(["compile", *asked, *limit, "--quiet", "-o", path]) == 0
        assert programs.read_program(Path(path).read_bytes()) is not None
    app = opened(scene, UNET)
    scene.monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (paths, ""))
    hand = Hand(app)
    if scene.by_keys:
        hand.press(Qt.Key.Key_P, CONTROL | SHIFT)
        hand.type("two fi")
        hand.press(Qt.Key.Key_Return)
    else:
        hand.choose("Compare", "Two files...")
    wait_for_answer(scene.qtbot, app)
    compared = app.store.compared
    scene.qtbot.waitUntil(lambda: compared.of(app.store.answer) is not None, timeout=60_000)
    view = app.view(CompareView)
    scene.qtbot.waitUntil(lambda: "cycles" in view.headline.text(), timeout=60_000)
    assert view.lines.text()
    return hand


def hand_over(scene: Scene) -> Hand:
    """The compiled model is written beside the original."""
    model = scene.folder / "mine.tflite"
    shutil.copy(UNET, model)
    app = opened(scene, model)
    hand = Hand(app)
    if scene.by_keys:
        hand.press(Qt.Key.Key_E, CONTROL)
        hand.press(Qt.Key.Key_Return, widget=app.exports.dialog)
    else:
        hand.choose("File", "Export", "Compiled model...")
        hand.click(app.exports.dialog.go)
    finish(scene.qtbot, app)
    written = scene.folder / "mine_compiled.tflite"
    assert programs.read_program(written.read_bytes()) is not None
    return hand


TASKS = {
    "find what makes the peak": find_what_makes_the_peak,
    "keep one map and say what it costs": keep_one_map_and_say_what_it_costs,
    "make it fit 256 KiB": make_it_fit_256_kib,
    "which of two files is better and why": say_which_of_two_files_is_better_and_why,
    "hand over": hand_over,
}


def _ghost(memory: MemoryView) -> QPoint:
    """A pixel of the smallest map that is evicted."""
    rects, lane = memory.pane.ghosts.rects, memory.pane.lane
    sizes = [each.evicted.size_bytes for each in memory.shown.ghosts]
    at = min(range(rects.count), key=lambda each: sizes[int(rects.key[each])])
    x, y = (rects.left[at] + rects.right[at]) / 2, (rects.bottom[at] + rects.top[at]) / 2
    return lane.mapFromScene(lane.box.mapViewToScene(QPointF(x, y)))


def _context_menu(app, qtbot, widget, place) -> QMenu:
    """What a window system does after a right click."""
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    qtbot.waitUntil(lambda: app.window.findChild(QMenu, "context") is not None)
    return app.window.findChild(QMenu, "context")


def _row(task: str, mouse: Effort, keys: Effort) -> str:
    told = counted(mouse.clicks, "click")
    told += f", {counted(mouse.keys, 'key')}" if mouse.keys else ""
    cells = (
        task,
        told,
        f"{mouse.seconds:.1f} s",
        counted(keys.keys, "key"),
        f"{keys.seconds:.1f} s",
    )
    return f"| {' | '.join(cells)} |"


@pytest.fixture(scope="module")
def efforts() -> dict[tuple[str, bool], Effort]:
    """What each task took, by whether it was done by keys."""
    return {}


@pytest.mark.parametrize("by_keys", [False, True], ids=["mouse", "keys"])
@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_done(open_app, qtbot, tmp_path, monkeypatch, efforts, task, by_keys):
    hand = TASKS[task](Scene(open_app, qtbot, tmp_path, monkeypatch, by_keys))
    efforts[task, by_keys] = effort = hand.effort
    assert not (by_keys and effort.clicks)


def test_the_page_tells_what_the_tasks_take(efforts, request):
    missing = [
        task for task in TASKS for by_keys in (False, True) if (task, by_keys) not in efforts
    ]
    if missing:
        pytest.skip("only all tasks together make the page")
    rows = [_row(task, efforts[task, False], efforts[task, True]) for task in TASKS]
    text = "\n".join((_HEAD, *rows, ""))
    # How long a machine takes is told, and no two runs agree on it.
    is_updated = request.config.getoption("--update-goldens")
    if not is_updated:
        assert _SECONDS.sub("", PAGE.read_text("utf-8")) == _SECONDS.sub("", text)
    else:
        Golden(PAGE.parent, update=True).check(PAGE.name, text)


_HEAD = """# What five tasks take in the window

Each begins with the window as it opens (1600x1000, unet_128 on U65-256 beside DRAM) and ends
when it shows what was asked for. Seconds are those of the machine alone, from the first click or
key, and of writing where something is handed over. What is chosen in a dialog of the system is
not counted. `pytest tests/journeys/test_five_tasks.py --update-goldens` does them and writes this
page.

| task | by mouse | took | by keys | took |
|---|---|---|---|---|"""
