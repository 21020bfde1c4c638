"""The memory view draws what the layout says: counted, and looked at pixel by pixel."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import QApplication

from core.base.frozen import replace
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.present.memory.map import TimeScale
from gui.theme.tones import DARK, LIGHT, Tone
from gui.views.memory.marks import Band, Line, Marks
from tests.gui.answers import arrive
from tests.gui.items.drawing import canvas_of, pixel_of, rects_of
from tests.gui.painted import texts_of
from tests.gui.views.memory.watched import (
    QUESTIONS,
    SCALES,
    UNET,
    boxes,
    choose,
    colours,
    picture,
    pixel,
)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
@pytest.mark.parametrize("scale", SCALES)
def test_every_placement_of_every_scratch_memory_is_drawn(show, question, scale):
    store, view = show(*question)
    choose(view, scale)
    areas = store.answer.scheduled.layout.areas
    for _ in range(view.header.tabs.count()):
        area = areas[view.shown.area]
        if not area.regions[0].is_permanent:
            assert view.pane.ranges.rects.count == len(area.placements)
            view.grab()
            assert sum(view.pane.ranges.drawn.count) == len(area.placements)
        view.next_region()


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_range_has_the_colour_of_its_class_at_its_time_and_address(show, question, theme):
    store, view = show(*question)
    store.set_theme(theme)
    choose(view, TimeScale.STEPS)
    image = picture(view.pane.canvas)
    lines = [pixel(view, line.at, 0).x() for line in (view.pane.marks.peak,) if line]
    limit = view.shown.drawn.limit_bytes
    seen: set[Tone] = set()
    for key, low, high in boxes(view):
        part = view.shown.drawn.ranges[key]
        # Away from the label, which is at the left and half way up, and from padding on top.
        at = QPoint(round(low.x() + 0.75 * (high.x() - low.x())), low.y() - 7)
        is_large = high.x() - low.x() > 24 and low.y() - high.y() > 40
        if not is_large or any(abs(at.x() - x) < 8 for x in lines):
            continue
        is_over = limit is not None and part.placement.address + 100 > limit
        found = colours(image, at)
        ((colour, share),) = found.most_common(1)
        # Also above the limit, where lines are laid over it.
        assert colour == theme.inks[part.tone].colour
        assert share > (30 if is_over else 40)
        seen.add(part.tone)
    assert seen or question[0] == "mobilenet_v2_035_96"


def test_the_limit_is_a_line_and_what_is_above_it_has_red_lines(show):
    _, view = show("kws_dscnn", {"limit_bytes": 12_000})
    image = picture(view.pane.canvas)
    line = view.pane.marks.limit
    assert line.at == 12_000
    right = view.pane.canvas.box.x_range.end
    at = pixel(view, right, 12_000)
    shown = {image.pixelColor(at.x() - 40, at.y() + y).name() for y in range(-2, 3)}
    assert LIGHT.danger in shown
    over = view.shown.drawn.over
    assert over.count
    assert (over.bottom >= 12_000).all()
    middle = pixel(view, (over.left[0] + over.right[0]) / 2, (over.bottom[0] + over.top[0]) / 2)
    found = {QColor(name).red() - QColor(name).green() for name in colours(image, middle, 8)}
    assert max(found) > 100
    assert view.header.verdict.text.endswith("4,000 B over.")
    assert view.header.verdict.text.startswith("Takes ")


def test_without_a_limit_there_is_no_line(show):
    _, view = show("kws_dscnn", {})
    assert view.pane.marks.limit is None
    assert view.shown.drawn.over.count == 0


def test_padding_is_drawn_where_it_is_high_enough(show):
    _, view = show("unet_128", {"accelerator": "ethos-u65-256"})
    view.next_region()
    drawn = view.shown.drawn
    _, height = view.pane.canvas.box.viewPixelSize()
    shown = set(view.pane.padding.rects.key.tolist())
    for key, part in enumerate(drawn.ranges):
        if part.padding_bytes >= 8 * height:
            assert key in shown
        if part.padding_bytes < 3 * height:
            assert key not in shown


def test_units_change_texts_and_not_what_is_drawn(show):
    store, view = show(*UNET)
    before = view.pane.ranges.rects
    store.set_display(Display(byte_unit=ByteUnit.BYTES, time_unit=TimeUnit.MICROSECONDS))
    assert view.pane.ranges.rects is before
    assert view.header.scales[TimeScale.CYCLES].text() == "µs"
    assert view.pane.marks.limit.text == "limit 100,000 B"
    view.header.addresses.click()
    ticks = view.pane.memory_axis.tickStrings([0, 4096], 1.0, 4096)
    assert ticks == ["0x0", "0x1000"]


@pytest.mark.parametrize("width", [470, 1280])
def test_every_memory_can_be_reached_and_the_one_that_is_shown_has_its_verdict(show, width):
    """In the corner that the map has in a window of 1280 pixels, too."""
    _, view = show(*UNET, size=(width, 400))
    tabs = view.header.tabs
    assert tabs.count() == 3
    for at in (0, 1, 2):
        tabs.setCurrentIndex(at)
        texts = [tabs.tabText(place) for place in range(3)]
        assert ": " in texts[at]
        assert all(": " in text for text in texts) == (width > 1000)
        assert tabs.tabRect(2).right() < tabs.width()
    view.resize(1280, 400)
    QApplication.processEvents()
    assert all(": " in tabs.tabText(place) for place in range(3))


def test_the_verdict_of_each_memory_is_told(show):
    _, view = show("kws_dscnn", {"limit_bytes": 12_000})
    texts = [view.header.tabs.tabText(place) for place in range(view.header.tabs.count())]
    assert texts[0] == "SRAM: 4,000 B over"
    assert view.header.tabs.tabTextColor(0).name() == LIGHT.danger
    assert texts[1].startswith("Off-chip flash")
    first = view.shown.area
    view.next_region()
    assert view.shown.area != first
    view.next_region()
    assert view.shown.area == first


@pytest.mark.parametrize("size", [(300, 200), (640, 360), (1280, 800), (2560, 1440)])
def test_all_sizes_can_be_drawn(show, size):
    _, view = show(*UNET, size=size)
    view.grab()
    assert view.side.isVisible() == (size[0] >= 1280)
    view.header.side.click()
    assert view.side.isVisible() != (size[0] >= 1280)


def test_memories_can_be_empty(show, answer_of):
    store, view = show("kws_dscnn", {})
    answer = answer_of("kws_dscnn")
    scheduled = answer.scheduled
    areas = tuple(replace(area, placements=(), height_bytes=0) for area in scheduled.layout.areas)
    bare = replace(scheduled, layout=replace(scheduled.layout, areas=areas))
    arrive(store, replace(answer, number=answer.number + 1, scheduled=bare))
    view.grab()
    assert view.pane.ranges.rects.count == 0
    assert view.shown.cut.live_bytes == 0
    for act in (view.go_to_peak, view.zoom_in, view.show_all, view.frame_selection):
        act()
    view.next_region()


@pytest.mark.parametrize("is_band", [False, True])
def test_no_upright_line_covers_a_label(qtbot, is_band):
    rects = rects_of((0.0, 60.0, 0, 0, 0), labels=("a name that is long",))
    canvas, layer = canvas_of(qtbot, rects, size=(600, 200))
    marks = Marks(layer)
    marks.set_theme(LIGHT)
    canvas.addItem(marks, ignoreBounds=True)
    canvas.grab()
    (label,) = layer.written
    # Beside the last letter, within the room of the label.
    x = canvas.box.mapSceneToView(QPointF(label.right() - 1.0, 0.0)).x()
    if is_band:
        marks.set_bands([Band(x, 90.0)])
    else:
        marks.set_lines(None, Line(x), None)
    picture = canvas.grab().toImage()
    column = [
        picture.pixelColor(round(pixel_of(canvas, x, 0.0).x()), y) for y in range(picture.height())
    ]
    drawn = [
        y
        for y, colour in enumerate(column)
        if colour == QColor(LIGHT.accent if is_band else LIGHT.text)
    ]
    assert drawn
    assert not [y for y in drawn if label.top() + 1 <= y <= label.bottom() - 1]
    assert any(y < label.top() for y in drawn)
    assert any(y > label.bottom() for y in drawn)


@pytest.mark.parametrize("cut", [20, 55, 58, 60, 63, 98])
def test_no_line_and_no_text_covers_the_text_of_another(qtbot, cut):
    canvas, layer = canvas_of(qtbot, rects_of((0, 100, 0, 0, 0)), size=(600, 200))
    marks = Marks(layer)
    marks.set_theme(LIGHT)
    canvas.addItem(marks, ignoreBounds=True)
    peak = Line(60.0, "peak 19.67 KiB")
    marks.set_lines(None, peak, Line(cut, "step 6"))
    lines = {line.text: pixel_of(canvas, line.at, 0.0).x() for line in (peak, marks.cut)}
    texts = [text for text in texts_of(canvas) if text.text in lines]
    assert {text.text for text in texts} == set(lines)
    spans = {
        text.text: (text.left, text.left + QFontMetrics(text.font).horizontalAdvance(text.text))
        for text in texts
    }
    for left, right in spans.values():
        assert not any(left < x < right for x in lines.values())
        assert right <= canvas.width()
    (one, other) = spans.values()
    assert one[1] <= other[0] or other[1] <= one[0]
