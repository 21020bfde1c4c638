"""A window that begins with what a file decides: it says so, and nothing else begins with that."""

from __future__ import annotations

import json
import shutil

import main
from core.api import edits
from gui.document.examples import FIRST_EXAMPLE
from gui.document.selection import Selection
from gui.shell import command_line
from tests.gui.answers import answer_to
from tests.gui.running import wait_for_answer

TARGET = ("--accelerator", "ethos-u65-256", "--arena-cache-size", "96K")


def schedule_file(path) -> str:
    """What another search finds for the first example, as JSON."""
    asked = [str(FIRST_EXAMPLE), *TARGET, "--optimise", "Size", "--quiet"]
    assert main.main(["schedule", *asked, "--json", str(path)]) == 0
    return str(path)


def told(app) -> list[str]:
    return [problem.message for problem in app.banner.problems]


def test_a_window_begins_with_the_schedule_of_a_file_for_edits_around_it(open_app, qtbot, tmp_path):
    asked = [str(FIRST_EXAMPLE), "--accelerator", "ethos-u65-256", "--arena-cache-size", "96K"]
    file = tmp_path / "shown.json"
    assert (
        main.main(["schedule", *asked, "--optimise", "Size", "--quiet", "--json", str(file)]) == 0
    )
    cycles = json.loads(file.read_text("utf-8"))["totals"]["total_cycles"]
    app = open_app(request=command_line.request_of([*asked, "--around", str(file)]))
    shown, document = app.store.answer.scheduled, app.store.document
    assert shown.total.total_cycles == cycles
    assert app.headline.parts["edits"].said.startswith("no edits, all as it was shown")
    app.store.select(Selection(op=3))
    app.actions.run("edits.evict")
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.around.ground.cycles == cycles
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document == document
    assert app.store.answer.scheduled.total == shown.total


def test_it_says_what_is_adopted_until_something_else_is_asked(open_app, qtbot, tmp_path):
    file = schedule_file(tmp_path / "other.json")
    asked = [str(FIRST_EXAMPLE), *TARGET, "--search", "direct", "--adopt", file]
    app = open_app(request=command_line.request_of(asked))
    decisions = len(app.store.document.edits)
    (said,) = told(app)
    assert said.startswith(f"other.json: {decisions} decisions of ")
    assert "operators are asked for." in said
    # What the search finds without the file comes once nobody waits for anything else.
    qtbot.waitUntil(lambda: "what is searched" in told(app)[0], timeout=40_000)
    searched = answer_to(app.store.document.with_edits(())).scheduled
    against = edits.adopted_against(
        app.store.answer.scheduled,
        searched.total.total_cycles,
        is_within_limits=searched.layout.is_within_limits,
    )
    assert against in told(app)[0].lower()
    app.actions.run("schedule.limit_down")
    assert told(app) == []


def test_the_example_does_not_begin_with_what_was_decided_about_a_model_that_is_gone(
    open_app, tmp_path
):
    model = tmp_path / "mine.tflite"
    shutil.copy(FIRST_EXAMPLE, model)
    file = schedule_file(tmp_path / "other.json")
    for option in ("--around", "--adopt"):
        request = command_line.request_of([str(model), *TARGET, option, file])
        assert request.around is not None or request.settings.options.edits
        model.unlink()
        app = open_app(request=request)
        document = app.store.document
        assert document.model.name == FIRST_EXAMPLE.name
        assert document.around is None
        assert document.edits == ()
        left_out = "What was decided about mine.tflite is left out: this is another model."
        assert left_out in told(app)
        shutil.copy(FIRST_EXAMPLE, model)
