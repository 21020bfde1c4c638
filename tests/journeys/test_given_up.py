"""A drag over the picture of a cascade, given up at each of its steps, and the rest of it.

By Esc or by the other button: nothing is asked for, selected, offered or left drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from gui.document.changes import Part
from gui.document.examples import FIRST_EXAMPLE
from gui.views.cascades.view import CascadesView
from gui.widgets.held_overlay import HeldOverlay
from tests.journeys.test_drags import NONE, UNASKED, bytes_of, edge
from tests.journeys.test_limit import DEDICATED

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


class Drag(NamedTuple):
    """What takes keys and mouse, from where to where, and what is drawn while it lasts."""

    widget: QWidget
    move: Callable[[QPoint], None]
    start: QPoint
    end: QPoint
    overlay: HeldOverlay


def edge_of_a_stripe(app) -> Drag:
    view = picture_of(app)
    picture = view.stage_view.picture
    at = next(
        at
        for place, stage in enumerate(view.cascade.stages)
        if view.hands.edge_at(at := edge(picture.geometry_now(), place, stage)) is not None
    ).toPoint()
    return on_picture(view, at, at + QPoint(40, 0))


def scissors_on_a_border(app) -> Drag:
    view = picture_of(app)
    box = view.stage_view.picture.geometry_now().box(1)
    at = QPoint(round(box.center().x()), round(box.top()))
    # It stays on the border: let go anywhere there, it would cut.
    return on_picture(view, at, at + QPoint(30, 0))


def picture_of(app) -> CascadesView:
    app.panels.show_alone("cascades")
    QApplication.processEvents()
    return app.view(CascadesView)


def on_picture(view, start, end) -> Drag:
    picture = view.stage_view.picture

    def pull(at: QPoint) -> None:
        places = QPointF(at), QPointF(picture.mapToGlobal(at))
        held = QMouseEvent(QEvent.Type.MouseMove, *places, Qt.MouseButton.NoButton, LEFT, NONE)
        QApplication.sendEvent(picture, held)

    return Drag(picture, pull, start, end, view.hands.overlay)


def by_esc(drag: Drag, at: QPoint) -> None:
    """The key goes where a press of the mouse has put the focus."""
    del at
    assert QApplication.focusWidget() is drag.widget
    QTest.keyClick(drag.widget, Qt.Key.Key_Escape)


def by_right(drag: Drag, at: QPoint) -> None:
    """As a desktop sends it: the press, the question for a menu, and the button let go."""
    QTest.mousePress(drag.widget, RIGHT, NONE, at)
    menu = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, drag.widget.mapToGlobal(at))
    QApplication.sendEvent(drag.widget, menu)
    QTest.mouseRelease(drag.widget, RIGHT, NONE, at)


@pytest.mark.long
@pytest.mark.parametrize("give_up", [by_esc, by_right])
@pytest.mark.parametrize("begin", [edge_of_a_stripe, scissors_on_a_border])
def test_what_is_given_up_at_any_step_means_nothing_to_its_end(open_app, begin, give_up):
    app = open_app(FIRST_EXAMPLE, **DEDICATED, limit_bytes=128 << 10)
    drag = begin(app)
    app.window.activateWindow()
    drag.widget.setFocus()
    app.store.turns.finish()
    QApplication.processEvents()
    before, selected, heard, held = bytes_of(app), app.store.selection, [], 0
    app.store.changed.connect(heard.append)
    for steps in (1, 2, 5):
        path = [drag.start + (drag.end - drag.start) * step / steps for step in range(1, steps + 1)]
        for given_up in range(steps):
            QTest.mousePress(drag.widget, LEFT, NONE, drag.start)
            for at in path[: given_up + 1]:
                drag.move(at)
            held += drag.overlay.isVisible()
            give_up(drag, path[given_up])
            assert not drag.overlay.isVisible()
            # The button is still down, and what follows of the drag means nothing either.
            for at in path[given_up + 1 :]:
                drag.move(at)
                assert not drag.overlay.isVisible()
            QTest.mouseRelease(drag.widget, LEFT, NONE, path[-1])
            app.store.turns.finish()
            assert app.store.selection == selected
            assert bytes_of(app) == before
            assert not [menu for menu in app.window.findChildren(QMenu) if menu.isVisible()]
    assert held == 8
    assert not [change for change in heard if not change.parts <= UNASKED]
    assert Part.SELECTION not in {part for change in heard for part in change.parts}
    assert not app.actions["edit.undo"].isEnabled()
