"""Keep, change, swap, undo, close: what is shown is held against what was kept."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton

from gui.document.session import Session, decode, encode
from tests.gui.answers import model_path
from tests.gui.running import wait_for_answer


@pytest.mark.long
def test_keep_swap_undo_and_close(open_app, qtbot):
    app = open_app(model_path("kws_dscnn"))
    first = app.store.document
    assert app.actions.run("compare.keep")
    assert app.compare_strip.isVisible()
    app.store.edit(first.with_limit(20_000), "limit")
    second = app.store.document
    wait_for_answer(qtbot, app)
    qtbot.waitUntil(lambda: app.store.compared.of(app.store.answer) is not None)
    assert app.compare_strip.change.text() != "comparing..."
    assert app.actions.run("compare.swap")
    assert app.store.document == first
    assert app.store.compared.kept.document == second
    wait_for_answer(qtbot, app)
    app.actions.run("edit.undo")
    assert app.store.document == second
    assert app.actions.run("compare.close")
    assert not app.compare_strip.isVisible()
    assert app.store.compared.kept is None


@pytest.mark.long
def test_a_session_is_compared_with_what_is_shown(open_app, qtbot, tmp_path):
    app = open_app(model_path("kws_dscnn"))
    first = app.store.document
    file = tmp_path / "before.reefpoint"
    file.write_text(encode(app._sessions._work.session))
    app.store.edit(first.with_limit(20_000), "limit")
    wait_for_answer(qtbot, app)
    app.files.keep_file(str(file))
    qtbot.waitUntil(lambda: app.store.compared.of(app.store.answer) is not None, timeout=60_000)
    kept, found = app.store.compared.kept, app.store.compared.latest
    assert (kept.title, kept.document) == ("before.reefpoint", first)
    assert found.figure("fast_storage_bytes").before > found.figure("fast_storage_bytes").after
    # A's times are drawn, and swapping goes back to what was asked in it.
    assert app.store.compared.before is not None
    assert app.actions.run("compare.swap")
    assert app.store.document == first


@pytest.mark.long
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one by one"])
def test_two_files_are_compared_in_one_step(open_app, qtbot, monkeypatch, at_once):
    paths = [str(model_path(name)) for name in ("ad01_int8", "kws_dscnn")]
    given = [paths] if at_once else [paths[:1], paths[1:]]
    answers = iter(given)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (next(answers), ""))
    app = open_app(model_path("resnet8"))
    app.actions.run("help.start")
    (button,) = app.window.findChildren(QPushButton, "compare.two")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert next(answers, None) is None
    wait_for_answer(qtbot, app)
    assert app.store.document.model.path == paths[1]
    qtbot.waitUntil(lambda: app.store.compared.of(app.store.answer) is not None, timeout=60_000)
    assert app.store.compared.kept.document.model.path == paths[0]
    assert app.panels.is_panel_shown("compare")


def test_the_second_is_opened_and_what_is_wrong_with_the_first_is_told(
    open_app, monkeypatch, tmp_path
):
    missing, paths = str(tmp_path / "gone.tflite"), [str(model_path("resnet8"))]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([missing, *paths], ""))
    app = open_app(model_path("kws_dscnn"))
    app.actions.run("compare.two")
    assert app.store.document.model.path == paths[0]
    assert app.store.compared.kept is None
    assert "gone.tflite" in app.banner.text


def test_more_than_two_are_not_compared_and_that_is_said(open_app, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (["a", "b", "c"], ""))
    app = open_app(model_path("kws_dscnn"))
    before = app.store.document
    app.actions.run("compare.two")
    assert app.store.document == before
    assert "3 were chosen" in app.banner.text


@pytest.mark.parametrize(
    "content", [b"{}", b"\xff\xfe", b'{"history": 3}', encode(Session()).encode()], ids=repr
)
def test_what_is_no_session_is_told_and_not_compared(open_app, tmp_path, content):
    app = open_app(model_path("kws_dscnn"))
    file = tmp_path / "broken.reefpoint"
    file.write_bytes(content)
    app.files.keep_file(str(file))
    assert app.store.compared.kept is None
    assert "broken.reefpoint" in app.banner.text


@pytest.mark.long
def test_what_is_kept_is_in_the_session_and_compared_again(open_app, qtbot):
    app = open_app(model_path("kws_dscnn"))
    app.actions.run("compare.keep")
    kept = app.store.compared.kept
    app.store.edit(app.store.document.with_limit(20_000), "limit")
    wait_for_answer(qtbot, app)
    text = encode(app._sessions._work.session)
    assert len(text) < 20_000
    app.actions.run("compare.close")
    app._sessions._work.go_on(decode(text))
    wait_for_answer(qtbot, app)
    qtbot.waitUntil(lambda: app.store.compared.of(app.store.answer) is not None, timeout=60_000)
    again = app.store.compared.kept
    assert (again.title, again.document) == (kept.title, kept.document)
    found = app.store.compared.latest.figure("fast_storage_bytes")
    assert found.before > found.after
