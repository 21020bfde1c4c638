"""Drags in the timeline and over the picture of a cascade, broken off at any step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from gui.document.examples import FIRST_EXAMPLE
from gui.document.selection import Selection
from gui.present.edits.subjects import free_ops
from gui.views.cascades.view import CascadesView
from gui.views.timeline.view import TimelineView
from gui.widgets.held_overlay import HeldOverlay
from tests.gui.items.drawing import drag_to
from tests.journeys.test_drags import UNASKED, bytes_of, edge, middle, on_picture, slice_of
from tests.journeys.test_limit import DEDICATED

PRESS, MOVE, RELEASE = (
    QMouseEvent.Type.MouseButtonPress,
    QMouseEvent.Type.MouseMove,
    QMouseEvent.Type.MouseButtonRelease,
)
STEPS = tuple((steps, part) for steps in (1, 2, 5) for part in range(1, steps + 1))


class Drag(NamedTuple):
    """Something that is held: where, by what, and what is shown meanwhile."""

    widget: QWidget
    start: QPointF
    end: QPointF
    overlay: HeldOverlay
    canvas: object = None
    """Where it is dragged over lanes."""

    def at(self, step: float) -> QPointF:
        """A place on the way."""
        return self.start + (self.end - self.start) * step

    @contextmanager
    def held(self, steps: int, part: int) -> Iterator[None]:
        """Some of its steps; what is done inside is done before it is let go."""
        if self.canvas is not None:
            start, end = self.start.toPoint(), self.at(part / steps).toPoint()
            with drag_to(self.canvas, start, end, steps=part):
                yield
            return
        on_picture(self.widget, PRESS, self.start)
        for step in range(1, part + 1):
            on_picture(self.widget, MOVE, self.at(step / steps))
        yield
        on_picture(self.widget, RELEASE, self.at(part / steps))

    def press_right(self) -> None:
        """Another button."""
        if self.canvas is not None:
            where = self.start.toPoint()
            QTest.mousePress(self.widget, Qt.MouseButton.RightButton, pos=where)
        else:
            on_picture(self.widget, PRESS, self.start, Qt.MouseButton.RightButton)


def bar(app) -> Drag:
    """The bar of a cascade, onto its neighbour."""
    view = app.view(TimelineView)
    lanes = view.stage.lanes
    start, end = (middle(lanes, lanes.cascades.rects, at) for at in (0, 1))
    return over_lanes(lanes, start, end, view.grip.overlay)


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
    return over_lanes(view.stage.lanes, start, end, view.order_grip.overlay)


def over_lanes(lanes, start: QPoint, end: QPoint, overlay: HeldOverlay) -> Drag:
    return Drag(lanes.viewport(), QPointF(start), QPointF(end), overlay, lanes)


def stripe(app) -> Drag:
    """The edge of a stripe in the picture of a cascade."""
    app.panels.show_alone("cascades")
    QApplication.processEvents()
    view = app.view(CascadesView)
    picture = view.stage_view.picture
    start = next(
        found
        for place, stage in enumerate(view.cascade.stages)
        if view.hands.edge_at(found := edge(picture.geometry_now(), place, stage)) is not None
    )
    return Drag(picture, start, start + QPointF(25, 0), view.hands.overlay)


@pytest.mark.long
@pytest.mark.parametrize("way", ["esc", "right"])
@pytest.mark.parametrize("take", [bar, order, stripe], ids=lambda take: take.__name__)
def test_a_drag_that_is_broken_off_at_any_step_changes_no_byte(
    open_app, take: Callable[..., Drag], way: str
):
    limit = {} if take is order else {"limit_bytes": 128 << 10}
    app = open_app(FIRST_EXAMPLE, **DEDICATED, **limit)
    app.panels.show_panel("timeline")
    drag = take(app)
    before, chosen, heard, shown = bytes_of(app), app.store.selection, [], 0
    lanes = app.view(TimelineView).stage.lanes
    ranges = lanes.box.x_range, lanes.box.y_range
    app.store.changed.connect(heard.append)
    for steps, part in STEPS:
        with drag.held(steps, part):
            shown += drag.overlay.isVisible()
            if way == "esc":
                press = QKeyEvent(
                    QKeyEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier
                )
                QApplication.sendEvent(drag.canvas or drag.widget, press)
            else:
                drag.press_right()
            assert not drag.overlay.isVisible()
    assert shown == len(STEPS)
    # Answers and what follows from them go on coming.
    assert not [change for change in heard if not change.parts <= UNASKED]
    assert bytes_of(app) == before
    assert app.store.selection == chosen
    assert (lanes.box.x_range, lanes.box.y_range) == ranges
    assert not app.actions["edit.undo"].isEnabled()


@pytest.mark.long
@pytest.mark.parametrize("way", ["esc", "right"])
def test_scissors_that_are_broken_off_cut_nothing(open_app, way: str):
    app = open_app(FIRST_EXAMPLE, **DEDICATED, limit_bytes=128 << 10)
    app.panels.show_alone("cascades")
    QApplication.processEvents()
    picture = app.view(CascadesView).stage_view.picture
    box = picture.geometry_now().box(1)
    border, before = QPointF(box.center().x(), box.top()), bytes_of(app)
    on_picture(picture, PRESS, border)
    if way == "esc":
        press = QKeyEvent(
            QKeyEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(picture, press)
    else:
        on_picture(picture, PRESS, border, Qt.MouseButton.RightButton)
    on_picture(picture, RELEASE, border)
    assert bytes_of(app) == before
    assert not app.actions["edit.undo"].isEnabled()
