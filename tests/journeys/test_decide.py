"""The form of decisions: picked by the mouse, typed by keys, of one, of several, and by a rule."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from core.ir.edits import EditFate, Grouping, MapNamed, What
from gui.document.examples import FIRST_EXAMPLE
from gui.document.selection import Selection
from gui.present.edits.rows import table_rows
from gui.present.edits.subjects import blocks_of, ops_of, plan_of
from gui.views.decide.view import DecideView
from gui.views.timeline.view import TimelineView
from tests.gui.running import as_opened, wait_for_answer
from tests.journeys.test_limit import DEDICATED

PATIENCE_MS = 60_000
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def window(open_app_once):
    return open_app_once(FIRST_EXAMPLE, **DEDICATED, limit_bytes=128 << 10)


@pytest.fixture
def app(window, qtbot):
    app = as_opened(qtbot, window)
    app.panels.show_panel(DecideView.NAME)
    qtbot.waitUntil(app.view(DecideView).isVisible)
    return app


def row(app, name):
    return app.view(DecideView).rows[name]


def shown_values(app) -> dict[str, str]:
    rows = app.view(DecideView).rows
    return {name: row.value.line.text() for name, row in rows.items() if row.value.isVisible()}


def opened_list(app, qtbot) -> QMenu:
    def menus() -> list[QMenu]:
        return [each for each in app.view(DecideView).findChildren(QMenu) if each.isVisible()]

    qtbot.waitUntil(lambda: bool(menus()))
    return menus()[-1]


def cycles(app) -> float:
    return app.store.answer.scheduled.total.total_cycles


def test_the_form_tells_what_the_schedule_has(app):
    app.store.select(Selection(op=4))
    scheduled, plan = app.store.answer.scheduled, plan_of(app.store.answer, 4)
    values = shown_values(app)
    assert values["block"] == "x".join(map(str, plan.block.ofm_block))
    assert values["stripe"].startswith(f"{plan.stripe.ofm.h} row")
    assert values["cascade"] == "in none" or "operators" in values["cascade"]
    assert row(app, "block").who.text == "search"
    app.store.select(Selection(fm=scheduled.graph.ops[4].ofm.fm))
    assert {"place", "format"} <= shown_values(app).keys() <= {"place", "format", "address"}
    app.store.select(Selection())
    assert shown_values(app) == {}
    assert app.view(DecideView).hint.isVisible()


def test_a_value_is_picked_by_the_mouse_at_the_price_that_its_list_tells(app, qtbot):
    app.store.select(Selection(op=3))
    before = cycles(app)
    qtbot.mouseClick(row(app, "place").value.button, LEFT)
    menu = opened_list(app, qtbot)
    (away,) = [each for each in menu.actions() if each.text().startswith("not in fast")]
    qtbot.waitUntil(lambda: "cycles" in away.text() or "free" in away.text(), timeout=PATIENCE_MS)
    told = away.text().partition("\t")[2]
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(away).center())
    wait_for_answer(qtbot, app)
    (edit,) = app.store.document.edits
    assert edit.what is What.REGION
    change = round(cycles(app) - before)
    assert told.startswith(f"{change:+,} cycles" if change else "free")
    assert row(app, "place").who.text == "you"
    # The button beside it gives the decision back.
    qtbot.mouseClick(row(app, "place").free, LEFT)
    assert app.store.document.edits == ()


def test_a_value_is_typed_and_a_list_is_opened_by_keys(app, qtbot):
    app.store.select(Selection(op=4))
    offered = [each.block for each in blocks_of(app.store.answer, 4)]
    now = plan_of(app.store.answer, 4).block.ofm_block
    other = "x".join(map(str, next(each for each in offered if each != now)))
    line = row(app, "block").value.line
    line.setFocus()
    qtbot.keyClicks(line, other)
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    assert line.text() == "x".join(map(str, now))
    line.selectAll()
    qtbot.keyClicks(line, other)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    wait_for_answer(qtbot, app)
    assert line.text() == other
    assert app.store.history.present.label.startswith("Run 4 ")
    qtbot.keyClick(row(app, "format").value.line, Qt.Key.Key_Down)
    menu = opened_list(app, qtbot)
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    line.selectAll()
    qtbot.keyClicks(line, "large")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert "block" in app.view(DecideView).problem.text()
    assert len(app.store.document.edits) == 1


def test_several_are_decided_at_once_in_one_step(app, qtbot):
    app.store.select(Selection(op=2, more_ops=(3, 4)))
    plans = [plan_of(app.store.answer, op) for op in (2, 3, 4)]
    blocks = ["x".join(map(str, plan.block.ofm_block)) for plan in plans]
    assert len(set(blocks)) > 1
    told = row(app, "block").value.line.text().split("; ")
    assert sorted(told) == sorted(f"{block} ({blocks.count(block)})" for block in set(blocks))
    steps = len(app.store.history.past)
    line = row(app, "stripe").value.line
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "4")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    wait_for_answer(qtbot, app)
    assert [edit.what for edit in app.store.document.edits] == [What.STRIPE] * 3
    assert len(app.store.history.past) == steps + 1
    app.store.undo()
    assert app.store.document.edits == ()


def test_a_rule_is_one_row_that_is_switched_off_as_a_whole(app, qtbot):
    view = app.view(DecideView)
    view.rule.setFocus()
    qtbot.keyClicks(view.rule, "kind=nothing")
    qtbot.keyClick(view.rule, Qt.Key.Key_Return)
    assert view.problem.text() == "No operator is like that."
    view.rule.selectAll()
    qtbot.keyClicks(view.rule, "kind=conv2d")
    qtbot.keyClick(view.rule, Qt.Key.Key_Return)
    graph = app.store.answer.scheduled.graph
    wanted = [op.id for op in graph.ops if "conv2d" in op.kind.value]
    assert list(ops_of(app.store.answer, app.store.selection)) == wanted
    qtbot.mouseClick(row(app, "cascade").value.button, LEFT)
    menu = opened_list(app, qtbot)
    alone = next(each for each in menu.actions() if each.text().startswith("in no cascade"))
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(alone).center())
    wait_for_answer(qtbot, app)
    edits = app.store.document.edits
    assert {(edit.rule, edit.value) for edit in edits} == {("kind=conv2d", Grouping.NEVER)}
    assert len(edits) == len(wanted)
    first, *_ = table_rows(app.store.document, app.store.answer)
    assert first.places == tuple(range(len(wanted)))
    assert all(each.fate is EditFate.HONOURED for each in app.store.answer.scheduled.edits)
    # Maps that it finds, or that what it finds makes.
    qtbot.keyClick(row(app, "format").value.line, Qt.Key.Key_Down)
    menu = opened_list(app, qtbot)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    more = app.store.document.edits[len(wanted) :]
    assert {type(edit.subject) for edit in more} == {MapNamed}
    wait_for_answer(qtbot, app)
    view.rule.selectAll()
    qtbot.keyClicks(view.rule, "cycles>5")
    qtbot.keyClick(view.rule, Qt.Key.Key_Return)
    assert "Unknown field" in view.problem.text()


def test_the_menu_about_the_selection_marks_what_is_so_and_tells_what_else_would_cost(app, qtbot):
    def opened() -> dict[str, QAction]:
        app.store.turns.finish()
        view = app.view(TimelineView)
        app._open_menu(view, view.mapToGlobal(QPoint(9, 9)))
        menu = next(each for each in view.findChildren(QMenu, "context") if each.isVisible())
        texts = [each.text() for each in menu.actions() if not each.isEnabled()]
        assert texts[0] == app.store.answer.scheduled.graph.titles.op(3)
        assert {"Memory", "Format and address", "Cascade", "Stripe and block"} <= set(texts)
        return {each.objectName(): each for each in menu.actions()}

    app.store.select(Selection(op=3))
    rows, before = opened(), cycles(app)
    marked = {name for name, row in rows.items() if row.isChecked()} & {"edits.keep", "edits.evict"}
    assert len(marked) == 1
    # What is so costs nothing to keep: only what is not is tried.
    assert not any("\t" in rows[name].text() for name in marked)
    other = "edits.rows"
    assert not rows[other].isChecked()
    qtbot.waitUntil(lambda: "cycles" in rows[other].text(), timeout=PATIENCE_MS)
    told = rows[other].text().partition("\t")[2]
    # In the menu bar the same command has its whole name, and no price.
    assert "\t" not in app.actions[other].text()
    rows[other].parent().close()
    assert app.store.trials.missing == ()
    app.actions.run(other)
    wait_for_answer(qtbot, app)
    assert told.startswith(f"{round(cycles(app) - before):+,} cycles")
    assert opened()[other].isChecked()


def test_how_many_operators_ahead_weights_come_is_shown_picked_at_its_price_and_typed(app, qtbot):
    graph = app.store.answer.scheduled.graph
    alone = [
        op.id
        for op in graph.ops
        if op.weights and op.id > 4 and plan_of(app.store.answer, op.id).cascade is None
    ]
    op = alone[0]

    def lead() -> int:
        return plan_of(app.store.answer, op).weights.lead_steps

    app.store.select(Selection(op=op))
    shown = shown_values(app)["fetching"]
    assert shown.endswith("ahead") if lead() else shown == "not fetched early"
    before, wanted = cycles(app), 3 if lead() == 2 else 2
    qtbot.mouseClick(row(app, "fetching").value.button, LEFT)
    menu = opened_list(app, qtbot)
    (picked,) = [
        each for each in menu.actions() if f"early, {wanted} operators ahead" in each.text()
    ]
    qtbot.waitUntil(
        lambda: "cycles" in picked.text() or "free" in picked.text(), timeout=PATIENCE_MS
    )
    told = picked.text().partition("\t")[2]
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(picked).center())
    wait_for_answer(qtbot, app)
    (edit,) = app.store.document.edits
    assert (edit.value.prefetch, edit.value.lead_steps) == (True, wanted)
    assert app.store.answer.scheduled.edits[0].fate is EditFate.HONOURED
    assert lead() == wanted
    assert shown_values(app)["fetching"] == f"fetched early, {wanted} operators ahead"
    change = round(cycles(app) - before)
    assert told.startswith(f"{change:+,} cycles" if change else "free")
    line = row(app, "fetching").value.line
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "1")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    wait_for_answer(qtbot, app)
    assert lead() == 1
    assert shown_values(app)["fetching"] == "fetched early, 1 operator ahead"
    line.selectAll()
    qtbot.keyClicks(line, "soon")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert "'soon' is no number of operators ahead" in app.view(DecideView).problem.text()
    assert lead() == 1
