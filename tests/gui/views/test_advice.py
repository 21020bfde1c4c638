"""Advice in the window: told as it is found, taken with one click, and not begun for nobody."""

from __future__ import annotations

import pytest

from core.api import advices, schedules
from core.base.frozen import replace
from core.base.sentences import capitalised
from core.ir.options import Search
from gui.document.document import Document
from gui.jobs.adviser import Adviser
from gui.jobs.desk import Desk
from gui.present.runs.advice import rows_of
from gui.views.advice.view import AdviceView
from tests.gui.answers import answer_of, arrive, store_with


@pytest.fixture(scope="module")
def tips():
    answer = answer_of("kws_dscnn", search=Search.DIRECT, limit_bytes=16_000)
    bench, asked = schedules.Workbench(answer.scheduled.run), answer.document.settings
    trials = advices.Trials(bench, asked.options.lowering, grows_fronts=False)
    return advices.in_order(advices.advice(trials, asked))


@pytest.fixture
def shown(qtbot):
    store = store_with(answer_of("kws_dscnn", search=Search.DIRECT, limit_bytes=16_000))
    view = AdviceView(store)
    asked: list[Document | None] = []
    view.wanted.connect(asked.append)
    qtbot.addWidget(view)
    view.resize(600, 400)
    return store, view, asked


def rows(view):
    model = view.table.model()
    return [
        tuple(model.index(row, column).data() for column in range(model.columnCount()))
        for row in range(model.rowCount())
    ]


def test_it_asks_in_sight_and_goes_on_behind_others_until_something_else_is_asked(shown, qtbot):
    store, view, asked = shown
    told: list[str] = []
    view.aside.connect(told.append)
    view.show()
    view.hide()
    assert not [each for each in asked if each is not None]
    view.show()
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] == store.document)
    view.hide()
    view.show_tried(2, 9)
    assert asked[-1] == store.document
    assert told[-1] == "trying 3 of 9; nothing helps so far"
    view.show_tips(store.document, (), is_done=True)
    assert told[-1] == "Nothing that was tried helps"
    view.show()
    assert told[-1] == ""
    assert asked[-1] == store.document
    view.hide()
    store.edit(store.document.with_limit(12_000), "limit")
    assert asked[-1] is None
    assert told[-1] == ""


def test_trials_can_be_stopped_and_taken_up_again(shown, qtbot):
    store, view, asked = shown
    view.show()
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] == store.document)
    view.stop_button.click()
    assert asked[-1] is None
    assert view.state.text == "stopped; nothing helps so far"
    assert view.stop_button.text() == "Try again"
    view.stop_button.click()
    assert asked[-1] == store.document
    view.show_tips(store.document, (), is_done=True)
    assert view.stop_button.isHidden()


@pytest.mark.long
def test_tips_are_told_and_those_about_something_else_are_not(shown, qtbot, tips):
    store, view, asked = shown
    view.show()
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] == store.document)
    view.show_tips(store.document.with_limit(1), tips, is_done=True)
    assert rows(view) == []
    view.show_tips(store.document, tips[:1], is_done=False)
    view.show_tips(store.document, tips, is_done=True)
    assert rows(view) == list(rows_of(tips, store.document, store.answer))
    assert f"{len(tips)} would help" in view.state.text
    arrive(store, answer_of("kws_dscnn", search=Search.DIRECT, limit_bytes=16_000))
    store.edit(store.document.with_limit(20_000), "limit")
    assert rows(view) == []


def test_what_is_taken_is_one_step_and_brings_what_was_claimed(shown, qtbot, tips):
    store, view, asked = shown
    view.show()
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] == store.document)
    view.show_tips(store.document, tips, is_done=True)
    assert not view.take_button.isEnabled()
    view.table.selectRow(0)
    before, kept = store.document, store.answer
    view.take_and_compare()
    assert store.document == replace(before, settings=tips[0].settings)
    assert store.compared.kept.scheduled is kept.scheduled
    found = Desk().solve(store.document).scheduled
    assert advices.effect_of(found) == tips[0].after
    store.undo()
    assert store.document == before


@pytest.mark.long
def test_the_process_tells_tips_and_is_stopped_by_another_question(qtbot, tips):
    adviser = Adviser()
    told = []
    adviser.told.connect(lambda document, found: told.append((document, found)))
    document = answer_of("kws_dscnn", search=Search.DIRECT, limit_bytes=16_000).document
    adviser.ask(document.with_limit(12_000))
    adviser.ask(document)
    qtbot.waitUntil(lambda: bool(told) and bool(told[-1][1].tips), timeout=60_000)
    assert {each for each, _ in told} == {document}
    first = told[0][1].tips[0]
    assert first.settings in {tip.settings for tip in tips}
    adviser.ask(None)
    adviser.shutdown()


def test_causes_of_places_on_the_cpu_stand_below_with_what_they_cost(qtbot):
    answer = answer_of("shuffle_with_cpu", search=Search.DIRECT)
    view = AdviceView(store_with(answer))
    qtbot.addWidget(view)
    view.show()
    lines = advices.cpu_lines(answer.scheduled.graph)
    assert lines
    assert view.on_cpu.text().splitlines() == ["On the CPU:", *(f"• {line}" for line in lines)]
    arrive(view._store, answer_of("kws_dscnn", search=Search.DIRECT))
    assert view.cpu_area.isHidden()


def test_rows_lead_with_the_gain_and_are_as_high_as_their_sentences(shown, qtbot, tips):
    store, view, asked = shown
    view.resize(360, 500)
    view.show()
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] == store.document)
    view.show_tips(store.document, tips, is_done=True)
    for (gain, _), tip in zip(rows(view), tips, strict=True):
        assert gain.startswith(capitalised(advices.effect_text(tip)))
    table = view.table
    assert table.horizontalHeader().length() <= table.viewport().width()
    for place in range(len(tips)):
        lines = table.fontMetrics().horizontalAdvance(rows(view)[place][1]) / table.columnWidth(1)
        assert table.rowHeight(place) >= int(lines) * table.fontMetrics().height()
