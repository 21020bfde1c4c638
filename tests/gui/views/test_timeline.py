"""The timeline on the screen: slices, memory, selection both ways, keys, and marked stretches."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from core.ir.trace import NOTHING, Lane
from gui.document.changes import Part
from gui.document.display import Display, Span, TimeUnit
from gui.document.selection import NOTHING_SELECTED, BufferRef, Selection
from gui.present.timeline_picks import neighbour
from gui.present.timeline_rows import Fold
from gui.state.store import Store
from gui.theme.tones import DARK, LIGHT, Tone
from gui.views.timeline.view import TimelineView
from tests.gui import answers, models
from tests.gui.items.drawing import drag, pixel_of, wheel

CASCADING = ("unet_128", {"limit_bytes": 200_000})
LEFT = Qt.MouseButton.LeftButton


class Watched:
    """A store that shows an answer, a view of it, and every change that was announced."""

    def __init__(self, qtbot, name, size=(1000, 560), **settings):
        self.answer = answers.answer_of(name, **settings)
        self.store = answers.store_with(self.answer)
        self.view = TimelineView(self.store)
        self.view.resize(*size)
        qtbot.addWidget(self.view)
        with qtbot.waitExposed(self.view):
            self.view.show()
        QApplication.processEvents()
        self.changes = []
        self.store.changed.connect(self.changes.append)

    @property
    def stage(self):
        return self.view.stage

    @property
    def lanes(self):
        return self.view.stage.lanes

    @property
    def trace(self):
        return self.answer.analysis.trace

    @property
    def shown(self):
        return self.lanes.box.x_range

    def selected_ops(self):
        """The operators that are outlined."""
        keys = [key for key in self.lanes.slices.selected if key >= 0]
        return {int(op) for op in self.trace.op[keys]} - {NOTHING}

    def middle_of(self, position):
        """The pixel in the middle of what is in sight of a slice."""
        start = max(self.trace.start_cycle[position], self.shown.start)
        end = min(self.trace.end_cycle[position], self.shown.end)
        row = self.lanes.rows.lanes[self.trace.lane[position]]
        return pixel_of(self.lanes, (start + end) / 2, row.middle)


@pytest.fixture
def kws(qtbot):
    return Watched(qtbot, "kws_dscnn")


@pytest.fixture
def unet(qtbot):
    name, settings = CASCADING
    return Watched(qtbot, name, **settings)


def longest(trace, lane=Lane.MAC):
    length = np.where(trace.lane == lane, trace.end_cycle - trace.start_cycle, -1.0)
    return int(np.argmax(length))


@pytest.mark.parametrize(
    ("name", "settings"),
    [("kws_dscnn", {}), CASCADING, ("shuffle_with_cpu", {}), ("resnet8", {})],
)
def test_as_many_slices_are_drawn_as_the_trace_has(qtbot, name, settings):
    watched = Watched(qtbot, name, **settings)
    watched.view.grab()
    assert watched.lanes.slices.rects.count == watched.trace.count
    assert watched.lanes.slices.drawn.count.sum() == watched.trace.count
    cascades = sum(len(island.cascades) for island in watched.answer.scheduled.schedule.islands)
    assert watched.lanes.cascades.drawn.count.sum() == cascades


def test_each_pixel_column_with_an_operator_is_coloured(kws):
    image = kws.lanes.grab().toImage()
    ground = {QColor(LIGHT.base).name(), QColor(LIGHT.alternate).name()}
    trace = kws.trace
    for position in range(trace.count):
        at = kws.middle_of(position)
        x, y = round(at.x()), round(at.y())
        seen = {image.pixelColor(x + dx, y).name() for dx in (-1, 0, 1)}
        assert not seen <= ground, position


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_slice_has_the_colour_of_what_the_engine_does(kws, theme):
    kws.store.set_theme(theme)
    image = kws.lanes.grab().toImage()
    at = kws.middle_of(longest(kws.trace))
    seen = image.pixelColor(round(at.x()), round(at.y()) + 14)
    assert seen == QColor(theme.inks[Tone.COMPUTE].colour)


def test_memory_lies_under_the_same_cycles(unet):
    usage = unet.stage.usage
    for canvas, other in ((unet.lanes, usage), (usage, unet.lanes)):
        wheel(canvas, QPointF(500, 40), 3)
        assert canvas.box.x_range == other.box.x_range
        cycle = canvas.box.x_range.start + canvas.box.x_range.length / 3
        assert pixel_of(canvas, cycle, 0).x() == pixel_of(other, cycle, 0).x()


def test_the_limit_is_a_line_and_what_is_above_it_is_in_danger(unet):
    usage = unet.stage.usage
    limit = unet.answer.document.settings.limit_bytes
    image = usage.grab().toImage()
    danger = QColor(LIGHT.danger)
    line = int(usage.box.mapViewToScene(QPointF(0.0, limit)).y())
    left = round(usage.box.sceneBoundingRect().left()) + 2
    assert image.pixelColor(left, line) == danger
    middle = unet.trace.end_cycle_of_all / 2
    above, below = (pixel_of(usage, middle, value) for value in (limit * 2, limit / 2))
    assert image.pixelColor(above.toPoint()) == danger
    assert image.pixelColor(below.toPoint()) == QColor(LIGHT.inks[Tone.USED].colour)


def test_the_wheel_keeps_the_cycle_under_the_pointer(kws):
    pixel = QPointF(600.0, 100.0)
    cycle = kws.lanes.box.mapSceneToView(kws.lanes.mapToScene(pixel.toPoint())).x()
    for _ in range(7):
        wheel(kws.lanes, pixel)
        assert abs(pixel_of(kws.lanes, cycle, 0.0).x() - pixel.x()) <= 1.0


# Selection, both ways.


def test_a_click_on_a_slice_selects_its_operator_with_one_signal(kws):
    position = longest(kws.trace)
    QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=kws.middle_of(position).toPoint())
    op = int(kws.trace.op[position])
    assert kws.store.selection == Selection(op=op)
    assert [change.parts for change in kws.changes] == [{Part.SELECTION}]
    assert kws.selected_ops() == {op}
    name = kws.answer.scheduled.run.graph.ops[op].name
    assert name in kws.lanes.accessibleDescription()
    assert name in kws.stage.strip.selection.text


def test_a_click_on_a_weight_transfer_selects_the_buffer(kws):
    position = longest(kws.trace, Lane.DMA_IN)
    kws.lanes.frame(kws.trace.start_cycle[position], kws.trace.end_cycle[position])
    QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=kws.middle_of(position).toPoint())
    buffer = kws.store.selection.buffer
    assert buffer is not None
    assert buffer.op == kws.trace.op[position]


def test_a_click_on_the_ground_selects_nothing(kws):
    kws.store.select(Selection(op=3))
    row = kws.lanes.rows.lanes[Lane.DMA_OUT]
    at = pixel_of(kws.lanes, kws.trace.end_cycle_of_all / 2, row.middle).toPoint()
    QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=at)
    assert kws.store.selection == NOTHING_SELECTED
    assert kws.selected_ops() == set()


def test_a_click_on_a_cascade_selects_it(unet):
    data = unet.stage.data
    cascade = data.cascades[0]
    unet.lanes.frame(cascade.start_cycle, cascade.end_cycle)
    middle = (cascade.start_cycle + cascade.end_cycle) / 2
    at = pixel_of(unet.lanes, middle, unet.lanes.rows.cascades.middle).toPoint()
    QTest.mouseClick(unet.lanes.viewport(), LEFT, pos=at)
    assert unet.store.selection == Selection(cascade=cascade.ref)
    assert unet.lanes.cascades.selected == {0}
    assert unet.selected_ops() == set(cascade.ops)


def test_a_click_on_the_curve_selects_what_runs_then(kws):
    position = longest(kws.trace)
    at = QPoint(kws.middle_of(position).toPoint().x(), 20)
    QTest.mouseClick(kws.stage.usage.viewport(), LEFT, pos=at)
    assert kws.store.selection == Selection(op=int(kws.trace.op[position]))


@pytest.mark.parametrize("part", ["op", "fm", "buffer", "nothing"])
def test_what_is_selected_elsewhere_is_outlined(kws, part):
    graph = kws.answer.scheduled.run.graph
    plan = next(
        plan
        for plan in kws.answer.scheduled.schedule.ops
        if plan.weights is not None and plan.weights.buffer_bytes
    )
    fm = graph.ops[4].ofm.fm
    selection = {
        "op": Selection(op=4),
        "fm": Selection(fm=fm),
        "buffer": Selection(buffer=BufferRef(plan.op, 0)),
        "nothing": NOTHING_SELECTED,
    }[part]
    users = {int(op.id) for op in graph.ops if any(view.fm == fm for view in op.views)}
    kws.store.select(selection, "another view")
    wanted = {"op": {4}, "fm": users, "buffer": {int(plan.op)}, "nothing": set()}[part]
    assert kws.selected_ops() == wanted
    if part == "buffer":
        lanes = kws.trace.lane[list(kws.lanes.slices.selected)]
        assert set(lanes.tolist()) == {Lane.DMA_IN}
    assert len(kws.changes) == (0 if part == "nothing" else 1)


def test_what_is_selected_elsewhere_comes_in_sight(kws):
    first = kws.trace.op_start_cycle[0]
    kws.lanes.frame(first, first + 100)
    length = kws.shown.length
    kws.store.select(Selection(op=40), "another view")
    start, end = kws.trace.op_start_cycle[40], kws.trace.op_end_cycle[40]
    assert kws.shown.start <= end
    assert kws.shown.end >= start
    assert kws.shown.length == pytest.approx(length)


def test_a_cpu_operator_is_a_marker_that_can_be_picked(qtbot):
    watched = Watched(qtbot, "shuffle_with_cpu")
    position = int(np.flatnonzero(watched.trace.cpu_op == 0)[0])
    at = watched.middle_of(position).toPoint()
    QTest.mouseClick(watched.lanes.viewport(), LEFT, pos=at)
    assert watched.store.selection == Selection(cpu_op=0)
    assert "CPU" in watched.lanes.accessibleDescription()


# Keys.


def is_closer(before, now):
    return now.length < before.length


def is_farther(before, now):
    return now.length > before.length


def is_earlier(before, now):
    return now.start < before.start and now.length == pytest.approx(before.length)


def is_later(before, now):
    return now.start > before.start and now.length == pytest.approx(before.length)


MOVES = [
    (Qt.Key.Key_W, "zoom_in", is_closer),
    (Qt.Key.Key_S, "zoom_out", is_farther),
    (Qt.Key.Key_A, "pan_left", is_earlier),
    (Qt.Key.Key_D, "pan_right", is_later),
]


@pytest.mark.parametrize("way", ["key in the lanes", "key in the curve", "method"])
@pytest.mark.parametrize(("key", "method", "holds"), MOVES, ids=[move[1] for move in MOVES])
def test_keys_and_commands_move_the_view(kws, key, method, holds, way):
    kws.lanes.frame(10_000, 20_000)
    before = kws.shown
    if way == "method":
        getattr(kws.view, method)()
    else:
        QTest.keyClick(kws.lanes if "lanes" in way else kws.stage.usage, key)
    assert holds(before, kws.shown)
    assert kws.stage.usage.box.x_range == kws.shown


STEPS = [
    (Qt.Key.Key_Period, "select_next", 1),
    (Qt.Key.Key_Comma, "select_previous", -1),
]


@pytest.mark.parametrize("is_key", [True, False])
@pytest.mark.parametrize(("key", "method", "step"), STEPS, ids=[step[1] for step in STEPS])
def test_steps_go_along_the_lane(kws, key, method, step, is_key):
    position = longest(kws.trace)
    QTest.mouseClick(kws.lanes.viewport(), LEFT, pos=kws.middle_of(position).toPoint())
    for _ in range(3):
        position = neighbour(kws.trace, position, step)
        if position == NOTHING:
            break
        kws.changes.clear()
        if is_key:
            QTest.keyClick(kws.lanes, key)
        else:
            getattr(kws.view, method)()
        assert kws.store.selection == Selection(op=int(kws.trace.op[position]))
        assert len(kws.changes) == 1


def test_the_first_step_starts_with_what_is_in_sight(kws):
    kws.lanes.frame(20_000, 22_000)
    kws.view.select_next()
    op = kws.store.selection.op if kws.store.selection.op is not None else NOTHING
    buffer = kws.store.selection.buffer
    op = buffer.op if buffer is not None else op
    assert kws.trace.op_end_cycle[op] >= kws.shown.start


def test_brackets_go_along_the_data(kws):
    graph = kws.answer.scheduled.run.graph
    kws.store.select(Selection(op=3), "another view")
    QTest.keyClick(kws.lanes, Qt.Key.Key_BracketRight)
    reader = kws.store.selection.op
    assert graph.ops[3].ofm.fm in {view.fm for view in graph.ops[reader].views[:-1]}
    QTest.keyClick(kws.lanes, Qt.Key.Key_BracketLeft)
    maker = kws.store.selection.op
    assert graph.ops[maker].ofm.fm in {view.fm for view in graph.ops[reader].views[:-1]}


def test_f_frames_the_selection_and_f_again_everything(kws):
    everything = kws.shown
    kws.store.select(Selection(op=5), "another view")
    QTest.keyClick(kws.lanes, Qt.Key.Key_F)
    start, end = kws.trace.op_start_cycle[5], kws.trace.op_end_cycle[5]
    assert kws.shown.length < everything.length / 2
    assert kws.shown.start <= start
    assert kws.shown.end >= end
    QTest.keyClick(kws.stage.usage, Qt.Key.Key_F)
    assert kws.shown == pytest.approx(everything)


def test_escape_clears_selection_and_span(kws):
    kws.store.select(Selection(op=5), "another view")
    kws.store.mark_span(Span(start_cycle=10.0, end_cycle=5000.0), "another view")
    assert kws.stage.strip.totals.isVisible()
    QTest.keyClick(kws.lanes, Qt.Key.Key_Escape)
    assert kws.store.selection == NOTHING_SELECTED
    assert kws.store.selected_span is None
    assert not kws.stage.strip.totals.isVisible()


# Marked stretches.


def shift_drag(canvas, start, end):
    drag(canvas, QPoint(start, 60), QPoint(end, 60), Qt.KeyboardModifier.ShiftModifier)


@pytest.mark.parametrize("canvas", ["lanes", "usage"])
def test_shift_and_dragging_marks_a_stretch_with_its_sums(kws, canvas):
    canvas = getattr(kws.stage, canvas)
    shift_drag(canvas, 300, 700)
    span = kws.store.selected_span
    first, last = (
        canvas.box.mapSceneToView(canvas.mapToScene(QPoint(x, 60))).x() for x in (300, 700)
    )
    assert (span.start_cycle, span.end_cycle) == pytest.approx((first, last), rel=0.01)
    assert [change.parts for change in kws.changes] == [{Part.SPAN}]
    ops = np.count_nonzero(
        (kws.trace.op_end_cycle > span.start_cycle) & (kws.trace.op_start_cycle < span.end_cycle)
    )
    text = kws.stage.strip.totals.text().replace("\N{NO-BREAK SPACE}", " ")
    assert f"{ops} operators" in text
    assert "of the run" in text
    for shown in (kws.stage.lanes, kws.stage.usage):
        assert shown.span_lines == pytest.approx((span.start_cycle, span.end_cycle))


def test_a_tiny_drag_marks_nothing(kws):
    shift_drag(kws.lanes, 300, 301)
    assert kws.store.selected_span is None


def test_handles_change_the_stretch(kws):
    kws.store.mark_span(Span(start_cycle=10_000.0, end_cycle=20_000.0), "another view")
    kws.changes.clear()
    line = kws.lanes._span.lines[1]
    line.setValue(30_000.0)
    line.sigPositionChangeFinished.emit(line)
    assert kws.store.selected_span == Span(start_cycle=10_000.0, end_cycle=30_000.0)
    assert len(kws.changes) == 1
    assert kws.stage.usage.span_lines == (10_000.0, 30_000.0)


# Cascades.


def test_the_sign_of_a_cascade_folds_it(unet):
    cascade = unet.stage.data.cascades[0]
    unet.lanes.frame(cascade.start_cycle, cascade.end_cycle)
    for fold in (Fold.ROWS, Fold.BAR, Fold.STRIPES):
        scene = unet.lanes.box.mapViewToScene(
            QPointF(cascade.start_cycle, unet.lanes.rows.cascades.middle)
        )
        at = unet.lanes.mapFromScene(scene) + QPoint(8, 0)
        QTest.mouseClick(unet.lanes.viewport(), LEFT, pos=at)
        QApplication.processEvents()
        assert unet.stage.folds[0] is fold
        assert unet.stage.strip.folds.currentText().endswith(fold.value)
        rows = len(cascade.ops) if fold is Fold.ROWS else 0
        assert len(unet.lanes.rows.operators) == rows
        assert (unet.lanes.slices.rects.count == unet.trace.count) == (fold is not Fold.BAR)
    assert unet.store.selection == NOTHING_SELECTED


def test_e_folds_the_cascade_of_the_selected_operator(unet):
    op = unet.stage.data.cascades[0].ops[0]
    unet.store.select(Selection(op=op), "another view")
    QTest.keyClick(unet.lanes, Qt.Key.Key_E)
    QTest.keyClick(unet.lanes, Qt.Key.Key_E)
    assert unet.stage.folds[0] is Fold.BAR
    assert -1 in unet.lanes.slices.selected


def test_all_cascades_fold_at_once(unet):
    box = unet.stage.strip.folds
    box.activated.emit(2)
    assert set(unet.stage.folds.values()) == {Fold.BAR}
    assert not unet.lanes.slices.rects.labels[-1].startswith("1 ·")


def test_where_there_is_no_cascade_there_is_nothing_to_fold(kws):
    assert not kws.stage.strip.folds.isVisible()


# The rest.


def test_the_minimap_moves_the_view(kws):
    kws.lanes.frame(10_000, 20_000)
    minimap = kws.stage.minimap
    middle = minimap.brush().center().toPoint()
    QTest.mousePress(minimap, LEFT, pos=middle)
    QTest.mouseMove(minimap, middle + QPoint(100, 0))
    QTest.mouseRelease(minimap, LEFT, pos=middle + QPoint(100, 0))
    assert kws.shown.start > 12_000
    assert kws.shown.length == pytest.approx(12_000)
    QTest.mouseDClick(minimap, LEFT, pos=QPoint(500, 5))
    assert kws.shown.length > kws.trace.end_cycle_of_all


def test_tips_name_what_is_under_the_pointer(kws, unet):
    position = longest(kws.trace)
    op = kws.answer.scheduled.run.graph.ops[kws.trace.op[position]]
    text = kws.lanes.tip_at(kws.middle_of(position))
    assert text.splitlines()[0] == op.name
    assert op.kind.value in text
    stripe = int(np.flatnonzero(unet.trace.stripe == 30)[0])
    assert "items in one pixel" in unet.lanes.tip_at(unet.middle_of(stripe))
    peak = unet.stage.usage.tip_at(QPointF(500, 60))
    assert "in use" in peak
    assert "limit" in peak


def test_units_follow_the_display(kws):
    kws.store.select(Selection(op=4), "another view")
    kws.store.set_display(Display(time_unit=TimeUnit.MICROSECONDS))
    assert "µs" in kws.lanes.accessibleDescription()
    assert kws.stage.usage.time_axis.unit_text == "µs"


def test_a_new_answer_keeps_the_part_that_is_shown(kws):
    kws.lanes.frame(10_000, 20_000)
    before = kws.shown
    kws.store.set_answer(answers.answer_of("kws_dscnn", limit_bytes=16_000))
    assert kws.shown == pytest.approx(before)
    kws.store.set_answer(answers.answer_of("resnet8"))
    assert kws.shown.length > 20_000
    assert kws.lanes.slices.rects.count == kws.store.answer.analysis.trace.count


def test_without_an_answer_it_says_so(qtbot):
    view = TimelineView(Store())
    qtbot.addWidget(view)
    view.show()
    assert not view.stage.isVisible()
    for name in ("zoom_in", "select_next", "follow_producer", "frame_selection", "clear"):
        getattr(view, name)()


@pytest.mark.parametrize("make", [models.cpu_only, models.one_operator, models.many_outputs])
def test_unusual_models_are_shown(qtbot, tmp_path, make):
    document = answers.document_of("kws_dscnn")
    model = answers.model_ref(make(tmp_path))
    answer = answers._answer(type(document)(model=model, settings=document.settings))
    view = TimelineView(answers.store_with(answer))
    qtbot.addWidget(view)
    view.resize(700, 350)
    view.show()
    for name in ("zoom_in", "select_next", "follow_consumer", "frame_selection", "clear"):
        getattr(view, name)()
    view.grab()
    assert view.stage.lanes.slices.rects.count == answer.analysis.trace.count


def test_whatever_takes_the_focus_has_a_name(kws):
    focusable = [
        widget
        for widget in kws.view.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisible()
    ]
    assert kws.lanes in focusable
    assert kws.stage.usage in focusable
    for widget in focusable:
        assert widget.accessibleName() or widget.parent().accessibleName(), widget
