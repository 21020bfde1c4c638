"""Maps that were evicted, in the lane above the map."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF

from gui.document.selection import Selection
from gui.theme.tones import LIGHT, Tone
from tests.gui.answers import arrive
from tests.gui.views.memory.watched import QUESTIONS, UNET, colours, picture


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


def test_the_lane_shows_the_same_time_as_the_map(show):
    _, view = show(*UNET)
    for change in (view.zoom_in, view.pane.canvas.pan_left, view.pane.lane.zoom_in, view.show_all):
        change()
        assert view.pane.lane.box.x_range == pytest.approx(view.pane.canvas.box.x_range)
