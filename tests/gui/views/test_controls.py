"""Knobs ask for what they say, say what was applied, and refuse what cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSlider,
    QToolButton,
)

from core.api import targets
from core.ir.options import (
    Allocator,
    Engine,
    EvictionPolicy,
    ParetoMetric,
    ParetoOptions,
    Search,
    Strategy,
)
from gui.document.changes import Part
from gui.document.display import ByteUnit, Display
from gui.document.document import Document
from gui.document.settings import Settings, turned, value_of
from gui.present.controls import KNOBS, PARETO_KNOBS, applied
from gui.state.store import Store
from gui.theme.tones import DARK
from gui.views.controls.view import ControlsView
from tests.gui.answers import answer_of, store_with

KIB = 1024
FOCUSABLE = (QComboBox, QLineEdit, QListWidget, QPushButton, QSlider, QToolButton)


@pytest.fixture
def show(qtbot):
    def make(store):
        view = ControlsView(store)
        qtbot.addWidget(view)
        view.resize(340, 800)
        with qtbot.waitExposed(view):
            view.show()
        view.activateWindow()
        return view

    return make


@pytest.fixture
def unet(unet_store, show):
    return show(unet_store)


def settings_of(view):
    return view._store.document.settings


def limited(kib):
    return answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=kib * KIB)


def choose(box, value):
    """As a user does it, by keys."""
    place = next(i for i, choice in enumerate(box._choices) if choice.value == value)
    box.setCurrentIndex(place)
    box.activated.emit(place)


def drag(qtbot, bar, shares):
    """Press the handle, move it to some places, and let it go."""
    middle = bar.height() // 2
    start = QPoint(bar.x_of(bar.limit_bytes), middle)
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=start)
    for share in shares:
        qtbot.mouseMove(bar, QPoint(bar.x_at(share), middle))
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(bar.x_at(shares[-1]), middle))


def test_every_choice_of_the_catalogue_is_offered(unet):
    catalogue = targets.load_configs()
    boxes = unet.boxes

    def offered(field):
        return [choice.value for choice in boxes[field]._choices]

    assert offered("accelerator") == list(targets.ACCELERATORS)
    assert offered("system_config") == [None, *catalogue.system_configs]
    assert offered("memory_mode") == [None, *catalogue.memory_modes]
    for field, kinds in (
        ("strategy", Strategy),
        ("eviction", EvictionPolicy),
        ("search", Search),
        ("allocator", Allocator),
    ):
        assert offered(field) == list(kinds)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("accelerator", "ethos-u65-512"),
        ("system_config", "Ethos_U65_High_End"),
        ("memory_mode", "Dedicated_Sram_512KB"),
        ("strategy", Strategy.SIZE),
        ("eviction", EvictionPolicy.OVER_LIMIT),
        ("search", Search.MONOTONE),
        ("allocator", Allocator.GREEDY),
        ("eviction", EvictionPolicy.LIFETIME),
        ("force_symmetric_int_weights", True),
        ("engine", Engine.PARETO),
    ],
)
def test_a_choice_is_an_edit_that_can_be_undone(unet, field, value):
    before = settings_of(unet)
    choose(unet.boxes[field], value)
    assert settings_of(unet) == replace(before, **{field: value})
    assert unet.boxes[field].value == value
    unet._store.undo()
    assert settings_of(unet) == before
    assert unet.boxes[field].value == getattr(before, field)


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


def test_a_target_that_cannot_be_is_refused_under_its_knob(unet):
    before = unet._store.document
    choose(unet.boxes["system_config"], "Ethos_U55_High_End_Embedded")
    row = unet.rows["system_config"]
    assert unet._store.document is before
    assert unet.boxes["system_config"].value is None
    assert row.error.isVisible()
    assert "it has to be Sram or Dram" in row.error.text()
    choose(unet.boxes["system_config"], "Ethos_U65_High_End")
    assert not row.error.isVisible()


def test_another_accelerator_takes_names_along_only_where_they_fit(unet):
    choose(unet.boxes["memory_mode"], "Dedicated_Sram")
    choose(unet.boxes["accelerator"], "ethos-u55-128")
    assert settings_of(unet).accelerator == "ethos-u55-128"
    assert settings_of(unet).memory_mode is None
    assert unet.rows["accelerator"].error.text() == "memory mode set back to the default"
    unet._store.undo()
    assert settings_of(unet).memory_mode == "Dedicated_Sram"


def test_config_files_bring_names_and_take_them_away(unet, qtbot, tmp_path):
    config = tmp_path / "more.ini"
    config.write_text(
        "[Memory_Mode.Tiny]\ninherit = Memory_Mode.Dedicated_Sram\narena_cache_size = 16384\n"
    )
    qtbot.mouseClick(unet.limit.own, Qt.MouseButton.LeftButton)
    unet.configs.add([str(config)])
    assert settings_of(unet).configs == (str(config),)
    choose(unet.boxes["memory_mode"], "Tiny")
    assert unet.limit.field.text() == "16K"
    unet.configs.list.setFocus()
    qtbot.keyClick(unet.configs.list, Qt.Key.Key_Delete)
    assert settings_of(unet).configs == (str(config),)
    assert "unknown memory mode 'Tiny'" in unet.configs.error.text()
    choose(unet.boxes["memory_mode"], None)
    assert not unet.configs.error.isVisible()
    qtbot.mouseClick(unet.configs.remove_button, Qt.MouseButton.LeftButton)
    assert settings_of(unet).configs == ()
    assert not unet.configs.list.isVisible()


def test_a_broken_config_file_is_refused(unet, tmp_path):
    config = tmp_path / "broken.ini"
    config.write_text("nonsense")
    unet.configs.add([str(config)])
    assert settings_of(unet).configs == ()
    assert "line 1" in unet.configs.error.text()
    unet.configs.add([str(tmp_path / "none.ini")])
    assert "No such file" in unet.configs.error.text()


def test_what_was_applied_stands_beside_what_is_asked(unet):
    answer = unet._store.answer
    expected = applied(answer)
    assert {field: row.applied.text for field, row in unet.rows.items()} == {
        field: expected[field] for field in unet.rows
    }
    assert expected["system_config"] == "Ethos_U65_Client_Server"
    assert unet._heads[1].text() == "Applied"
    choose(unet.boxes["strategy"], Strategy.SIZE)
    assert unet._heads[1].text() == "Applied before"
    assert unet.rows["strategy"].applied.text == "Performance"
    assert unet.rows["strategy"]._is_older
    assert not unet.rows["allocator"]._is_older
    assert "before this change" in unet.limit.verdict.text()


def test_the_verdict_has_colour_and_text(show):
    answer = answer_of("unet_128", strategy=Strategy.SIZE, limit_bytes=64 * KIB)
    view = show(store_with(answer))
    area = answer.scheduled.layout.areas[0]
    assert area.excess_bytes
    numbers = {value.accessibleName(): value.text() for value in view.limit.numbers.values()}
    assert numbers["Limit"] == "64 KiB"
    assert numbers["Required"] == f"{area.height_bytes / KIB:,.2f}".rstrip("0").rstrip(".") + " KiB"
    assert view.limit.verdict.text().startswith("✗ ")
    theme = view._store.theme
    assert view.limit.verdict.palette().windowText().color().name() == theme.danger
    fitting = show(store_with(answer_of("kws_dscnn")))
    assert fitting.limit.verdict.text() == "✓ fits"
    assert fitting.limit.verdict.palette().windowText().color().name() == theme.good


def test_knobs_without_effect_say_so(show):
    view = show(store_with(answer_of("kws_dscnn")))
    spill = view.rows["eviction"].effect
    assert spill.isVisible()
    assert spill.text() == "no effect: in Shared_Sram, feature maps never leave fast storage"
    assert view.limit.effect.text().startswith("no effect: everything fits in ")
    assert "no effect" in view.limit.slider.bar.accessibleDescription()
    assert not view.rows["search"].effect.isVisible()
    choose(view.boxes["strategy"], Strategy.SIZE)
    assert view.rows["search"].effect.isVisible()
    assert "whatever the limit" in view.limit.effect.text()


def test_marks_come_with_answers(show):
    store = store_with(limited(64))
    view = show(store)
    strip = view.limit.slider.strip
    assert strip.shown_marks == ()
    assert strip.accessibleDescription() == "none is known yet"
    for kib in (128, 256):
        store.edit(limited(kib).document, "limit")
        store.set_answer(limited(kib))
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


def test_an_empty_store_is_shown_quietly(show):
    view = show(Store())
    assert view.limit.verdict.text() == "no schedule yet"
    assert view._heads[1].text() == ""
    assert all(row.applied.text == "" for row in view.rows.values())


def test_settings_that_name_no_target_say_why(show):
    view = show(Store(Document(settings=Settings(memory_mode="Shared_Ram"))))
    assert "did you mean 'Shared_Sram'" in view.rows["memory_mode"].error.text()
    assert view.boxes["memory_mode"].currentIndex() == -1
    choose(view.boxes["memory_mode"], "Shared_Sram")
    assert settings_of(view).memory_mode == "Shared_Sram"
    assert not view.rows["memory_mode"].error.isVisible()


def test_other_units_and_colours_are_taken_up(unet):
    unet._store.set_display(Display(byte_unit=ByteUnit.BYTES))
    assert unet.limit.numbers["Limit"].text() == "131,072 B"
    unet._store.set_theme(DARK)
    assert unet.limit.verdict.palette().windowText().color().name() == DARK.good


def test_an_edit_by_others_is_shown(unet):
    store = unet._store
    changed = replace(settings_of(unet), limit_bytes=64 * KIB, allocator=Allocator.LINEAR)
    store.edit(replace(store.document, settings=changed), "elsewhere", initiator="command")
    assert unet.limit.field.text() == "64K"
    assert unet.limit.slider.bar.limit_bytes == 64 * KIB
    assert unet.boxes["allocator"].value is Allocator.LINEAR


def test_one_edit_is_one_signal(unet):
    changes = []
    unet._store.changed.connect(changes.append)
    choose(unet.boxes["allocator"], Allocator.GREEDY)
    assert [change.parts for change in changes] == [frozenset({Part.DOCUMENT})]


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
    area = unet.limit.parentWidget().parentWidget()
    assert unet.limit.parentWidget().width() <= area.width()
    rows = [row for row in unet.rows.values() if row.isVisible()]
    assert len(rows) == len(KNOBS) - 2 - len(PARETO_KNOBS)
    for row in rows:
        assert row.geometry().right() < unet.limit.parentWidget().width()
        assert row.applied.geometry().left() > row.control.geometry().right()
        assert row.control.height() >= row.control.sizeHint().height()


@pytest.fixture
def pareto(show):
    return show(store_with(answer_of("kws_dscnn", engine=Engine.PARETO)))


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("pareto.metric", ParetoMetric.MEMORY_AND_HEIGHT),
        ("pareto.cascading", False),
        ("pareto.overlap", False),
        ("pareto.ifm_streaming", False),
        ("pareto.most_bytes", 16000),
    ],
)
def test_a_choice_for_the_pareto_engine_is_an_edit_that_can_be_undone(pareto, knob, value):
    before = settings_of(pareto)
    choose(pareto.boxes[knob], value)
    assert settings_of(pareto) == turned(before, knob, value)
    assert value_of(settings_of(pareto), knob) == pareto.boxes[knob].value == value
    pareto._store.undo()
    assert settings_of(pareto) == before
    assert pareto.boxes[knob].value == value_of(before, knob)


def test_knobs_of_the_pareto_engine_are_there_while_it_is_asked(pareto):
    def shown():
        return {knob for knob in PARETO_KNOBS if pareto.rows[knob].isVisible()}

    assert shown() == set(PARETO_KNOBS)
    assert all(pareto.boxes[knob].accessibleName() for knob in PARETO_KNOBS)
    choose(pareto.boxes["engine"], Engine.CASCADING)
    assert shown() == set()
    choose(pareto.boxes["engine"], Engine.PARETO)
    assert shown() == set(PARETO_KNOBS)


def test_the_schedules_of_the_front_are_offered(pareto):
    front = pareto._store.answer.scheduled.schedule.front
    offered = [choice.value for choice in pareto.boxes["pareto.most_bytes"]._choices]
    assert offered == [None, *(point.peak_bytes for point in front)]


def test_knobs_that_the_pareto_engine_does_not_heed_say_so(show):
    options = ParetoOptions(ifm_streaming=False, most_bytes=16000)
    view = show(store_with(answer_of("kws_dscnn", engine=Engine.PARETO, pareto=options)))
    for knob in ("search", "strategy", "pareto.cascading"):
        assert view.rows[knob].effect.text().startswith("no effect: "), knob
    assert not view.rows["pareto.ifm_streaming"].effect.isVisible()
