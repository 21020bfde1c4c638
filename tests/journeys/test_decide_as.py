"""Decisions of a file in the window: of edits, of a schedule as JSON, of a compiled model."""

from __future__ import annotations

import json

import pytest

from core.api import compiler, edits, listings
from core.base.digest import digest_bytes
from core.ir.edits import EditFate
from core.ir.options import Search
from tests.gui.answers import EXAMPLES, answer_of
from tests.gui.running import wait_for_answer

KWS = EXAMPLES / "kws_dscnn.tflite"


@pytest.fixture
def app(open_app):
    return open_app(KWS)


FILES = {
    "edits.json": lambda scheduled: edits.decisions(scheduled, digest_bytes(KWS.read_bytes())),
    "schedule.json": lambda scheduled: json.dumps(listings.describe_schedule("kws", scheduled)),
    "compiled.tflite": lambda scheduled: compiler.compile_model(scheduled).data,
}


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_what_a_file_decides_is_asked_for_in_one_step(app, qtbot, tmp_path, name):
    before = app.store.answer.scheduled
    content = FILES[name](before)
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert app.files.decide_as(str(path))
    wait_for_answer(qtbot, app)
    done = app.store.answer.scheduled
    assert len(done.edits) > 50
    assert {outcome.fate for outcome in done.edits} == {EditFate.HONOURED}
    assert done.total == before.total
    assert name in app.banner.problems[0].message
    cycles = f"{round(before.total.total_cycles):,} cycles"
    assert f"as fast as what is searched: {cycles}" in app.banner.problems[0].message
    app.store.undo()
    assert app.store.document.edits == ()


@pytest.mark.long
def test_what_is_slower_than_what_was_searched_is_said_with_a_way_on(app, qtbot, tmp_path):
    before = app.store.answer.scheduled
    slow = answer_of("kws_dscnn", search=Search.COMPATIBLE, limit_bytes=10_000).scheduled
    path = tmp_path / "slow.tflite"
    path.write_bytes(compiler.compile_model(slow).data)
    assert app.files.decide_as(str(path))
    wait_for_answer(qtbot, app)
    (note,) = app.banner.problems
    against = edits.adopted_against(
        app.store.answer.scheduled, before.total.total_cycles, is_within_limits=True
    )
    assert against in note.message.lower()
    assert "times slower than what is searched" in note.message
    app.actions.run("edits.search_anew")
    assert app.store.document.around is None
    assert app.banner.problems == ()


@pytest.mark.long
@pytest.mark.parametrize("content", ["", "{}", '{"reefpoint": "edits", "version": 9}'])
def test_another_file_is_refused_and_changes_nothing(app, tmp_path, content):
    path = tmp_path / "odd.json"
    path.write_text(content)
    assert not app.files.decide_as(str(path))
    (problem,) = app.banner.problems
    assert "odd.json" in problem.message
    assert app.store.document.edits == ()
