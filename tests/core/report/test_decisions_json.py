"""The decision log as JSON: every kind of decision there is, and may come to be."""

from __future__ import annotations

import enum
import json
import types
import typing
from typing import Any

import pytest

from core.base.frozen import Frozen, field_names
from core.ir.decisions import Decision
from core.report.decisions_json import describe_decisions, kind_of

KINDS = typing.get_args(Decision)


def value_of(kind: Any) -> Any:
    """Any value of a type."""
    origin = typing.get_origin(kind)
    if origin in {types.UnionType, typing.Union}:
        return value_of(typing.get_args(kind)[0])
    if origin is tuple:
        return (value_of(typing.get_args(kind)[0]),) * 2
    if isinstance(kind, typing.NewType):
        return value_of(kind.__supertype__)
    if issubclass(kind, tuple):
        return kind(*map(value_of, typing.get_type_hints(kind).values()))
    if issubclass(kind, enum.Enum):
        return next(iter(kind))
    return kind(1)


def is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(is_plain, value))
    return type(value) in {int, float, str, bool, type(None)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_decision_is_told_with_all_its_fields(kind):
    hints = typing.get_type_hints(kind)
    decision = kind(**{name: value_of(hints[name]) for name in field_names(kind)})
    (record,) = describe_decisions([decision])
    assert list(record) == ["kind", *field_names(kind)]
    assert all(map(is_plain, record.values()))
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_kinds_have_names_of_their_own():
    names = [kind_of(kind) for kind in KINDS]
    assert len(set(names)) == len(KINDS)
    assert kind_of(KINDS[0]) == "format-chosen"


def test_a_field_that_json_cannot_hold_is_an_error_and_not_a_guess():
    class Odd(Frozen, kw_only=False):
        what: object = frozenset()

    with pytest.raises(TypeError, match="frozenset"):
        describe_decisions([Odd()])
