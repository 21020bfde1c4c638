"""Files of edits: what is written is read, and what is no edit is refused in one sentence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InputError
from core.edits.text import EditsFile, decode, encode
from core.ir.options import Search
from tests.core.edits.strategies import EDITS, RULES

EXAMPLE = """{"reefpoint": "edits", "version": 1, "model": null, "edits": [
  {"subject": {"map": "block_2/add"}, "what": "region", "value": "fast"},
  {"subject": {"map": "block_2/add"}, "what": "format", "value": "rows"},
  {"subject": {"operators": ["a", "b", "c"]}, "what": "cascade", "value": "together"},
  {"subject": {"edge": ["b", "c"]}, "what": "cascade", "value": "apart"},
  {"subject": {"operator": "a", "ordinal": 1}, "what": "stripe", "value": 4},
  {"subject": {"operator": "a"}, "what": "block", "value": "16x2x32"},
  {"subject": {"operator": "a"}, "what": "weights", "value": {"buffers": 2, "depths": [0, 32, 64], "prefetch": true}},
  {"subject": {"map": "block_2/add"}, "what": "address", "value": 4096},
  {"subject": {"region": "fast", "from": "a", "to": "c"}, "what": "reserve", "value": 8192, "on": false, "note": "DMA"}
]}
"""  # noqa: E501 - as the file has it


def test_the_file_of_the_design_is_written_as_it_was_read():
    assert encode(decode(EXAMPLE.encode())) == EXAMPLE


@given(
    st.lists(EDITS | RULES, max_size=6).map(tuple),
    st.none() | st.text(max_size=9),
    st.none() | st.sampled_from(Search),
)
def test_what_is_written_is_read(edits, model, search):
    file = EditsFile(edits=edits, model=model, search=search)
    assert decode(encode(file).encode()) == file


@pytest.mark.parametrize(
    ("subject", "what", "value", "told"),
    [
        ({"map": "a"}, "region", "sram", "edits[0].value: is none of 'fast', 'slow'"),
        ({"map": "a"}, "colour", "red", "edits[0].what: is none of"),
        ({"map": "a"}, "block", "1x2x3", "edits[0].subject: 'block' is of an operator"),
        ({"operator": "a"}, "block", "1x2", "is no block such as"),
        ({"operator": "a"}, "stripe", 0, "is no number of rows"),
        ({"operator": "a"}, "stripe", True, "is no whole number"),
        ({"operator": "a"}, "weights", {}, "says nothing about the weights"),
        ({"operator": "a"}, "weights", {"depths": [0, 32, 16]}, "does not rise"),
        ({"operators": ["a"]}, "cascade", "apart", "'apart' is of an edge"),
        ({"edge": ["a", "b"]}, "cascade", "never", "'together' and 'never' are of operators"),
        ({"operators": []}, "cascade", "never", "is no list of operators"),
        ({"map": "a", "id": 3}, "region", "fast", "unknown key 'id'"),
        ({"operator": "a"}, "weights", {"buffer": 1}, "'buffer'; did you mean 'buffers'?"),
        ({"operator": "a", "ordnal": 1}, "stripe", 2, "'ordnal'; did you mean 'ordinal'?"),
    ],
)
def test_what_is_no_edit_is_refused_where_it_is_wrong(subject, what, value, told):
    edit = {"subject": subject, "what": what, "value": value}
    file = {"reefpoint": "edits", "version": 1, "edits": [edit]}
    with pytest.raises(InputError) as found:
        decode(json.dumps(file).encode())
    assert told in str(found.value)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"where": "cycles>5", "what": "block", "value": "1x2x3"}, "where: unknown field 'cycles'"),
        ({"where": "", "what": "block", "value": "1x2x3"}, "where: asks for nothing"),
        ({"where": "(", "what": "block", "value": "1x2x3"}, "edits[0].where: "),
        ({"where": 3, "what": "block", "value": "1x2x3"}, "edits[0].where: is no text"),
        ({"where": "a", "what": "reserve", "value": 3}, "no rule finds one"),
        ({"where": "a", "what": "cascade", "value": "together"}, "'never'"),
        ({"where": "a", "what": "block"}, "'value' is missing"),
        ({"where": "a", "what": "stripe", "value": 4, "subject": {}}, "unknown key 'subject'"),
    ],
)
def test_what_is_no_rule_is_refused_where_it_is_wrong(rule, told):
    file = {"reefpoint": "edits", "version": 1, "edits": [rule]}
    with pytest.raises(InputError) as found:
        decode(json.dumps(file).encode())
    assert told in str(found.value)


@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"[]", b"{}", b'{"reefpoint": "edits"}', b"[" * 9999]
)
def test_other_files_are_refused(data):
    with pytest.raises(InputError):
        decode(data)
