"""Decisions of a user: made, judged, taken back, kept and carried along."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import QItemSelectionModel, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMenu

from core.api import edits
from core.ir.edits import EditFate, Living, What
from gui.document.examples import EXAMPLES, FIRST_EXAMPLE
from gui.document.selection import Selection
from gui.items.legend import PIN
from gui.present.edits.rows import COLUMNS, State, edit_rows, shown_columns
from gui.present.operators.columns import POSITIONS
from gui.shell.request import Request, Size
from gui.views.edits.view import EditsView
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from gui.views.why.view import WhyView
from tests.gui.running import wait_for_answer
from tests.journeys.agreement import check_all
from tests.journeys.test_limit import DEDICATED
from tests.processes import kill

TIGHT = {**DEDICATED, "limit_bytes": 128 << 10}
SCHEDULE = ("schedule", "layout", "costs", "total")
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def app(open_app):
    return open_app(FIRST_EXAMPLE, **TIGHT)


def states(app) -> list[State]:
    return [row.state for row in edit_rows(app.store.document, app.store.answer)]


def found(app):
    return tuple(getattr(app.store.answer.scheduled, part) for part in SCHEDULE)


def decide(app, qtbot, command, **picked) -> None:
    """By a command, as menus and the palette run it."""
    app.store.select(Selection(**picked))
    assert app.actions.run(command)
    assert State.UNCHECKED in states(app)
    wait_for_answer(qtbot, app)
    assert State.UNCHECKED not in states(app)


def test_an_edit_is_judged_told_and_undone(app, qtbot):
    first, before = app.store.document, found(app)
    decide(app, qtbot, "edits.evict", op=3)
    (outcome,) = app.store.answer.scheduled.edits
    plans = app.store.answer.scheduled.schedule.maps
    is_slow = Living.of(plans[app.store.answer.scheduled.run.graph.ops[3].ofm.fm].region)
    assert (outcome.fate is EditFate.HONOURED) == (is_slow is Living.SLOW)
    assert app.headline.parts["edits"].said.startswith(("1 of 1 edit", "0 of 1 edit"))
    qtbot.mouseClick(app.headline.parts["edits"], Qt.MouseButton.LeftButton)
    view = app.view(EditsView)
    assert view.isVisible()
    assert view.model.rowCount() == 1
    assert app.actions["edit.undo"].text().startswith("Undo Move ")
    check_all(app)
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document == first
    assert found(app) == before
    assert app.headline.parts["edits"].said.startswith("no edits")


@pytest.mark.long
def test_unpin_all_equals_never_pinned_and_is_one_step(app, qtbot):
    before = found(app)
    decide(app, qtbot, "edits.evict", op=3)
    decide(app, qtbot, "edits.split", op=4)
    decide(app, qtbot, "edits.alone", op=2)
    decided = app.store.document
    qtbot.keyClick(app.window, Qt.Key.Key_Delete, CONTROL_SHIFT)
    assert app.store.document.edits == ()
    wait_for_answer(qtbot, app)
    assert found(app) == before
    app.actions.run("edit.undo")
    assert app.store.document == decided


@pytest.mark.long
def test_all_are_ignored_for_a_while(app, qtbot):
    before = found(app)
    decide(app, qtbot, "edits.evict", op=3)
    decided = app.store.document
    assert app.actions.run("edits.ignore")
    wait_for_answer(qtbot, app)
    assert "ignored" in app.banner.text
    assert "ignored" in app.headline.parts["edits"].said
    assert app.actions["edits.ignore"].isChecked()
    assert found(app) == before
    app.banner.rows[0].buttons[0].click()
    wait_for_answer(qtbot, app)
    assert app.store.document == decided
    assert "ignored" not in app.banner.text


@pytest.mark.long
def test_another_model_starts_without_edits(app, qtbot):
    decide(app, qtbot, "edits.evict", op=3)
    app.files.open(str(EXAMPLES / "kws_dscnn.tflite"))
    wait_for_answer(qtbot, app)
    assert app.store.document.edits == ()


@pytest.mark.long
def test_reload_keeps_edits_by_name_and_says_what_is_an_orphan(open_app, qtbot, tmp_path):
    model = tmp_path / "model.tflite"
    shutil.copy(FIRST_EXAMPLE, model)
    app = open_app(model, **TIGHT)
    decide(app, qtbot, "edits.evict", op=3)
    edits = app.store.document.edits
    app.actions.run("file.reload")
    wait_for_answer(qtbot, app)
    assert app.store.document.edits == edits
    assert State.ORPHAN not in states(app)
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", model)
    app.actions.run("file.reload")
    wait_for_answer(qtbot, app)
    assert app.store.document.edits == edits
    assert states(app) == [State.ORPHAN]
    assert app.actions.run("edits.next_refused")
    assert app.view(EditsView).table.selected_places() == [0]


@pytest.mark.parametrize("view", [TimelineView, MemoryView, EditsView])
def test_a_key_whose_command_cannot_run_now_says_why(app, qtbot, view):
    app.store.select(Selection())
    app.panels.show_panel(view.NAME)
    app.view(view).setFocus()
    told = app.status.hint

    def press(key):
        qtbot.keyClick(QApplication.focusWidget() or app.window, key)
        return told.text

    f8 = "Next edit that was not honoured"
    assert press(Qt.Key.Key_F8) == f"{f8}: there are no edits"
    decide(app, qtbot, "edits.evict", op=3)
    assert State.REFUSED not in states(app)
    assert press(Qt.Key.Key_F8) == f"{f8}: all edits are honoured"
    app.store.select(Selection())
    if view is not EditsView:
        assert press(Qt.Key.Key_K).startswith("Keep in fast storage: ")


def test_what_is_picked_among_edits_is_not_covered_by_its_reasons(app, qtbot):
    decide(app, qtbot, "edits.evict", op=3)
    app.store.select(Selection(op=5), TimelineView.NAME)
    assert app.view(WhyView).isVisible()
    app.panels.show_panel(EditsView.NAME)
    app.view(EditsView).table.pick(0)
    assert not app.store.selection.is_empty
    assert app.view(EditsView).isVisible()
    app.store.select(Selection(op=5), TimelineView.NAME)
    assert app.view(WhyView).isVisible()


@pytest.mark.long
def test_an_edit_while_the_worker_is_killed(app, qtbot):
    app.store.select(Selection(op=3))
    assert app.actions.run("edits.evict")
    kill(app.runner.worker_pid)
    assert states(app) == [State.UNCHECKED]
    wait_for_answer(qtbot, app)
    if not app.store.is_current:
        assert app.actions.run("schedule.again")
        wait_for_answer(qtbot, app)
    assert State.UNCHECKED not in states(app)
    check_all(app)


@pytest.mark.long
def test_the_table_switches_selects_and_removes(app, qtbot):
    decide(app, qtbot, "edits.evict", op=3)
    decide(app, qtbot, "edits.split", op=4)
    decided = app.store.document
    app.panels.show_panel("edits")
    view = app.view(EditsView)
    tick = view.model.index(1, 0)
    view.model.setData(tick, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    wait_for_answer(qtbot, app)
    assert states(app)[1] is State.OFF
    view.table.pick(0)
    graph = app.store.answer.scheduled.run.graph
    assert app.store.selection == Selection(fm=graph.ops[3].ofm.fm)
    view.table.pick(1)
    assert app.store.selection == Selection(op=4, more_ops=(3,))
    qtbot.keyClick(view.table, Qt.Key.Key_Delete)
    assert [edit.what for edit in app.store.document.edits] == [What.REGION]
    app.actions.run("edit.undo")
    app.actions.run("edit.undo")
    assert app.store.document == decided
    wait_for_answer(qtbot, app)


@pytest.mark.long
def test_what_edits_cost_is_in_sight_in_a_small_window(open_app, qtbot):
    app = open_app(request=Request(model=str(FIRST_EXAMPLE), size=Size(1280, 800)), **TIGHT)
    decide(app, qtbot, "edits.keep", op=1)
    decide(app, qtbot, "edits.evict", op=3)
    decide(app, qtbot, "edits.split", op=4)
    decide(app, qtbot, "edits.rows", op=20)
    assert set(states(app)) == {State.REFUSED, State.HONOURED}
    qtbot.waitUntil(
        lambda: all(each.price for each in app.store.answer.scheduled.edits), timeout=60_000
    )
    app.panels.show_panel("edits")
    app.store.turns.finish()
    table = app.view(EditsView).table
    place = [column.id for column in COLUMNS].index("cycles")
    cell = table.model().index(0, place)
    qtbot.waitUntil(lambda: table.viewport().rect().contains(table.visualRect(cell)))


@pytest.mark.long
def test_ways_out_are_buttons_in_the_panel_and_in_why(app, qtbot):
    app.store.select(Selection(op=1))
    decide(app, qtbot, "edits.keep", op=1)
    assert states(app) == [State.REFUSED]
    qtbot.waitUntil(lambda: bool(app.store.answer.scheduled.edits[0].ways), timeout=60_000)
    app.panels.show_panel("edits")
    app.panels.show_panel("why")
    view, why = app.view(EditsView), app.view(WhyView)
    view.table.pick(0)
    (button,) = view.told.ways.buttons
    (way,) = app.store.answer.scheduled.edits[0].ways
    assert [each.text() for each in why.ways.buttons] == [button.text()]
    assert view.told.sentence.text().startswith("1: Keep ")
    before = app.store.document
    button.click()
    assert app.store.document == before.with_limit(way.limit_bytes)
    wait_for_answer(qtbot, app)
    assert states(app) == [State.HONOURED]
    # What was tried is what is there, to the cycle.
    assert app.store.answer.scheduled.total.total_cycles == way.cycles
    # What is out of sight is shown when it is looked at.
    app.panels.show_panel("edits")
    qtbot.waitUntil(lambda: not view.told.ways.buttons)
    app.panels.show_panel("why")
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    qtbot.waitUntil(lambda: bool(why.ways.buttons), timeout=60_000)
    qtbot.keyClick(why.ways.buttons[0], Qt.Key.Key_Space)
    assert app.store.document == before.with_limit(way.limit_bytes)
    wait_for_answer(qtbot, app)


def test_an_edit_starts_from_what_is_on_screen_and_tells_its_price_to_the_cycle(app, qtbot):
    shown, document = app.store.answer.scheduled, app.store.document
    decide(app, qtbot, "edits.evict", op=3)
    now = app.store.answer.scheduled
    assert now.around.ground.cycles == shown.total.total_cycles
    (outcome,) = now.edits
    assert outcome.fate is EditFate.HONOURED
    assert outcome.price.cycles - outcome.price.cycles_without == (
        now.total.total_cycles - shown.total.total_cycles
    )
    followed = {each.subject for each in now.around.followed}
    names = edits.Names.of(now.graph)
    for fm, (before, after) in enumerate(zip(shown.schedule.maps, now.schedule.maps, strict=True)):
        assert before == after or names.maps[fm] in followed | {outcome.edit.subject}
    view = app.view(EditsView)
    app.panels.show_panel("edits")
    qtbot.waitUntil(lambda: app.store.answer.scheduled.around.anew is not None, timeout=60_000)
    qtbot.waitUntil(lambda: "searched anew" in view.price.text.text)
    assert view.price.text.text.startswith("Against what was shown: ")
    anew = app.store.answer.scheduled.around.anew
    qtbot.mouseClick(view.price.anew, Qt.MouseButton.LeftButton)
    wait_for_answer(qtbot, app)
    # What was told before is what is there, to the cycle.
    assert app.store.answer.scheduled.total.total_cycles == anew.cycles
    assert app.store.document.around is None
    assert not view.price.isVisible()
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.answer.scheduled.total == now.total
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document == document
    assert app.store.answer.scheduled.total == shown.total


def test_who_prefers_it_has_all_searched_anew(app, qtbot):
    app.actions.run("edits.keep_shown")
    assert not app.preferences.keeps_shown
    decide(app, qtbot, "edits.evict", op=3)
    assert app.store.answer.scheduled.around is None
    app.actions.run("edits.keep_shown")
    assert app.preferences.keeps_shown


@pytest.mark.long
def test_rows_are_moved_by_mouse_by_clicks_and_by_keys_and_nothing_else_changes(app, qtbot):
    decide(app, qtbot, "edits.evict", op=3)
    decide(app, qtbot, "edits.split", op=4)
    decide(app, qtbot, "edits.alone", op=2)
    first, before = app.store.document, found(app)
    fates = {outcome.edit: outcome.fate for outcome in app.store.answer.scheduled.edits}
    app.panels.show_panel("edits")
    view = app.view(EditsView)
    a, b, c = first.edits

    def by_mouse():
        view.table.pick(2)
        top = QPointF(view.table.visualRect(view.model.index(0, 1)).topLeft()) + QPointF(5, 1)
        drop = QDropEvent(
            top,
            Qt.DropAction.MoveAction,
            QMimeData(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        view.table.dropEvent(drop)

    def by_clicks():
        view.table.pick(2)
        view.told.earlier.click()
        view.told.earlier.click()

    def by_keys():
        view.table.pick(2)
        view.table.setFocus()
        for _ in range(2):
            qtbot.keyClick(view.table, Qt.Key.Key_Up, CONTROL_SHIFT)

    for way in (by_mouse, by_clicks, by_keys):
        way()
        assert app.store.document.edits == (c, a, b)
        assert app.store.history.undo_label.startswith("Move in the list")
        wait_for_answer(qtbot, app)
        assert found(app) == before
        assert {each.edit: each.fate for each in app.store.answer.scheduled.edits} == fates
        while app.store.document != first:
            app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)


@pytest.mark.long
def test_all_but_the_selection_is_frozen_and_thawed(app, qtbot):
    before, first = found(app), app.store.document
    decide(app, qtbot, "edits.solve_alone", op=4)
    view = app.view(EditsView)
    app.panels.show_panel("edits")
    assert [row.subject for row in view.model.rows] == [
        f"{len(app.store.document.edits)} decisions"
    ]
    after = app.store.answer.scheduled
    assert after.total.total_cycles <= before[3].total_cycles
    plans = zip(after.schedule.ops, before[0].ops, strict=True)
    assert all(one.block == other.block for one, other in plans if one.op != 4)
    assert app.actions["edit.undo"].text().startswith("Undo Solve 1 operator anew")
    view.table.pick(0)
    view.told.let_decide.click()
    assert app.store.document.edits == ()
    app.actions.run("edit.undo")
    app.actions.run("edit.undo")
    assert app.store.document == first
    wait_for_answer(qtbot, app)
    assert found(app) == before


@pytest.mark.long
def test_letters_decide_about_what_is_selected(app, qtbot):
    app.panels.show_panel("timeline")
    lanes = app._views["timeline"].stage.lanes
    app.store.select(Selection(op=4))
    for key, what in (
        (Qt.Key.Key_K, What.REGION),
        (Qt.Key.Key_X, What.CASCADE),
        (Qt.Key.Key_N, What.CASCADE),
    ):
        app.store.turns.finish()
        qtbot.keyClick(lanes, key)
        assert app.store.document.edits[-1].what is what
    qtbot.keyClick(lanes, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    app.store.turns.finish()
    qtbot.keyClick(lanes, Qt.Key.Key_U)
    assert app.store.document.edits == ()
    wait_for_answer(qtbot, app)


def context_menu(app, qtbot, widget, point):
    """The menu that a right click opens."""
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, widget.mapToGlobal(point))
    QApplication.sendEvent(widget, event)
    qtbot.waitUntil(
        lambda: any(menu.isVisible() for menu in app.window.findChildren(QMenu, "context"))
    )
    return next(menu for menu in app.window.findChildren(QMenu, "context") if menu.isVisible())


@pytest.mark.long
def test_a_right_click_offers_what_can_be_done_there(app, qtbot):
    memory = app.view(MemoryView)
    ghosts = memory.pane.ghosts.rects
    lane = memory.pane.lane
    middle = QPointF((ghosts.left[0] + ghosts.right[0]) / 2, (ghosts.bottom[0] + ghosts.top[0]) / 2)
    place = lane.mapFromScene(lane.box.mapViewToScene(middle))
    menu = context_menu(app, qtbot, lane.viewport(), place)
    fm = app.store.selection.fm
    assert fm == memory.shown.ghosts[int(ghosts.key[0])].evicted.fms[0]
    keep = next(action for action in menu.actions() if action.objectName() == "edits.keep")
    keep.trigger()
    menu.close()
    (edit,) = app.store.document.edits
    assert edit.value is Living.FAST
    wait_for_answer(qtbot, app)
    app.panels.show_panel("operators")
    table = app.view(OperatorsView).table
    row = table.visualRect(table.model().index(4, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.RightButton, pos=row)
    menu = context_menu(app, qtbot, table.viewport(), row)
    assert app.store.selection.op == 4
    names = {action.objectName() for action in menu.actions()}
    assert {"edits.split", "edits.block", "edits.stripe"} <= names
    assert "Sort by" in {action.text() for action in menu.actions()}
    menu.close()


@pytest.mark.long
def test_pins_are_in_every_view(app, qtbot):
    decide(app, qtbot, "edits.split", op=4)
    for name in app._views:
        app.panels.show_panel(name)
        app.store.turns.finish()
    state = states(app)[0]
    assert {pin.state for pin in app.view(TimelineView).stage.lanes.pins.pins} == {state}
    assert len(app.view(NetworkView).pins.pins) == 2
    assert PIN in app.view(TimelineView).stage.strip.legend.entries
    decide(app, qtbot, "edits.evict", op=3)
    app.panels.show_panel("memory")
    app.store.turns.finish()
    shown = app.view(MemoryView)
    while not (shown.pane.pins.pins or shown.pane.lane_pins.pins):
        shown.next_region()
    assert PIN in shown.pane.legend.entries
    app.actions.run("edits.remove_all")
    app.store.turns.finish()
    assert not app.view(TimelineView).stage.lanes.pins.pins
    assert PIN not in shown.pane.legend.entries
    wait_for_answer(qtbot, app)


@pytest.mark.long
def test_why_begins_with_the_edit_and_prices_come_later(app, qtbot):
    decide(app, qtbot, "edits.alone", op=2)
    app.panels.show_panel("why")
    why = app.view(WhyView)
    assert "Your edit" in why.text.toPlainText()
    answer = app.store.answer
    qtbot.waitUntil(lambda: app.store.answer.scheduled.edits[0].price is not None, timeout=60_000)
    # What they cost is no other answer: nothing is drawn anew for it.
    assert app.store.answer.analysis is answer.analysis
    assert app.store.is_current
    (row,) = edit_rows(app.store.document, app.store.answer)
    assert {"cycles", "sram", "evicted"} <= shown_columns((row,))
    why.text.anchorClicked.emit(QUrl("do:edits.remove"))
    assert app.store.document.edits == ()
    wait_for_answer(qtbot, app)


@pytest.mark.long
def test_cells_of_the_table_list_values_for_all_rows_that_are_picked(app, qtbot):
    app.panels.show_panel("operators")
    view = app.view(OperatorsView)
    view.table.select_places([6, 7, 9])
    assert app.store.selection.ops == (6, 7, 9)
    for column, what in (("block", What.BLOCK), ("format", What.FORMAT), ("memory", What.REGION)):
        place = view.table.model().index(9, POSITIONS[column])
        view.table.selectionModel().setCurrentIndex(
            place, QItemSelectionModel.SelectionFlag.NoUpdate
        )
        qtbot.keyClick(view.table, Qt.Key.Key_Return)
        menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
        choices = [action for action in menu.actions() if not action.isSeparator()]
        choices[-1].trigger()
        menu.close()
        made = [edit for edit in app.store.document.edits if edit.what is what]
        assert len(made) == 3
        assert len({edit.value for edit in made}) == 1
    wait_for_answer(qtbot, app)
