"""A timeline in a test, with everything that it announces."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.ir.trace import NOTHING, Lane
from gui.views.timeline.view import TimelineView
from tests.gui import answers
from tests.gui.exposed import exposed
from tests.gui.items.drawing import pixel_of

CASCADING = ("resnet8", {"limit_bytes": 12_000})


LEFT = Qt.MouseButton.LeftButton


class Watched:
    """A store that shows an answer, a view of it, and every change that was announced."""

    def __init__(self, qtbot, name, size=(1000, 560), **settings):
        self.answer = answers.answer_of(name, **settings)
        self.store = answers.store_with(self.answer)
        self.view = exposed(qtbot, TimelineView(self.store), *size)
        QApplication.processEvents()
        self.changes = []
        self.store.changed.connect(self.changes.append)

    @property
    def stage(self):
        return self.view.stage

    @property
    def lanes(self):
        return self.view.stage.lanes

    @property
    def trace(self):
        return self.answer.analysis.trace

    @property
    def shown(self):
        return self.lanes.box.x_range

    def selected_ops(self):
        """The operators that are outlined."""
        keys = [key for key in self.lanes.slices.selected if key >= 0]
        return {int(op) for op in self.trace.op[keys]} - {NOTHING}

    def middle_of(self, position):
        """The pixel in the middle of what is in sight of a slice."""
        start = max(self.trace.start_cycle[position], self.shown.start)
        end = min(self.trace.end_cycle[position], self.shown.end)
        row = self.lanes.rows.lanes[self.trace.lane[position]]
        return pixel_of(self.lanes, (start + end) / 2, row.middle)


def longest(trace, lane=Lane.MAC):
    length = np.where(trace.lane == lane, trace.end_cycle - trace.start_cycle, -1.0)
    return int(np.argmax(length))
