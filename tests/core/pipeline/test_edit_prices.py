"""What edits cost and what lets refused ones be is what another run finds with these very edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api.networks import run
from core.base.frozen import replace
from core.base.progress import Cancelled
from core.edits.names import Names
from core.edits.shown import shown_of
from core.ir.edits import Edit, EditFate, Living, MapNamed, OpNamed, SpanNamed, Way, What
from core.ir.options import Options, Search
from core.ir.scheduled import Scheduled
from core.pipeline.edit_prices import tried, trying
from core.pipeline.moving_out import moving
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
DATA = (EXAMPLES / "kws_dscnn.tflite").read_bytes()
SPILLING = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(256 << 10)
SHARED = resolve("ethos-u55-256").with_limit(40_000)
STEM = MapNamed("stem/conv_2d")
RESERVE = Edit(
    subject=SpanNamed(OpNamed("stem/conv_2d"), OpNamed("block1/conv_2d")),
    what=What.RESERVE,
    value=8192,
)
LOST = Edit(subject=OpNamed("nobody"), what=What.STRIPE, value=4)
HIGH = Edit(subject=STEM, what=What.ADDRESS, value=64 << 10)
LOW = replace(HIGH, value=4096)
MIDDLE = replace(HIGH, value=8192)


def scheduled(*edits: Edit, limit: int | None = None, bench: Workbench | None = None):
    target = SHARED if limit is None else SHARED.with_limit(limit)
    options = Options(edits=edits)
    bench = bench or Workbench(run(DATA, target, options))
    return bench, bench.schedule(target, options)


def figures(done):
    return done.total.total_cycles, done.fast_bytes, done.evicted_bytes


def test_an_edit_costs_what_a_run_without_it_does_not():
    bench, done = scheduled(RESERVE, LOST, LOW)
    found = tried(bench, done)
    assert replace(found, edits=done.edits) == done
    for place, without in ((0, (LOST, LOW)), (2, (RESERVE, LOST))):
        price = found.edits[place].price
        assert (price.cycles, price.fast_bytes, price.evicted_bytes) == figures(done)
        assert (
            price.cycles_without,
            price.fast_bytes_without,
            price.evicted_bytes_without,
        ) == figures(scheduled(*without)[1])
    assert found.edits[1].price is None


def test_only_what_is_asked_for_is_tried():
    bench, done = scheduled(RESERVE, LOW)
    (found,) = trying(bench, done, places={1})
    assert [outcome.price is None for outcome in found] == [True, False]


@pytest.mark.long
def test_each_price_comes_as_it_is_known_the_latest_first():
    bench, done = scheduled(RESERVE, LOST, MIDDLE)
    steps = list(trying(bench, done))
    known = [[place for place, each in enumerate(step) if each.price] for step in steps]
    assert known == [[2], [0, 2]]


def test_ways_out_come_before_the_price():
    bench, done = scheduled(RESERVE, HIGH)
    first, second, third = trying(bench, done)
    assert first[1].ways
    assert first[1].price is None
    assert second[1].ways == first[1].ways
    assert second[1].price is not None
    assert second[0].price is None
    assert third[0].price is not None
    assert third[0].ways == ()


def test_contradictions_are_resolved_without_the_other():
    bench, done = scheduled(LOW, MIDDLE, LOST)
    found = tried(bench, done)
    assert [outcome.fate for outcome in found.edits] == [
        EditFate.REFUSED,
        EditFate.REFUSED,
        EditFate.ORPHAN,
    ]
    for place, edit in ((0, LOW), (1, MIDDLE)):
        way = next(way for way in found.edits[place].ways if way.way is Way.WITHOUT)
        assert way.edits == (1 - place,)
        _, alone = scheduled(edit, LOST)
        assert (way.cycles, way.fast_bytes, way.evicted_bytes) == figures(alone)
        assert alone.edits[0].fate is EditFate.HONOURED
    assert found.edits[2].ways == ()


@pytest.mark.parametrize("is_shown", [True, False])
def test_maps_that_are_moved_out_for_an_edit_are_what_was_tried(is_shown: bool):
    options = Options(search=Search.DIRECT)
    bench = Workbench(run((EXAMPLES / "unet_128.tflite").read_bytes(), SPILLING, options))
    first = bench.schedule(SPILLING, options)
    shown = shown_of(first)

    def asked(*edits: Edit) -> Scheduled:
        wanted = replace(options, edits=edits)
        if is_shown:
            return bench.around(shown, SPILLING, wanted)
        return bench.schedule(SPILLING, wanted)

    names, evicted = Names.of(first.graph), first.schedule.islands[0].evicted
    helped = []
    for fm in (fm for group in evicted for fm in group.fms):
        edit = Edit(subject=names.maps[fm], what=What.REGION, value=Living.FAST)
        done = asked(edit)
        ways = tried(bench, done).edits[0].ways
        if done.edits[0].fate is EditFate.REFUSED:
            helped += [(edit, way) for way in ways if way.way is Way.MOVED]
    for edit, way in helped:
        assert edit.subject not in way.moved
        again = asked(edit, *moving(way.moved))
        assert {each.fate for each in again.edits} == {EditFate.HONOURED}
        assert (way.cycles, way.fast_bytes, way.evicted_bytes) == figures(again)
        assert way.is_within_limits
    assert bool(helped) or not is_shown


def test_a_higher_limit_is_one_that_was_tried():
    bench, done = scheduled(HIGH)
    assert done.edits[0].fate is EditFate.REFUSED
    (way,) = tried(bench, done).edits[0].ways
    assert way.way is Way.LIMIT
    assert SHARED.fast_limit_bytes < way.limit_bytes < 128 << 10
    assert way.is_within_limits
    _, again = scheduled(HIGH, limit=way.limit_bytes)
    assert again.edits[0].fate is EditFate.HONOURED
    assert (way.cycles, way.fast_bytes, way.evicted_bytes) == figures(again)


def test_what_is_honoured_needs_no_way_out():
    bench, done = scheduled(LOW, RESERVE)
    found = tried(bench, done)
    assert {outcome.fate for outcome in found.edits} == {EditFate.HONOURED}
    assert [outcome.ways for outcome in found.edits] == [(), ()]


class Stopped:
    """Progress that ends the work at its second report."""

    def __init__(self):
        self.reports = 0

    def advance(self, *_: object) -> None:
        self.reports += 1
        if self.reports > 1:
            raise Cancelled


@pytest.mark.parametrize("edit", [HIGH, LOW])
def test_trials_can_be_cancelled(edit):
    bench, done = scheduled(edit)
    with pytest.raises(Cancelled):
        tried(bench, done, Stopped())
