"""Edits of every kind, whether or not a network has their subjects."""

from __future__ import annotations

from hypothesis import strategies as st

from core.base.geometry import Block
from core.ir.edits import (
    EdgeNamed,
    Edit,
    Grouping,
    Living,
    MapNamed,
    OpNamed,
    OpsNamed,
    Processor,
    Rule,
    SpanNamed,
    Traversal,
    WeightsAsked,
    What,
)
from core.ir.notes import Note
from core.target.format import Format

_NAMES = st.text(max_size=20)
_SIZES = st.integers(1, 1 << 30)
OPS = st.builds(OpNamed, _NAMES, st.integers(0, 9))
MAPS = st.builds(MapNamed, _NAMES, st.integers(0, 9))
_RISING = st.sets(_SIZES, min_size=1, max_size=5).map(lambda ends: (0, *sorted(ends)))
_WEIGHTS = st.builds(
    WeightsAsked,
    buffers=st.none() | st.integers(0, 2),
    depths=st.none() | _RISING,
    prefetch=st.none() | st.booleans(),
).filter(lambda asked: asked != WeightsAsked())
_GROUPS = st.builds(OpsNamed, st.lists(OPS, min_size=1, max_size=4).map(tuple))


def _edits(subject, what, value):
    return st.builds(
        Edit,
        subject=subject,
        what=st.just(what),
        value=value,
        is_on=st.booleans(),
        note=st.text(max_size=10),
        rule=st.text(max_size=10),
    )


EDITS = st.one_of(
    _edits(MAPS, What.REGION, st.sampled_from(Living)),
    _edits(MAPS, What.FORMAT, st.sampled_from(Format)),
    _edits(MAPS, What.ADDRESS, st.integers(0, 1 << 30)),
    _edits(_GROUPS, What.CASCADE, st.sampled_from([Grouping.TOGETHER, Grouping.NEVER])),
    _edits(st.builds(EdgeNamed, OPS, OPS), What.CASCADE, st.just(Grouping.APART)),
    _edits(OPS | _GROUPS, What.STRIPE, _SIZES),
    _edits(OPS, What.BLOCK, st.builds(Block, _SIZES, _SIZES, _SIZES)),
    _edits(OPS, What.TRAVERSAL, st.sampled_from(Traversal)),
    _edits(MAPS, What.ROLLING, _SIZES),
    _edits(OPS, What.WEIGHTS, _WEIGHTS),
    _edits(OPS, What.BEFORE, OPS),
    _edits(OPS, What.AFTER, OPS),
    _edits(st.builds(SpanNamed, OPS, OPS), What.RESERVE, st.integers(0, 1 << 30)),
    _edits(OPS, What.PROCESSOR, st.sampled_from(Processor)),
)


_QUERIES = st.sampled_from(["kind=depthwise", "bytes>=64K and is=map", "/b.*/ or not (x)"])
RULES = st.one_of(
    *(
        st.builds(Rule, query=_QUERIES, what=st.just(what), value=value, is_on=st.booleans())
        for what, value in (
            (What.REGION, st.sampled_from(Living)),
            (What.CASCADE, st.just(Grouping.NEVER)),
            (What.STRIPE, _SIZES),
            (What.WEIGHTS, _WEIGHTS),
        )
    )
)
"""Decisions about all that a query finds."""


_LINES = st.text(min_size=1, max_size=30).map(lambda text: " ".join(text.split())).filter(bool)
NOTES = st.builds(
    Note,
    subject=OPS | MAPS | _GROUPS | st.builds(SpanNamed, OPS, OPS) | st.builds(EdgeNamed, OPS, OPS),
    text=_LINES,
)
