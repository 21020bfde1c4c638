"""Opening models: the examples, real ones, and odd ones."""

from __future__ import annotations

import pytest

from core.ir.settings import Settings
from gui.document.examples import EXAMPLES, FIRST_EXAMPLE
from gui.settings.preferences import Forgetful
from gui.shell.request import Request
from gui.views.memory.view import MemoryView
from tests import shared
from tests.gui.running import is_failed, wait_for_answer
from tests.journeys import models
from tests.journeys.agreement import check_all


def test_a_start_without_a_model_shows_an_example(open_app):
    app = open_app("")
    assert app.store.document.model.path == str(FIRST_EXAMPLE)
    # There is something to look at: cascades, and maps that had no room.
    scheduled = app.store.answer.scheduled
    assert any(island.cascades for island in scheduled.schedule.islands)
    assert app.view(MemoryView).shown.ghosts
    assert scheduled.layout.is_within_limits
    check_all(app)
    # Other models are asked for as if it had not been shown.
    app.files.open(str(EXAMPLES / "kws_dscnn.tflite"))
    assert app.store.document.settings == Settings()


@pytest.mark.long
def test_every_example_can_be_opened_one_after_the_other(open_app, qtbot):
    app = open_app("")
    for path in sorted(EXAMPLES.glob("*.tflite")):
        assert app.actions.run(f"file.example.{path.stem}")
        wait_for_answer(qtbot, app)
        assert app.store.document.model.name == path.name
        check_all(app)
    # Examples are at hand anyway.
    assert app.preferences.recents == ()


@pytest.mark.slow
@pytest.mark.parametrize("path", shared.files("models/*.tflite"), ids=lambda path: path.stem)
@pytest.mark.parametrize(
    "settings",
    [{}, {"accelerator": "ethos-u65-256", "limit_bytes": 196_608}],
    ids=["shared", "dedicated"],
)
def test_every_real_model_can_be_opened(open_app, path, settings):
    app = open_app(shared.need(path), **settings)
    check_all(app)
    assert not app.window.grab().toImage().isNull()


@pytest.mark.long
@pytest.mark.parametrize(
    "make",
    [models.one_operator, models.on_the_cpu, models.many_outputs, models.nothing_in_a_tensor],
    ids=lambda make: make.__name__,
)
def test_odd_models_are_shown_like_others(open_app, tmp_path, make):
    app = open_app(make(tmp_path))
    check_all(app)


@pytest.mark.parametrize(
    "name",
    [
        "broken",
        "missing",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("text", "folder", "empty")),
    ],
)
def test_what_is_no_model_is_told_and_the_next_one_works(open_app, qtbot, tmp_path, name):
    path = {
        "text": lambda: models.text(tmp_path),
        "broken": lambda: models.broken(tmp_path, FIRST_EXAMPLE),
        "missing": lambda: tmp_path / "missing.tflite",
        "folder": lambda: tmp_path,
        "empty": lambda: models.empty(tmp_path),
    }[name]()
    app = open_app(EXAMPLES / "kws_dscnn.tflite")
    app.files.open(str(path))
    wait_for_answer(qtbot, app)
    assert not app.banner.isHidden()
    assert path.name in app.banner.text
    assert "\n" not in app.banner.text
    # What was open stays open, and is no step further in its history.
    assert not is_failed(app)
    assert app.store.document.model.name == "kws_dscnn.tflite"
    assert not app.actions["edit.undo"].isEnabled()
    assert not app.actions["edit.redo"].isEnabled()
    assert str(path) not in app.preferences.recents
    check_all(app)
    app.files.open(str(EXAMPLES / "resnet8.tflite"))
    wait_for_answer(qtbot, app)
    assert app.banner.isHidden()
    check_all(app)


@pytest.mark.long
def test_a_start_with_a_missing_model_says_so_over_an_example(open_app, tmp_path):
    app = open_app(tmp_path / "missing.tflite")
    assert "missing.tflite" in app.banner.text
    assert not app.banner.isHidden()
    assert app.store.document.model.path == str(FIRST_EXAMPLE)


@pytest.mark.long
def test_models_that_were_opened_are_remembered(open_app, qtbot, tmp_path):
    storage = Forgetful()
    first = models.one_operator(tmp_path)
    second = tmp_path / "second.tflite"
    second.write_bytes(first.read_bytes())
    app = open_app(first, storage=storage)
    app.files.open(str(second))
    wait_for_answer(qtbot, app)
    assert app.preferences.recents == (str(second), str(first))
    assert app.actions["file.recent.2"].text() == f"{first.name} - {tmp_path}"
    assert app.actions["file.recent.2"].isVisible()
    assert not app.actions["file.recent.3"].isVisible()
    assert app.actions.run("file.recent.2")
    wait_for_answer(qtbot, app)
    assert app.store.document.model.path == str(first)
    again = open_app("", storage=storage)
    assert again.preferences.recents == (str(first), str(second))
    again.actions.run("file.forget_recents")
    assert not again.actions["file.recent.1"].isVisible()


@pytest.mark.long
def test_settings_stay_from_one_model_to_the_next(open_app, qtbot):
    app = open_app(EXAMPLES / "kws_dscnn.tflite", request=Request(), accelerator="ethos-u65-512")
    app.actions.run("file.example.kws_dscnn")
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.target.accelerator.name == "ethos-u65-512"
    assert app.actions["edit.undo"].text() == "Undo Open kws_dscnn.tflite"
