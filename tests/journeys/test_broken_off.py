"""Drags in the timeline, broken off at any step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.document.examples import FIRST_EXAMPLE
from gui.document.selection import Selection
from gui.items.canvas import Canvas
from gui.present.edits.subjects import free_ops
from gui.views.timeline.view import TimelineView
from gui.widgets.held_overlay import HeldOverlay
from tests.gui.items.drawing import drag_to
from tests.journeys.test_drags import NEIGHBOURS, UNASKED, bytes_of, middle, slice_of
from tests.journeys.test_limit import DEDICATED

STEPS = tuple((steps, part) for steps in (1, 2, 5) for part in range(1, steps + 1))


class Drag(NamedTuple):
    """Something that is dragged over lanes, and what is shown meanwhile."""

    lanes: Canvas
    start: QPoint
    end: QPoint
    overlay: HeldOverlay


def bar(app) -> Drag:
    """The bar of a cascade, onto its neighbour."""
    view = app.view(TimelineView)
    lanes = view.stage.lanes
    start, end = (middle(lanes, lanes.cascades.rects, at) for at in (0, 1))
    return Drag(lanes, start, end, view.grip.overlay)


def order(app) -> Drag:
    """An operator that is selected, along its lane."""
    view = app.view(TimelineView)
    plans = [plan.op for plan in app.store.answer.scheduled.plans()]
    op, other = next(
        (op, other)
        for op in reversed(plans)
        for other in plans[: plans.index(op)]
        if other in free_ops(app.store.answer, op)
    )
    app.store.select(Selection(op=op))
    QApplication.processEvents()
    start, end = (slice_of(view.stage, each) for each in (op, other))
    return Drag(view.stage.lanes, start, end, view.order_grip.overlay)


@pytest.mark.long
@pytest.mark.parametrize("way", ["esc", "right"])
@pytest.mark.parametrize("take", [bar, order], ids=lambda take: take.__name__)
def test_a_drag_that_is_broken_off_at_any_step_changes_no_byte(
    open_app, take: Callable[..., Drag], way: str
):
    if take is order:
        app = open_app(FIRST_EXAMPLE, **DEDICATED)
    else:
        app = open_app(NEIGHBOURS, **DEDICATED, limit_bytes=24 << 10)
    app.panels.show_panel("timeline")
    drag = take(app)
    before, chosen, heard, shown = bytes_of(app), app.store.selection, [], 0
    lanes = drag.lanes
    ranges = lanes.box.x_range, lanes.box.y_range
    app.store.changed.connect(heard.append)
    for steps, part in STEPS:
        end = drag.start + (drag.end - drag.start) * part / steps
        with drag_to(lanes, drag.start, end, steps=part):
            shown += drag.overlay.isVisible()
            if way == "esc":
                QTest.keyClick(lanes, Qt.Key.Key_Escape)
            else:
                QTest.mouseClick(lanes.viewport(), Qt.MouseButton.RightButton, pos=drag.start)
            assert not drag.overlay.isVisible()
    assert shown == len(STEPS)
    # Answers and what follows from them go on coming.
    assert not [change for change in heard if not change.parts <= UNASKED]
    assert bytes_of(app) == before
    assert app.store.selection == chosen
    assert (lanes.box.x_range, lanes.box.y_range) == ranges
    assert not app.actions["edit.undo"].isEnabled()
