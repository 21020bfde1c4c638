"""The limit: dragged, typed, by keys, and with marks where something changes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from core.base.frozen import replace
from tests.gui.answers import store_with
from tests.gui.views.controls.handling import KIB, drag, limited, settings_of


def test_a_drag_is_one_step_of_undo(unet, qtbot):
    before = settings_of(unet)
    bar = unet.limit.slider.bar
    changes = []
    unet._store.changed.connect(changes.append)
    drag(qtbot, bar, [0.3, 0.5, 0.7, 0.8])
    first = settings_of(unet).limit_bytes
    assert first == pytest.approx(bar.scale.size_bytes(800), rel=0.05)
    assert first % KIB == 0
    assert len(changes) >= 4
    assert {change.initiator for change in changes} == {"controls"}
    drag(qtbot, bar, [0.4])
    assert settings_of(unet).limit_bytes < first
    unet._store.undo()
    assert settings_of(unet).limit_bytes == first
    unet._store.undo()
    assert settings_of(unet) == before
    unet._store.turns.finish()
    assert bar.limit_bytes == before.limit_bytes


def test_the_slider_jumps_to_where_it_is_pressed(unet, qtbot):
    bar = unet.limit.slider.bar
    place = QPoint(bar.x_at(0.9), bar.height() // 2)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    assert settings_of(unet).limit_bytes == pytest.approx(bar.scale.size_bytes(900), rel=0.03)


def test_the_slider_is_moved_by_keys(unet, qtbot):
    bar = unet.limit.slider.bar
    assert settings_of(unet).limit_bytes == 128 * KIB
    qtbot.keyClick(bar, Qt.Key.Key_Right)
    assert settings_of(unet).limit_bytes == 130 * KIB
    qtbot.keyClick(bar, Qt.Key.Key_Left)
    qtbot.keyClick(bar, Qt.Key.Key_Left)
    assert settings_of(unet).limit_bytes == 127 * KIB
    qtbot.keyClick(bar, Qt.Key.Key_PageUp)
    assert settings_of(unet).limit_bytes > 150 * KIB
    qtbot.keyClick(bar, Qt.Key.Key_Home)
    assert settings_of(unet).limit_bytes == 4 * KIB
    qtbot.keyClick(bar, Qt.Key.Key_End)
    assert settings_of(unet).limit_bytes == bar.scale.highest_bytes
    # Each key that was let go is a step of its own.
    unet._store.undo()
    assert settings_of(unet).limit_bytes == 4 * KIB


@pytest.mark.parametrize(
    ("text", "limit"),
    [("384K", 384 * KIB), ("0x60000", 384 * KIB), ("1M", KIB * KIB), ("100001", 100001), ("0", 0)],
)
def test_a_limit_is_typed_as_on_the_command_line(unet, qtbot, text, limit):
    field = unet.limit.field
    field.selectAll()
    qtbot.keyClicks(field, text)
    assert settings_of(unet).limit_bytes == 128 * KIB
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert settings_of(unet).limit_bytes == limit
    assert unet.limit.slider.bar.limit_bytes == limit
    assert not unet.limit.error.isVisible()


@pytest.mark.parametrize(
    ("text", "message"),
    [("12Q", "'12Q' is not a size"), ("-1", "'-1' is not a size"), ("2048G", "has to be 0 to")],
)
def test_a_wrong_limit_is_refused_and_changes_nothing(unet, qtbot, text, message):
    before = unet._store.document
    field = unet.limit.field
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert unet._store.document is before
    assert unet.limit.error.isVisible()
    assert message in unet.limit.error.text()
    assert field.text() == text
    # What is typed and what is said of it stay where an answer arrives meanwhile.
    unet._store.set_answer(replace(unet._store.answer))
    assert message in unet.limit.error.text()
    assert field.text() == text
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "128K"
    assert not unet.limit.error.isVisible()


def test_a_typed_limit_is_written_in_one_way(unet, qtbot):
    for text in ("131072", "128k", "0x20000"):
        unet.limit.field.selectAll()
        qtbot.keyClicks(unet.limit.field, text)
        qtbot.keyClick(unet.limit.field, Qt.Key.Key_Return)
        assert unet.limit.field.text() == "128K"


def test_the_modes_own_limit_comes_back(unet, qtbot):
    assert unet.limit.own.isEnabled()
    qtbot.mouseClick(unet.limit.own, Qt.MouseButton.LeftButton)
    assert settings_of(unet).limit_bytes is None
    assert unet.limit.field.text() == "384K"
    assert not unet.limit.own.isEnabled()


def test_an_empty_field_means_the_modes_own(unet, qtbot):
    unet.limit.field.selectAll()
    qtbot.keyClick(unet.limit.field, Qt.Key.Key_Backspace)
    qtbot.keyClick(unet.limit.field, Qt.Key.Key_Return)
    assert settings_of(unet).limit_bytes is None


def test_marks_come_with_answers(show):
    store = store_with(limited(64))
    view = show(store)
    strip = view.limit.slider.strip
    assert strip.shown_marks == ()
    assert strip.accessibleDescription() == "none is known yet"
    for kib in (128, 256):
        store.edit(limited(kib).document, "limit")
        store.set_answer(limited(kib))
    store.turns.finish()
    assert [mark.limit_bytes // KIB for mark in strip.shown_marks] == [128, 256]
    assert "128 KiB: " in strip.accessibleDescription()
    bar = view.limit.slider.bar
    image = strip.grab().toImage()
    ratio = image.devicePixelRatio()
    best = next(mark for mark in strip.shown_marks if mark.is_best)
    colour = image.pixelColor(round(bar.x_of(best.limit_bytes) * ratio), round(1 * ratio))
    assert colour.name() == store.theme.good


def test_marks_can_be_gone_to(show, qtbot):
    store = store_with(limited(64))
    view = show(store)
    for kib in (128, 256):
        store.edit(limited(kib).document, "limit")
        store.set_answer(limited(kib))
    store.turns.finish()
    slider = view.limit.slider
    qtbot.mouseClick(
        slider.strip, Qt.MouseButton.LeftButton, pos=QPoint(slider.bar.x_of(128 * KIB) + 2, 2)
    )
    assert settings_of(view).limit_bytes == 128 * KIB
    qtbot.keyClick(slider.bar, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert settings_of(view).limit_bytes == 256 * KIB
    qtbot.keyClick(slider.bar, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert settings_of(view).limit_bytes == 256 * KIB
    qtbot.keyClick(slider.bar, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert settings_of(view).limit_bytes == 128 * KIB
