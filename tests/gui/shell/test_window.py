"""The window itself; where a system library is missing, the app says which."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QTabBar

from gui.commands.panels import PANELS
from gui.shell.window import Window, model_in


def dragged(*paths: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return data


def test_the_first_model_among_dragged_things_is_taken():
    assert model_in(dragged("/a/b.txt", "/a/c.TFLITE", "/a/d.tflite")) == "/a/c.TFLITE"
    assert model_in(dragged("/a/b.txt")) == ""
    assert model_in(QMimeData()) == ""
    remote = QMimeData()
    remote.setUrls([QUrl("https://example.org/net.tflite")])
    assert model_in(remote) == ""


@pytest.mark.parametrize(("name", "is_taken"), [("net.tflite", True), ("notes.txt", False)])
def test_only_a_model_can_be_dropped(qtbot, tmp_path, name, is_taken):
    window = Window()
    qtbot.addWidget(window)
    heard: list[str] = []
    window.dropped.connect(heard.append)
    path = str(Path(tmp_path / name))
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    copy = Qt.DropAction.CopyAction
    data = dragged(path)
    entering = QDragEnterEvent(QPointF(5, 5).toPoint(), copy, data, left, none)
    QApplication.sendEvent(window, entering)
    assert entering.isAccepted() == is_taken
    QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), copy, data, left, none))
    assert heard == ([path] if is_taken else [])


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from 3.12 on")
def test_qt_gives_back_the_references_to_none_that_it_takes(qtbot):
    # PySide6 6.12.0 loses one on every call that returns None, and aborts after some thousand.
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for index in range(1000):
        label.setText(str(index))
    assert abs(sys.getrefcount(None) - before) < 500


def test_every_title_of_a_tab_is_read_whole_in_a_small_window(qtbot, app_again):
    app_again.window.resize(1280, 800)
    app_again.panels.reset()
    corners = Counter(panel.corner for panel in PANELS)
    count = sum(number for number in corners.values() if number > 1)

    def is_read() -> bool:
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        bars = app_again.panels.findChildren(QTabBar, options=direct)
        places = [
            bar.rect().contains(bar.tabRect(at))
            for bar in bars
            if bar.isVisible()
            for at in range(bar.count())
        ]
        return len(places) == count and all(places)

    qtbot.waitUntil(is_read)
