"""Ranges and ghosts dragged over the memory map, and put back while they are held."""

from __future__ import annotations

from itertools import product

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog

from core.ir.edits import EditFate, Grouping, Living, What
from core.target.format import ALIGNMENT_BYTES
from gui.document.changes import Part
from gui.document.examples import EXAMPLES, FIRST_EXAMPLE
from gui.document.selection import Selection
from gui.document.session import Session, encode
from gui.present.edits.subjects import free_ops, heights_of, names_of
from gui.present.memory.ahead import moved_between, moved_text
from gui.present.memory.moves import Move
from gui.views.cascades.view import CascadesView
from gui.views.memory.view import MemoryView
from gui.views.timeline.view import TimelineView
from tests.gui.items.drawing import drag_to
from tests.gui.running import as_opened, wait_for_answer
from tests.journeys.test_limit import DEDICATED

UNASKED = frozenset(Part) - {Part.DOCUMENT, Part.SELECTION, Part.SPAN, Part.DISPLAY}
PATIENCE_MS = 60_000
ALT, NONE = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.NoModifier


@pytest.fixture(scope="module")
def window(open_app_once):
    return open_app_once(FIRST_EXAMPLE, **DEDICATED, limit_bytes=160 << 10)


@pytest.fixture
def app(window, qtbot):
    app = as_opened(qtbot, window)
    app.panels.show_alone("memory")
    QApplication.processEvents()
    return app


def pixel(canvas, x, y) -> QPoint:
    return canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(x, y)))


def middle(canvas, rects, at) -> QPoint:
    x = (rects.left[at] + rects.right[at]) / 2
    return pixel(canvas, x, (rects.bottom[at] + rects.top[at]) / 2)


def ghost(view):
    """The lane, a pixel inside of a ghost, and the feature map that it is."""
    rects = view.pane.ghosts.rects
    at = int((rects.right - rects.left).argmax())
    fm = view.shown.ghosts[int(rects.key[at])].evicted.fms[0]
    return view.pane.lane, middle(view.pane.lane, rects, at), fm


def block(view):
    """The same of a large feature map in fast storage."""
    shown = view.shown
    rects = shown.drawn.rects
    maps = [key for key, part in enumerate(shown.drawn.ranges) if part.placement.fms]
    at = max(
        maps, key=lambda key: (rects.right[key] - rects.left[key]) * (rects.top - rects.bottom)[key]
    )
    return view.pane.canvas, middle(view.pane.canvas, rects, at), shown.drawn.ranges[at]


def bytes_of(app) -> str:
    """All that would be kept of the work."""
    return encode(Session(history=app.store.history))


def assert_same_by_command(app, command, number=None) -> None:
    """What was dragged is undone; its command, which has keys and a menu, asks for the same."""
    by_drag, picked = app.store.document, app.store.selection
    app.actions.run("edit.undo")
    assert app.store.document.edits == ()
    app.store.select(picked)
    app.actions.run(command)
    if number is not None:
        (dialog,) = [each for each in app.window.findChildren(QInputDialog) if each.isVisible()]
        dialog.setIntValue(number)
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert app.store.document == by_drag


@pytest.mark.long
def test_a_ghost_is_dropped_below_the_limit_and_kept(app, qtbot):
    view = app.view(MemoryView)
    lane, start, fm = ghost(view)
    below = lane.viewport().mapFromGlobal(
        view.pane.canvas.viewport().mapToGlobal(QPoint(0, view.pane.canvas.height() // 2))
    )
    with drag_to(lane, start, QPoint(start.x(), below.y())):
        assert view.overlay.isVisible()
        hint = view.overlay.hint
        assert "needs" in hint
        assert "free" in hint
        assert app.store.document.edits == ()
    (edit,) = app.store.document.edits
    assert (edit.what, edit.value) == (What.REGION, Living.FAST)
    assert app.store.selection.fm == fm
    by_drag = app.store.document
    assert not view.overlay.isVisible()
    wait_for_answer(qtbot, app)
    app.actions.run("edit.undo")
    # By clicks, and by a key: the same.
    for command in ("edits.keep",):
        app.store.select(Selection(fm=fm))
        app.actions.run(command)
        assert app.store.document == by_drag
        app.actions.run("edit.undo")
    app.store.turns.finish()
    qtbot.keyClick(view.pane.canvas, Qt.Key.Key_K)
    assert app.store.document == by_drag
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document.edits == ()
    assert not app.actions["edit.undo"].isEnabled()


@pytest.mark.long
def test_a_block_is_dropped_above_the_limit_and_moved_out(app, qtbot):
    view = app.view(MemoryView)
    canvas, start, _ = block(view)
    above = pixel(canvas, 0.0, view.shown.drawn.limit_bytes * 1.02).y()
    with drag_to(canvas, start, QPoint(start.x(), above)):
        assert "frees" in view.overlay.hint
    (edit,) = app.store.document.edits
    assert (edit.what, edit.value) == (What.REGION, Living.SLOW)
    assert_same_by_command(app, "edits.evict")
    wait_for_answer(qtbot, app)


@pytest.mark.long
def test_with_alt_an_address_is_moved_in_aligned_steps(app, qtbot):
    view = app.view(MemoryView)
    canvas, start, part = block(view)
    with drag_to(canvas, start, start - QPoint(0, 37), ALT):
        preview = view.grips[0].preview
        drawn = view.shown.drawn
        for key in preview.blocked:
            other = drawn.ranges[key].placement
            assert other.address < preview.address + part.placement.size_bytes
            assert other.address + other.size_bytes > preview.address
            assert drawn.names[preview.blocked[0]] in preview.hint
    (edit,) = app.store.document.edits
    assert edit.what is What.ADDRESS
    assert edit.value == preview.address
    assert edit.value % ALIGNMENT_BYTES == 0
    assert_same_by_command(app, "edits.address", edit.value)
    wait_for_answer(qtbot, app)


def box_on_free_ground(app) -> tuple[QPoint, QPoint]:
    """Two corners of a box above all that lies in the map, and below the highest place in sight."""
    view = app.view(MemoryView)
    canvas, drawn = view.pane.canvas, view.shown.drawn
    top, seen = float(drawn.rects.top.max()), canvas.box.y_range.end
    left, right = (drawn.edges[-1] * share for share in (0.4, 0.6))
    return pixel(canvas, left, top + (seen - top) * 0.9), pixel(
        canvas, right, top + (seen - top) * 0.1
    )


@pytest.mark.parametrize("way", ["esc", "right"])
def test_a_box_that_is_given_up_reserves_nothing(open_app, way):
    app = open_app(FIRST_EXAMPLE, **DEDICATED)
    app.panels.show_alone("memory")
    QApplication.processEvents()
    view, before = app.view(MemoryView), bytes_of(app)
    canvas = view.pane.canvas
    start, end = box_on_free_ground(app)
    for steps, part in ((1, 1), (5, 1), (5, 3), (5, 5)):
        with drag_to(canvas, start, start + (end - start) * part / steps, ALT, part):
            assert view.overlay.isVisible()
            if way == "esc":
                press = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Escape, NONE)
                QApplication.sendEvent(canvas, press)
            else:
                QTest.mouseClick(canvas.viewport(), Qt.MouseButton.RightButton, NONE, start)
            assert not view.overlay.isVisible()
    assert bytes_of(app) == before
    assert not app.actions["edit.undo"].isEnabled()


def test_a_box_that_is_drawn_on_free_ground_is_left_alone(open_app, qtbot):
    app = open_app(FIRST_EXAMPLE, **DEDICATED)
    app.panels.show_alone("memory")
    QApplication.processEvents()
    view = app.view(MemoryView)
    canvas, first = view.pane.canvas, bytes_of(app)
    start, end = box_on_free_ground(app)
    ranges = canvas.box.x_range, canvas.box.y_range
    # Without Alt the view is moved, and a box has both sides.
    with drag_to(canvas, start, QPoint(end.x(), start.y()), ALT):
        assert view.overlay.hint.startswith("draw a box")
    assert bytes_of(app) == first
    with drag_to(canvas, start, end, ALT):
        hint = view.overlay.hint
    assert (canvas.box.x_range, canvas.box.y_range) == ranges
    (edit,) = app.store.document.edits
    assert edit.what is What.RESERVE
    assert f"reserve {edit.value:,} bytes from " in hint
    assert edit.value % ALIGNMENT_BYTES == 0
    drawn = view.shown.drawn
    high = canvas.box.mapSceneToView(canvas.mapToScene(start)).y()
    low = canvas.box.mapSceneToView(canvas.mapToScene(end)).y()
    assert edit.value == pytest.approx(high - low, abs=2 * ALIGNMENT_BYTES)
    # The operators that run within it, and by clicks the same.
    times = [app.store.answer.scheduled.layout.op_times[op] for op in app.store.selection.ops]
    assert drawn.edges[min(times)] <= drawn.edges[-1] * 0.4 <= drawn.edges[min(times) + 1]
    wait_for_answer(qtbot, app)
    (outcome,) = app.store.answer.scheduled.edits
    assert outcome.fate is EditFate.HONOURED
    assert_same_by_command(app, "edits.reserve", edit.value)
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    assert app.store.document.edits == ()
    assert not app.actions["edit.undo"].isEnabled()


@pytest.mark.long
def test_what_is_shown_when_it_is_let_go_is_what_is_stored(app):
    """Wherever a drag ends: what the preview says is what becomes an edit, or nothing does."""
    view = app.view(MemoryView)
    wanted = {Move.KEEP: Living.FAST, Move.EVICT: Living.SLOW}
    seen = set()
    for (take, modifier), end in product(
        ((block, NONE), (block, ALT), (ghost, NONE)), (0.05, 0.3, 0.7, 0.95, 1.02)
    ):
        canvas, start, _ = take(view)
        height = view.shown.drawn.limit_bytes * end
        y = (
            canvas.viewport()
            .mapFromGlobal(
                view.pane.canvas.viewport().mapToGlobal(pixel(view.pane.canvas, 0.0, height))
            )
            .y()
        )
        before = app.store.document
        with drag_to(canvas, start, QPoint(start.x(), y), modifier):
            shown = next((grip.preview for grip in view.grips if grip.preview is not None), None)
        edits = app.store.document.edits
        if shown is None or shown.move is None:
            assert app.store.document is before
        else:
            value = shown.address if shown.move is Move.ADDRESS else wanted[shown.move]
            assert [edit.value for edit in edits] == [value]
            seen.add(shown.move)
            app.actions.run("edit.undo")
        assert app.store.document == before
        app.store.turns.finish()
    assert seen == set(Move)


@pytest.mark.long
@pytest.mark.parametrize("way", ["esc", "right"])
@pytest.mark.parametrize("modifier", [NONE, ALT])
def test_a_drag_that_is_broken_off_at_any_step_changes_no_byte(app, way, modifier):
    view = app.view(MemoryView)
    canvas, start, _ = block(view)
    before, heard = bytes_of(app), []
    ranges = canvas.box.x_range, canvas.box.y_range
    app.store.changed.connect(heard.append)
    end, held = QPoint(start.x(), 8), 0
    for steps in (1, 2, 5):
        for part in range(1, steps + 1):
            at = start + (end - start) * part / steps
            with drag_to(canvas, start, at, modifier, part):
                held += view.overlay.isVisible()
                if way == "esc":
                    press = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Escape, NONE)
                    QApplication.sendEvent(canvas, press)
                else:
                    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.RightButton, NONE, start)
                assert not view.overlay.isVisible()
    assert held == 8
    app.store.changed.disconnect(heard.append)
    # Answers and what follows from them go on coming.
    assert not [change for change in heard if not change.parts <= UNASKED]
    assert bytes_of(app) == before
    assert (canvas.box.x_range, canvas.box.y_range) == ranges
    assert not app.actions["edit.undo"].isEnabled()


@pytest.mark.long
def test_what_is_let_go_where_it_was_asks_for_nothing(app):
    view = app.view(MemoryView)
    canvas, start, _ = block(view)
    before = bytes_of(app)
    with drag_to(canvas, start, start - QPoint(0, 12)):
        assert view.grips[0].preview.move is None
    assert bytes_of(app) == before


@pytest.mark.long
def test_a_drag_that_begins_sideways_moves_the_view(app):
    view = app.view(MemoryView)
    canvas, start, _ = block(view)
    canvas.zoom_in()
    canvas.zoom_in()
    before = canvas.box.x_range
    _, start, _ = block(view)
    inside = QPoint(canvas.width() // 2, start.y())
    with drag_to(canvas, inside, inside + QPoint(80, 4)):
        assert not view.overlay.isVisible()
    assert canvas.box.x_range != before
    assert app.store.document.edits == ()


NEIGHBOURS = EXAMPLES / "mobilenet_v2_035_96.tflite"
"""In 24 KiB its first cascades have nothing between them."""


@pytest.mark.long
def test_the_bar_of_a_cascade_is_dropped_on_its_neighbour(open_app, qtbot):
    app = open_app(NEIGHBOURS, **DEDICATED, limit_bytes=24 << 10)
    stage = app.view(TimelineView).stage
    rects, first, second = stage.lanes.cascades.rects, *stage.data.cascades[:2]
    before, shown = bytes_of(app), app.store.answer
    overlay = app.view(TimelineView).grip.overlay
    start, end = (middle(stage.lanes, rects, at) for at in (0, 1))
    with drag_to(stage.lanes, start, end):
        hint = overlay.hint
        qtbot.waitUntil(lambda: "moves" in overlay.told, timeout=PATIENCE_MS)
        told, ahead = overlay.told, app.view(MemoryView).pane.ahead
        assert len(ahead.outlines.ahead)
        press = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Escape, NONE)
        QApplication.sendEvent(stage.lanes, press)
    assert bytes_of(app) == before
    assert not len(ahead.outlines.ahead)
    with drag_to(stage.lanes, start, end):
        pass
    (edit,) = app.store.document.edits
    names = names_of(app.store.answer).ops
    assert edit.value is Grouping.TOGETHER
    assert {names[op] for op in (*first.ops, *second.ops)} <= set(edit.subject.ops)
    # What was told while it was held is what has come of it, to the digit.
    assert f"({len(edit.subject.ops)} operators)" in hint
    wait_for_answer(qtbot, app)
    now = app.store.answer.scheduled
    change = round(now.total.total_cycles - shown.scheduled.total.total_cycles)
    assert told.startswith(f"{change:+,} cycles" if change else "free")
    assert told.endswith(moved_text(moved_between(shown.scheduled.layout, now.layout)))
    by_drag = app.store.document
    app.actions.run("edit.undo")
    # By a command: the cascade with what follows.
    app.store.select(Selection(cascade=first.ref))
    app.actions.run("edits.merge")
    assert app.store.document == by_drag
    wait_for_answer(qtbot, app)


def slice_of(stage, op) -> QPoint:
    """The middle of the widest slice in which an operator computes."""
    rects, trace = stage.lanes.slices.rects, stage.data.trace
    own = [at for at, key in enumerate(rects.key) if key >= 0 and trace.op[key] == op]
    return middle(stage.lanes, rects, max(own, key=lambda at: rects.right[at] - rects.left[at]))


@pytest.mark.long
def test_the_selected_operator_is_dragged_along_its_lane(open_app, qtbot):
    app = open_app(FIRST_EXAMPLE, **DEDICATED)
    stage, grip = app.view(TimelineView).stage, app.view(TimelineView).order_grip
    order = [plan.op for plan in app.store.answer.scheduled.plans()]
    names = names_of(app.store.answer).ops
    op, other = next(
        (op, other)
        for op in reversed(order)
        for other in reversed(order[: order.index(op)])
        if other in free_ops(app.store.answer, op)
    )
    app.store.select(Selection(op=op))
    QApplication.processEvents()
    start = slice_of(stage, op)
    with drag_to(stage.lanes, start, slice_of(stage, other)):
        assert grip.overlay.hint.startswith("Run ")
        assert " before " in grip.overlay.hint
        assert grip.overlay.lit
    (edit,) = app.store.document.edits
    assert (edit.subject, edit.what, edit.value) == (names[op], What.BEFORE, names[other])
    wait_for_answer(qtbot, app)
    (became,) = app.store.answer.scheduled.edits
    assert became.fate is EditFate.HONOURED
    # The nearest that it can pass: so does the key.
    assert_same_by_command(app, "edits.sooner")
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    # Where it cannot run, that is said, and nothing is asked for.
    with drag_to(stage.lanes, slice_of(stage, op), slice_of(stage, order[0])):
        assert "needs what" in grip.overlay.hint
    assert app.store.document.edits == ()


def on_picture(picture, kind, position, button=Qt.MouseButton.LeftButton):
    buttons = Qt.MouseButton.NoButton if kind is QMouseEvent.Type.MouseButtonRelease else button
    event = QMouseEvent(kind, position, picture.mapToGlobal(position), button, buttons, NONE)
    QApplication.sendEvent(picture, event)


@pytest.mark.long
def test_scissors_and_the_edge_of_a_stripe_in_the_picture_of_a_cascade(open_app, qtbot):
    app = open_app(FIRST_EXAMPLE, **DEDICATED, limit_bytes=128 << 10)
    app.panels.show_alone("cascades")
    QApplication.processEvents()
    view = app.view(CascadesView)
    picture, cascade = view.stage_view.picture, view.cascade
    geometry = picture.geometry_now()
    border = QPointF(geometry.box(1).center().x(), geometry.box(1).top())
    press, release = QMouseEvent.Type.MouseButtonPress, QMouseEvent.Type.MouseButtonRelease
    move = QMouseEvent.Type.MouseMove
    on_picture(picture, press, border)
    # Let go elsewhere, it cuts nothing.
    on_picture(picture, release, border + QPointF(0, 30))
    assert app.store.document.edits == ()
    on_picture(picture, press, border)
    on_picture(picture, release, border)
    (edit,) = app.store.document.edits
    assert edit.value is Grouping.APART
    by_hand = app.store.document
    app.actions.run("edit.undo")
    app.store.select(Selection(op=cascade.stages[1].op))
    app.actions.run("edits.split")
    assert app.store.document == by_hand
    app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)

    place, stage = next(
        (place, stage)
        for place, stage in enumerate(view.cascade.stages)
        if view.hands.edge_at(edge(picture.geometry_now(), place, stage)) is not None
    )
    at = edge(picture.geometry_now(), place, stage)
    on_picture(picture, press, at)
    on_picture(picture, move, at + QPointF(25, 0))
    assert view.hands.overlay.isVisible()
    assert " → " in view.hands.overlay.hint
    on_picture(picture, press, at, Qt.MouseButton.RightButton)
    on_picture(picture, release, at + QPointF(25, 0))
    assert app.store.document.edits == ()
    on_picture(picture, press, at)
    on_picture(picture, move, at + QPointF(25, 0))
    on_picture(picture, release, at + QPointF(25, 0))
    (edit,) = app.store.document.edits
    assert edit.what is What.STRIPE
    assert edit.value in heights_of(app.store.answer, stage.op)
    assert edit.value > stage.stripe_rows
    by_drag = app.store.document
    app.actions.run("edit.undo")
    app.store.select(Selection(op=stage.op))
    heights = heights_of(app.store.answer, stage.op)
    for _ in range(heights.index(edit.value) - heights.index(stage.stripe_rows)):
        assert app.actions.run("edits.higher")
    assert app.store.document == by_drag
    wait_for_answer(qtbot, app)


def edge(geometry, place, stage) -> QPointF:
    strip = geometry.strip(place)
    return QPointF(
        strip.left() + strip.width() * stage.stripe_rows / stage.rows, strip.center().y()
    )
