"""A's lanes under B's: each slice where its cycles are, or where its operator's equal is."""

from __future__ import annotations

import numpy as np
import pytest

from core.api import comparisons
from core.edits.names import Names
from core.ir.edits import Edit, What
from core.ir.trace import NOTHING, Lane
from core.pipeline.legal_values import kept_in_order
from gui.document.display import Display
from gui.present.timeline.before import before_of
from gui.present.timeline.data import timeline_data
from gui.present.timeline.memory import usage_of
from gui.present.timeline.picture import before_rects
from gui.present.timeline.rows import LANE_TITLES, rows_of
from gui.present.timeline.text import scale_of, usage_tip
from tests.gui.answers import answer_of

TARGET = {"accelerator": "ethos-u65-256"}


def sides():
    a, b = (answer_of("unet_128", limit_bytes=size << 10, **TARGET) for size in (64, 200))
    found = comparisons.compare(
        *(comparisons.account_of_schedule(each.scheduled) for each in (a, b))
    )
    return a, b, found


def test_in_cycles_a_is_drawn_as_its_own_timeline_draws_it():
    a, b, found = sides()
    before = before_of(a, b, found, is_aligned=False)
    data = timeline_data(b)
    rows = rows_of(data, {}, before=before.lanes)
    rects = before_rects(before.data, before.lanes, rows)
    trace = a.analysis.trace
    assert rects.count == trace.count
    assert rects.left.tolist() == trace.start_cycle[rects.key].tolist()
    assert rects.right.tolist() == trace.end_cycle[rects.key].tolist()
    assert [row.title for row in rows.before] == [
        f"A: {LANE_TITLES[lane]}" for lane in Lane if lane in before.lanes
    ]
    # No row of A covers one of B.
    assert rects.bottom.min() >= max(row.bottom for row in rows.lanes.values())


@pytest.mark.parametrize("is_aligned", [False, True])
def test_what_a_has_in_use_goes_along_with_its_operators(is_aligned):
    a, b, found = sides()
    before = before_of(a, b, found, is_aligned=is_aligned)
    own, usage = usage_of(a), before.usage
    assert usage.used_bytes.tolist() == own.used_bytes.tolist()
    assert (np.diff(usage.edge_cycle) >= 0).all()
    assert (usage.edge_cycle.tolist() == own.edge_cycle.tolist()) == (not is_aligned)
    tip = usage_tip(usage_of(b), 0.0, scale_of(b, Display()), usage)
    assert tip.splitlines()[-1].startswith("in A ")


def test_aligned_operators_begin_and_end_under_their_equals():
    a, b, found = sides()
    before = before_of(a, b, found, is_aligned=True)
    moved, other = before.data.trace, b.analysis.trace
    assert (np.diff(moved.op_start_cycle) >= 0).all()
    assert (moved.end_cycle >= moved.start_cycle).all()
    cascaded = {op for each in (a, b) for op in _cascaded(each)}
    alone = [
        op
        for op, mate in enumerate(before.partner.tolist())
        if mate != NOTHING and not {op, mate, mate - 1, mate + 1} & cascaded
    ]
    assert alone
    for op in alone:
        mate = before.partner[op]
        length = other.op_end_cycle[mate] - other.op_start_cycle[mate]
        for ours, theirs in (
            (moved.op_start_cycle[op], other.op_start_cycle[mate]),
            (moved.op_end_cycle[op], other.op_end_cycle[mate]),
        ):
            assert ours == pytest.approx(theirs, abs=0.2 * length + 1)


def test_an_operator_that_has_moved_is_aligned_and_leaves_the_others_so():
    a = answer_of("residual_tower", **TARGET)
    order = [plan.op for plan in a.scheduled.plans()]
    assert not kept_in_order(a.scheduled, order[13], order[15])
    names = Names.of(a.scheduled.graph).ops
    sooner = Edit(subject=names[order[15]], what=What.BEFORE, value=names[order[13]])
    b = answer_of("residual_tower", **TARGET, edits=(sooner,))
    accounts = [comparisons.account_of_schedule(each.scheduled) for each in (a, b)]
    before = before_of(a, b, comparisons.compare(*accounts), is_aligned=True)
    moved, other = before.data.trace, b.analysis.trace
    assert [plan.op for plan in b.scheduled.plans()] != order
    assert before.partner.tolist() == list(range(len(order)))
    for op in order[8:20]:
        assert moved.op_start_cycle[op] == pytest.approx(other.op_start_cycle[op], abs=1)
        assert moved.op_end_cycle[op] == pytest.approx(other.op_end_cycle[op], abs=1)


def _cascaded(answer):
    for island in answer.scheduled.schedule.islands:
        for cascade in island.cascades:
            yield from cascade.ops


def test_a_run_beside_itself_is_drawn_twice_at_the_same_cycles():
    a, _, _ = sides()
    account = comparisons.account_of_schedule(a.scheduled)
    before = before_of(a, a, comparisons.compare(account, account), is_aligned=True)
    trace = a.analysis.trace
    assert before.data.trace.start_cycle == pytest.approx(trace.start_cycle)
    assert before.partner.tolist() == list(range(len(before.partner)))
    picked = before.slices_of(frozenset({3}))
    assert picked == frozenset(np.flatnonzero(trace.op == 3).tolist())
