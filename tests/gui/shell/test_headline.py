"""The answer first: a strip with figures of the schedule, in which nothing moves."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.api import schedules
from core.base.frozen import replace
from core.base.rough import rough_text
from gui.document.display import ByteUnit
from gui.present.controls import own_limit
from gui.present.headline import Before, before_of, change_part, milliseconds
from gui.present.runs.list import settled
from gui.shell.headline import HeadlineStrip
from tests.gui.answers import answer_of, store_with
from tests.gui.painted import texts_of

TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 100_000}
OVER = {"limit_bytes": 4096}


@pytest.fixture
def strip_of(qtbot):
    def shown(store, width=1280):
        strip = HeadlineStrip(store)
        qtbot.addWidget(strip)
        strip.resize(width, strip.sizeHint().height())
        strip.show()
        return strip

    return shown


def test_need_limit_and_time_are_those_of_the_schedule(strip_of):
    answer = answer_of("unet_128", **TIGHT)
    store = store_with(answer)
    store.set_display(replace(store.display, byte_unit=ByteUnit.BYTES))
    parts, scheduled = strip_of(store).parts, answer.scheduled
    limit = own_limit(scheduled.target)
    assert parts["fit"].told.large == ("fits",)
    assert parts["fit"].told.small[0] == f"{scheduled.fast_bytes:,} B of {limit:,} B"
    assert parts["fit"].told.share == pytest.approx(scheduled.fast_bytes / limit)
    assert parts["time"].told.large == (milliseconds(scheduled.total.seconds),)
    assert parts["time"].told.small[0] == f"{rough_text(scheduled.total.total_cycles)} cycles"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.0, "0 µs"),
        (4.45e-5, "44.5 µs"),
        (5e-6, "5.00 µs"),
        (0.000_999_6, "1.00 ms"),
        (0.003_30, "3.30 ms"),
        (0.003_314, "3.31 ms"),
        (0.009_996, "10.0 ms"),
        (0.099_96, "100 ms"),
        (0.9996, "1.00 s"),
        (1234.5, "1,234 s"),
    ],
)
def test_a_time_has_three_digits_also_where_they_are_noughts(seconds, told):
    assert milliseconds(seconds) == told


def test_what_is_over_the_limit_is_told_in_bytes(strip_of):
    store = store_with(answer_of("kws_dscnn", **OVER))
    store.set_display(replace(store.display, byte_unit=ByteUnit.BYTES))
    excess = sum(area.excess_bytes for area in store.answer.scheduled.layout.areas)
    told = strip_of(store).parts["fit"].told
    assert told.large == (f"over by {excess:,} B",)
    assert told.sense.is_good is False
    assert told.share > 1


def test_the_range_stands_beside_the_cycles_as_soon_as_it_is_known(strip_of):
    store = store_with(answer_of("kws_dscnn"))
    strip = strip_of(store)
    part = strip.parts["time"]
    spread = schedules.spread_of(store.answer.scheduled)
    store.set_answer(replace(store.answer, spread=spread))
    assert part.told.small[0].endswith(f"cycles, {schedules.range_text(spread)}")
    for case in spread.cases:
        assert f"{case.title} {rough_text(case.cycles)}" in part.toolTip()


def test_the_difference_is_to_what_was_shown_before_to_the_cycle():
    first, second = answer_of("kws_dscnn"), answer_of("kws_dscnn", **OVER)
    store = store_with(first)
    store.runs.set(store.runs.runs.with_run(settled(first, "", "open")))
    assert before_of(store.history, store.runs.runs) is None
    store.edit(second.document, "SRAM limit")
    before = before_of(store.history, store.runs.runs)
    assert before.cycles == first.scheduled.total.total_cycles
    part = change_part(second, None, None, before)
    change = round(second.scheduled.total.total_cycles - first.scheduled.total.total_cycles)
    word = "more" if change > 0 else "fewer"
    assert part.small[:2] == (
        f"{abs(change):,} cycles {word} after SRAM limit",
        f"{abs(change):,} cycles {word} than before",
    )
    same = change_part(first, None, None, before)
    assert (same.large, same.small[1]) == (("=",), "as many cycles as before")
    assert part.sense.is_good == (change < 0)


def test_a_difference_that_no_share_shows_is_told_in_cycles():
    """Else it would read as none."""
    answer = answer_of("kws_dscnn")
    cycles = answer.scheduled.total.total_cycles
    for cycles_before, told in ((cycles - 24, "+24"), (cycles + 7, "-7"), (cycles, "=")):
        assert change_part(answer, None, None, Before(cycles_before, "")).large == (told,)


@pytest.mark.parametrize("width", [900, 1280, 2560])
def test_nothing_moves_whatever_is_said_and_no_figure_is_cut(strip_of, width):
    store = store_with(answer_of("kws_dscnn"))
    strip = strip_of(store, width)
    places = {name: part.geometry() for name, part in strip.parts.items()}
    for answer in (answer_of("unet_128", **TIGHT), answer_of("kws_dscnn", **OVER)):
        spread = schedules.spread_of(answer.scheduled)
        store.set_answer(replace(answer, spread=spread))
        QApplication.processEvents()
        assert {name: part.geometry() for name, part in strip.parts.items()} == places
        assert [text.text for text in texts_of(strip) if text.cut_figures] == []


def test_each_part_leads_to_what_it_tells(open_app, qtbot):
    app = open_app(waits=True)
    for name, view in (("time", "summary"), ("edits", "edits"), ("change", "compare")):
        qtbot.mouseClick(app.headline.parts[name], Qt.MouseButton.LeftButton)
        assert app._views[view].isVisible()
    app.panels.show_panel("operators")
    app.headline.parts["edits"].setFocus()
    qtbot.keyClick(app.headline.parts["edits"], Qt.Key.Key_Space)
    assert app._views["edits"].isVisible()


def test_messages_and_a_lie_over_and_push_nothing(open_app):
    app = open_app(waits=True)
    QApplication.processEvents()

    def places():
        QApplication.processEvents()
        return {
            name: (view.mapTo(app.window, view.rect().topLeft()), view.size())
            for name, view in app._views.items()
            if view.isVisible()
        }

    before = places()
    app.actions.run("compare.keep")
    app.actions.run("help.tour")
    assert app.banner.isVisible()
    assert app.compare_strip.isVisible()
    assert places() == before
    foot = app.banner.mapTo(app.window, app.banner.rect().bottomLeft()).y()
    assert foot == app._panels.mapTo(app.window, app._panels.rect().bottomLeft()).y()
