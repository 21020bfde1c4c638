"""Words beside the timeline: what has no room in a column is left out whole."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from gui.present.timeline.rows import Fold
from gui.theme.tones import Tone
from gui.views.timeline.strip import Strip

WIDTH_PX = 255
SUMS = tuple(f"{number:,} cycles of part {number}" for number in range(1_000, 1_010))
CLASSES = [(tone, tone.value) for tone in (Tone.STALL, Tone.WEIGHTS, Tone.PREFETCH, Tone.TABLE)]


@pytest.fixture(autouse=True, params=[9, 10, 13, 18])
def letters(qapp, request):
    """In four sizes of letters, whichever apps before have set."""
    before = qapp.font()
    font = QFont(before)
    font.setPointSizeF(request.param)
    qapp.setFont(font)
    yield
    qapp.setFont(before)


def settle():
    """Layouts go from part to part."""
    for _ in range(5):
        QApplication.processEvents()


def test_what_is_selected_is_told_whole_in_a_column_where_two_lines_hold_it(qtbot, monkeypatch):
    strip = Strip()
    qtbot.addWidget(strip)
    told = "20 add · block5: 1,808 cycles from 127,158 on; what decides: output"
    width = strip.fontMetrics().horizontalAdvance(told) * 2 // 3
    strip.stand(width)
    strip.resize(width, 400)
    strip.show()
    strip.selection.show_text(told)
    settle()
    drawn = []
    monkeypatch.setattr(QPainter, "drawText", lambda *given: drawn.append(given[-1]))
    strip.selection.repaint()
    assert drawn == [told]
    strip.selection.show_text(" ".join([told] * 9))
    strip.selection.repaint()
    assert len(drawn[-1]) < len(" ".join([told] * 9))


@pytest.mark.parametrize("classes", range(1, len(CLASSES) + 1))
@pytest.mark.parametrize("height_px", [190, 210, 230, 250, 270, 290, 420])
def test_a_column_cuts_no_line(qtbot, height_px, classes):
    window = QWidget()
    qtbot.addWidget(window)
    strip = Strip()
    strip.setParent(window)
    strip.stand(WIDTH_PX)
    strip.resize(WIDTH_PX, height_px)
    window.show()
    strip.selection.show_text("9 add: 56,528 cycles from 1,167,790 cycles on")
    strip.set_totals(SUMS, "All")
    strip.legend.set_entries(CLASSES[:classes])
    strip.set_folds([Fold.STRIPES])
    strip.align.show()
    settle()
    assert strip.height() == height_px
    for part in (strip.totals, strip.legend):
        assert part.height() >= part.heightForWidth(part.width())
    shown = strip.totals.text().split("\n")
    assert shown[0] == "All"
    whole = shown[1:] == list(SUMS)
    assert whole or strip.totals.toolTip().split("\n") == ["All", *SUMS]
    strip.resize(WIDTH_PX, 1200)
    settle()
    assert strip.totals.text().split("\n") == ["All", *SUMS]
