"""Each decision by clicks alone and by keys: the same document, and back to the start by undo.

Undo brings back the bytes of what is kept, and asks the compiler nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame, QInputDialog, QLineEdit, QMenu

from core.ir.edits import What
from gui.document.examples import FIRST_EXAMPLE
from gui.document.selection import Selection
from gui.document.session import Session, encode
from gui.jobs.messages import Request
from gui.present.operators.columns import POSITIONS
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from tests.gui.running import as_opened, wait_for_answer
from tests.journeys.test_limit import DEDICATED

NONE = Qt.KeyboardModifier.NoModifier
ALT, SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | SHIFT
Key = tuple[Qt.Key, Qt.KeyboardModifier]


class Row(NamedTuple):
    """A decision: whom it is about, what it decides, and its key where it has one."""

    command: str
    what: What
    op: int = 4
    key: Key | None = None
    chosen: int | None = None
    """Of a list of values, which."""
    number: int | None = None
    """Where a number is asked for."""


ROWS = (
    Row("edits.keep", What.REGION, 13, (Qt.Key.Key_K, NONE)),
    Row("edits.evict", What.REGION, 3, (Qt.Key.Key_O, NONE)),
    Row("edits.rows", What.FORMAT, 5),
    Row("edits.bricks", What.FORMAT, 5),
    Row("edits.address", What.ADDRESS, 5, number=4096),
    Row("edits.merge", What.CASCADE, 9, (Qt.Key.Key_C, NONE)),
    Row("edits.split", What.CASCADE, 4, (Qt.Key.Key_X, NONE)),
    Row("edits.alone", What.CASCADE, 4, (Qt.Key.Key_X, SHIFT)),
    Row("edits.stripe", What.STRIPE, 4, (Qt.Key.Key_H, NONE), chosen=2),
    Row("edits.higher", What.STRIPE, 22, (Qt.Key.Key_Up, ALT)),
    Row("edits.lower", What.STRIPE, 22, (Qt.Key.Key_Down, ALT)),
    Row("edits.sooner", What.BEFORE, 12, (Qt.Key.Key_Left, ALT | SHIFT)),
    Row("edits.later", What.AFTER, 9, (Qt.Key.Key_Right, ALT | SHIFT)),
    Row("edits.block", What.BLOCK, 4, (Qt.Key.Key_B, NONE), chosen=1),
    Row("edits.weights.direct", What.WEIGHTS, 4),
    Row("edits.weights.one", What.WEIGHTS, 4),
    Row("edits.weights.two", What.WEIGHTS, 4),
    Row("edits.weights.early", What.WEIGHTS, 4),
    Row("edits.weights.late", What.WEIGHTS, 4),
    Row("edits.weights.slices", What.WEIGHTS, 4, chosen=1),
    Row("edits.reserve", What.RESERVE, 8, number=2048),
    Row("edits.freeze", What.BLOCK, 4, (Qt.Key.Key_F, SHIFT)),
    Row("edits.solve_alone", What.BLOCK, 4, (Qt.Key.Key_U, SHIFT)),
)


@pytest.fixture(scope="module")
def window(open_app_once):
    return open_app_once(FIRST_EXAMPLE, **DEDICATED, limit_bytes=128 << 10)


@pytest.fixture
def app(window, qtbot):
    app = as_opened(qtbot, window)
    app.panels.show_panel("timeline")
    return app


def kept(app) -> str:
    """All that a session would keep of the document."""
    return encode(Session(history=type(app.store.history)(present=app.store.history.present)))


def context_menu(app, qtbot) -> QMenu:
    """By a right click; the pointer is where nothing is, so that the selection stays."""
    view = app.view(TimelineView)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, QPoint(2, 2), view.mapToGlobal(QPoint(2, 2))
    )
    QApplication.sendEvent(view, event)
    return shown_menu(app, qtbot)


def shown_menu(app, qtbot) -> QMenu:
    def found() -> list[QMenu]:
        return [menu for menu in app.window.findChildren(QMenu) if menu.isVisible()]

    qtbot.waitUntil(lambda: bool(found()))
    return found()[-1]


def answer_the_question(app, qtbot, row: Row, *, by_key: bool) -> None:
    """Choose from the list or type the number that is asked for."""
    if row.chosen is not None:
        menu = shown_menu(app, qtbot)
        choices = [action for action in menu.actions() if action.isCheckable()]
        if by_key:
            for _ in range(row.chosen + 1):
                qtbot.keyClick(menu, Qt.Key.Key_Down)
            qtbot.keyClick(menu, Qt.Key.Key_Return)
        else:
            place = menu.actionGeometry(choices[row.chosen]).center()
            qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)
    if row.number is not None:
        (dialog,) = [each for each in app.window.findChildren(QInputDialog) if each.isVisible()]
        dialog.setIntValue(row.number)
        qtbot.keyClick(dialog, Qt.Key.Key_Return)


def by_clicks(app, qtbot, row: Row) -> None:
    menu = context_menu(app, qtbot)
    action = next(each for each in menu.actions() if each.objectName() == row.command)
    place = menu.actionGeometry(action).center()
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=place)
    answer_the_question(app, qtbot, row, by_key=False)


def by_keys(app, qtbot, row: Row) -> None:
    """By its own key, or by its name in the palette."""
    lanes = app.view(TimelineView).stage.lanes
    # A menu that was open has taken the focus of the window along.
    app.window.activateWindow()
    lanes.setFocus()
    qtbot.waitUntil(lanes.hasFocus)
    if row.key is not None:
        qtbot.keyClick(lanes, row.key[0], row.key[1])
    else:
        qtbot.keyClick(lanes, Qt.Key.Key_P, CONTROL_SHIFT)
        title = next(each.title for each in app.actions.commands if each.id == row.command)
        line = app.window.findChild(QFrame, "finder").findChild(QLineEdit)
        QTest.keyClicks(line, title.removesuffix("..."))
        QTest.keyClick(line, Qt.Key.Key_Return)
    answer_the_question(app, qtbot, row, by_key=True)


WAYS: tuple[Callable[..., None], ...] = (by_clicks, by_keys)


def rows_about(*whats: What) -> tuple[Row, ...]:
    return tuple(row for row in ROWS if row.what in whats)


@pytest.mark.long
@pytest.mark.parametrize(
    "rows",
    [
        rows_about(What.REGION, What.FORMAT, What.ADDRESS),
        rows_about(What.CASCADE, What.STRIPE),
        rows_about(What.BLOCK, What.WEIGHTS, What.RESERVE),
        rows_about(What.BEFORE, What.AFTER),
    ],
    ids=["maps", "cascades", "operators", "order"],
)
def test_it_is_decided_by_clicks_and_by_keys_and_undone_to_the_byte(app, qtbot, rows, monkeypatch):
    first, asked = kept(app), []
    process = app.runner._process
    send = process.send
    monkeypatch.setattr(process, "send", lambda each: (asked.append(each), send(each)))
    for row in rows:
        documents = []
        for way in WAYS:
            app.store.select(Selection(op=row.op))
            app.store.turns.finish()
            way(app, qtbot, row)
            documents.append(app.store.document)
            decided = {edit.what for edit in app.store.document.edits}
            assert row.what in decided, (row.command, way.__name__)
            wait_for_answer(qtbot, app)
            asked.clear()
            assert app.actions.run("edit.undo")
            # What was there is shown again at once, and nobody has to work it out.
            assert app.store.is_current
            assert kept(app) == first
            assert not [each for each in asked if isinstance(each, Request)]
        assert documents[0] == documents[1], row.command
        assert not app.actions["edit.undo"].isEnabled()


@pytest.mark.long
@pytest.mark.parametrize(
    ("column", "what", "op"),
    [
        ("memory", What.REGION, 3),
        ("format", What.FORMAT, 5),
        ("stripe", What.STRIPE, 4),
        ("block", What.BLOCK, 4),
        ("buffering", What.WEIGHTS, 4),
        ("slices", What.WEIGHTS, 4),
        ("cascade", What.CASCADE, 4),
    ],
)
def test_a_cell_of_the_table_is_decided_by_mouse_and_by_keys(app, qtbot, column, what, op):
    """A double click or Enter lists the values; the same of them is the same document."""
    app.panels.show_alone("operators")
    QApplication.processEvents()
    table, first, documents = app.view(OperatorsView).table, kept(app), []
    for by_key in (False, True):
        app.store.select(Selection(op=op))
        app.store.turns.finish()
        cell = table.model().index(op, POSITIONS[column])
        table.setColumnHidden(cell.column(), False)
        table.scrollTo(cell)
        if by_key:
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            table.selectionModel().setCurrentIndex(cell, flag)
            qtbot.keyClick(table, Qt.Key.Key_Return)
        else:
            place = table.visualRect(cell).center()
            qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
            qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        answer_the_question(app, qtbot, Row("", what, chosen=1), by_key=by_key)
        assert [edit.what for edit in app.store.document.edits] == [what]
        documents.append(app.store.document)
        assert app.actions.run("edit.undo")
        assert kept(app) == first
    assert documents[0] == documents[1]
    assert not app.actions["edit.undo"].isEnabled()
    wait_for_answer(qtbot, app)
