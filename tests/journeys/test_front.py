"""From one engine to the other, through its front, and back again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from core.api import edits
from core.base.rough import rough_text
from core.ir.edits import EditFate
from core.ir.options import Engine
from gui.views.controls.view import ControlsView
from gui.views.front.view import FrontView
from tests.gui.running import SMALL_MODEL, wait_for_answer
from tests.journeys.agreement import check_all

OTHER_MODEL = SMALL_MODEL.with_name("resnet8.tflite")


@pytest.mark.long
def test_a_schedule_of_the_front_is_adopted_and_undone(open_app, qtbot):
    app = open_app(SMALL_MODEL)
    first = app.store.document
    app.panels.show_panel("front")
    view = app.view(FrontView)
    qtbot.waitUntil(view.to_pareto.isVisible)
    assert not app.actions["front.adopt"].isEnabled()
    assert not app.actions["schedule.pareto.most_bytes"].isEnabled()

    assert app.actions.run("schedule.engine.pareto")
    wait_for_answer(qtbot, app)
    front = app.store.answer.scheduled.schedule.front
    qtbot.waitUntil(view.canvas.isVisible)
    assert [(spot.x, spot.y) for spot in view.canvas.points.spots] == [
        (point.cycles, point.peak_bytes) for point in front
    ]
    assert app.actions["schedule.engine.pareto"].isChecked()
    assert app.view(ControlsView).boxes["engine"].value is Engine.PARETO

    wanted = next(point for point in front if not point.is_taken)
    place = view.canvas.place(front.index(wanted)).toPoint()
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    wait_for_answer(qtbot, app)
    scheduled = app.store.answer.scheduled
    assert scheduled.total.total_cycles == wanted.cycles
    assert max(island.peak_bytes for island in scheduled.schedule.islands) == wanted.peak_bytes
    assert app.view(ControlsView).boxes["pareto.most_bytes"].value is None
    assert {outcome.fate for outcome in scheduled.edits} == {EditFate.HONOURED}
    assert app.actions["edit.undo"].text().startswith("Undo Adopt from the front")
    assert app.headline.parts["time"].told.small[0].startswith(rough_text(wanted.cycles))
    check_all(app)
    # What it comes to against what the strategy had chosen is said in words, with both figures.
    (note,) = app.banner.problems
    chosen = next(point for point in front if point.is_taken)
    against = edits.adopted_against(scheduled, chosen.cycles, is_within_limits=True)
    assert against in note.message.lower()

    # Keys reach the fastest one, and commands the choice of the strategy.
    app.panels.show_panel("front")
    for _ in front:
        assert app.actions.run("front.faster")
    assert app.actions.run("front.adopt")
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.total.total_cycles == front[-1].cycles
    assert app.actions.run("schedule.pareto.most_bytes")
    wait_for_answer(qtbot, app)
    assert app.store.document.edits == ()

    while app.actions["edit.undo"].isEnabled():
        app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document == first
    app.panels.show_panel("front")
    qtbot.waitUntil(view.to_pareto.isVisible)
    app.actions.run("edit.redo")
    app.actions.run("edit.redo")
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.total.total_cycles == wanted.cycles

    # What was adopted is of this model: another one starts without it, and undo leads back to it.
    adopted = app.store.document
    assert adopted.edits
    app.files.open(str(OTHER_MODEL))
    wait_for_answer(qtbot, app)
    assert app.store.document.model.name == OTHER_MODEL.name
    assert app.store.document.edits == ()
    assert app.store.answer.scheduled.edits == ()
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document == adopted
    assert app.store.answer.scheduled.total.total_cycles == wanted.cycles
