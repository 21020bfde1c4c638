"""Groups of operators that somebody asks for, whatever they have to do with each other."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.frozen import replace
from core.edits.names import Names
from core.ir.decisions import CascadeEnd
from core.ir.edits import Edit, EditFate, EditOutcome, Grouping, OpsNamed, What
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.options import Engine, Options
from tests.core.schedule.random_cases import CASES, KIB, Case, bench, findings, target_of

DEDICATED = ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
ISLANDS = Case(seed=82, steps=11, target=SHARED, limit_bytes=8 * KIB, options=Options())
"""An operator of the CPU is between some of its operators."""
STRANGERS = Case(seed=1, steps=14, target=SHARED, limit_bytes=96 * KIB, options=Options())
"""Branches that have nothing to do with each other run one after the other."""
BACKWARDS = Case(seed=28, steps=14, target=DEDICATED, limit_bytes=96 * KIB, options=Options())
"""A map is made in another order than it is read, with which it cannot roll."""


def outcome_of(case: Case, *edits: Edit) -> tuple[EditOutcome, ...]:
    done = bench(case).schedule(target_of(case), replace(case.options, edits=edits))
    assert findings(done) == ()
    return done.edits


def graph_of(case: Case) -> NpuGraph:
    return bench(case).run.graph


def share_a_map(one: NpuOp, other: NpuOp) -> bool:
    return not {view.fm for view in one.views}.isdisjoint(view.fm for view in other.views)


def together(names: Names, *ops: NpuOp) -> Edit:
    subject = OpsNamed(tuple(names.ops[op.id] for op in ops))
    return Edit(subject=subject, what=What.CASCADE, value=Grouping.TOGETHER)


@pytest.mark.parametrize("engine", Engine)
def test_operators_of_two_islands_are_apart(engine: Engine):
    graph = graph_of(ISLANDS)
    names = Names.of(graph)
    assert len(graph.islands) > 1
    one, other = (names.ops[island.ops[0]] for island in graph.islands[:2])
    case = ISLANDS._replace(options=Options(engine=engine))
    edit = Edit(subject=OpsNamed((one, other)), what=What.CASCADE, value=Grouping.APART)
    assert [each.fate for each in outcome_of(case, edit)] == [EditFate.HONOURED]


@pytest.mark.parametrize("case", [STRANGERS, BACKWARDS], ids=["strangers", "backwards"])
def test_neighbours_with_no_map_in_common_are_one_or_it_is_said_why_not(case: Case):
    graph = graph_of(case)
    names, refused = Names.of(graph), []
    for one, other in zip(graph.ops, graph.ops[1:], strict=False):
        if share_a_map(one, other):
            continue
        (became,) = outcome_of(case, together(names, one, other))
        assert became.fate is EditFate.HONOURED or became.reasons
        for reason in became.reasons:
            if reason.detail == CascadeEnd.NO_MAP_IN_COMMON.value:
                # In another order they may have neighbours with which they are one.
                assert not reason.is_proved
                refused.append({*reason.ops})
                assert refused[-1] == {names.ops[one.id], names.ops[other.id]}
    assert refused or case is BACKWARDS


@pytest.mark.long
@settings(max_examples=12)
@given(CASES, st.integers(0, 1 << 20), st.sampled_from(Engine))
def test_any_pair_of_operators_may_be_asked_for(case: Case, draw: int, engine: Engine):
    case = case._replace(options=replace(case.options, engine=engine), steps=case.steps % 20 + 2)
    graph = graph_of(case)
    pairs = list(combinations(graph.ops, 2))
    if pairs:
        (became,) = outcome_of(case, together(Names.of(graph), *pairs[draw % len(pairs)]))
        assert became.fate in (EditFate.HONOURED, EditFate.REFUSED)
