"""The door to notes: their file, what of a network they are about, and when that runs."""

from __future__ import annotations

from core.edits.names import Names
from core.edits.notes import Anchor, anchor_of, decode, encode, from_plain, orphans, to_plain
from core.report.notes import ORPHAN, orphan_lines, span_of

__all__ = [
    "ORPHAN",
    "Anchor",
    "Names",
    "anchor_of",
    "decode",
    "encode",
    "from_plain",
    "orphan_lines",
    "orphans",
    "span_of",
    "to_plain",
]
