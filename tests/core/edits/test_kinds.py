"""One row makes a kind of decision: each is in the table, and reads, decides and fixes its own."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from core.base.frozen import field_names
from core.edits.kinds import KINDS, kind_of
from core.edits.names import Names
from core.edits.plain import to_plain, value_to_plain
from core.edits.resolve import fixed_by
from core.edits.text import from_plain
from core.ir.edits import EdgeNamed, Edit, Grouping, MapNamed, OpNamed, OpsNamed, SpanNamed, What
from core.ir.fixed import NOTHING_FIXED, Fixed, fixed_of
from tests.core.base.test_checked import RIGHT
from tests.core.edits.strategies import EDITS

OPS = tuple(OpNamed(name) for name in "abc")
MAPS = tuple(MapNamed(name) for name in "xy")
NAMES = Names(
    ops=OPS,
    maps=MAPS,
    op_ids={name: at for at, name in enumerate(OPS)},
    map_ids={name: at for at, name in enumerate(MAPS)},
)
SUBJECT_OF = {
    OpNamed: OPS[0],
    MapNamed: MAPS[1],
    EdgeNamed: EdgeNamed(*OPS[:2]),
    OpsNamed: OpsNamed(OPS[1:]),
    SpanNamed: SpanNamed(*OPS[::2]),
}
VALUES = {**RIGHT, What.BEFORE: OPS[2], What.AFTER: OPS[2]}
EXAMPLES = [
    Edit(subject=SUBJECT_OF[subject], what=kind.what, value=value)
    for kind in KINDS
    for subject in kind.what.subjects
    for value in (Grouping if kind.what is What.CASCADE else [VALUES[kind.what]])
    if not kind.wrong(SUBJECT_OF[subject], value)
]
of_kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.what.value)
of_examples = pytest.mark.parametrize(
    "edit", EXAMPLES, ids=lambda edit: f"{edit.kind} of {type(edit.subject).__name__}"
)


def test_each_decision_has_one_row() -> None:
    assert sorted(kind.what.value for kind in KINDS) == sorted(what.value for what in What)
    assert all(kind_of(what).what is what for what in What)
    assert {kind_of(way).what for way in Grouping} == {What.CASCADE}


@given(EDITS)
def test_each_row_reads_what_it_writes(edit) -> None:
    kind = kind_of(edit.what)
    assert kind.takes.read(value_to_plain(edit.value), "") == edit.value
    assert not kind.wrong(edit.subject, edit.value)
    assert from_plain(to_plain(edit), "") == edit


@of_kinds
def test_what_rules_cannot_ask_for_is_said(kind) -> None:
    assert (kind.rules is None) == (not kind.no_rule)


@of_examples
def test_what_it_decides_is_fixed_and_can_be_left_out(edit) -> None:
    decided = kind_of(edit.what).decided(edit, NAMES)
    assert {what for what, _ in decided} == {edit.kind}
    if edit.what.is_of_file:
        return
    fixed = fixed_by([edit], NAMES)
    told = [name for name in field_names(Fixed) if getattr(fixed, name)]
    assert told == [edit.kind.field]
    assert fixed.without(decided) == NOTHING_FIXED
    assert fixed.without([(what, (99,)) for what, _ in decided]) == fixed


def test_all_that_is_fixed_is_one_value_whoever_comes_first() -> None:
    asked = [edit for edit in EXAMPLES if not edit.what.is_of_file]
    fixed = fixed_by(asked, NAMES)
    assert fixed == fixed_by(asked[::-1], NAMES)
    assert all(getattr(fixed, name) for name in field_names(Fixed))
    for edit in asked:
        asked = [other for other in asked if other is not edit]
        lost = {*kind_of(edit.what).decided(edit, NAMES)}
        lost -= {each for other in asked for each in kind_of(other.what).decided(other, NAMES)}
        fixed = fixed.without(lost)
    assert fixed == NOTHING_FIXED == fixed_of({})


@of_examples
def test_aspects_are_of_whom_it_is_about(edit) -> None:
    found = [*kind_of(edit.what).aspects(edit, NAMES)]
    assert all(subject in (*OPS, *MAPS) for _, subject in found)
    assert bool(found) == (edit.what is not What.RESERVE)
    assert all(one != other for one, other in pairwise(found))


@of_examples
def test_what_is_asked_for_holds_where_it_is_so(edit) -> None:
    kind = kind_of(edit.what)
    assert kind.holds(edit.value, edit.value)
    assert not kind.holds(edit.value, None)
    assert tuple(kind.merged([edit.value])) == (edit.value,)
