"""Reasons are records: typed in the log, and each of them has words, in one place."""

from __future__ import annotations

import enum
import typing

import pytest

from core.base.frozen import field_names
from core.ir.decisions import Decision
from core.report.why.reasons import Reason, because

KINDS: tuple[type[enum.Enum], ...] = typing.get_args(Reason)
MEMBERS = [member for kind in KINDS for member in kind]


@pytest.mark.parametrize("reason", MEMBERS, ids=str)
def test_every_reason_has_words(reason):
    words = because(reason, "that map", channel=7)
    assert words == words.strip(" .")
    assert len(words.split()) > 2
    assert not {"{", "}", "None"}.intersection(words)


@pytest.mark.parametrize("kind", KINDS)
def test_reasons_of_a_kind_are_told_apart(kind):
    assert len({because(reason) for reason in kind}) == len(kind)


@pytest.mark.parametrize("decision", typing.get_args(Decision))
def test_no_decision_has_a_field_of_prose(decision):
    hints = typing.get_type_hints(decision)
    for name in field_names(decision):
        assert str not in {hints[name], *typing.get_args(hints[name])}, name
