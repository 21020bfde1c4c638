"""Notes in the window: written by key, seen in timeline and map, kept, undone, exported."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog

from core.ir.edits import MapNamed, OpNamed, SpanNamed
from core.ir.notes import Note
from gui.document.display import Span
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.document.session import Session, decode, encode
from gui.present.notes.rows import TEXT
from gui.views.memory.view import MemoryView
from gui.views.notes.view import NotesView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import model_path
from tests.gui.running import wait_for_answer


@pytest.fixture
def app(open_app):
    app = open_app(model_path("kws_dscnn"))
    app.panels.show_panel("timeline")
    return app


def write(app, qtbot, text: str) -> None:
    """Press N in the timeline, and write a line."""
    canvas = app.view(TimelineView).stage.lanes
    # A dialog that was open has taken the focus of the window along.
    app.window.activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus)
    app.store.turns.finish()
    qtbot.keyClick(canvas, Qt.Key.Key_N)
    (dialog,) = [each for each in app.window.findChildren(QInputDialog) if each.isVisible()]
    dialog.setTextValue(text)
    dialog.accept()
    qtbot.waitUntil(lambda: app.window.findChild(QInputDialog) is None)


def flags(app):
    lanes, pane = app.view(TimelineView).stage.lanes, app.view(MemoryView).pane
    return lanes.flags.shown, pane.flags.shown


@pytest.mark.long
def test_a_note_on_the_selection_is_a_flag_in_both_pictures_and_can_be_undone(app, qtbot):
    first = app.store.answer
    name = first.scheduled.run.graph.ops[3].name
    app.store.select(Selection(op=3))
    write(app, qtbot, "  slow on\nthe board ")
    assert app.store.notes.entries == (Note(subject=OpNamed(name), text="slow on the board"),)
    app.store.turns.finish()
    trace = first.analysis.trace
    for found in flags(app):
        (flag,) = found
        assert flag.text == "slow on the board"
    (flag,) = flags(app)[0]
    assert (flag.start, flag.end) == (trace.op_start_cycle[3], trace.op_end_cycle[3])
    # Nothing is asked of the compiler for it.
    assert app.store.is_current
    assert app.store.answer.scheduled is first.scheduled
    app.actions.run("edit.undo")
    assert app.store.notes.entries == ()
    assert flags(app) == ((), ())
    app.actions.run("edit.redo")
    assert len(app.store.notes.entries) == 1


@pytest.mark.long
def test_a_marked_stretch_and_a_map_have_notes_that_survive_another_limit(app, qtbot):
    trace = app.store.answer.analysis.trace
    graph = app.store.answer.scheduled.run.graph
    app.store.select(NOTHING_SELECTED)
    app.store.mark_span(
        Span(start_cycle=float(trace.op_start_cycle[2]), end_cycle=float(trace.op_end_cycle[4]) - 1)
    )
    write(app, qtbot, "camera")
    app.store.select(Selection(fm=graph.ops[5].ofm.fm))
    write(app, qtbot, "skip")
    span, skip = app.store.notes.entries
    assert span.subject == SpanNamed(OpNamed(graph.ops[2].name), OpNamed(graph.ops[4].name))
    assert skip.subject == MapNamed(graph.feature_maps[graph.ops[5].ofm.fm].name)
    app.store.edit(app.store.document.with_limit(20_000), "limit")
    wait_for_answer(qtbot, app)
    app.store.turns.finish()
    assert app.store.notes.entries == (span, skip)
    assert [flag.text for flag in flags(app)[0]] == ["camera", "skip"]
    # A click on a flag selects what it is about.
    lanes = app.view(TimelineView).stage.lanes
    lanes.box.clicked.emit(_middle(lanes.flags, "camera"), False)
    assert set(app.store.selection.ops) >= {2, 3, 4}


def _middle(item, text: str):
    boxes = item._boxes(item.sceneTransform())
    return next(box.center() for flag, box, _ in boxes if flag.text == text)


@pytest.mark.long
def test_the_list_goes_to_notes_writes_and_removes_them(app, qtbot):
    names = [op.name for op in app.store.answer.scheduled.run.graph.ops]
    notes = tuple(Note(subject=OpNamed(name), text=name[:4]) for name in (names[1], "gone"))
    app.store.notes.set(notes, "notes")
    app.panels.show_panel(NotesView.NAME)
    view = app.view(NotesView)
    assert [row.is_orphan for row in view.model.rows] == [False, True]
    assert "1 orphan" in view.tally.text()
    assert "no such name" in view.model.index(1, 3).data()
    view.table.pick(0)
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert app.store.selection == Selection(op=1)
    view.model.setData(view.model.index(0, TEXT), "other")
    assert app.store.notes.entries[0].text == "other"
    assert not view.model.setData(view.model.index(0, TEXT), "  ")
    view.table.pick(1)
    qtbot.keyClick(view.table, Qt.Key.Key_Delete)
    assert [note.text for note in app.store.notes.entries] == ["other"]
    for _ in range(2):
        app.actions.run("edit.undo")
    assert app.store.notes.entries == notes
    app.actions.run("notes.next")
    assert app.store.selection == Selection(op=1)


@pytest.mark.long
def test_notes_are_kept_in_sessions_and_read_from_files(app, tmp_path):
    note = Note(subject=OpNamed("gone"), text="was there once")
    app.store.notes.set((note,), "note")
    session = Session(history=app.store.history)
    assert decode(encode(session)).history == session.history
    file = tmp_path / "schedule.json"
    name = app.store.answer.scheduled.run.graph.ops[0].name
    plain = {"subject": {"operator": name}, "text": "first", "is_orphan": False}
    file.write_text(json.dumps({"core": "reefpoint", "notes": [plain]}))
    assert app.note_files.read(str(file))
    assert [each.text for each in app.store.notes.entries] == ["was there once", "first"]
    assert not app.note_files.read(str(tmp_path / "missing.json"))
