"""Measured cycles beside the estimates, from a file to the views."""

from __future__ import annotations

import json

import pytest

from gui.document.selection import Selection
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import EXAMPLES
from tests.gui.running import wait_for_answer

KWS = EXAMPLES / "kws_dscnn.tflite"


@pytest.fixture
def app(open_app):
    app = open_app(KWS)
    app.panels.show_panel("operators")
    return app


def measured_file(folder, app, skip=()):
    """A file in which every operator takes twice what is estimated."""
    scheduled = app.store.answer.scheduled
    rows = [
        {"index": op.id, "cycles": 2 * scheduled.costs[op.id].total_cycles}
        for op in scheduled.run.graph.ops
        if op.id not in skip
    ]
    path = folder / "measured.json"
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.long
def test_measured_cycles_are_a_column_and_a_lane(app, tmp_path):
    scheduled = app.store.answer.scheduled
    assert app.files.measure(str(measured_file(tmp_path, app, skip=(3,))))
    app.store.turns.finish()
    table = app.view(OperatorsView)._model.table
    shown = [column.id for column in app.view(OperatorsView).table.shown_columns()]
    assert shown.index("measured") == shown.index("cycles") + 1
    known = table.numbers["measured"]
    for row, op in enumerate(table.op.tolist()):
        if op == 3:
            assert known[row] != known[row]
        else:
            assert known[row] == pytest.approx(2 * scheduled.costs[op].total_cycles)
            assert table.numbers["deviation"][row] == pytest.approx(2.0)
    data = app.view(TimelineView).stage.data
    assert data.measured.op.tolist() == [op.id for op in scheduled.run.graph.ops if op.id != 3]
    total = scheduled.total.total_cycles
    assert data.end_cycle == pytest.approx(2 * total - scheduled.costs[3].total_cycles)
    lanes = app.view(TimelineView).stage.lanes
    assert lanes.rows.measured.title == "Measured"
    assert lanes.measured.rects.count == len(data.measured.op)
    app.store.select(Selection(op=scheduled.run.graph.ops[5].id))
    assert 5 in lanes.measured.selected
    assert "200 % of the estimate" in app.view(TimelineView).stage.strip.selection.text


@pytest.mark.long
def test_they_stay_while_settings_change_and_go_with_the_model(app, tmp_path, qtbot):
    app.files.measure(str(measured_file(tmp_path, app)))
    app.actions.run("schedule.strategy")
    wait_for_answer(qtbot, app)
    assert app.store.answer.measured.rows
    assert app.actions.run("file.example.resnet8")
    wait_for_answer(qtbot, app)
    assert app.store.answer.measured is None
    assert app.view(TimelineView).stage.lanes.rows.measured is None


@pytest.mark.long
def test_rows_that_are_no_operator_are_listed(app, tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("name,cycles\nnobody,5\n0,100\n999,7\n1,many\n")
    assert app.files.measure(str(path))
    (problem,) = app.banner.problems
    assert "board.csv: cycles of 1 operator of" in problem.message
    for part in ("line 2, 'nobody'", "line 4, '999'", "line 5, '1'", "'many' is no number"):
        assert part in problem.message
    assert not problem.is_note


@pytest.mark.long
@pytest.mark.parametrize("content", ["", "no headings at all", "{}", "[1, 2]"])
def test_a_file_of_something_else_is_refused_and_changes_nothing(app, tmp_path, content):
    path = tmp_path / "odd.json"
    path.write_text(content)
    assert not app.files.measure(str(path))
    (problem,) = app.banner.problems
    assert "odd.json" in problem.message
    assert app.store.answer.measured is None
    assert app.store.measurement is None


def test_estimates_can_be_shown_alone_again(app, tmp_path):
    assert not app.actions.run("file.forget_measured")
    app.files.measure(str(measured_file(tmp_path, app)))
    assert app.actions.run("file.forget_measured")
    assert app.store.answer.measured is None
    assert app.banner.problems == ()
    shown = [column.id for column in app.view(OperatorsView).table.shown_columns()]
    assert "measured" not in shown


@pytest.mark.long
def test_they_are_part_of_a_session(app, tmp_path, qtbot):
    file, measured = tmp_path / "work.reefpoint", measured_file(tmp_path, app)
    app.files.measure(str(measured))
    shown = app.store.answer.measured
    app.sessions.save_file(file)
    app.files.open(str(EXAMPLES / "resnet8.tflite"))
    wait_for_answer(qtbot, app)
    app.sessions.open_file(file)
    wait_for_answer(qtbot, app)
    qtbot.waitUntil(lambda: app.store.measurement is not None)
    assert app.store.answer.measured == shown
    # The file may have come along with the session, into another folder.
    other = tmp_path / "other"
    other.mkdir()
    file, measured = file.rename(other / file.name), measured.rename(other / measured.name)
    app.sessions.open_file(file)
    wait_for_answer(qtbot, app)
    qtbot.waitUntil(lambda: app.store.measurement is not None)
    assert app.store.measurement.path == str(measured)
    # Gone, it is missed, and the rest of the work is there.
    measured.unlink()
    app.sessions.open_file(file)
    wait_for_answer(qtbot, app)
    qtbot.waitUntil(lambda: "measured.json: No such file" in app.banner.text)
    assert app.store.is_current
    assert app.store.answer.measured is None
