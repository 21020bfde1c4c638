"""What to begin with: offered over the window, chosen by mouse or keys, gone with the focus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFrame, QPushButton

from gui.document.examples import EXAMPLES
from tests.gui.running import SMALL_MODEL


@pytest.fixture
def app(app_again):
    app_again.actions.run("help.start")
    return app_again


def shown(app) -> QFrame | None:
    QApplication.processEvents()
    found = app.window.findChildren(QFrame, "start")
    return next((each for each in found if each.isVisible()), None)


def test_it_offers_what_can_be_opened_and_a_click_opens_it(app, qtbot):
    screen = shown(app)
    names = [button.objectName() for button in screen.buttons]
    assert names[0] == "file.open"
    assert {f"file.example.{path.stem}" for path in EXAMPLES.glob("*.tflite")} <= set(names)
    assert {"schedule.boards", "compare.two", "compare.open", "help.tour"} <= set(names)
    # What was not opened yet has no place.
    recents = [name for name in names if name.startswith("file.recent.")]
    assert len(recents) == min(len(app.preferences.recents), 6)
    assert app.window.rect().contains(screen.geometry())
    other = screen.findChild(QPushButton, "file.example.resnet8")
    qtbot.mouseClick(other, Qt.MouseButton.LeftButton)
    assert app.store.document.model.name == "resnet8.tflite"
    assert shown(app) is None


def test_arrows_go_through_it_and_escape_leaves_it(app, qtbot):
    screen = shown(app)
    first, second, *_ = [button for button in screen.buttons if button.isEnabled()]
    qtbot.waitUntil(first.hasFocus)
    qtbot.keyClick(first, Qt.Key.Key_Down)
    assert second.hasFocus()
    qtbot.keyClick(second, Qt.Key.Key_Up)
    assert first.hasFocus()
    qtbot.keyClick(first, Qt.Key.Key_Escape)
    assert shown(app) is None
    assert app.store.document.model.path == str(SMALL_MODEL)


def test_it_goes_where_the_focus_goes_elsewhere(app):
    assert shown(app) is not None
    app.panels.show_panel("timeline")
    assert shown(app) is None
