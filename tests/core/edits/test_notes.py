"""Notes: their file comes back as it was written, and each finds what it is about, or says so."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InputError
from core.edits.names import Names
from core.edits.notes import Anchor, anchor_of, decode, encode, orphans
from core.ir.edits import MapNamed, OpNamed, OpsNamed, SpanNamed
from core.ir.notes import Note
from tests.core.edits.strategies import NOTES

NAMES = Names(
    ops=(OpNamed("a"), OpNamed("a", 1), OpNamed("b")),
    maps=(MapNamed("m"),),
    op_ids={OpNamed("a"): 0, OpNamed("a", 1): 1, OpNamed("b"): 2},
    map_ids={MapNamed("m"): 0},
)


@given(st.lists(NOTES, max_size=5).map(tuple))
def test_what_is_written_is_read(notes):
    assert decode(encode(notes).encode()) == notes


@pytest.mark.parametrize(
    ("subject", "anchor"),
    [
        (OpNamed("a", 1), Anchor(ops=(1,))),
        (OpsNamed((OpNamed("a"), OpNamed("b"))), Anchor(ops=(0, 2))),
        (SpanNamed(OpNamed("a"), OpNamed("b")), Anchor(ops=(0, 2))),
        (MapNamed("m"), Anchor(fm=0)),
        (MapNamed("m", 1), Anchor()),
        (OpsNamed((OpNamed("a"), OpNamed("c"))), Anchor()),
    ],
)
def test_a_note_is_about_all_that_it_names_or_an_orphan(subject, anchor):
    assert anchor_of(subject, NAMES) == anchor
    note = Note(subject=subject, text="x")
    assert orphans([note], NAMES) == ((note,) if anchor.is_orphan else ())


@pytest.mark.parametrize(
    ("plain", "told"),
    [
        ([], "has no notes"),
        ({"reefpoint": "edits", "version": 1, "edits": []}, "has no notes"),
        ({"reefpoint": "notes", "version": 2, "notes": []}, "version: has version 2"),
        ({"reefpoint": "notes", "version": 1, "notes": {}}, "notes: is no list"),
        (
            {"reefpoint": "notes", "version": 1, "notes": [{"subject": {"map": "a"}}]},
            r"notes\[0\]: 'text' is missing",
        ),
        (
            {
                "reefpoint": "notes",
                "version": 1,
                "notes": [{"subject": {"map": "a"}, "text": " \n"}],
            },
            r"notes\[0\].text: is no text",
        ),
        (
            {"core": "reefpoint", "notes": [{"subject": {"map": 3}, "text": "x"}]},
            r"notes\[0\].subject: is no name",
        ),
    ],
)
def test_what_is_no_note_is_refused_where_it_is_wrong(plain, told):
    with pytest.raises(InputError, match=told):
        decode(json.dumps(plain).encode())
