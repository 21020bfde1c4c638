"""Menus, tool bar, palette and shortcut sheet are the table of commands, and they run."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QWidget

from gui.commands.table import TOOLS, commands
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.shell.dialogs import TextDialog
from gui.shell.finder import Finder
from gui.shell.libraries import absent_for_import
from gui.theme.tones import DARK, LIGHT
from gui.views.advice.view import AdviceView
from gui.views.controls.view import ControlsView
from gui.views.edits.view import EditsView
from gui.views.memory.view import MemoryView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from gui.views.why.view import WhyView
from tests.gui.answers import EXAMPLES
from tests.gui.items.drawing import drag, drag_to, move, pixel_of
from tests.gui.running import Oracle, wait_for_answer

pytestmark = pytest.mark.skipif(bool(absent_for_import()), reason="Qt cannot be loaded")


@pytest.fixture
def app(app_again):
    return app_again


@pytest.fixture
def new_app(open_app):
    """A window in which no panel was shown yet, and nothing has had the focus."""
    return open_app(EXAMPLES / "kws_dscnn.tflite", make_runner=Oracle)


def menu_ids(menu: QMenu) -> list[str]:
    ids = []
    for action in menu.actions():
        below = action.menu()
        if below is not None:
            ids += menu_ids(below)
        elif not action.isSeparator():
            ids.append(action.objectName())
    return ids


def finder_of(app) -> Finder:
    # One that was closed is there until the event loop turns.
    found = [finder for finder in app.window.findChildren(Finder) if finder.isVisible()]
    assert len(found) == 1
    return found[0]


def test_every_command_is_in_the_menus_once(app):
    bar = app.window.menuBar()
    ids = [name for action in bar.actions() for name in menu_ids(action.menu())]
    assert Counter(ids) == Counter(command.id for command in commands())


def test_menus_have_no_two_lines_together_and_none_at_an_end(app):
    for menu in app.window.menuBar().findChildren(QMenu):
        kinds = [action.isSeparator() for action in menu.actions()]
        assert not kinds[0]
        assert not kinds[-1]
        assert (True, True) not in itertools.pairwise(kinds)


def test_the_tool_bar_has_its_commands_with_names_and_icons(app):
    bar = app.window.tools
    wanted = [name for group in TOOLS for name in group]
    shown = [action for action in bar.actions() if action.objectName() in wanted]
    assert [action.objectName() for action in shown] == wanted
    for action in shown:
        assert not action.icon().isNull()
        assert bar.widgetForAction(action).accessibleName()
        assert action.toolTip()


def test_every_command_that_is_shown_is_in_the_palette(app):
    assert app.actions.run("view.palette")
    finder = finder_of(app)
    listed = {row.id: row for row in finder.found}
    for command in commands():
        is_hidden = command.hides and command.when(app)
        assert (command.id in listed) == (not is_hidden)
        if not is_hidden:
            assert listed[command.id].obstacle == command.when(app)
    # What cannot run now is below everything that can.
    obstacles = [bool(row.obstacle) for row in finder.found]
    assert obstacles == sorted(obstacles)


def test_the_palette_runs_a_command_by_keys_alone(app, qtbot):
    qtbot.keyClick(app.window, Qt.Key.Key_P, ctrl_shift())
    finder = finder_of(app)
    qtbot.keyClicks(finder.line, "theme dark")
    assert finder.found[0].id == "view.theme.dark"
    qtbot.keyClick(finder.line, Qt.Key.Key_Return)
    assert app.store.theme is DARK
    qtbot.waitUntil(lambda: not app.window.findChildren(Finder))


def ctrl_shift() -> Qt.KeyboardModifier:
    return Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def test_the_arrows_choose_in_the_palette(app, qtbot):
    app.actions.run("view.palette")
    finder = finder_of(app)
    steps = [
        (Qt.Key.Key_Down, 1),
        (Qt.Key.Key_Down, 2),
        (Qt.Key.Key_Up, 1),
        (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_Up, 0),
    ]
    for key, row in steps:
        qtbot.keyClick(finder.line, key)
        assert finder.list.currentIndex().row() == row
    qtbot.keyClick(finder.line, Qt.Key.Key_PageDown)
    assert finder.list.currentIndex().row() > 5
    for _ in range(len(finder.found)):
        qtbot.keyClick(finder.line, Qt.Key.Key_PageDown)
    assert finder.list.currentIndex().row() == len(finder.found) - 1


def test_the_palette_does_not_run_what_cannot_run(app, qtbot):
    app.actions.run("view.palette")
    finder = finder_of(app)
    qtbot.keyClicks(finder.line, "reopen last")
    assert finder.found[0].obstacle == "no session was left"
    qtbot.keyClick(finder.line, Qt.Key.Key_Return)
    assert finder.isVisible()
    finder.line.clear()
    qtbot.keyClicks(finder.line, "zqzq")
    assert finder.found == ()
    qtbot.keyClick(finder.line, Qt.Key.Key_Return)
    qtbot.keyClick(finder.line, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not app.window.findChildren(Finder))


def test_the_palette_is_drawn(app):
    app.actions.run("view.palette")
    finder = finder_of(app)
    plain = finder.list.grab().toImage()
    finder.line.setText("lim")
    assert finder.list.grab().toImage() != plain


def test_what_cannot_run_says_why(app):
    action = app.actions["file.reopen_session"]
    assert not action.isEnabled()
    assert "no session was left" in action.toolTip()
    assert action.statusTip() == "no session was left"
    assert not app.actions.run("file.reopen_session")


def test_undo_says_what_it_would_undo(app):
    assert not app.actions["edit.undo"].isEnabled()
    app.actions.run("schedule.strategy")
    assert app.actions["edit.undo"].text() == "Undo strategy"
    assert app.actions["schedule.strategy"].isChecked()
    app.actions.run("edit.undo")
    assert app.actions["edit.redo"].text() == "Redo strategy"
    assert not app.actions["schedule.strategy"].isChecked()


def test_what_is_on_is_checked(app):
    def themes() -> list[bool]:
        names = ("system", "light", "dark")
        return [app.actions[f"view.theme.{name}"].isChecked() for name in names]

    assert themes() == [True, False, False]
    app.actions["view.theme.light"].trigger()
    assert themes() == [False, True, False]
    # A click on what is on already leaves it on.
    app.actions["view.theme.light"].trigger()
    assert themes() == [False, True, False]
    assert app.store.theme is LIGHT


def test_units_are_switched_by_keys(app, qtbot):
    qtbot.keyClick(app.window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    assert app.store.display.time_unit.name == "MICROSECONDS"
    qtbot.keyClick(app.window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert app.store.display.byte_unit.name == "BYTES"
    qtbot.keyClick(app.window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert app.store.display.byte_unit.name == "KIB"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "title", "word"),
    [
        ("help.shortcuts", "Keys and gestures", "Alt+drag a map"),
        ("help.changelog", "What is new", "Changelog"),
        ("help.licences", "Licences", "pyqtgraph"),
        ("help.about", "About Reefpoint", "estimates"),
    ],
)
def test_help_opens_a_text(app, qtbot, name, title, word):
    app.actions.run(name)
    dialog = app.window.findChild(TextDialog)
    assert dialog.windowTitle() == title
    assert word in dialog.browser.toPlainText()
    dialog.close()
    qtbot.waitUntil(lambda: app.window.findChild(TextDialog) is None)


def test_the_sheet_has_every_key(app):
    app.actions.run("help.shortcuts")
    text = app.window.findChild(TextDialog).browser.toPlainText()
    for command in commands():
        for key in command.keys:
            assert QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) in text


def test_no_key_is_ambiguous_in_any_view(new_app, qtbot):
    # Keys do nothing in this window from here on.
    ran: list[str] = []
    for command in commands():
        action = new_app.actions[command.id]
        action.triggered.disconnect()
        action.triggered.connect(lambda *_, name=command.id: ran.append(name))
        action.setEnabled(True)
    for name, view in new_app._views.items():
        new_app.panels.show_panel(name)
        for command in commands():
            if command.scopes and name not in command.scopes:
                continue
            for key in command.keys:
                ran.clear()
                sequence = QKeySequence(key)
                qtbot.keySequence(view.focusWidget() or view, sequence)
                # A line to type into takes what is typed; nothing else may happen then.
                assert ran in ([command.id], []), (name, key)


def test_everything_that_takes_keys_has_a_name(app):
    nameless = set()
    for name in app._views:
        app.panels.show_panel(name)
        for widget in app.window.findChildren(QWidget):
            takes_keys = widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
            # A label or a button is called what is written on it.
            says_it = isinstance(widget, QLabel | QAbstractButton) and widget.text()
            is_reached = takes_keys and widget.isVisible() and not widget.focusProxy()
            if is_reached and not (says_it or widget.accessibleName()):
                nameless.add(f"{name}: {type(widget).__name__}")
    assert nameless == set()


@pytest.mark.long
def test_no_part_of_the_window_flashes_up_as_a_window_of_its_own(open_app, qtbot, qapp):
    class Watcher(QObject):
        def eventFilter(self, watched, event):  # noqa: N802 - Qt's name
            if event.type() is QEvent.Type.Show and watched.isWidgetType() and watched.isWindow():
                seen.append(watched)
            return False

    seen: list[QWidget] = []
    watcher = Watcher()
    qapp.installEventFilter(watcher)
    app = open_app(EXAMPLES / "unet_128.tflite")
    for name in app._views:
        app.panels.show_panel(name)
    app.actions.run("schedule.limit_down")
    wait_for_answer(qtbot, app)
    qapp.removeEventFilter(watcher)
    assert {type(widget).__name__ for widget in seen} == {"Window"}


def test_the_panel_commands(new_app, qtbot):
    qtbot.keyClick(new_app.window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert new_app.panels.is_panel_shown("memory")
    focus = QApplication.focusWidget()
    assert new_app._panels.dock("memory").isAncestorOf(focus)
    new_app.actions.run("view.panel.memory")
    assert not new_app.actions["view.panel.memory"].isChecked()
    new_app.actions.run("view.reset_layout")
    assert new_app.panels.is_panel_shown("memory")
    new_app.actions.run("view.alone")
    assert new_app.actions["view.alone"].isChecked()
    new_app.actions.run("view.alone")
    assert not new_app.panels.is_alone


def test_operators_maps_and_cascades_are_found_by_name_and_selected(app, qtbot):
    graph = app.store.answer.scheduled.run.graph
    app.actions.run("view.palette")
    finder = finder_of(app)
    assert all(row.id for row in finder.found)
    op = graph.ops[3]
    qtbot.keyClicks(finder.line, f"operator {graph.titles.op(op.id)}")
    assert finder.found[0].target.target == Selection(op=op.id)
    qtbot.keyClick(finder.line, Qt.Key.Key_Return)
    assert app.store.selection == Selection(op=op.id)


@pytest.mark.long
@pytest.mark.parametrize(
    ("typed", "found"),
    [("spill", "edits.evict"), ("pin", "edits.keep"), ("fuse", "edits.merge")],
)
def test_commands_are_found_by_what_others_call_them(app, qtbot, typed, found):
    app.actions.run("view.palette")
    finder = finder_of(app)
    qtbot.keyClicks(finder.line, typed)
    assert found in [row.id for row in finder.found]


def find(app, qtbot, typed: str) -> None:
    """Type some words, and take the first that is found."""
    app.actions.run("view.palette")
    qtbot.keyClicks(finder_of(app).line, typed)
    qtbot.keyClick(finder_of(app).line, Qt.Key.Key_Return)


def test_a_setting_is_found_and_gone_to(app, qtbot):
    app.panels.show_panel("timeline")
    find(app, qtbot, "setting tensor allocator")
    controls = app.view(ControlsView)
    assert QApplication.focusWidget() is controls.boxes["allocator"]
    # What others call the limit leads to it as well.
    find(app, qtbot, "setting arena")
    assert controls.limit.slider.isAncestorOf(QApplication.focusWidget())


def test_a_decision_is_found_by_what_it_is_about(app, qtbot):
    graph = app.store.answer.scheduled.run.graph
    app.store.select(Selection(op=2))
    app.actions.run("edits.alone")
    app.store.select(NOTHING_SELECTED)
    find(app, qtbot, f"override {graph.titles.op(2)}")
    assert app.view(EditsView).isVisible()
    assert app.store.selection == Selection(op=2)


@pytest.mark.long
def test_evicted_maps_are_found_as_spilled_and_buffers_by_their_operator(open_app, qtbot):
    app = open_app(
        EXAMPLES / "unet_128.tflite",
        make_runner=Oracle,
        accelerator="ethos-u65-256",
        limit_bytes=100_000,
    )
    islands = app.store.answer.scheduled.schedule.islands
    evicted = {fm for island in islands for group in island.evicted for fm in group.fms}
    find(app, qtbot, "spilled tensor")
    assert app.store.selection.fm in evicted
    find(app, qtbot, "weight buffer")
    assert app.store.selection.buffer is not None


def test_that_nothing_is_found_is_said(app, qtbot):
    app.actions.run("view.palette")
    finder = finder_of(app)
    assert not finder.nothing.isVisible()
    qtbot.keyClicks(finder.line, "zqzq")
    assert finder.nothing.isVisible()
    assert "zqzq" in finder.nothing.text()


def test_ctrl_f_finds_what_the_view_with_the_focus_shows(new_app, qtbot):
    new_app.panels.show_panel("memory")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    finder = finder_of(new_app)
    assert finder.found
    assert all(row.target is not None for row in finder.found)
    qtbot.keyClick(finder.line, Qt.Key.Key_Escape)
    new_app.panels.show_panel("operators")
    new_app.actions.run("go.find")
    assert QApplication.focusWidget() is new_app.view(OperatorsView).filter


def test_selecting_brings_why_forward_unless_that_is_not_wanted(app):
    app.panels.show_panel("controls")
    assert not app.view(WhyView).isVisible()
    app.store.select(Selection(op=1))
    assert app.view(WhyView).isVisible()
    app.panels.show_panel("controls")
    app.actions.run("view.follow")
    app.store.select(Selection(op=2))
    assert not app.view(WhyView).isVisible()


@pytest.mark.long
def test_what_has_the_focus_is_seen_in_every_theme(app):
    for name in ("dark", "contrast", "light"):
        app.actions.run(f"view.theme.{name}")
        app.panels.show_panel("memory")
        app.panels.show_panel("operators")
        focused = QApplication.focusWidget()
        line = app.ring.line
        assert line.parentWidget() is focused
        assert line.size() == focused.size()
        colour = line.grab().toImage().pixelColor(0, line.height() // 2).name()
        assert colour == app.store.theme.accent


@pytest.mark.long
def test_text_becomes_larger_and_smaller_by_keys_and_stays_so(app, qapp):
    before = qapp.font().pointSizeF()
    assert app.actions.run("view.larger")
    assert app.status.stage.font().pointSizeF() == pytest.approx(before * 1.15)
    assert app.preferences.text_percent == "115"
    for part in (app.view(OperatorsView).table, app.window.menuBar(), app.view(WhyView)):
        assert part.font().pointSizeF() == pytest.approx(before * 1.15)
    while app.actions.run("view.smaller"):
        pass
    assert qapp.font().pointSizeF() == pytest.approx(before * 0.85)


@pytest.mark.long
def test_advice_goes_on_behind_another_tab_and_the_foot_of_the_window_leads_back(app_again, qtbot):
    app = app_again
    app.panels.show_panel("advice")
    view = app.view(AdviceView)
    qtbot.waitUntil(view.stop_button.isVisible)
    app.panels.show_panel("summary")
    assert not view.isVisible()
    assert app.advice_aside.isVisible()
    qtbot.mouseClick(app.advice_aside, Qt.MouseButton.LeftButton)
    assert view.isVisible()
    assert not app.advice_aside.isVisible()
    qtbot.mouseClick(view.stop_button, Qt.MouseButton.LeftButton)
    assert view.state.text.startswith("stopped")


@pytest.mark.parametrize("kind", [MemoryView, TimelineView])
def test_the_first_drag_after_a_menu_that_is_put_away_moves_the_picture(app, kind):
    app.panels.show_panel(kind.NAME)
    QApplication.processEvents()
    view = app.view(kind)
    canvas = view.pane.canvas if kind is MemoryView else view.stage.lanes
    port = canvas.viewport()
    canvas.zoom_in()
    place = port.rect().center()
    # The menu opens on the press and gets the release.
    QTest.mousePress(port, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, place)
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(port, QContextMenuEvent(reason, place, port.mapToGlobal(place)))
    menu = QApplication.activePopupWidget()
    assert menu.objectName() == "context"
    QTest.mouseRelease(menu, Qt.MouseButton.RightButton, pos=QPoint(-5, -5))
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    QApplication.processEvents()
    before = canvas.box.x_range
    drag(canvas, place, place + QPoint(60, 0))
    assert canvas.box.x_range.start < before.start


def hover(canvas, x, y) -> Qt.CursorShape:
    """How the pointer looks over a point of the data."""
    move(canvas, pixel_of(canvas, x, y).toPoint(), Qt.MouseButton.NoButton)
    return canvas.viewport().cursor().shape()


def middle_of(rects, at) -> tuple[float, float]:
    return (rects.left[at] + rects.right[at]) / 2, (rects.bottom[at] + rects.top[at]) / 2


def test_what_can_be_dragged_shows_a_handle_and_with_g_maps_need_no_alt(app, qtbot):
    app.panels.show_panel("memory")
    QApplication.processEvents()
    view = app.view(MemoryView)
    canvas, ranges = view.pane.canvas, view.pane.ranges
    rects = ranges.rects
    maps = [at for at, part in enumerate(view.shown.drawn.ranges) if part.placement.fms]
    at = max(maps, key=lambda at: (rects.right - rects.left)[at])
    place = pixel_of(canvas, *middle_of(rects, at)).toPoint()
    # In one memory for all a map can be moved to another address alone.
    assert hover(canvas, *middle_of(rects, at)) is Qt.CursorShape.ArrowCursor
    assert not ranges.has_handle
    hint = "With Alt, or after G, drag it to another address."
    assert canvas.tip_at(QPointF(place)).endswith(hint)
    # Who does not wait for the tip reads it at the foot of the window.
    assert app.status.hint.text == hint
    qtbot.keyClick(canvas, Qt.Key.Key_G)
    assert view.header.places.isChecked()
    assert hover(canvas, *middle_of(rects, at)) is Qt.CursorShape.SizeVerCursor
    assert ranges.has_handle
    with drag_to(canvas, place, place - QPoint(0, 40)):
        assert view.overlay.isVisible()
        assert "0x" in view.overlay.hint or "address" in view.overlay.hint
        qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    qtbot.keyClick(canvas, Qt.Key.Key_G)
    assert hover(canvas, *middle_of(rects, at)) is Qt.CursorShape.ArrowCursor
    assert app.store.document.edits == ()
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert app.status.hint.text == ""


def test_the_selected_operator_shows_that_it_can_be_dragged_along_its_lane(app):
    app.panels.show_panel("timeline")
    QApplication.processEvents()
    lanes = app.view(TimelineView).stage.lanes
    # Who had this window before may have moved the picture.
    lanes.show_all()
    rects = lanes.slices.rects
    at = int((rects.right - rects.left).argmax())
    op = app.view(TimelineView).stage.data.trace.op[rects.key[at]]
    assert hover(lanes, *middle_of(rects, at)) is Qt.CursorShape.ArrowCursor
    app.store.select(Selection(op=int(op)))
    hover(lanes, rects.left[at], -0.5)
    assert hover(lanes, *middle_of(rects, at)) is Qt.CursorShape.SizeHorCursor
    assert lanes.slices.has_handle
