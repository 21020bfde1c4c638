"""The schema and the page of files of edits are up to date, and say what the reader takes."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InputError
from core.edits.kinds import KINDS
from core.edits.text import EditsFile, decode, encode
from core.report.edits_schema import page, schema
from tests.core.edits.strategies import EDITS, RULES

RESOURCES = Path(__file__).parents[3] / "resources"
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "null": type(None),
}


def fits(value: Any, by: dict[str, Any]) -> bool:
    """Whether JSON is as a schema says; the words that ours has, and no others."""
    return all(MEETS[word](value, wanted) for word, wanted in by.items() if word != "title")


def _is_of(value: Any, wanted: Any) -> bool:
    kinds = [TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]
    return type(value) in kinds


MEETS: dict[str, Callable[[Any, Any], bool]] = {
    "type": _is_of,
    "const": lambda value, wanted: type(value) is type(wanted) and value == wanted,
    "enum": lambda value, wanted: value in wanted,
    "anyOf": lambda value, wanted: any(fits(value, each) for each in wanted),
    "minimum": operator.ge,
    "maximum": operator.le,
    "pattern": lambda value, wanted: re.search(wanted, value) is not None,
    "minItems": lambda value, wanted: len(value) >= wanted,
    "maxItems": lambda value, wanted: len(value) <= wanted,
    "minProperties": lambda value, wanted: len(value) >= wanted,
    "items": lambda value, wanted: all(fits(each, wanted) for each in value),
    "required": lambda value, wanted: set(wanted) <= value.keys(),
    "properties": lambda value, wanted: all(
        fits(value[name], each) for name, each in wanted.items() if name in value
    ),
    # Looked at for the whole file, as no other word tells what is there.
    "additionalProperties": lambda _, wanted: wanted is False,
}


def is_as_the_schema_says(plain: Any) -> bool:
    return fits(plain, schema()) and _has_no_more(plain, schema())


def _has_no_more(value: Any, by: dict[str, Any]) -> bool:
    """Whether there is nothing that `additionalProperties` forbids."""
    if "anyOf" in by:
        return any(fits(value, each) and _has_no_more(value, each) for each in by["anyOf"])
    if isinstance(value, list) and "items" in by:
        return all(_has_no_more(each, by["items"]) for each in value)
    if not isinstance(value, dict) or "properties" not in by:
        return True
    known = by["properties"]
    if by.get("additionalProperties") is False and not value.keys() <= known.keys():
        return False
    return all(_has_no_more(part, known[name]) for name, part in value.items() if name in known)


def test_the_page_is_up_to_date(request: pytest.FixtureRequest) -> None:
    """The schema is looked at with those of other forms."""
    file = RESOURCES / "edits-json.md"
    if request.config.getoption("--update-goldens"):
        file.write_text(page(), "utf-8")
    assert file.read_text("utf-8") == page()


@given(st.lists(EDITS | RULES, max_size=4).map(tuple), st.none() | st.text(max_size=9))
def test_what_is_written_is_as_the_schema_says(edits, model) -> None:
    assert is_as_the_schema_says(json.loads(encode(EditsFile(edits=edits, model=model))))


def _file(**edit: Any) -> dict[str, Any]:
    return {"reefpoint": "edits", "version": 1, "edits": [edit]}


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        pytest.param(kind, way, id=f"{kind.what.value} of {way.about}")
        for kind in KINDS
        for way in kind.written
    ],
)
def test_examples_of_the_page_are_taken(kind, way) -> None:
    subject = {
        "a map": {"map": "a"},
        "an operator": {"operator": "a", "ordinal": 1},
        "fast storage, from an operator to another": {"region": "fast", "from": "a", "to": "b"},
    }.get(way.about, {"operators": ["a", {"operator": "b", "ordinal": 2}]})
    plain = _file(subject=subject, what=kind.what.value, value=json.loads(way.example))
    assert is_as_the_schema_says(plain)
    assert decode(json.dumps(plain).encode()).edits


@pytest.mark.parametrize(
    "edit",
    [
        {"subject": {"map": "a"}, "what": "region", "value": "sram"},
        {"subject": {"map": "a"}, "what": "colour", "value": "red"},
        {"subject": {"map": "a"}, "what": "block", "value": "1x2x3"},
        {"subject": {"operator": "a"}, "what": "block", "value": "1x2"},
        {"subject": {"operator": "a"}, "what": "stripe", "value": 0},
        {"subject": {"operator": "a"}, "what": "stripe", "value": True},
        {"subject": {"operator": "a"}, "what": "weights", "value": {}},
        {"subject": {"operator": "a"}, "what": "weights", "value": {"buffers": 3}},
        {"subject": {"operators": ["a"]}, "what": "cascade", "value": "apart"},
        {"subject": {"edge": ["a", "b"]}, "what": "cascade", "value": "never"},
        {"subject": {"operators": []}, "what": "cascade", "value": "never"},
        {"subject": {"map": "a", "id": 3}, "what": "region", "value": "fast"},
        {"subject": {"map": "a"}, "what": "address", "value": "64 bananas"},
        {"subject": {"map": "a"}, "what": "region", "value": "fast", "on": 1},
        {"subject": {"map": "a"}, "what": "region"},
        {"where": "a", "what": "reserve", "value": 3},
        {"where": "a", "what": "cascade", "value": "together"},
        {"where": " ", "what": "stripe", "value": 3},
        {"where": "a", "subject": {"map": "a"}, "what": "region", "value": "fast"},
    ],
)
def test_what_is_refused_is_not_as_the_schema_says(edit) -> None:
    assert not is_as_the_schema_says(_file(**edit))
    with pytest.raises(InputError):
        decode(json.dumps(_file(**edit)).encode())
