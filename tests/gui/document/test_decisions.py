"""Edits as a user makes them: one for each decision, none against another, all of it undone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.ir.edits import EdgeNamed, Edit, Grouping, Living, MapNamed, OpNamed, OpsNamed, What
from gui.document.decisions import (
    Deed,
    decided,
    decision_of,
    done,
    joined,
    moved,
    switched,
    without,
)
from gui.document.document import Document, ModelRef

OPS = tuple(OpNamed(name) for name in "abcdef")
ORDER = {op: place for place, op in enumerate(OPS)}
A, B, C, D, E, F = OPS


def together(*ops):
    return Edit(subject=OpsNamed(ops), what=What.CASCADE, value=Grouping.TOGETHER)


def never(*ops):
    return Edit(subject=OpsNamed(ops), what=What.CASCADE, value=Grouping.NEVER)


def apart(maker, reader):
    edge = EdgeNamed(maker, reader)
    return Edit(subject=edge, what=What.CASCADE, value=Grouping.APART)


def rows(op, count):
    return Edit(subject=op, what=What.STRIPE, value=count)


def lives(name, value):
    return Edit(subject=MapNamed(name), what=What.REGION, value=value)


def test_a_decision_about_a_subject_is_taken_once():
    edits = decided((), [lives("m", Living.FAST), rows(A, 4), lives("m", Living.SLOW)], ORDER)
    assert edits == (lives("m", Living.SLOW), rows(A, 4))


def test_a_cut_leaves_of_a_group_what_is_on_each_side():
    edits = decided([together(A, B, C, D, E)], [apart(B, C)], ORDER)
    assert set(edits) == {together(A, B), together(C, D, E), apart(B, C)}
    assert decided([together(A, B)], [apart(A, B)], ORDER) == (apart(A, B),)


def test_a_group_takes_cuts_back_and_operators_that_were_kept_out():
    edits = decided([apart(A, B), never(B, F), apart(E, F)], [together(A, B, C)], ORDER)
    assert set(edits) == {never(F), apart(E, F), together(A, B, C)}


def test_who_is_kept_out_leaves_a_group_in_two():
    edits = decided([together(A, B, C, D, E), never(F)], [never(C)], ORDER)
    assert set(edits) == {together(A, B), together(D, E), never(F), never(C)}


def test_groups_that_share_an_operator_are_joined_in_order():
    assert joined([together(C, D), together(D, F)], [B, C], ORDER) == (B, C, D, F)


def test_what_is_taken_away_is_named_by_its_place():
    edits = (rows(A, 1), rows(B, 2), rows(C, 3))
    deed = Deed("x", new=(rows(B, 9),), gone=frozenset({0}))
    assert done(edits, deed, ORDER) == (rows(B, 9), rows(C, 3))
    assert without(edits, {1}) == (rows(A, 1), rows(C, 3))
    assert [edit.is_on for edit in switched(edits, {2}, is_on=False)] == [True, True, False]


RUNS = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(
    lambda ends: OPS[min(ends) : max(ends) + 1]
)
CASCADE_EDITS = st.one_of(
    RUNS.filter(lambda ops: len(ops) > 1).map(lambda ops: ("together", ops)),
    st.integers(0, 4).map(lambda at: ("apart", OPS[at : at + 2])),
    RUNS.map(lambda ops: ("never", ops)),
)


@given(st.lists(CASCADE_EDITS, max_size=12))
def test_the_newest_word_stands_and_nothing_contradicts_it(wishes):
    edits = ()
    for kind, ops in wishes:
        match kind:
            case "together":
                new = together(*joined(edits, ops, ORDER))
            case "apart":
                new = apart(*ops)
            case _:
                new = never(*ops)
        edits = decided(edits, [new], ORDER)
        assert new in edits
    assert len({decision_of(edit) for edit in edits}) == len(edits)
    groups = [set(edit.subject.ops) for edit in edits if edit.value is Grouping.TOGETHER]
    for edit in edits:
        if edit.value is Grouping.APART:
            pair = {edit.subject.maker, edit.subject.reader}
            assert not any(pair <= group for group in groups)
        if edit.value is Grouping.NEVER:
            assert not any(group & set(edit.subject.ops) for group in groups)
    for place, group in enumerate(groups):
        assert not any(group & other for other in groups[place + 1 :])


@given(st.lists(st.integers(0, 6), max_size=4), st.integers(0, 7))
def test_what_is_moved_stands_before_what_was_there_and_nothing_is_lost(places, before):
    edits = tuple(rows(A, count) for count in range(1, 8))
    found = moved(edits, places, before)
    assert sorted(edit.value for edit in found) == list(range(1, 8))
    left = [edit for place, edit in enumerate(edits) if place not in places]
    assert [edit for edit in found if edit in left] == left
    if places:
        end = found.index(edits[max(places)]) + 1
        following = [edit for edit in edits[before:] if edit in left]
        assert list(found[end : end + 1]) == following[:1]


def test_what_is_ignored_is_kept_and_not_asked():
    document = Document().with_edits((rows(A, 1),))
    assert document.asked == document.settings
    ignoring = Document(settings=document.settings, ignores_edits=True)
    assert ignoring.edits == document.edits
    assert [edit.is_on for edit in ignoring.asked.options.edits] == [False]


def test_another_model_starts_without_what_was_decided_about_one():
    first, other = ModelRef(path="/a.tflite", digest="1"), ModelRef(path="/b.tflite", digest="2")
    document = Document().with_edits((rows(A, 1),)).with_limit(4096).of_model(first)
    # What a command line asks for is about the model that it names.
    assert document.edits
    assert document.settings.limit_bytes == 4096
    assert document.of_model(ModelRef(path="/a.tflite", digest="3")).edits
    moved = document.of_model(other)
    assert moved.model == other
    assert moved.edits == ()
    assert moved.settings.limit_bytes is None
