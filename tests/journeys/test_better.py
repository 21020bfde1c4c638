"""What the search finds meanwhile does not change the picture under the hand."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from core.base.frozen import replace
from gui.document.selection import Selection
from gui.items.ranges import Range
from gui.jobs.messages import Improved
from gui.jobs.prices import Prices
from gui.jobs.recent import Answers
from gui.present.runs.best import better_forms
from gui.shell.hand import REST_MS
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import answer_of, arrive, store_with
from tests.gui.running import app_again, one_window

__all__ = ["app_again", "one_window"]

VIEWS = (TimelineView, MemoryView, NetworkView, OperatorsView)


@pytest.fixture
def better():
    return answer_of("kws_dscnn")


@pytest.fixture
def app(app_again):
    """A window that shows a slow schedule; better ones are found of what it asks."""
    app = app_again
    slow = answer_of("kws_dscnn", limit_bytes=16_000)
    arrive(app.store, replace(slow, document=app.store.document))
    yield app
    QTest.mouseMove(app.window.menuBar(), QPoint(5, 5))
    QTest.qWait(REST_MS)


def found(app, better) -> None:
    """As the compiler's process tells it."""
    app.store.better.offer(replace(better, document=app.store.document))
    app.store.turns.finish()


def move_into(app, kind) -> None:
    view = app.view(kind)
    app.panels.show_panel(view.NAME)
    QApplication.processEvents()
    QTest.mouseMove(view, view.rect().center())
    QApplication.processEvents()
    assert view.underMouse()


@pytest.mark.parametrize("kind", VIEWS)
def test_while_the_pointer_is_in_a_view_it_waits_and_is_told(app, better, kind):
    shown, parts = app.store.answer, app.headline.parts
    move_into(app, kind)
    places = {name: part.geometry() for name, part in parts.items()}
    found(app, better)
    assert app.store.answer is shown
    button = app.headline.better
    assert button.isVisible()
    assert button.accessibleName().endswith("faster: show")
    assert {name: part.geometry() for name, part in parts.items()} == places
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert app.store.answer.scheduled is better.scheduled
    assert not button.isVisible()


def test_keys_show_it_and_the_place_looked_at_stays(app, better):
    lanes = app.view(TimelineView).stage.lanes
    app.store.select(Selection(op=app.store.answer.scheduled.run.graph.ops[5].id))
    move_into(app, TimelineView)
    trace = app.view(TimelineView).stage.data.trace
    middle = float(trace.op_start_cycle[5] + trace.op_end_cycle[5]) / 2
    length = float(trace.op_end_cycle[5] - trace.op_start_cycle[5])
    lanes.box.show(Range(middle - length, middle + length))
    seen, selected = lanes.box.x_range, app.store.selection
    found(app, better)
    assert lanes.box.x_range == seen
    QTest.keyClick(app.window, Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
    app.store.turns.finish()
    assert app.store.answer.scheduled is better.scheduled
    assert app.store.selection == selected
    assert lanes.box.x_range.length == pytest.approx(seen.length)
    after = app.view(TimelineView).stage.data.trace
    centre = (lanes.box.x_range.start + lanes.box.x_range.end) / 2
    assert after.op_start_cycle[5] <= centre <= after.op_end_cycle[5]


def test_the_command_is_there_exactly_where_the_button_is(app, better):
    move_into(app, MemoryView)
    command, button = app.actions["schedule.better"], app.headline.better
    assert not command.isEnabled()
    found(app, replace(app.store.answer, seconds=9.0))
    assert app.store.better.answer is not None
    assert app.actions["schedule.better"].isEnabled() is button.isVisible() is False
    found(app, better)
    assert app.actions["schedule.better"].isEnabled() is button.isVisible() is True


def test_it_comes_by_itself_once_the_pointer_has_left_all_views(app, better, qtbot):
    shown = app.store.answer
    move_into(app, MemoryView)
    found(app, better)
    QTest.qWait(REST_MS // 2)
    assert app.store.answer is shown
    QTest.mouseMove(app.window.menuBar(), QPoint(5, 5))
    qtbot.waitUntil(lambda: app.store.answer.scheduled is better.scheduled)
    assert app.store.better.answer is None


def test_an_open_menu_and_a_typed_field_hold_it(app, better, qtbot):
    QTest.mouseMove(app.window.menuBar(), QPoint(5, 5))
    menu, shown = QMenu(app.window), app.store.answer
    menu.addAction("one")
    menu.popup(app.window.mapToGlobal(QPoint(5, 5)))
    found(app, better)
    assert app.store.answer is shown
    menu.close()
    QTest.qWait(REST_MS // 2)
    assert app.store.answer is shown
    qtbot.waitUntil(lambda: app.store.better.answer is None)


def test_where_no_hand_is_on_the_picture_it_is_shown_at_once(app, better):
    QTest.mouseMove(app.window.menuBar(), QPoint(5, 5))
    QTest.qWait(REST_MS)
    found(app, better)
    assert app.store.answer.scheduled is better.scheduled


def test_an_edit_starts_from_what_is_seen_and_what_waits_is_forgotten(app, better):
    shown = app.store.answer
    move_into(app, TimelineView)
    found(app, better)
    app.store.edit(replace(shown.document, ignores_edits=True), "Ignore")
    assert app.store.better.answer is None
    assert not app.headline.better.isVisible()


def test_what_was_seen_is_kept_for_undo_until_the_better_one_is_shown(better):
    slow = answer_of("kws_dscnn", limit_bytes=16_000)
    store, answers = store_with(slow), Answers()
    prices = Prices(store, answers, lambda _: None)
    answers.put(slow)
    prices.expect(slow)
    store.better.is_picture_held = lambda: True
    prices.take(
        Improved(
            number=slow.number, scheduled=better.scheduled, analysis=better.analysis, seconds=1.0
        )
    )
    assert store.answer is slow
    assert answers.find(slow.document) is slow
    store.better.show()
    prices.heed_better()
    assert answers.find(slow.document).scheduled == better.scheduled


def test_more_of_the_front_alone_or_another_that_takes_as_much_is_no_button(better):
    assert better_forms(better, replace(better, seconds=2.0)) == ()
    other = answer_of("kws_dscnn", limit_bytes=16_000).scheduled.schedule
    as_much = replace(better, scheduled=replace(better.scheduled, schedule=other))
    assert better_forms(better, as_much) == ()
    over = answer_of("kws_dscnn", limit_bytes=4096)
    assert better_forms(over, better)[0] == "fits now: show"
