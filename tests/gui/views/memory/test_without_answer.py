"""The memory view before there is an answer, after, and for those who do not see it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QTableView, QWidget

from gui.document.selection import Selection
from gui.state.store import Store
from gui.theme.tones import DARK
from gui.views.memory.view import MemoryView
from tests.gui.views.memory.watched import UNET


def test_without_an_answer_a_sentence_stands_there(qtbot):
    store = Store()
    view = MemoryView(store)
    qtbot.addWidget(view)
    for act in (
        view.go_to_peak,
        view.zoom_in,
        view.zoom_out,
        view.show_all,
        view.frame_selection,
        view.next_region,
    ):
        act()
    store.select(Selection(op=0))
    store.set_theme(DARK)
    assert view.shown is None


def test_the_answer_can_go_away(show):
    store, view = show(*UNET)
    store.resume(store.history)
    assert view.shown is None
    assert view.pane.ranges.rects.count == 0


def test_what_has_the_focus_has_a_name_and_the_canvas_a_description(show):
    store, view = show(*UNET)
    store.select(Selection(op=3))
    for widget in view.findChildren(QWidget):
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisible():
            named = widget.accessibleName() or getattr(widget, "text", str)()
            assert named or widget.parent().inherits("QAbstractScrollArea"), widget
    text = view.pane.canvas.accessibleDescription()
    assert f"{store.answer.scheduled.fast_bytes:,} B" in text
    name = view.shown.drawn.ranges[min(view.pane.ranges.selected)].placement.name
    assert name in text
    assert isinstance(view.side.cut, QTableView)
    assert all(isinstance(button, QAbstractButton) for button in view.header.scales.values())
