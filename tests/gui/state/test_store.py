"""The store announces what changed, once, and nothing where nothing did."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from core.ir.settings import Settings
from gui.document.changes import Part
from gui.document.display import Display, Span, TimeUnit
from gui.document.document import Document, ModelRef
from gui.document.job import JobPhase, JobState
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.state.store import Store
from gui.theme.tones import DARK, LIGHT
from tests.gui.answers import answer_of, store_with


def limited(limit_bytes):
    return Document(settings=Settings(limit_bytes=limit_bytes))


@pytest.fixture
def heard():
    """`heard(store)`: the changes that it announces from now on."""

    def listen(store):
        changes = []
        store.changed.connect(changes.append)
        return changes

    return listen


def parts(changes):
    return [set(change.parts) for change in changes]


def test_each_change_is_announced_once(heard):
    store = Store(limited(1))
    changes = heard(store)
    span = Span(start_cycle=0.0, end_cycle=1.0)
    for _ in range(2):
        store.edit(limited(2), "limit", initiator="me")
        store.select(Selection(op=0), initiator="me")
        store.mark_span(span, initiator="me")
        store.set_display(Display(time_unit=TimeUnit.MICROSECONDS))
        store.set_job(JobState(phase=JobPhase.RUNNING))
        store.set_theme(DARK)
    assert parts(changes) == [
        {Part.DOCUMENT},
        {Part.SELECTION},
        {Part.SPAN},
        {Part.DISPLAY},
        {Part.JOB},
        {Part.DISPLAY},
    ]
    assert [change.initiator for change in changes] == ["me", "me", "me", "", "", ""]


def test_a_new_store_has_nothing_to_undo(heard):
    store = Store(limited(1))
    changes = heard(store)
    store.undo()
    store.redo()
    assert changes == []
    assert store.document == limited(1)
    assert Store().document == Document()
    assert store.theme is LIGHT


def test_undo_and_redo_are_changes_of_the_document(heard):
    store = Store(limited(1))
    store.edit(limited(2), "limit")
    changes = heard(store)
    store.undo()
    assert store.document == limited(1)
    store.redo()
    assert store.document == limited(2)
    assert parts(changes) == [{Part.DOCUMENT}, {Part.DOCUMENT}]


def test_a_drag_ends_when_it_settles():
    store = Store(limited(0))
    for size in (1, 2):
        store.edit(limited(size), "limit", merge_key="slider")
    store.settle()
    for size in (3, 4):
        store.edit(limited(size), "limit", merge_key="slider")
    store.undo()
    assert store.document == limited(2)
    store.undo()
    assert store.document == limited(0)


def test_an_answer_is_current_until_something_else_is_asked():
    answer = answer_of("kws_dscnn")
    store = Store(answer.document)
    assert not store.is_current
    store.set_answer(answer)
    assert store.is_current
    store.edit(replace(answer.document, settings=Settings(limit_bytes=1)), "limit")
    assert not store.is_current
    store.undo()
    assert store.is_current


def test_what_is_picked_stays_while_the_graph_stays(heard):
    settings = {"accelerator": "ethos-u65-256"}
    first = answer_of("unet_128", **settings)
    store = store_with(first)
    store.select(Selection(op=3))
    store.mark_span(Span(start_cycle=0.0, end_cycle=1.0))
    changes = heard(store)
    store.set_answer(answer_of("unet_128", **settings, limit_bytes=64 << 10))
    assert store.selection == Selection(op=3)
    assert parts(changes) == [{Part.ANSWER}]
    store.set_answer(answer_of("kws_dscnn"))
    assert store.selection is NOTHING_SELECTED
    assert store.selected_span is None
    assert parts(changes)[1:] == [{Part.ANSWER, Part.SELECTION, Part.SPAN}]


def test_another_model_takes_everything_with_it(heard):
    answer = answer_of("kws_dscnn")
    store = store_with(answer)
    store.edit(replace(answer.document, settings=Settings(limit_bytes=1)), "limit")
    store.select(Selection(op=1))
    changes = heard(store)
    store.open(limited(5))
    assert store.answer is None
    assert store.selection.is_empty
    assert parts(changes) == [{Part.DOCUMENT, Part.NOTES, Part.ANSWER, Part.SELECTION, Part.SPAN}]


def test_undo_leads_from_a_model_to_the_one_before_with_all_that_was_done_to_it(heard):
    answer = answer_of("kws_dscnn")
    store = store_with(answer)
    limit = replace(answer.document, settings=Settings(limit_bytes=1))
    store.edit(limit, "limit")
    other = Document(model=ModelRef(path="other.tflite", digest="other"))
    store.open(other)
    assert store.history.undo_label == "Open other.tflite"
    store.select(Selection(op=1))
    changes = heard(store)
    store.undo()
    assert store.document == limit
    assert store.selection.is_empty
    assert parts(changes) == [{Part.DOCUMENT, Part.NOTES, Part.ANSWER, Part.SELECTION, Part.SPAN}]
    store.undo()
    assert store.document == answer.document
    store.redo()
    store.redo()
    assert store.document == other


def test_a_model_that_cannot_be_had_leaves_nothing_behind():
    answer = answer_of("kws_dscnn")
    store = store_with(answer)
    before = store.history
    other = Document(model=ModelRef(path="other.tflite", digest="other"))
    store.open(other)
    store.edit(other.with_limit(1), "limit")
    store.resume(store.history.before_model())
    assert store.history == before


def test_a_file_that_changed_is_another_question(heard):
    answer = answer_of("kws_dscnn")
    store = store_with(answer)
    changes = heard(store)
    store.renew_model(answer.document.model)
    assert changes == []
    store.renew_model(replace(answer.document.model, digest="other"))
    assert parts(changes) == [{Part.DOCUMENT}]
    assert not store.is_current
