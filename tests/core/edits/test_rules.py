"""Rules: an edit for each operator or map that a query finds, with whole names and its own fate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from core.edits.names import Names
from core.edits.spelled import reach, spelled
from core.ir.edits import Edit, EditFate, Grouping, Living, OpNamed, Rule, What
from core.ir.npugraph import OpKind
from tests.gui.answers import answer_of

TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 60_000}
GRAPH = answer_of("kws_dscnn", **TIGHT).scheduled.graph
NAMES = Names.of(GRAPH)


def of(rule: Rule) -> list[Any]:
    found = spelled([rule], GRAPH)
    assert {(edit.rule, edit.what, edit.value) for edit in found} <= {
        (rule.query, rule.what, rule.value)
    }
    return [edit.subject for edit in found]


@pytest.mark.parametrize(
    ("query", "meets"),
    [
        ("kind=depthwise", lambda op: op.kind is OpKind.DEPTHWISE_CONV_2D),
        ("not kind=depthwise", lambda op: op.kind is not OpKind.DEPTHWISE_CONV_2D),
        ("number>=2 number<5", lambda op: 2 <= op.id < 5),
        ("stem or head", lambda op: "stem" in op.name or "head" in op.name),
        ("is=map", lambda _: False),
    ],
)
def test_operators_are_those_that_the_query_finds(query: str, meets: Callable[[Any], bool]) -> None:
    rule = Rule(query=query, what=What.CASCADE, value=Grouping.NEVER)
    assert of(rule) == [NAMES.ops[op.id] for op in GRAPH.ops if meets(op)]


def test_maps_are_those_found_and_those_that_operators_found_make() -> None:
    large = [
        fm.id
        for fm in GRAPH.feature_maps
        if fm.data is None and math.prod(fm.shape) * fm.dtype.size_bytes >= 4000
    ]
    rule = Rule(query="bytes>=4000", what=What.REGION, value=Living.FAST)
    assert of(rule) == [NAMES.maps[fm] for fm in large]
    made = [op.ofm.fm for op in GRAPH.ops if op.kind is OpKind.DEPTHWISE_CONV_2D]
    rule = Rule(query="kind=depthwise", what=What.REGION, value=Living.SLOW)
    assert of(rule) == [NAMES.maps[fm] for fm in sorted(made)]


def test_how_many_each_rule_has_found_is_counted_beside_single_edits() -> None:
    asked = (
        Rule(query="kind=depthwise", what=What.STRIPE, value=2, is_on=False, note="why"),
        Edit(subject=OpNamed("#1"), what=What.STRIPE, value=4),
        Rule(query="kind=nothing", what=What.STRIPE, value=2),
    )
    found = spelled(asked, GRAPH)
    counts = [count for _, count in reach(asked, found)]
    assert counts == [len(found) - 1, 0]
    assert not any(edit.is_on for edit in found[:-1])
    assert {edit.note for edit in found[:-1]} == {"why"}
    assert found[-1] == Edit(subject=NAMES.ops[1], what=What.STRIPE, value=4)


def test_what_cannot_be_had_is_refused_one_by_one() -> None:
    rule = Rule(query="is=operator", what=What.STRIPE, value=2)
    edits = spelled([rule], GRAPH)
    scheduled = answer_of("kws_dscnn", **TIGHT, edits=edits).scheduled
    assert [outcome.edit for outcome in scheduled.edits] == list(edits)
    assert {EditFate.HONOURED} < {outcome.fate for outcome in scheduled.edits}
    assert all(
        outcome.reasons for outcome in scheduled.edits if outcome.fate is not EditFate.HONOURED
    )
