"""Edits in words: every reason, kind and value has some, and lists of names stay short."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.edits.plain import to_plain
from core.ir.edits import EditFate, EditOutcome, EditReason, Ground, MapNamed, OpNamed, What
from core.report.edits import edit_text, few_unheard, reason_text, subject_text, unheard
from tests.core.edits.strategies import EDITS


@pytest.mark.parametrize("ground", Ground)
def test_each_ground_has_words(ground: Ground) -> None:
    text = reason_text(EditReason(ground=ground, is_proved=False))
    assert text
    assert text[0].islower()


def test_a_reason_says_all_that_it_knows() -> None:
    reason = EditReason(
        ground=Ground.NO_ROOM,
        is_proved=True,
        needed_bytes=116_032,
        available_bytes=108_544,
        edits=(0, 4),
        maps=tuple(MapNamed(name) for name in "abcdef"),
        ops=(OpNamed("a", 1),),
    )
    assert reason_text(reason) == (
        "there is no room, 116,032 bytes needed, 108,544 available, against it: edit 1, 5,"
        " while a [1] runs these are live: a, b, c, d and 2 more, no schedule has it"
    )


def test_what_was_only_not_found_says_so() -> None:
    reason = EditReason(
        ground=Ground.NO_ROOM, is_proved=False, tried_bytes=159_232, available_bytes=131_072
    )
    assert reason_text(reason) == (
        "not found: there is no room, 159,232 bytes as tried, 131,072 available"
    )


@given(st.sampled_from(Ground), st.booleans())
def test_a_sentence_says_whether_it_is_proved(ground: Ground, is_proved: bool) -> None:
    text = reason_text(EditReason(ground=ground, is_proved=is_proved))
    assert text.startswith("not found: ") != is_proved


def test_a_list_of_some_legal_values_says_that_there_are_others() -> None:
    some = EditReason(ground=Ground.NOT_LEGAL, is_proved=True, legal=(2, 4), legal_is_all=False)
    assert "possible, among others: 2, 4" in reason_text(some)
    assert "possible: 2, 4" in reason_text(replace(some, legal_is_all=True))


def test_what_the_decision_log_knows_is_told_in_its_words() -> None:
    reason = EditReason(ground=Ground.CANNOT_STRIPE, is_proved=True, detail="sum over channels")
    assert "a sum over channels cannot be cut into rows" in reason_text(reason)


@given(EDITS)
def test_each_edit_has_words_for_subject_decision_and_value(edit) -> None:
    text = edit_text(edit)
    assert subject_text(edit.subject) in text
    if edit.what is What.BEFORE:
        # It reads as a sentence: which operator before which.
        assert text == f"{subject_text(edit.subject)} before {subject_text(edit.value)}"
    else:
        assert text.startswith(f"{edit.what.value} of {subject_text(edit.subject)}: ")
    json.dumps(to_plain(edit))


@given(EDITS)
def test_of_many_that_are_not_so_a_few_are_told(edit) -> None:
    refused = EditOutcome(edit=edit, fate=EditFate.REFUSED)
    lines = list(few_unheard([refused] * 12))
    assert lines[-1] == "4 edits more not as asked"
    assert len(lines) == 9
    assert list(few_unheard([refused] * 8)) == list(unheard([refused] * 8))


@given(EDITS)
def test_only_what_is_asked_for_and_is_not_so_is_warned_of(edit) -> None:
    fates = {fate: [*unheard([EditOutcome(edit=edit, fate=fate)])] for fate in EditFate}
    quiet = {fate for fate, lines in fates.items() if not lines}
    assert quiet == {EditFate.HONOURED, EditFate.OFF}
