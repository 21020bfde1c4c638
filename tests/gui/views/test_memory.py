"""The memory view draws what the layout says: counted, and looked at pixel by pixel."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QAbstractButton, QTableView, QWidget

from core.ir.options import Strategy
from core.target.region import Region
from gui.document.changes import ChangeSet, Part
from gui.document.display import ByteUnit, Display, Span, TimeUnit
from gui.document.selection import NOTHING_SELECTED, BufferRef, Selection
from gui.present.memory.map import TimeScale
from gui.state.store import Store
from gui.theme.tones import DARK, LIGHT, Tone
from gui.views.memory.view import MemoryView
from tests.gui.answers import arrive
from tests.gui.exposed import exposed

UNET = ("unet_128", {"accelerator": "ethos-u65-256", "limit_bytes": 100_000})
QUESTIONS = [
    ("kws_dscnn", {}),
    ("kws_dscnn", {"limit_bytes": 12_000}),
    ("mobilenet_v2_035_96", {"strategy": Strategy.SIZE}),
    ("shuffle_with_cpu", {}),
    UNET,
]
SCALES = list(TimeScale)


@pytest.fixture
def show(qtbot, answer_of, store_with):
    """`show(example, settings)`: a store and the view of it."""

    def make(name: str, settings: dict, size=(1280, 800)) -> tuple[Store, MemoryView]:
        store = store_with(answer_of(name, **settings))
        return store, exposed(qtbot, MemoryView(store), *size)

    return make


def choose(view: MemoryView, scale: TimeScale) -> None:
    view.header.scales[scale].click()


def pixel(view: MemoryView, x: float, address: float) -> QPoint:
    """Where a time and an address are in the picture of the map."""
    canvas = view.pane.canvas
    return canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(x, address)))


def picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()


def colours(image: QImage, at: QPoint, reach: int = 4) -> Counter[str]:
    return Counter(
        image.pixelColor(at.x() + x, at.y() + y).name()
        for x in range(-reach, reach + 1)
        for y in range(-reach, reach + 1)
    )


def boxes(view: MemoryView):
    """By range: its corners in the picture."""
    rects = view.pane.ranges.rects
    for key in range(rects.count):
        low = pixel(view, rects.left[key], rects.bottom[key])
        high = pixel(view, rects.right[key], rects.top[key])
        yield key, low, high


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


def test_without_a_limit_there_is_no_line(show):
    _, view = show("kws_dscnn", {})
    assert view.pane.marks.limit is None
    assert view.shown.drawn.over.count == 0


def test_ghosts_are_hatched_where_maps_were_evicted_and_nowhere_else(show):
    store, view = show(*UNET)
    evicted = store.answer.scheduled.schedule.islands[0].evicted
    rects = view.pane.ghosts.rects
    assert view.pane.lane.isVisible()
    assert rects.count == len(evicted) > 1
    lane = view.pane.lane
    image = picture(lane)
    ink = LIGHT.inks[Tone.GHOST]
    covered = set()
    for key in range(rects.count):
        low = lane.mapFromScene(
            lane.box.mapViewToScene(QPointF(rects.left[key], rects.bottom[key]))
        )
        high = lane.mapFromScene(lane.box.mapViewToScene(QPointF(rects.right[key], rects.top[key])))
        at = QPoint(high.x() - 8, (low.y() + high.y()) // 2)
        around = colours(image, at, 5)
        assert ink.colour in around
        assert len(around) > 1, "the hatch has lines"
        covered |= {
            (x, y)
            for x in range(low.x() - 2, high.x() + 3)
            for y in range(high.y() - 2, low.y() + 3)
        }
    for x in range(0, image.width(), 3):
        for y in range(0, image.height(), 3):
            if (x, y) not in covered:
                assert image.pixelColor(x, y).name() != ink.colour


@pytest.mark.parametrize("question", [QUESTIONS[0], QUESTIONS[2]], ids=str)
def test_without_evictions_there_is_no_lane(show, question):
    _, view = show(*question)
    assert not view.pane.lane.isVisible()
    assert view.pane.ghosts.rects.count == 0


def test_evictions_appear_as_the_limit_falls(show, answer_of):
    settings = {"accelerator": "ethos-u65-256"}
    store, view = show("unet_128", {**settings, "limit_bytes": 4 << 20})
    counts = []
    for limit in (4 << 20, 1 << 20, 384 << 10, 100_000):
        answer = answer_of("unet_128", **settings, limit_bytes=limit)
        arrive(store, answer)
        evicted = answer.scheduled.schedule.islands[0].evicted
        assert view.pane.ghosts.rects.count == len(evicted)
        assert view.pane.lane.isVisible() == bool(evicted)
        assert view.side.ghosts.rows.rowCount() == len(evicted)
        counts.append(len(evicted))
    assert counts[0] == 0
    assert counts == sorted(counts)
    assert counts[-1] >= 5


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_contributors_add_up_to_the_peak(show, question):
    store, view = show(*question)
    model = view.side.cut.rows
    assert model.rowCount() == len(view.shown.cut.contributors)
    shown = [int(model.index(row, 1).data().replace(",", "")) for row in range(model.rowCount())]
    live = view.shown.cut.live_bytes
    assert sum(shown) == live
    assert f"Peak: {live:,} B" in view.side.title.text()
    islands = store.answer.scheduled.schedule.islands
    if len(islands) == 1:
        assert live == islands[0].peak_bytes
    assert len(list(view.side.bar.segments())) == model.rowCount()


def test_home_goes_to_the_peak_and_the_ground_to_other_times(show, qtbot):
    _, view = show(*UNET)
    canvas = view.pane.canvas
    view.pane.ground_clicked.emit(0.0)
    assert view.shown.cut.time == 0
    assert not view.shown.is_at_peak
    assert view.side.tabText(0) == "Live"
    assert view.side.to_peak.isVisible()
    for _ in range(5):
        view.zoom_in()
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Home)
    assert view.shown.is_at_peak
    shown = canvas.box.x_range
    assert shown.start <= view.pane.marks.peak.at <= shown.end
    assert view.pane.marks.cut is None
    assert view.side.tabText(0) == "Peak"


def test_a_click_on_the_ground_clears_and_cuts(show, qtbot):
    store, view = show(*UNET)
    canvas = view.pane.canvas
    store.select(Selection(op=3))
    at = pixel(view, canvas.box.x_range.start, canvas.box.y_range.end * 0.99) + QPoint(4, 8)
    qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert store.selection == Selection()
    assert view.shown.cut.time == 0


def test_clicking_a_range_selects_it_and_tells_once(show, qtbot):
    store, view = show(*UNET)
    changes: list[ChangeSet] = []
    store.changed.connect(changes.append)
    for key, low, high in boxes(view):
        if high.x() - low.x() < 12 or low.y() - high.y() < 12:
            continue
        changes.clear()
        before = store.selection
        at = QPoint((low.x() + high.x()) // 2, (low.y() + high.y()) // 2)
        qtbot.mouseClick(view.pane.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
        placement = view.shown.drawn.ranges[key].placement
        expected = (
            Selection(fm=placement.fms[0])
            if placement.fms
            else Selection(buffer=BufferRef(placement.op, placement.buffer))
        )
        assert store.selection == expected
        assert key in view.pane.ranges.selected
        assert len(changes) == (before != expected)
        assert all(change == ChangeSet(frozenset({Part.SELECTION}), "memory") for change in changes)


def test_a_selection_from_elsewhere_is_shown(show):
    store, view = show(*UNET)
    scheduled = store.answer.scheduled
    for plan in scheduled.schedule.ops:
        store.select(Selection(op=plan.op))
        ranges, ghosts = view.shown.keys_of(store.selection)
        assert view.pane.ranges.selected == ranges
        assert view.pane.ghosts.selected == ghosts
        (band,) = view.pane.marks.bands
        time = scheduled.layout.op_times[plan.op]
        edges = view.shown.drawn.edges
        assert tuple(band) == (edges[time], edges[time + 1])


def test_a_map_in_another_memory_brings_that_memory(show):
    store, view = show(*UNET)
    scheduled = store.answer.scheduled
    assert Region.SCRATCH_FAST in scheduled.layout.areas[view.shown.area].regions
    slow = scheduled.layout.areas[1].placements[0]
    store.select(Selection(fm=slow.fms[0]))
    assert view.shown.area == 1
    assert view.pane.ranges.selected == {0}
    assert view.header.tabs.currentIndex() == 1


def test_an_evicted_map_is_outlined_in_the_lane(show):
    store, view = show(*UNET)
    evicted = view.shown.ghosts[0].evicted
    store.select(Selection(fm=evicted.fms[0]))
    assert view.shown.area == 0
    assert view.pane.ghosts.selected == {0}
    view.zoom_in()
    view.frame_selection()
    shown = view.pane.lane.box.x_range
    rects = view.pane.ghosts.rects
    assert shown.start <= rects.left[0] < rects.right[0] <= shown.end
    assert view.pane.canvas.box.x_range == pytest.approx(shown)


def test_rows_of_tables_can_be_picked(show, qtbot):
    store, view = show(*UNET)
    view.side.setCurrentWidget(view.side.ghosts)
    table = view.side.ghosts
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    key = table.rows.key_at(table.currentIndex().row())
    assert store.selection == Selection(fm=view.shown.ghosts[key].evicted.fms[0])
    view.side.setCurrentWidget(view.side.ranges)
    table = view.side.ranges
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    table.selectRow(0)
    largest = max(part.placement.size_bytes for part in view.shown.drawn.ranges)
    (key,) = view.pane.ranges.selected
    assert view.shown.drawn.ranges[key].placement.size_bytes == largest


def test_the_bar_can_be_clicked(show, qtbot):
    _, view = show(*UNET)
    for segment in list(view.side.bar.segments()):
        at = segment.box.center().toPoint()
        qtbot.mouseClick(view.side.bar, Qt.MouseButton.LeftButton, pos=at)
        assert segment.key in view.pane.ranges.selected


def test_tips_tell_what_is_under_the_pointer(show):
    _, view = show(*UNET)
    for key, low, high in boxes(view):
        if high.x() - low.x() < 12 or low.y() - high.y() < 12:
            continue
        at = QPointF((low.x() + high.x()) / 2, (low.y() + high.y()) / 2)
        placement = view.shown.drawn.ranges[key].placement
        text = view.pane.canvas.tip_at(at)
        assert text.startswith(placement.name)
        assert f"0x{placement.address:x} to" in text
    bar = view.side.bar
    for segment in bar.segments():
        placement = view.shown.drawn.ranges[segment.key].placement
        text = bar.tip_at(segment.box.center())
        assert text.startswith(placement.name)
        assert f"{placement.size_bytes:,} B" in text
    assert bar.tip_at(QPointF(-5, -5)) == ""


def test_the_lane_shows_the_same_time_as_the_map(show):
    _, view = show(*UNET)
    for change in (view.zoom_in, view.pane.canvas.pan_left, view.pane.lane.zoom_in, view.show_all):
        change()
        assert view.pane.lane.box.x_range == pytest.approx(view.pane.canvas.box.x_range)


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


def test_a_stretch_of_time_is_marked_for_all(show):
    store, view = show(*UNET)
    for scale in SCALES:
        choose(view, scale)
        edges = view.shown.drawn.edges
        view.pane.span_dragged.emit(float(edges[4]), float(edges[10]), True)
        cycles = store.answer.analysis.trace.time_cycle
        assert store.selected_span.start_cycle == pytest.approx(cycles[4])
        assert store.selected_span.end_cycle == pytest.approx(cycles[10])
        assert len(view.pane.marks.bands) == 1
    store.mark_span(Span(start_cycle=0.0, end_cycle=1000.0))
    assert view.pane.marks.bands[0].start == 0.0


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


def test_without_an_answer_a_sentence_stands_there(qtbot):
    store = Store()
    view = MemoryView(store)
    qtbot.addWidget(view)
    for act in (
        view.go_to_peak,
        view.zoom_in,
        view.zoom_out,
        view.show_all,
        view.frame_selection,
        view.next_region,
    ):
        act()
    store.select(Selection(op=0))
    store.set_theme(DARK)
    assert view.shown is None


def test_the_answer_can_go_away(show):
    store, view = show(*UNET)
    store.resume(store.history)
    assert view.shown is None
    assert view.pane.ranges.rects.count == 0


def test_what_has_the_focus_has_a_name_and_the_canvas_a_description(show):
    store, view = show(*UNET)
    store.select(Selection(op=3))
    for widget in view.findChildren(QWidget):
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisible():
            named = widget.accessibleName() or getattr(widget, "text", str)()
            assert named or widget.parent().inherits("QAbstractScrollArea"), widget
    text = view.pane.canvas.accessibleDescription()
    areas = store.answer.scheduled.layout.areas
    (fast,) = (area for area in areas if Region.SCRATCH_FAST in area.regions)
    assert f"{fast.height_bytes:,} B" in text
    name = view.shown.drawn.ranges[min(view.pane.ranges.selected)].placement.name
    assert name in text
    assert isinstance(view.side.cut, QTableView)
    assert all(isinstance(button, QAbstractButton) for button in view.header.scales.values())


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


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)], ids=str)
def test_every_table_shows_bytes_without_scrolling(show, size):
    _, view = show(*UNET, size=size)
    for tab, table in enumerate((view.side.cut, view.side.ranges, view.side.ghosts)):
        view.side.setCurrentIndex(tab)
        view.grab()
        assert table.rows.headerData(1, Qt.Orientation.Horizontal) == "bytes"
        cell = table.visualRect(table.model().index(0, 1))
        assert table.viewport().rect().contains(cell)


def test_a_table_that_is_sorted_shows_its_top(show):
    _, view = show("mobilenet_v2_035_96", {})
    view.side.setCurrentIndex(1)
    table = view.side.ranges
    table.scrollToBottom()
    assert table.verticalScrollBar().value() > 0
    table.horizontalHeader().setSortIndicator(1, Qt.SortOrder.DescendingOrder)
    assert table.verticalScrollBar().value() == 0


def test_a_row_that_was_clicked_looks_like_the_others_once_nothing_is_selected(qtbot, show):
    store, view = show(*UNET)
    view.side.setCurrentIndex(2)
    table = view.side.ghosts
    row = table.visualRect(table.model().index(1, 1)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.RightButton, pos=row)
    assert table.currentIndex().row() == 1
    store.select(NOTHING_SELECTED)
    assert not table.currentIndex().isValid()
    assert not table.selectionModel().hasSelection()
