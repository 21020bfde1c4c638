"""Cells with too little room: names lose their middle, and no number is cut."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QStringListModel
from PySide6.QtWidgets import QListView

from gui.widgets.fitted_cells import FittedCells
from tests.gui.painted import texts_of

NAMES = ["25 output of conv2d_14", "1,204 KiB of weights of conv2d_17", "conv2d_2"]
WIDTHS_PX = range(60, 260, 7)


@pytest.mark.parametrize("width_px", WIDTHS_PX)
def test_no_number_is_cut_at_any_width(qtbot, width_px):
    names = QListView()
    names.setModel(QStringListModel(NAMES))
    names.setItemDelegate(FittedCells(names))
    qtbot.addWidget(names)
    names.resize(width_px, 100)
    with qtbot.waitExposed(names):
        names.show()
    painted = list(texts_of(names))
    assert len(painted) == len(NAMES)
    assert [text.text for text in painted if text.cut_figures] == []


def test_a_cell_asks_for_room_for_its_whole_text(qtbot):
    names = QListView()
    names.setModel(QStringListModel(NAMES))
    qtbot.addWidget(names)
    names.resize(60, 100)
    rows = [names.model().index(row, 0) for row in range(len(NAMES))]
    wanted = [names.sizeHintForIndex(row) for row in rows]
    names.setItemDelegate(FittedCells(names))
    assert [names.sizeHintForIndex(row) for row in rows] == wanted
