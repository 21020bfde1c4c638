"""Everything can be reached, named, turned and seen whole."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
)

from core.ir.knobs import KNOBS
from core.ir.options import Engine
from tests.gui.views.controls.handling import FOCUSABLE, settings_of


def test_everything_can_be_reached_by_keyboard_and_has_a_name(unet, qtbot):
    unet.configs.show_paths(("a.ini",))
    wanted = {
        widget
        for kind in FOCUSABLE
        for widget in unet.findChildren(kind)
        if widget.isVisible() and widget.isEnabled()
    }
    assert all(widget.accessibleName() for widget in wanted)
    unet.limit.field.setFocus()
    reached = set()
    for _ in range(2 * len(wanted)):
        focused = unet.focusWidget()
        reached.add(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert wanted <= reached


def test_the_wheel_turns_only_what_has_the_focus(unet):
    box = unet.boxes["allocator"]
    before = settings_of(unet)
    unet.limit.field.setFocus()
    turn(box)
    turn(unet.limit.slider.bar)
    assert settings_of(unet) == before
    unet.limit.slider.bar.setFocus()
    turn(unet.limit.slider.bar)
    assert settings_of(unet).limit_bytes > before.limit_bytes


def turn(widget):
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle,
        QPointF(widget.mapToGlobal(middle)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


@pytest.mark.parametrize("width", [0, 340, 900])
def test_nothing_is_cut(unet, width):
    unet.resize(max(width, unet.minimumSizeHint().width()), 900)
    # Where rows need a bar to scroll them, they make room for it in a turn of the event loop.
    QApplication.processEvents()
    page = next(iter(unet.rows.values())).parentWidget()
    assert page.width() <= page.parentWidget().width()
    assert unet.limit.geometry().right() < unet.width()
    rows = [row for row in unet.rows.values() if row.isVisible()]
    assert len(rows) == sum(knob.engine is not Engine.PARETO for knob in KNOBS) - 2
    for row in rows:
        assert row.geometry().right() < page.width()
        assert row.applied.geometry().left() > row.control.geometry().right()
        assert row.control.height() >= row.control.sizeHint().height()
