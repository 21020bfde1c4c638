"""The hands of a canvas: wheel, drag, click, keys; and it never leaves what there is to see."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from gui.items.axes import MemoryAxis, TimeAxis
from gui.items.ranges import Range
from tests.gui.items.drawing import canvas_of, drag, move, pixel_of, rects_of, wheel
from tests.gui.items.moves import is_closer, is_earlier, is_farther, is_later

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def boxes():
    return rects_of((10, 20, 0, 0, 7), (30, 60, 1, 0, 8), (61, 62, 0, 0, 9))


@pytest.fixture
def canvas(qtbot, boxes):
    return canvas_of(qtbot, boxes, moves_y=True)[0]


def data_at(canvas, pixel):
    return canvas.box.mapSceneToView(canvas.mapToScene(pixel.toPoint())).x()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.83])
@pytest.mark.parametrize("notches", [1, 3, 0.25])
def test_the_wheel_keeps_what_is_under_the_pointer(canvas, share, notches):
    pixel = QPointF(round(canvas.viewport().width() * share), 80.0)
    x = data_at(canvas, pixel)
    lengths = [canvas.box.x_range.length]
    for _ in range(6):
        wheel(canvas, pixel, notches)
        assert abs(pixel_of(canvas, x, 0.0).x() - pixel.x()) <= 1.0
        lengths.append(canvas.box.x_range.length)
    assert lengths == sorted(lengths, reverse=True)
    assert canvas.box.y_range == pytest.approx((0.0, 2.0))


def test_the_wheel_with_ctrl_zooms_y(qtbot, boxes):
    canvas, _ = canvas_of(qtbot, boxes, moves_y=True)
    canvas.set_bounds(Range(0.0, 100.0), Range(0.0, 2.0), least_x=1.0, least_y=0.1)
    before = canvas.box.x_range
    wheel(canvas, QPointF(200, 80), 2, CTRL)
    assert canvas.box.x_range == before
    assert canvas.box.y_range.length < 2.0


def test_the_wheel_sideways_or_with_shift_pans(canvas):
    wheel(canvas, QPointF(200, 80), 5)
    start, length = canvas.box.x_range.start, canvas.box.x_range.length
    wheel(canvas, QPointF(200, 80), -1, SHIFT)
    assert canvas.box.x_range.start > start
    assert canvas.box.x_range.length == pytest.approx(length)
    wheel(canvas, QPointF(200, 80), 1, is_sideways=True)
    assert canvas.box.x_range.start == pytest.approx(start)


def test_zooming_out_ends_where_there_is_nothing_more(canvas):
    canvas.show_all()
    everything = canvas.box.x_range
    wheel(canvas, QPointF(300, 80), 8)
    for _ in range(40):
        wheel(canvas, QPointF(300, 80), -1)
    assert canvas.box.x_range == pytest.approx(everything)
    for _ in range(80):
        wheel(canvas, QPointF(300, 80), 1)
    assert canvas.box.x_range.length == pytest.approx(1.0)


def test_dragging_takes_the_data_along(canvas):
    canvas.frame(40.0, 60.0)
    pixel = QPointF(200, 80)
    x = data_at(canvas, pixel)
    drag(canvas, QPoint(200, 80), QPoint(260, 80))
    assert pixel_of(canvas, x, 0.0).x() == pytest.approx(260, abs=1.5)


def test_dragging_with_shift_marks_a_stretch(canvas):
    spans = []
    canvas.span_dragged.connect(lambda *span: spans.append(span))
    before = canvas.box.x_range
    first, last = data_at(canvas, QPointF(300, 80)), data_at(canvas, QPointF(100, 80))
    drag(canvas, QPoint(300, 80), QPoint(100, 80), SHIFT)
    assert canvas.box.x_range == before
    start, end, is_done = spans[-1]
    assert is_done
    assert (start, end) == pytest.approx((last, first), abs=0.5)
    assert not any(done for *_, done in spans[:-1])


def test_a_click_picks_and_a_click_on_the_ground_picks_nothing(canvas):
    picked = []
    canvas.picked.connect(picked.append)
    for x, y in ((15, 0.5), (45, 1.5), (90, 0.5)):
        at = pixel_of(canvas, x, y).toPoint()
        QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert [None if hit is None else hit.key for hit in picked] == [7, 8, None]


def test_a_double_click_zooms_to_what_was_hit(canvas):
    at = pixel_of(canvas, 45, 1.5).toPoint()
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QApplication.processEvents()
    assert canvas.box.x_range == pytest.approx((27.0, 63.0))


def is_same(before, now):
    return now == before


KEYS = [
    (Qt.Key.Key_W, is_closer),
    (Qt.Key.Key_S, is_farther),
    (Qt.Key.Key_A, is_earlier),
    (Qt.Key.Key_D, is_later),
    (Qt.Key.Key_Plus, is_closer),
    (Qt.Key.Key_Minus, is_farther),
    (Qt.Key.Key_Left, is_earlier),
    (Qt.Key.Key_Right, is_later),
    (Qt.Key.Key_Q, is_same),
]


@pytest.mark.parametrize(("key", "holds"), KEYS)
def test_keys_move_the_view(canvas, key, holds):
    canvas.frame(40.0, 60.0)
    before = canvas.box.x_range
    QTest.keyClick(canvas, key)
    assert holds(before, canvas.box.x_range)


def test_f_frames_the_selection_and_f_again_everything(qtbot, boxes):
    canvas, layer = canvas_of(qtbot, boxes)
    everything = canvas.box.x_range
    layer.set_selected([8])
    QTest.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.box.x_range == pytest.approx((27.0, 63.0))
    QTest.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.box.x_range == pytest.approx(everything)


def test_escape_picks_nothing(canvas, qtbot):
    with qtbot.waitSignal(canvas.picked) as told:
        QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert told.args == [None]


def test_the_tip_tells_what_the_view_says(canvas, monkeypatch):
    shown = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, _widget: shown.append(text))
    canvas.set_describer(lambda hit: f"key {hit.key}")
    assert canvas.tip_at(pixel_of(canvas, 15, 0.5)) == "key 7"
    assert canvas.tip_at(pixel_of(canvas, 90, 0.5)) == ""
    at = pixel_of(canvas, 15, 0.5).toPoint()
    port = canvas.viewport()
    QApplication.sendEvent(port, QHelpEvent(QEvent.Type.ToolTip, at, port.mapToGlobal(at)))
    assert shown == ["key 7"]


def test_what_is_under_the_pointer_is_told_once(canvas):
    told = []
    canvas.hovered.connect(told.append)
    for x in (14, 15, 16, 90, 91):
        at = pixel_of(canvas, x, 0.5).toPoint()
        move(canvas, at, Qt.MouseButton.NoButton)
    assert [None if hit is None else hit.key for hit in told][-2:] == [7, None]
    assert len(told) <= 3


def test_it_has_a_name_and_tells_the_selection(canvas):
    canvas.describe_selection("conv is selected")
    assert canvas.accessibleName() == "Test"
    assert canvas.accessibleDescription() == "conv is selected"
    assert canvas.focusPolicy() is Qt.FocusPolicy.StrongFocus


def test_both_directions_zoom_together_where_asked(qtbot, boxes):
    canvas, _ = canvas_of(qtbot, boxes, zooms_both=True)
    canvas.set_bounds(Range(0.0, 100.0), Range(0.0, 2.0), least_x=1.0, least_y=0.01)
    wheel(canvas, QPointF(200, 80), 2)
    assert canvas.box.x_range.length < 100.0
    assert canvas.box.y_range.length < 2.0


def test_axes_leave_room_for_the_unit(qtbot, boxes):
    axes = {"left": MemoryAxis(), "bottom": TimeAxis()}
    canvas, _ = canvas_of(qtbot, boxes, axes=axes)
    bare = canvas.grab().toImage()
    canvas.set_corner("cycles")
    assert canvas.grab().toImage() != bare
