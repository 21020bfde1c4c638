"""What the best search says of itself: what it gained, whether it goes on, where a limit costs."""

from __future__ import annotations

from core.base.frozen import replace
from core.base.rough import rough_text
from core.edits.names import Names
from core.ir.edits import Edit, Living, What
from core.ir.options import Engine, Search
from gui.document.decisions import FROM_FRONT
from gui.document.display import Display
from gui.present.headline import search_part
from gui.present.limits import Trials
from gui.present.runs.best import (
    front_answered,
    growth_obstacle,
    is_growing,
    search_details,
    search_text,
    seconds_text,
)
from gui.present.runs.front import finding, front_of, told
from tests.gui.answers import answer_of

BEST = {"search": Search.BEST, "effort": 6, "limit_bytes": 36 << 10}


def with_direct(answer, direct_cycles):
    """The answer of a front that was so much better than the direct search."""
    *rest, _ = answer.scheduled.schedule.decisions
    told = replace(front_answered(answer), direct_cycles=direct_cycles)
    schedule = replace(answer.scheduled.schedule, decisions=(*rest, told))
    return replace(answer, scheduled=replace(answer.scheduled, schedule=schedule))


def test_it_says_what_it_gained_and_whether_it_goes_on():
    answer = replace(answer_of("resnet8", **BEST), seconds=0.84)
    cycles = answer.scheduled.total.total_cycles
    found = front_answered(answer)
    assert found.times_least == cycles / found.least_cycles >= 1
    least = f" cycles ({found.times_least:.2f} of the least, {rough_text(found.least_cycles)})"
    assert front_answered(answer).cycles == cycles <= front_answered(answer).direct_cycles
    assert search_text(with_direct(answer, cycles)) == f"best: {rough_text(cycles)}{least}, 0.8 s"
    assert search_details(answer).endswith("schedules after 6 steps")
    answer = with_direct(answer, cycles * 1.1)
    text = f"best: {rough_text(cycles * 1.1)} -> {rough_text(cycles)}{least}, 0.8 s"
    assert search_text(answer) == text
    options = replace(answer.scheduled.options, effort=7)
    longer = replace(answer, scheduled=replace(answer.scheduled, options=options))
    assert not is_growing(answer)
    assert is_growing(longer)
    assert search_text(longer) == f"{text}, still improving"
    assert search_text(longer, is_stopped=True) == f"{text}, stopped"
    assert search_text(longer, is_live=False) == text
    assert search_part(longer, is_stopped=False, is_live=True).small[-1] == "step 7 of 7"
    assert growth_obstacle(longer) == ""
    assert growth_obstacle(answer) == "it has taken all the steps that effort allows"
    assert growth_obstacle(None) == "there is no schedule yet"


def test_what_was_adopted_from_a_front_is_not_said_to_go_on():
    """Nobody searches for the rest of it: there is none."""
    answer = answer_of("resnet8", **BEST)
    scheduled = answer.scheduled
    name = Names.of(scheduled.graph).maps[-1]
    edit = Edit(subject=name, what=What.REGION, value=Living.SLOW, note=FROM_FRONT)
    options = replace(scheduled.options, effort=7, edits=(edit,))
    adopted = replace(answer, scheduled=replace(scheduled, options=options))
    assert not is_growing(adopted)
    assert "improving" not in search_text(adopted)
    assert growth_obstacle(adopted).startswith("a schedule of the front was adopted")


def test_other_searches_are_named():
    assert search_text(answer_of("kws_dscnn", search=Search.DIRECT)) == "direct"
    assert search_text(answer_of("kws_dscnn", engine=Engine.PARETO)) == "pareto"
    direct = answer_of("kws_dscnn", search=Search.DIRECT)
    assert not is_growing(direct)
    assert growth_obstacle(direct) == "only the best search goes on by itself"
    assert search_details(direct) == ""


def test_seconds_are_short():
    assert (seconds_text(0.84), seconds_text(71.2)) == ("0.8 s", "71 s")


def test_the_slider_has_the_cliffs_of_the_front():
    answer, trials = answer_of("resnet8", **BEST), Trials()
    trials.note(answer)
    points = answer.scheduled.schedule.front
    marks = trials.marks(answer.document)
    assert marks
    assert {mark.limit_bytes for mark in marks} <= {point.peak_bytes for point in points[1:]}
    assert all(mark.below.cycles > 1.01 * mark.cycles for mark in marks)


def test_a_point_says_who_found_it_and_is_found_again_within_its_bytes():
    answer = answer_of("resnet8", **BEST)
    front = front_of(answer, Display())
    for at, point in enumerate(front.points):
        assert f"found by {point.engine.value}" in told(front, at)
        asked = finding(answer.document, point)
        assert asked.limit_bytes == point.peak_bytes
        assert asked.options == answer.document.settings.options
