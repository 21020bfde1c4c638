"""The timeline draws what the trace has, and follows the display and the answer."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from gui.document.display import Display, TimeUnit
from gui.document.selection import Selection
from gui.state.store import Store
from gui.theme.tones import DARK, LIGHT, Tone
from gui.views.timeline.view import TimelineView
from tests.gui import answers, models
from tests.gui.answers import arrive
from tests.gui.items.drawing import pixel_of, wheel
from tests.gui.views.timeline.watched import CASCADING, LEFT, Watched, longest


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


def test_memory_lies_under_the_same_cycles(cascading):
    usage = cascading.stage.usage
    for canvas, other in ((cascading.lanes, usage), (usage, cascading.lanes)):
        wheel(canvas, QPointF(500, 40), 3)
        assert canvas.box.x_range == other.box.x_range
        cycle = canvas.box.x_range.start + canvas.box.x_range.length / 3
        assert pixel_of(canvas, cycle, 0).x() == pixel_of(other, cycle, 0).x()


def test_the_limit_is_a_line_and_what_is_above_it_is_in_danger(cascading):
    usage = cascading.stage.usage
    limit = cascading.answer.document.settings.limit_bytes
    image = usage.grab().toImage()
    danger = QColor(LIGHT.danger)
    line = int(usage.box.mapViewToScene(QPointF(0.0, limit)).y())
    left = round(usage.box.sceneBoundingRect().left()) + 2
    assert image.pixelColor(left, line) == danger
    middle = cascading.trace.end_cycle_of_all / 2
    above, below = (pixel_of(usage, middle, value) for value in (limit * 2, limit / 2))
    assert image.pixelColor(above.toPoint()) == danger
    assert image.pixelColor(below.toPoint()) == QColor(LIGHT.inks[Tone.USED].colour)


def test_the_wheel_keeps_the_cycle_under_the_pointer(kws):
    pixel = QPointF(600.0, 100.0)
    cycle = kws.lanes.box.mapSceneToView(kws.lanes.mapToScene(pixel.toPoint())).x()
    for _ in range(7):
        wheel(kws.lanes, pixel)
        assert abs(pixel_of(kws.lanes, cycle, 0.0).x() - pixel.x()) <= 1.0


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


def test_tips_name_what_is_under_the_pointer(qtbot, kws):
    position = longest(kws.trace)
    op = kws.answer.scheduled.run.graph.ops[kws.trace.op[position]]
    text = kws.lanes.tip_at(kws.middle_of(position))
    assert text.splitlines()[-1] == op.name
    assert op.kind.value in text
    long = Watched(qtbot, "unet_128", accelerator="ethos-u65-256", limit_bytes=100_000)
    striped = np.flatnonzero(long.trace.stripe > 0)
    shortest = striped[np.argmin((long.trace.end_cycle - long.trace.start_cycle)[striped])]
    assert "items in one pixel" in long.lanes.tip_at(long.middle_of(shortest))
    peak = long.stage.usage.tip_at(QPointF(500, 60))
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
    arrive(kws.store, answers.answer_of("kws_dscnn", limit_bytes=16_000))
    assert kws.shown == pytest.approx(before)
    arrive(kws.store, answers.answer_of("resnet8"))
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
    answer = answers.answer_to(type(document)(model=model, settings=document.settings))
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
