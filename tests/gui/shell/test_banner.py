"""The strip: several problems at once, each with what helps, for eyes, keys and ears."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QPushButton

from gui.document.answer import Failure, FailureKind
from gui.document.job import JobPhase, JobState
from gui.document.problem import Deed, Lasts, Problem
from gui.present.problems import ANSWER_KEY
from gui.shell import banner as banner_module
from gui.theme.tones import DARK, LIGHT
from tests.gui.answers import EXAMPLES


@pytest.fixture
def app(app_again):
    return app_again


@pytest.fixture
def heard(monkeypatch):
    said = []
    monkeypatch.setattr(
        banner_module,
        "announce",
        lambda source, text, is_urgent: said.append((source.objectName(), text, is_urgent)),
    )
    return said


def problem(key: str, **changes: object) -> Problem:
    return Problem(key=key, message=f"{key} went wrong.", **changes)


def fail(app, message: str, **changes: object) -> None:
    failure = Failure(document=app.store.document, message=message, **changes)
    app.store.set_job(JobState(phase=JobPhase.FAILED, failure=failure))


def test_several_are_told_at_once_the_latest_on_top(app):
    for key in ("first", "second", "third"):
        app.problems.add(problem(key))
    assert [told.key for told in app.banner.problems] == ["third", "second", "first"]
    QApplication.processEvents()
    assert all(row.isVisible() for row in app.banner.rows)
    tops = [row.y() for row in app.banner.rows]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3


def test_the_same_is_told_once_and_may_be_taken_back(app):
    app.problems.add(problem("disk"))
    app.problems.add(problem("other"))
    app.problems.add(problem("disk", advice="Make room."))
    assert app.problems.count == 2
    assert app.banner.text == "disk went wrong. Make room.\nother went wrong."
    app.problems.take_back("disk")
    app.problems.take_back("nothing")
    assert [told.key for told in app.banner.problems] == ["other"]
    app.problems.take_back("other")
    assert app.banner.isHidden()


def test_each_can_be_put_away(app):
    for key in ("first", "second"):
        app.problems.add(problem(key))
    app.banner.rows[0].close_button.click()
    assert [told.key for told in app.banner.problems] == ["first"]
    app.problems.add(problem("third"))
    app.actions.run("problems.put_away")
    assert app.banner.isHidden()
    assert not app.actions["problems.put_away"].isEnabled()
    assert not app.actions["problems.next"].isEnabled()


def test_what_helps_is_a_command_that_can_run(app, qtbot):
    app.problems.add(
        problem("limit", deeds=(Deed("edit.undo"), Deed("schedule.strategy", "Make it small")))
    )
    undo, small = app.banner.rows[0].buttons
    assert undo.isHidden()
    assert small.text() == "Make it small"
    small.click()
    assert app.store.history.undo_label
    qtbot.waitUntil(lambda: not undo.isHidden())
    assert undo.text() == app.actions["edit.undo"].text()
    undo.click()
    assert not app.store.history.past


def test_keys_reach_every_part(app, qtbot):
    app.window.activateWindow()
    before = QApplication.focusWidget()
    for key in ("first", "second"):
        app.problems.add(problem(key, deeds=(Deed("help.about"),)))
    first, second = reversed(app.banner.rows)
    qtbot.keyClick(app.window, Qt.Key.Key_F7)
    assert QApplication.focusWidget() is second.buttons[0]
    qtbot.keyClick(second.buttons[0], Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is second.close_button
    qtbot.keyClick(app.window, Qt.Key.Key_F7)
    assert QApplication.focusWidget() is first.buttons[0]
    qtbot.keyClick(app.window, Qt.Key.Key_F7)
    assert QApplication.focusWidget() is second.buttons[0]
    # What is put away hands the focus on, and at last to where it came from.
    second.close_button.setFocus()
    qtbot.keyClick(second.close_button, Qt.Key.Key_Space)
    assert QApplication.focusWidget() is first.buttons[0]
    first.close_button.setFocus()
    qtbot.keyClick(first.close_button, Qt.Key.Key_Space)
    assert QApplication.focusWidget() is before


def test_return_works_a_button_too(app, qtbot):
    app.problems.add(problem("first", deeds=(Deed("schedule.strategy"),)))
    qtbot.keyClick(app.banner.rows[0].buttons[0], Qt.Key.Key_Return)
    assert app.store.history.past


def test_all_is_said_aloud_and_has_names(app, heard):
    app.problems.add(problem("disk", advice="Make room.", deeds=(Deed("file.open"),)))
    app.problems.add(problem("offer", is_note=True))
    assert heard == [
        ("banner", "disk went wrong. Make room.", True),
        ("banner", "offer went wrong.", False),
    ]
    offer, disk = app.banner.rows
    assert (disk.mark.accessibleName(), offer.mark.accessibleName()) == ("Problem", "Note")
    # Not by colour alone.
    assert disk.mark.text() != offer.mark.text()
    assert disk.label.accessibleName() == "disk went wrong. Make room."
    assert disk.close_button.accessibleName() == "Put away: disk went wrong."
    assert [button.accessibleName() for button in disk.buttons] == ["Open..."]


def test_an_announcement_needs_no_reader(app):
    app.problems.add(problem("disk"))


def test_many_scroll_and_leave_room(app):
    for number in range(30):
        app.problems.add(problem(f"number {number}"))
    QApplication.processEvents()
    assert app.banner.height() < app.window.height() // 4
    assert app.banner.verticalScrollBar().maximum() > 0
    # Going through them brings each into sight.
    for _ in range(30):
        app.actions.run("problems.next")
    row = app.banner.rows[-1]
    top = row.mapTo(app.banner.viewport(), row.rect().topLeft()).y()
    assert 0 <= top < app.banner.viewport().height()


def test_long_texts_are_whole_in_narrow_windows(app, qtbot):
    app.problems.add(problem("disk", advice="word " * 60, deeds=(Deed("file.open"),)))
    row = app.banner.rows[0]
    app.window.resize(1280, 800)
    QApplication.processEvents()
    wide = row.height()
    app.window.resize(700, 600)
    qtbot.waitUntil(lambda: row.height() > wide)
    needed = row.label.heightForWidth(row.label.width())
    assert row.label.height() >= needed
    assert row.height() <= app.banner.height() or app.banner.verticalScrollBar().maximum() > 0


def test_another_model_takes_back_what_was_said_of_others(app):
    app.problems.add(problem("file", lasts=Lasts.MODEL))
    app.problems.add(problem("export"))
    app.files.open(str(EXAMPLES / "resnet8.tflite"))
    assert [told.key for told in app.banner.problems] == ["export"]


def test_an_edit_takes_nothing_back(app):
    app.problems.add(problem("file", lasts=Lasts.MODEL))
    app.actions.run("schedule.strategy")
    assert app.problems.count == 1


@pytest.mark.parametrize(
    ("kind", "is_edited", "commands"),
    [
        (FailureKind.REFUSED, False, ["file.open"]),
        (FailureKind.REFUSED, True, ["edit.undo"]),
        (FailureKind.CANCELLED, True, ["schedule.again", "edit.undo"]),
        (FailureKind.ENDED, False, ["schedule.again", "help.report"]),
        (FailureKind.FAULT, True, ["help.report", "edit.undo"]),
    ],
)
def test_a_failure_comes_with_what_helps(app, kind, is_edited, commands):
    if is_edited:
        app.actions.run("schedule.strategy")
    fail(app, "it did not work", kind=kind)
    (told,) = app.banner.problems
    assert told.key == ANSWER_KEY
    assert told.message == "it did not work."
    assert [deed.command for deed in told.deeds] == commands
    assert told.is_note == (kind is FailureKind.CANCELLED)
    fail(app, "again", kind=kind)
    assert [told.message for told in app.banner.problems] == ["again."]
    app.store.set_job(JobState())
    assert app.banner.isHidden()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colours_are_the_theme_s(app, theme):
    app.problems.add(problem("disk"))
    app.problems.add(problem("offer", is_note=True))
    app.actions.run(f"view.theme.{theme.name}")
    QApplication.processEvents()
    offer, disk = app.banner.rows
    for row, edge in ((disk, theme.danger), (offer, theme.accent)):
        image = row.grab().toImage()
        assert image.pixelColor(2, row.height() // 2) == QColor(edge)
        assert image.pixelColor(row.width() // 2, row.height() // 2) == QColor(theme.base)
        assert row.findChildren(QPushButton) == []
