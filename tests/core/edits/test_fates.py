"""What becomes of edits that cannot be as they were asked for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from core.api.networks import run
from core.base.frozen import replace
from core.edits.names import Names
from core.ir.edits import (
    EdgeNamed,
    Edit,
    EditFate,
    EditOutcome,
    Ground,
    Grouping,
    Living,
    OpsNamed,
    SpanNamed,
    Traversal,
    WeightsAsked,
    What,
)
from core.ir.npugraph import OpKind
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.target.format import Format
from core.target.resolve import resolve
from tests.core.edits.frozen import what_runs

MODEL = Path(__file__).parents[3] / "resources" / "examples" / "kws_dscnn.tflite"
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(32 << 10)


@cache
def bench() -> Workbench:
    return Workbench(run(MODEL.read_bytes(), DEDICATED, Options()))


def names() -> Names:
    return Names.of(bench().run.graph)


def asked(*edits: Edit) -> Scheduled:
    return bench().schedule(DEDICATED, Options(edits=edits))


def stripe(op: int, rows: int) -> Edit:
    return Edit(subject=names().ops[op], what=What.STRIPE, value=rows)


def cascade(value: Grouping, *ops: int) -> Edit:
    named = tuple(names().ops[op] for op in ops)
    subject = EdgeNamed(*named) if value is Grouping.APART else OpsNamed(named)
    return Edit(subject=subject, what=What.CASCADE, value=value)


def refused(done: Scheduled) -> list[EditOutcome]:
    """All of them are, as it is proved, and the schedule is as without any."""
    assert what_runs(done) == what_runs(asked())
    assert {outcome.fate for outcome in done.edits} == {EditFate.REFUSED}
    assert all(reason.is_proved for outcome in done.edits for reason in outcome.reasons)
    return list(done.edits)


@pytest.mark.parametrize("rows", [26, 31, 1000])
def test_too_many_rows_become_the_most_that_there_are(rows: int):
    made = bench().run.graph.ops[2].made.h
    (outcome,) = asked(stripe(2, rows)).edits
    assert made < 26
    assert outcome.fate is EditFate.CHANGED
    assert outcome.applied == made
    (reason,) = outcome.reasons
    assert reason.legal == tuple(range(1, made + 1))
    assert reason.legal_is_all


def test_the_contrary_of_what_was_asked_is_no_next_value():
    graph = bench().run.graph
    entry = graph.ops[0].ifm.fm
    edits = (
        Edit(subject=names().maps[entry], what=What.REGION, value=Living.FAST),
        Edit(subject=names().maps[entry], what=What.FORMAT, value=Format.BRICKS),
    )
    for edit in edits:
        (outcome,) = refused(asked(edit))
        assert outcome.reasons[0].ground is Ground.NOT_LEGAL


def test_the_traversal_of_what_has_no_weights_is_refused():
    pool = next(op.id for op in bench().run.graph.ops if op.weights is None)
    assert bench().run.graph.ops[pool].kind is not OpKind.COPY
    for value in Traversal:
        edit = Edit(subject=names().ops[pool], what=What.TRAVERSAL, value=value)
        refused(asked(edit))


def test_of_contradictions_none_wins_and_each_names_the_others():
    one, other = refused(asked(stripe(2, 5), cascade(Grouping.NEVER, 1, 2)))
    assert one.reasons[0].edits == (1,)
    assert other.reasons[0].edits == (0,)


def test_who_has_no_partner_left_names_all_that_keep_others_away():
    edges = [cascade(Grouping.APART, 1, 2), cascade(Grouping.APART, 2, 3)]
    found = refused(asked(stripe(2, 5), *edges))
    assert [{*outcome.reasons[0].edits} for outcome in found] == [{1, 2}, {0, 2}, {0, 1}]
    # One of the edges alone leaves a partner.
    fates = [outcome.fate for outcome in asked(stripe(2, 5), edges[0]).edits]
    assert fates == [EditFate.HONOURED, EditFate.HONOURED]


@pytest.mark.parametrize("pair", [(1, 8), (2, 1), (3, 3)])
def test_apart_is_of_edges_that_there_are(pair: tuple[int, int]):
    (outcome,) = asked(cascade(Grouping.APART, *pair)).edits
    assert outcome.fate is EditFate.ORPHAN
    assert outcome.reasons[0].ground is Ground.NO_EDGE
    named = OpsNamed(tuple(names().ops[op] for op in pair))
    apart = Edit(subject=named, what=What.CASCADE, value=Grouping.APART)
    (outcome,) = asked(apart).edits
    assert outcome.fate is (EditFate.ORPHAN if len({*pair}) == 1 else EditFate.HONOURED)


@pytest.mark.parametrize("what", [What.BEFORE, What.AFTER])
def test_an_operator_runs_neither_before_nor_after_itself(what: What):
    (outcome,) = refused(asked(Edit(subject=names().ops[3], what=what, value=names().ops[3])))
    assert outcome.reasons[0].ground is Ground.ITSELF


def test_bytes_that_are_reserved_twice_are_needed_twice():
    ops = names().ops
    reserve = Edit(subject=SpanNamed(ops[2], ops[4]), what=What.RESERVE, value=17 << 10)
    one, other = refused(asked(reserve, reserve))
    (reason,) = one.reasons
    assert reason.ground is Ground.NO_ROOM
    assert reason.needed_bytes >= 34 << 10 > reason.available_bytes
    assert (reason.edits, other.reasons[0].edits) == ((1,), (0,))
    assert [each.fate for each in asked(reserve).edits] == [EditFate.HONOURED]


def test_what_weights_do_may_be_asked_for_part_by_part():
    parts = (WeightsAsked(buffers=2), WeightsAsked(depths=(0, 16, 64)))
    edits = tuple(Edit(subject=names().ops[2], what=What.WEIGHTS, value=part) for part in parts)
    assert {outcome.fate for outcome in asked(*edits).edits} == {EditFate.HONOURED}
    torn = replace(edits[0], value=WeightsAsked(buffers=1))
    fates = [outcome.fate for outcome in asked(*edits, torn).edits]
    assert fates == [EditFate.REFUSED, EditFate.HONOURED, EditFate.REFUSED]


def test_what_is_proved_of_two_is_said_where_neither_is_found_alone():
    """Shared fast storage, in which each by itself has no room beside the maps."""
    shared = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
    table = Workbench(run(MODEL.read_bytes(), shared, Options()))
    ops, size = names().ops, 8 << 10
    reserve = Edit(subject=SpanNamed(ops[2], ops[4]), what=What.RESERVE, value=size)
    tight = shared.with_limit(2 * size - 16)
    fates = [each.fate for each in table.schedule(tight, Options(edits=(reserve,))).edits]
    done = table.schedule(tight, Options(edits=(reserve, reserve)))
    for place, outcome in enumerate(done.edits):
        (reason,) = outcome.reasons
        assert reason.is_proved
        assert reason.needed_bytes > tight.fast_limit_bytes
        assert reason.edits == (1 - place,)
    assert fates == [EditFate.REFUSED]
