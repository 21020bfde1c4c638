"""The summary in a window: all of it is shown, follows units and theme, and can be copied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit

from core.api import schedules
from core.base.frozen import replace
from core.base.sentences import capitalised
from gui.document.display import ByteUnit, Display, Span
from gui.present.snippets import texts_of
from gui.present.summary import Fact, stretch_of, summary_of
from gui.state.store import Store
from gui.theme.tones import DARK, Tone
from gui.views.summary.parts import BarRow, ShareBar, Tile, WrapGrid
from gui.views.summary.view import SummaryView
from tests.gui.answers import answer_of, arrive, store_with


def show(qtbot, store, width=900, height=700):
    view = SummaryView(store)
    qtbot.addWidget(view)
    view.resize(width, height)
    view.show()
    view.grab()
    return view


def test_the_range_is_told_as_soon_as_it_is_known(qtbot):
    store = store_with(answer_of("kws_dscnn"))
    view = show(qtbot, store)
    spread = schedules.spread_of(store.answer.scheduled)
    told = f"{schedules.range_text(spread)} with other memories"
    assert not any(told in text for text in texts(view))
    arrive(store, replace(store.answer, spread=spread))
    (note,) = (
        each for each in view.findChildren(QLabel) if told in each.text() and each.isVisibleTo(view)
    )
    assert schedules.cases_text(spread) in note.toolTip()


def texts(view):
    return [label.text() for label in view.findChildren(QLabel) if label.isVisibleTo(view)]


def test_what_a_cause_decides_is_selected_in_all_views(qtbot):
    store = store_with(answer_of("kws_dscnn"))
    view = show(qtbot, store)
    rows = [row for row in view.waits.findChildren(BarRow) if row.isVisibleTo(view)]
    bars = summary_of(store.answer, store.display).waits
    costs = store.answer.scheduled.costs
    for row, bar in zip(rows, bars, strict=True):
        qtbot.mouseClick(row.pick, Qt.MouseButton.LeftButton)
        assert store.selection.ops == bar.ops
        (term,) = {costs[op].ranked[0][0].value for op in bar.ops}
        assert bar.title == capitalised(term)
    assert sorted(op for bar in bars for op in bar.ops) == list(range(len(costs)))
    assert not any(row.pick.isVisibleTo(view) for row in view.traffic.findChildren(BarRow))


def test_without_an_answer_it_says_so(qtbot):
    view = show(qtbot, Store())
    assert not view.headline.isVisible()
    arrive(view._store, answer_of("kws_dscnn"))
    assert view.headline.isVisible()


@pytest.mark.parametrize("limit", [None, 10_000, 200_000])
def test_everything_is_told(qtbot, limit):
    store = store_with(answer_of("kws_dscnn", limit_bytes=limit))
    view = show(qtbot, store)
    summary, told = summary_of(store.answer, store.display), texts(view)
    assert view.headline.text() == summary.headline
    for region in summary.regions:
        assert {region.title, region.verdict.value, region.advice} <= set(told)
    for fact in summary.facts:
        assert {fact.title, fact.value} <= set(told)
    for bar in (*summary.waits, *summary.traffic):
        assert {bar.title, bar.value, bar.note} <= set(told)


def test_another_answer_takes_the_place_of_the_first(qtbot):
    store = store_with(answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=60_000))
    view = show(qtbot, store)
    arrive(store, answer_of("kws_dscnn", limit_bytes=200_000))
    summary, told = summary_of(store.answer, store.display), texts(view)
    assert view.headline.text() == summary.headline
    assert not any("DRAM" in text for text in told)
    shares = [bar.share for bar in view.findChildren(ShareBar) if bar.isVisibleTo(view)]
    limited = [region.share for region in summary.regions if region.share is not None]
    waits, traffic = ([bar.share for bar in bars] for bars in (summary.waits, summary.traffic))
    assert shares == pytest.approx([*waits, *limited, *traffic])


def test_all_text_can_be_selected_and_named(qtbot):
    view = show(qtbot, store_with(answer_of("kws_dscnn")))
    for label in view.findChildren(QLabel):
        if label.isVisible():
            assert label.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
            assert label.accessibleName()
    for text in view.findChildren(QPlainTextEdit):
        assert text.accessibleName()


@pytest.mark.parametrize("width", [300, 520, 900, 1280])
def test_no_text_is_cut(qtbot, width):
    store = store_with(answer_of("unet_128", limit_bytes=200_000))
    view = show(qtbot, store, width=width)
    labels = [label for label in view.findChildren(QLabel) if label.isVisible()]
    assert len(labels) > 30

    def cut():
        return [
            label.text()
            for label in labels
            if label.height() < label.heightForWidth(label.width())
            or label.width() < label.minimumSizeHint().width()
        ]

    qtbot.waitUntil(lambda: cut() == [])


def test_tiles_take_as_many_columns_as_there_is_room_for(qtbot):
    view = show(qtbot, store_with(answer_of("kws_dscnn")), width=300)

    def columns():
        tiles = [tile for tile in view.facts.findChildren(Tile) if tile.isVisible()]
        return len({tile.x() for tile in tiles})

    qtbot.waitUntil(lambda: columns() <= 2)
    narrow = columns()
    view.resize(1280, 700)
    qtbot.waitUntil(lambda: columns() > narrow)
    view.resize(300, 700)
    qtbot.waitUntil(lambda: columns() == narrow)


def test_units_and_theme_are_followed(qtbot):
    store = store_with(answer_of("kws_dscnn", limit_bytes=10_000))
    view = show(qtbot, store)
    assert "KiB" in view.headline.text()
    store.set_display(Display(byte_unit=ByteUnit.BYTES))
    assert "KiB" not in view.headline.text()
    store.set_theme(DARK)
    picture = view.headline.grab().toImage()
    colours = {
        picture.pixelColor(x, y).name()
        for x in range(picture.width())
        for y in range(picture.height())
    }
    assert QColor(DARK.danger).name() in colours


def test_what_is_above_the_limit_is_drawn_in_its_own_colour(qtbot):
    store = store_with(answer_of("unet_128", limit_bytes=200_000))
    view = show(qtbot, store)
    (bar,) = [bar for bar in view.regions.findChildren(ShareBar) if bar.isVisible()]
    assert bar.share > 1
    picture = bar.grab().toImage()
    y, over = picture.height() // 2, QColor(store.theme.inks[Tone.OVER].colour)
    above = sum(picture.pixelColor(x, y) == over for x in range(picture.width()))
    assert above == pytest.approx(picture.width() * (1 - 1 / bar.share), abs=3)


def test_sizes_are_shown_and_copied(qtbot):
    store = store_with(answer_of("kws_dscnn"))
    view = show(qtbot, store)
    for tab, (title, text) in enumerate(texts_of(store.answer)):
        view.sizes.tabs.setCurrentIndex(tab)
        assert view.sizes.tabs.tabText(tab) == title
        view.sizes.copy_button.click()
        assert QGuiApplication.clipboard().text() == text
        assert view.sizes.texts[tab].toPlainText() == text


def test_the_wheel_over_the_sizes_scrolls_the_page_and_turns_no_tab(qtbot):
    view = show(qtbot, store_with(answer_of("kws_dscnn")))
    bar = view.sizes.tabs.tabBar()
    before = view.sizes.tabs.currentIndex()
    for turns in (-1, 1):
        at = QPointF(bar.rect().center())
        event = QWheelEvent(
            at,
            QPointF(bar.mapToGlobal(at)),
            QPoint(),
            QPoint(0, turns * 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(bar, event)
        assert view.sizes.tabs.currentIndex() == before


def test_a_marked_stretch_is_told_as_the_whole_is(qtbot):
    store = store_with(answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=128 << 10))
    view = show(qtbot, store)
    assert not view.marked_traffic.isVisible()
    span = Span(start_cycle=1000.0, end_cycle=90_000.0)
    store.mark_span(span)
    stretch, told = stretch_of(store.answer, span, store.display), texts(view)
    for bar in (*stretch.waits, *stretch.traffic):
        assert {bar.title, bar.value, bar.note} <= set(told)
    for fact in stretch.facts:
        assert {fact.title, fact.value} <= set(told)
    store.mark_span(None)
    assert not view.marked_traffic.isVisible()


def test_cards_that_tell_the_same_are_let_be(qtbot):
    written = []
    grid = WrapGrid[Fact, Tile](19, Tile, lambda _, fact: written.append(fact.title))
    qtbot.addWidget(grid)
    first, second = Fact("Cycles", "1"), Fact("Time", "2 ms")
    grid.show_items((first, second))
    grid.show_items((first, second._replace(value="3 ms")))
    assert written == ["Cycles", "Time", "Time"]
    grid.show_items((first,))
    grid.show_items((first, second))
    assert written[3:] == ["Time"]
