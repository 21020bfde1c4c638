"""What the front says is what the schedules are: each is made and held against its point."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.base.frozen import replace
from core.ir.edits import EditFate
from core.ir.options import Engine, ParetoOptions, Search, Strategy
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.present.runs.front import (
    NO_CHOICE,
    OFFER,
    alike_cycles,
    bounds,
    by_strategy,
    described,
    differences,
    dots,
    finding,
    front_of,
    headline,
    limit_text,
    nearest,
    reason_for_none,
    row_of,
    shares,
    stairs,
    stepped,
    told,
    with_pareto,
)
from tests.gui.answers import adopting, answer_of, answer_to

KIB = 1024
TARGETS = {
    "shared": {"accelerator": "ethos-u55-256"},
    "dedicated": {"accelerator": "ethos-u65-256", "limit_bytes": 256 * KIB},
}


def pareto(name="kws_dscnn", **settings):
    return answer_of(name, engine=Engine.PARETO, **settings)


def front(answer, display=None):
    return front_of(answer, display or Display())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["kws_dscnn", "unet_128"])
def test_the_points_are_those_of_the_schedule(name, target):
    answer = pareto(name, search=Search.DIRECT, **TARGETS[target])
    found = front(answer)
    points = answer.scheduled.schedule.front
    assert [(dot.cycles, dot.size_bytes) for dot in dots(found)] == [
        (point.cycles, point.peak_bytes) for point in points
    ]
    assert points[found.taken].cycles == answer.scheduled.total.total_cycles
    assert [dot.is_taken for dot in dots(found)].count(True) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_adopting_a_point_makes_the_schedule_that_it_promised(target):
    answer = pareto(search=Search.DIRECT, **TARGETS[target])
    points = answer.scheduled.schedule.front
    assert len(points) > 1
    for index, point in enumerate(points):
        decided = adopting(answer.document, finding(answer.document, point))
        other = answer_to(decided)
        assert {outcome.fate for outcome in other.scheduled.edits} == {EditFate.HONOURED}
        assert other.document.settings.options.pareto == answer.document.settings.options.pareto
        assert front(other).taken == index
        assert other.scheduled.total.total_cycles == pytest.approx(point.cycles, rel=0.02)
        (island,) = other.scheduled.schedule.islands
        assert island.peak_bytes == point.peak_bytes
        assert len(island.cascades) == point.cascades
        assert by_strategy(decided) == answer.document


def test_the_cascading_engine_offers_the_other_one():
    answer = answer_of("kws_dscnn")
    assert front(answer) is None
    assert reason_for_none(answer) == OFFER
    assert with_pareto(answer.document) == pareto().document
    assert reason_for_none(pareto()) == NO_CHOICE


def test_the_stairs_go_down_from_point_to_point():
    found = front(pareto())
    edges, values = stairs(found)
    assert len(edges) == len(values) + 1 <= len(found.points) + 1
    assert all(one < other for one, other in pairwise(edges))
    assert all(one > other for one, other in pairwise(values))
    corners = set(zip(edges, values, strict=False))
    told = {(dot.cycles, dot.size_bytes) for dot in dots(found)}
    assert corners <= told
    for dot in dots(found):
        is_beaten = any(x <= dot.cycles and y <= dot.size_bytes for x, y in corners)
        assert is_beaten or (dot.cycles, dot.size_bytes) in corners


def test_everything_is_within_the_bounds_and_a_limit_that_is_near():
    found = front(pareto("unet_128", **TARGETS["dedicated"]))
    drawn = bounds(found)
    for dot in dots(found):
        assert drawn.first_cycle < dot.cycles < drawn.last_cycle
        assert 0 < dot.size_bytes < drawn.top_bytes
    assert found.limit_bytes == 256 * KIB < drawn.top_bytes
    assert limit_text(found) == "limit 256 KiB"
    far = replace(found, limit_bytes=4096 * KIB)
    assert bounds(far).top_bytes < 512 * KIB
    assert limit_text(far) == "limit 4,096 KiB, far above"
    assert limit_text(front(pareto())) == ""


def test_a_single_point_can_be_drawn_too():
    one = front(pareto("unet_128", limit_bytes=100 * KIB))
    assert len(one.points) == 1
    assert bounds(one).first_cycle < one.points[0].cycles < bounds(one).last_cycle
    assert dots(one)[0].is_over
    assert "none fits" in headline(one, pareto("unet_128", limit_bytes=100 * KIB))


def test_differences_are_against_the_current_one():
    found = front(pareto())
    point, now = found.points[0], found.points[found.taken]
    assert row_of(found, 0) == (f"{round(point.cycles):,} cycles", "15.62 KiB", "none", "none")
    cycles, size, cascades, evicted = differences(found, 0)
    assert cycles == f"+{round(point.cycles - now.cycles):,} cycles"
    assert size == f"-{(now.peak_bytes - point.peak_bytes) / KIB:.0f} KiB"
    assert (cascades, evicted) == ("the same", "the same")
    assert shares(found, 0) == ("+15.4 %", "-16.1 %", "", "")
    assert differences(found, found.taken) == ("the same",) * 4
    assert shares(found, found.taken) == ("",) * 4


def test_numbers_are_told_in_the_units_that_are_chosen():
    display = Display(time_unit=TimeUnit.MICROSECONDS, byte_unit=ByteUnit.BYTES)
    found = front(pareto(), display)
    assert row_of(found, 0)[:2] == ("125.8 µs", "16,000 B")
    assert "µs" in told(found, 0)


def test_sentences_tell_the_current_one_and_the_other():
    found = front(pareto("unet_128", **TARGETS["dedicated"]))
    assert told(found, found.taken).startswith("The current schedule: ")
    text = described(found, 0)
    assert text.startswith(f"{len(found.points)} schedules from ")
    assert told(found, 0) in text
    assert told(found, found.taken) in text
    assert "Pointed at" not in described(found, None)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, "3 schedules; Performance takes the fastest that fits"),
        ({"strategy": Strategy.SIZE}, "3 schedules; Size takes the smallest"),
        (
            {"pareto": ParetoOptions(most_bytes=17 * KIB)},
            "3 schedules; at most 17 KiB is asked for",
        ),
    ],
)
def test_the_headline_says_who_has_chosen(settings, text):
    answer = pareto(**settings)
    assert headline(front(answer), answer) == text


def test_steps_go_to_the_ends_and_no_further():
    found = front(pareto())
    last = len(found.points) - 1
    assert found.taken == last
    assert stepped(found, None, 1) == last
    assert stepped(found, None, -1) == last - 1
    assert stepped(found, 0, -1) == 0


def test_the_nearest_place_within_reach_is_hit():
    places = [(0.0, 0.0), (10.0, 0.0)]
    assert nearest(places, 4.0, 1.0, 8.0) == 0
    assert nearest(places, 6.0, 1.0, 8.0) == 1
    assert nearest(places, 30.0, 0.0, 8.0) is None
    assert nearest([], 0.0, 0.0, 8.0) is None


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_estimate_cannot_tell_apart_is_in_its_band_and_said(target):
    answer = pareto("unet_128", search=Search.DIRECT, **TARGETS[target])
    found, family = front(answer), answer.scheduled.target.accelerator.family
    fewest, most = alike_cycles(found)
    now = found.points[found.taken].cycles
    for index, point in enumerate(found.points):
        is_alike = fewest <= point.cycles <= most
        assert is_alike is not family.tells_apart(point.cycles, now)
        if index != found.taken:
            assert ("as far as the estimate can tell" in told(found, index)) is is_alike
