"""What an edit changes is seen before anything is written about it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt

from core.base.ids import NpuOpId
from core.ir.options import Search
from gui.document.selection import Selection
from gui.views.memory.view import MemoryView
from gui.views.summary.view import SummaryView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import EXAMPLES
from tests.gui.running import wait_for_answer
from tests.journeys.agreement import check_all

MODEL = EXAMPLES / "mobilenet_v2_035_96.tflite"


class Painted(QObject):
    """Notes whose paint events come."""

    def __init__(self, order: list[str]) -> None:
        super().__init__()
        self._order = order

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """See paint events, and let them pass."""
        if event.type() is QEvent.Type.Paint:
            self._order.append(watched.objectName())
        return False


@pytest.fixture
def app(open_app):
    found = open_app(MODEL, search=Search.DIRECT)
    found.window.resize(1600, 1000)
    found.panels.reset()
    found.panels.show_panel("summary")
    for _ in range(20):
        found.store.turns.finish()
        QCoreApplication.processEvents()
    return found


def test_the_picture_of_an_edit_is_painted_before_lists_and_figures_are_filled(app, qtbot):
    stage, memory, summary = (
        app.view(TimelineView).stage,
        app.view(MemoryView),
        app.view(SummaryView),
    )
    seen: list[str] = []
    painted = Painted(seen)
    looked_at = {
        "lanes": stage.lanes.viewport(),
        "usage": stage.usage.viewport(),
        "map": memory.pane.canvas.viewport(),
        "headline": app.headline.parts["time"],
    }
    for name, part in looked_at.items():
        part.setObjectName(name)
        part.installEventFilter(painted)
    memory.side.cut.rows.modelReset.connect(lambda: seen.append("list"))
    summary.caught_up.connect(lambda: seen.append("figures"))
    app.store.select(Selection(op=NpuOpId(4)))
    app.store.turns.finish()
    QCoreApplication.processEvents()
    seen.clear()
    before = app.store.answer
    assert app.actions.run("edits.rows")
    wait_for_answer(qtbot, app)
    assert app.store.answer is not before
    first = min(seen.index("list"), seen.index("figures"))
    for name in looked_at:
        assert seen.index(name) < first, name
    check_all(app)


def test_the_picture_of_an_edit_is_laid_out_and_painted_once(app, qtbot):
    stage, memory = app.view(TimelineView).stage, app.view(MemoryView)
    seen: list[str] = []
    painted = Painted(seen)
    canvases = {"lanes": stage.lanes, "usage": stage.usage, "map": memory.pane.canvas}
    for name, canvas in canvases.items():
        canvas.viewport().setObjectName(name)
        canvas.viewport().installEventFilter(painted)
    app.store.select(Selection(op=NpuOpId(4)))
    for _ in range(20):
        app.store.turns.finish()
        QCoreApplication.processEvents()
    counts: list[list[str]] = []

    def note() -> None:
        counts.append(sorted(seen))

    # What a veil over it has painted before, and what goes with it, is not the picture's.
    memory.caught_up.connect(seen.clear)
    app.store.turns.pictured.connect(note)
    assert app.actions.run("edits.rows")
    wait_for_answer(qtbot, app)
    app.store.turns.pictured.disconnect(note)
    memory.caught_up.disconnect(seen.clear)
    assert counts == [sorted(canvases)]


def test_a_row_of_the_answer_before_picks_nothing(app, qtbot):
    memory = app.view(MemoryView)
    app.store.select(Selection(op=NpuOpId(4)))
    app.store.turns.finish()
    chosen = app.store.selection

    def click_between() -> None:
        rows = memory.side.cut
        centre = rows.visualRect(rows.model().index(0, 0)).center()
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=centre)
        clicked.append(app.store.selection)

    clicked: list[Selection] = []
    app.store.turns.pictured.connect(click_between)
    assert app.actions.run("edits.rows")
    wait_for_answer(qtbot, app)
    app.store.turns.pictured.disconnect(click_between)
    assert clicked == [chosen]
    click_between()
    assert clicked[-1].fm is not None or clicked[-1].buffer is not None
