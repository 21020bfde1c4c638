"""A value of the panel Decisions: typed as it is, and read without a digit that is cut."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from core.ir.titles import GAP
from gui.views.decide.value_line import ValueLine
from tests.gui.painted import texts_of

VALUES = ("16 rows (whole)", "0x0 (2); 0x16200 (1)", "4x4x16 (1); 4x4x64 (1); 8x8x128 (1)")


@pytest.mark.parametrize("value", VALUES)
def test_what_does_not_fit_loses_letters_and_no_digit(qtbot, value):
    line = ValueLine("Stripe")
    qtbot.addWidget(line)
    line.show()
    line.show_value(value, "")
    # What is typed over, and what the tip says, is all of it.
    assert line.line.text() == value
    assert value in line.line.toolTip()
    for width in (*range(100, 400, 5), 600):
        line.resize(width, 30)
        (told,) = texts_of(line)
        assert told.cut_figures == []
        assert told.text == value or (GAP in told.text and width < 600)


def test_escape_puts_back_what_is_longer_than_the_line(qtbot):
    line = ValueLine("Stripe")
    qtbot.addWidget(line)
    line.resize(80, 30)
    line.show()
    line.show_value(VALUES[2], "")
    qtbot.keyClicks(line.line, "8")
    qtbot.keyClick(line.line, Qt.Key.Key_Escape)
    assert line.line.text() == VALUES[2]
