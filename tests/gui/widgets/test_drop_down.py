"""Lists of every kind: names lose letters, no figure is cut, and the tip has the whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QListWidgetItem, QToolTip

import gui
from gui.widgets.drop_down import DropDown
from gui.widgets.name_list import NameList
from tests.gui.painted import texts_of

LONG = "cascade of 12 operators, conv2d_14 to depthwise_conv2d_31, 1,204 KiB"
OTHERS = {"drop_down.py": "QComboBox", "name_list.py": "QListWidget"}
"""Where Qt's own are made ours."""


@pytest.fixture
def box(qtbot):
    made = DropDown("Cascade")
    qtbot.addWidget(made)
    made.addItems([LONG, "conv2d_2"])
    made.show()
    return made


def pointed_at(box):
    """The tip that comes of it."""
    QToolTip.hideText()
    place = QPoint(5, 5)
    QApplication.sendEvent(box, QHelpEvent(QEvent.Type.ToolTip, place, box.mapToGlobal(place)))
    return QToolTip.text()


def test_there_is_no_list_but_ours():
    made = re.compile(r"(?:= |class \w+\()(QComboBox|QListWidget)\b")
    files = Path(gui.__file__).parent.rglob("*.py")
    found = {file.name: set(made.findall(file.read_text("utf-8"))) for file in files}
    assert {file: names for file, names in found.items() if names} == {
        file: {name} for file, name in OTHERS.items()
    }


@pytest.mark.parametrize("width_px", [110, 170, 240, 330])
def test_what_was_chosen_keeps_its_figures(box, width_px):
    box.resize(width_px, box.sizeHint().height())
    (shown,) = texts_of(box)
    assert shown.cut_figures == []
    assert shown.left + box.fontMetrics().horizontalAdvance(shown.text) <= shown.seen[1]
    box.setToolTip("Which cascade is shown")
    assert pointed_at(box) == f"{LONG}\nWhich cascade is shown"


def test_what_is_whole_has_the_tip_of_its_list(box):
    box.setCurrentIndex(1)
    box.setToolTip("Which cascade is shown")
    box.resize(400, box.sizeHint().height())
    assert [each.text for each in texts_of(box)] == ["conv2d_2"]
    assert pointed_at(box) == "Which cascade is shown"


def test_where_nothing_is_chosen_that_is_said(box):
    box.setPlaceholderText("different ways")
    box.setCurrentIndex(-1)
    assert [each.text for each in texts_of(box)] == ["different ways"]


@pytest.mark.parametrize("width_px", [70, 150, 260])
def test_names_in_a_list_keep_their_figures(qtbot, width_px):
    names = NameList("Rules that are on")
    qtbot.addWidget(names)
    for text in (LONG, "14 of 31 operators, 1,204 KiB"):
        names.addItem(QListWidgetItem(text))
    names.resize(width_px, 100)
    with qtbot.waitExposed(names):
        names.show()
    painted = list(texts_of(names.viewport()))
    assert len(painted) == names.count()
    assert not names.horizontalScrollBar().isVisible()
    for text in painted:
        assert text.cut_figures == []
        width = names.fontMetrics().horizontalAdvance(text.text)
        assert text.left + width <= names.viewport().width() + 1
