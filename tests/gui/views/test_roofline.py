"""The roofline's view: marks are where they should be, a click selects, with Ctrl one more."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor

from core.ir.options import Search
from gui.document.selection import NOTHING_SELECTED, CascadeRef, Selection
from gui.present.roofline.picks import marks_of
from gui.present.roofline.picture import ALL
from gui.present.roofline.words import NOTHING_HERE, tip
from gui.state.store import Store
from gui.theme.tones import DARK
from gui.views.roofline.view import RooflineView
from tests.gui.answers import answer_of, arrive, store_with
from tests.gui.exposed import exposed

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def show(qtbot):
    def make(store):
        view = exposed(qtbot, RooflineView(store), 700, 480)
        view.activateWindow()
        return view

    return make


@pytest.fixture
def view(show):
    return show(store_with(answer_of("kws_dscnn", search=Search.DIRECT)))


def mark_of(view, op) -> int:
    """A mark of an operator that no other's is beside."""
    return min(marks_of(view.picture, [op]))


def pixel(view, op) -> QPoint:
    return view.canvas.place(mark_of(view, op)).toPoint()


def colour(view, at):
    return view.canvas.viewport().grab().toImage().pixelColor(at)


def test_without_an_answer_it_says_what_will_be_here(show):
    view = show(Store())
    assert view.picture is None
    assert not view.canvas.isVisible()


def test_marks_have_the_colour_of_what_decides(view):
    for theme in (view._store.theme, DARK):
        view._store.set_theme(theme)
        for op in (0, 9, 10):
            tone = view.picture.marks[mark_of(view, op)].tone
            assert colour(view, pixel(view, op)) == QColor(theme.inks[tone].colour)
    hollow = next(at for at, mark in enumerate(view.picture.marks) if mark.is_hollow)
    assert colour(view, view.canvas.place(hollow).toPoint()) == QColor(DARK.base)


def test_a_click_selects_and_beside_all_marks_it_selects_nothing(view, qtbot):
    store = view._store
    qtbot.mouseClick(view.canvas.viewport(), LEFT, pos=pixel(view, 0))
    assert store.selection == Selection(op=0)
    assert view.canvas.marks.selected == marks_of(view.picture, [0])
    assert len(view.canvas.marks.selected) == 2
    assert store.answer.scheduled.graph.titles.op(0) in view.canvas.accessibleDescription()
    corner = view.canvas.viewport().rect().bottomRight() - QPoint(30, 60)
    assert view.canvas.hit_at(QPointF(corner)) is None
    qtbot.mouseClick(view.canvas.viewport(), LEFT, CONTROL, corner)
    assert store.selection == Selection(op=0)
    qtbot.mouseClick(view.canvas.viewport(), LEFT, pos=corner)
    assert store.selection == NOTHING_SELECTED
    assert view.canvas.accessibleDescription() == NOTHING_HERE


def test_with_ctrl_it_selects_one_more_and_takes_it_away(view, qtbot):
    for op, chosen in ((0, (0,)), (9, (0, 9)), (10, (0, 9, 10)), (9, (0, 10))):
        qtbot.mouseClick(view.canvas.viewport(), LEFT, CONTROL, pixel(view, op))
        assert view._store.selection.ops == chosen
    assert view.canvas.marks.selected == marks_of(view.picture, [0, 10])
    qtbot.mouseClick(view.canvas.viewport(), LEFT, pos=pixel(view, 9))
    assert view._store.selection == Selection(op=9)


def test_what_is_selected_elsewhere_has_its_rings(view):
    store = view._store
    store.select(Selection(op=3, more_ops=(1, 5)))
    assert view.canvas.marks.selected == marks_of(view.picture, [1, 3, 5])
    fm = store.answer.scheduled.graph.ops[0].ofm.fm
    store.select(Selection(fm=fm))
    assert view.canvas.marks.selected == marks_of(view.picture, [0, 1])
    store.select(Selection(cascade=CascadeRef(9, 9)))
    assert view.canvas.marks.selected == frozenset()


def test_a_ring_is_drawn_around_what_is_selected(view):
    at = pixel(view, 0)
    around = [at + QPoint(x, y) for x in range(-12, 13) for y in range(-12, 13)]
    accent = QColor(view._store.theme.accent)
    assert accent not in [colour(view, at) for at in around[::7]]
    view._store.select(Selection(op=0))
    image = view.canvas.viewport().grab().toImage()
    assert accent in [image.pixelColor(each) for each in around]


def test_pointing_tells_and_selects_nothing(view, qtbot):
    qtbot.mouseMove(view.canvas.viewport(), pixel(view, 0))
    text = tip(view._store.answer, view.picture, [0], view._store.display)
    assert view.canvas.tip_at(view.canvas.place(mark_of(view, 0))) == text
    assert view._store.selection == NOTHING_SELECTED


def test_keys_go_from_operator_to_operator(view, qtbot):
    order = [plan.op for plan in view._store.answer.scheduled.plans()]
    for key, op in (("Period", 0), ("Period", 1), ("Period", 2), ("Comma", 1)):
        qtbot.keyClick(view.canvas, getattr(Qt.Key, f"Key_{key}"))
        assert view._store.selection == Selection(op=order[op])
    qtbot.keyClick(view.canvas, Qt.Key.Key_F)
    assert view.canvas.box.x_range.length < view.picture.extent.right - view.picture.extent.left
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert view._store.selection == NOTHING_SELECTED


def test_a_memory_is_chosen_and_stays_so_as_long_as_it_is_there(view):
    assert view.memory.currentText() == ALL
    view.next_memory()
    assert view.memory.currentText() == "SRAM"
    assert not any(mark.is_hollow for mark in view.picture.marks)
    arrive(view._store, answer_of("kws_dscnn", search=Search.DIRECT, limit_bytes=20_000))
    assert view.memory.currentText() == "SRAM"
    assert len(view.picture.slopes) == 1
    view.choose("off-chip flash")
    far = answer_of("kws_dscnn", search=Search.DIRECT, accelerator="ethos-u65-256")
    view._store.edit(far.document, "Other accelerator")
    arrive(view._store, far)
    assert view.memory.currentText() == ALL
    assert [slope.text.partition(":")[0] for slope in view.picture.slopes] == ["SRAM", "DRAM"]


def test_who_sees_all_of_it_sees_all_of_the_next_and_who_is_near_stays_there(view):
    box = view.canvas.box
    whole = box.x_range
    view.choose("SRAM")
    assert box.x_range != whole
    left, right, *_ = view.picture.extent
    assert box.x_range.start <= left
    assert right <= box.x_range.end
    view.canvas.zoom_in()
    near = box.x_range
    arrive(view._store, view._store.answer)
    assert box.x_range == near


def test_every_part_that_takes_keys_has_a_name(view):
    for part in (view.canvas, view.memory):
        assert part.accessibleName()
        assert part.focusPolicy() is not Qt.FocusPolicy.NoFocus
    assert view.legend.accessibleDescription()
