"""The drawing of a roofline says what the schedule says: where operators are, and who is where."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.api.schedules import roofline_of
from core.base.frozen import replace
from core.ir.cost import Term
from core.ir.options import Search
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.roofline import picture as drawing
from gui.present.roofline.picks import (
    extent_of,
    marks_of,
    nearest_mark,
    operators_on,
    picked,
    stepped,
)
from gui.present.roofline.picture import ALL, TONES
from gui.present.roofline.words import explained, tip
from gui.theme.tones import SHAPES
from tests.gui.answers import answer_of

TARGETS = {
    "shared": {"accelerator": "ethos-u55-256"},
    "dedicated": {"accelerator": "ethos-u65-256", "limit_bytes": 64 << 10},
}
EVERY = pytest.mark.parametrize(
    ("name", "target"),
    [(name, target) for name in ("kws_dscnn", "unet_128", "resnet8") for target in TARGETS],
)


def picture_of(answer, memory=ALL):
    return drawing.picture_of(answer, roofline_of(answer.scheduled), memory)


def memories(answer):
    return drawing.memories(roofline_of(answer.scheduled))


def solved(name="kws_dscnn", target="shared"):
    return answer_of(name, search=Search.DIRECT, **TARGETS[target])


@EVERY
def test_every_operator_has_its_mark_where_its_figures_are(name, target):
    answer = solved(name, target)
    found = roofline_of(answer.scheduled)
    assert memories(answer)[0] == ALL
    whole = picture_of(answer)
    assert {mark.op for mark in whole.marks} == {each.op for each in found.workloads}
    for place, memory in enumerate(memories(answer)[1:]):
        picture = picture_of(answer, memory)
        moving = {each.op for each in found.workloads if each.moved_bytes[place]}
        assert [mark.op for mark in picture.marks] == sorted(moving)
        assert not any(mark.is_hollow for mark in picture.marks)
        for mark in picture.marks:
            each = found.workloads[mark.op]
            assert mark.tone is TONES[each.decides]
            if each.macs:
                assert 10**mark.x == pytest.approx(each.macs / each.moved_bytes[place])
                assert 10**mark.y == pytest.approx(each.macs / each.cycles)
            else:
                assert mark.y == picture.row
        # All memories together are these, the others' marks hollow.
        drawn = {(mark.op, mark.x, mark.y) for mark in picture.marks if mark.y != picture.row}
        among = {mark[:3] for mark in whole.marks if mark.is_hollow == bool(place)}
        assert drawn <= among


@EVERY
def test_roofs_meet_where_neither_waits_for_the_other(name, target):
    picture = picture_of(solved(name, target))
    for slope, roof in zip(picture.slopes, picture.roofline.roofs, strict=True):
        intensity = picture.roofline.macs_per_cycle / roof.bytes_per_cycle
        assert 10**slope.ridge == pytest.approx(intensity)
        assert slope.rate + slope.ridge == pytest.approx(picture.top)
        assert 10**slope.rate == pytest.approx(roof.bytes_per_cycle)
    (one,) = picture_of(solved(name, target), memories(solved(name, target))[2]).slopes
    assert one == picture.slopes[1]


@EVERY
def test_all_there_is_is_in_sight(name, target):
    for memory in memories(solved(name, target)):
        picture = picture_of(solved(name, target), memory)
        left, right, bottom, top = picture.extent
        for mark in picture.marks:
            assert left < mark.x < right
            assert bottom < mark.y < top
            # What has no MACs stands below the floor, all else above it.
            has_macs = bool(picture.roofline.workloads[mark.op].macs)
            assert picture.floor is None or (mark.y > picture.floor) == has_macs
        assert all(left < slope.ridge < right for slope in picture.slopes)
        assert bottom < picture.top < top


def test_operators_without_macs_stand_apart_in_the_order_in_which_they_run():
    answer = solved()
    picture = picture_of(answer)
    row = sorted((mark.x, mark.op) for mark in picture.marks if mark.y == picture.row)
    idle = [plan.op for plan in answer.scheduled.plans() if not answer.scheduled.cost(plan).macs]
    assert [op for _, op in row] == idle
    assert len({x for x, _ in row}) == len(idle) > 1
    assert f"{len(idle)} without MACs" in explained(picture, ALL)
    assert picture_of(solved("unet_128")).row is None
    assert "without MACs" not in explained(picture_of(solved("unet_128")), ALL)


def test_the_legend_counts_what_decides():
    answer = solved()
    counts = Counter(cost.decides for cost in answer.scheduled.costs)
    told = [(TONES[term], f"{term.value}: {counts[term]}") for term in Term if counts[term]]
    assert list(picture_of(answer).legend) == told
    assert set(TONES) == set(Term)
    assert set(TONES.values()) == set(SHAPES)


def test_filled_and_hollow_are_told_where_there_are_both():
    answer = solved()
    assert explained(picture_of(answer), ALL).startswith("filled: SRAM, hollow: off-chip flash")
    assert "hollow" not in explained(picture_of(answer, "SRAM"), "SRAM")


def test_without_operators_on_the_npu_there_is_no_picture():
    answer = solved()
    scheduled = answer.scheduled
    graph = replace(scheduled.run.graph, ops=())
    none = replace(scheduled, run=replace(scheduled.run, graph=graph), costs=())
    assert picture_of(replace(answer, scheduled=none)) is None


@pytest.mark.parametrize("time_unit", TimeUnit)
def test_a_tip_has_the_figures_of_an_operator(time_unit):
    answer = solved()
    picture = picture_of(answer)
    display = Display(time_unit=time_unit, byte_unit=ByteUnit.BYTES)
    each = max(picture.roofline.workloads, key=lambda each: each.macs)
    text = tip(answer, picture, [each.op], display)
    assert text.startswith(answer.scheduled.graph.titles.op(each.op))
    assert f"{each.macs:,} MACs" in text
    assert ("µs" in text) == (time_unit is TimeUnit.MICROSECONDS)
    for size in each.moved_bytes:
        assert f"{size:,.0f} B" in text
    assert f"decides is the {each.decides.value}" in text
    idle = next(each for each in picture.roofline.workloads if not each.macs)
    assert "MACs" not in tip(answer, picture, [idle.op], display)


def test_what_dma_brings_while_others_run_is_said_of_who_is_above_a_roof():
    answer = solved()
    picture = picture_of(answer)
    for each in picture.roofline.workloads:
        rates = zip(each.moved_bytes, picture.roofline.roofs, strict=True)
        is_above = any(size / each.cycles > roof.bytes_per_cycle * 1.001 for size, roof in rates)
        assert ("while others ran" in tip(answer, picture, [each.op], Display())) == is_above


def test_operators_that_are_alike_are_picked_and_told_together():
    answer = solved()
    picture = picture_of(answer, "SRAM")
    places = Counter((mark.x, mark.y) for mark in picture.marks)
    (place, count) = places.most_common(1)[0]
    assert count > 1
    mark = next(at for at, each in enumerate(picture.marks) if (each.x, each.y) == place)
    ops = operators_on(picture, mark)
    assert len(ops) >= count
    chosen = picked(ops, NOTHING_SELECTED, is_added=False)
    assert chosen.ops == tuple(sorted(ops))
    assert {picture.marks[at].op for at in marks_of(picture, chosen.ops)} == set(ops)
    text = tip(answer, picture, [*ops, *ops], Display())
    assert f"and {2 * len(ops) - 3} more in this place" in text


@given(
    before=st.sets(st.integers(0, 9)),
    ops=st.lists(st.integers(0, 9), min_size=1, unique=True),
)
def test_with_ctrl_operators_come_to_the_others_and_go_again(before, ops):
    first = Selection(op=min(before), more_ops=tuple(before)) if before else NOTHING_SELECTED
    assert set(picked(ops, first, is_added=False).ops) == set(ops)
    added = picked(ops, first, is_added=True)
    if before.issuperset(ops):
        assert set(added.ops) == before - set(ops)
    else:
        assert set(added.ops) == before | set(ops)
        assert added.op == ops[0]
        assert set(picked(ops, added, is_added=True).ops) == before.difference(ops)
    assert added.op not in added.more_ops


def test_steps_go_through_all_operators_as_they_run_and_around():
    answer = solved()
    picture, selection, seen = picture_of(answer), NOTHING_SELECTED, []
    order = [plan.op for plan in answer.scheduled.plans()]
    for _ in order:
        selection = stepped(answer, picture, selection, 1)
        seen.append(selection.op)
    assert seen == order
    assert stepped(answer, picture, selection, 1).op == order[0]
    assert stepped(answer, picture, selection, -1).op == order[-2]
    assert stepped(answer, picture, NOTHING_SELECTED, -1).op == order[-1]


def test_the_nearest_mark_is_found_as_far_as_one_reaches():
    picture = picture_of(solved())
    x, y = picture.x * 100, picture.y * 100
    for mark in range(len(x)):
        found = nearest_mark(x, y, (x[mark] + 0.5, y[mark]), 5.0)
        distance = ((x - x[mark] - 0.5) ** 2 + (y - y[mark]) ** 2) ** 0.5
        assert distance[found] == distance.min()
    assert nearest_mark(x, y, (x.max() + 6, 0.0), 5.0) is None
    assert nearest_mark(x[:0], y[:0], (0.0, 0.0), 5.0) is None


def test_what_is_framed_is_all_that_is_selected():
    picture = picture_of(solved())
    assert extent_of(picture, ()) is None
    left, right, bottom, top = extent_of(picture, (0, 5))
    for mark in (picture.marks[0], picture.marks[5]):
        assert left < mark.x < right
        assert bottom < mark.y < top
