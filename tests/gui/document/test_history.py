"""Undo and redo are older and newer values; a drag is one step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.ir.settings import Settings
from gui.document.document import Document, ModelRef
from gui.document.history import MOST_ENTRIES, Entry, History


def limited(limit_bytes):
    return Document(settings=Settings(limit_bytes=limit_bytes))


def documents(history):
    return [entry.document for entry in (*history.past, history.present, *history.future)]


edits = st.tuples(st.integers(0, 5).map(limited), st.sampled_from(["", "drag", "other"]))
actions = st.lists(st.one_of(edits, st.sampled_from(["undo", "redo", "settle"])), max_size=40)


def acted(history, action):
    match action:
        case "undo":
            return history.undone()
        case "redo":
            return history.redone()
        case "settle":
            return history.settled()
    document, key = action
    return history.edited(document, "edit", key)


@given(actions)
def test_all_can_be_undone_and_done_again(steps):
    history = History(present=Entry(limited(None)))
    for action in steps:
        history = acted(history, action)
    back = history
    while back.past:
        back = back.undone()
    assert documents(back) == documents(history)
    assert back.present.document in (limited(None), documents(history)[0])
    forth = back
    while forth.future:
        forth = forth.redone()
    assert documents(forth) == documents(history)
    assert back.undone() is back
    assert forth.redone() is forth


@given(actions)
def test_neighbours_differ_unless_a_drag_came_back(steps):
    history = History(present=Entry(limited(None)))
    for action in steps:
        before = history
        history = acted(history, action)
        if isinstance(action, tuple):
            assert history.present.document == action[0]
            assert history is before or not history.future


def test_edits_of_one_drag_are_one_step():
    start = History(present=Entry(limited(0)))
    history = start
    for size in range(1, 10):
        history = history.edited(limited(size), "limit", "slider")
    assert len(history.past) == 1
    assert history.undo_label == "limit"
    assert history.undone().present.document == limited(0)
    assert history.undone().redo_label == "limit"


def test_a_drag_that_has_ended_is_not_gone_on_with():
    history = History(present=Entry(limited(0))).edited(limited(1), "limit", "slider").settled()
    history = history.edited(limited(2), "limit", "slider")
    assert [entry.document for entry in history.past] == [limited(0), limited(1)]


def test_a_drag_after_an_undo_is_a_step_of_its_own():
    history = History(present=Entry(limited(0))).edited(limited(1), "limit", "slider")
    history = history.edited(limited(2), "other").undone().edited(limited(3), "limit", "slider")
    assert [entry.document for entry in history.past] == [limited(0), limited(1)]
    assert history.future == ()


def test_an_edit_that_changes_nothing_is_no_step():
    history = History(present=Entry(limited(0)))
    assert history.edited(limited(0), "nothing") is history
    assert history.undo_label == ""
    assert history.redo_label == ""


def test_the_past_is_not_kept_forever():
    history = History(present=Entry(limited(0)))
    for size in range(1, MOST_ENTRIES + 50):
        history = history.edited(limited(size), "limit")
    assert len(history.past) == MOST_ENTRIES


def test_a_file_that_changed_on_disk_is_changed_in_all_of_history():
    old, new = (ModelRef(path="a.tflite", digest=digest) for digest in "12")
    other = ModelRef(path="b.tflite", digest="3")
    history = History(present=Entry(Document(model=other)))
    history = history.edited(Document(model=old), "open")
    history = history.edited(replace(limited(1), model=old), "limit").undone()
    renewed = history.with_model(new)
    assert [document.model for document in documents(renewed)] == [other, new, new]
    assert [document.settings for document in documents(renewed)] == [
        document.settings for document in documents(history)
    ]
