"""Notes as JSON, in a table, and where in time they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from core.base.frozen import NamedTuple
from core.edits.names import Names
from core.edits.notes import Anchor, anchor_of, orphans, to_plain
from core.ir.notes import Note
from core.ir.scheduled import Scheduled
from core.ir.trace import Trace
from core.report.edits import subject_text
from core.report.naming import titled
from core.report.tables import Listing
from core.report.words import counted

Json = dict[str, Any]

ORPHAN = "the network has no such name"


class NoteSpan(NamedTuple):
    """A note, and when what it is about is there."""

    note: Note
    start_cycle: float
    end_cycle: float


def describe_notes(material: Scheduled) -> list[Json]:
    """The notes as their file has them, and whether the network has what they are about."""
    names = Names.of(material.graph)
    return [
        to_plain(note) | {"is_orphan": anchor_of(note.subject, names).is_orphan}
        for note in material.notes
    ]


def note_listing(material: Scheduled) -> Listing:
    """One row for each note."""
    names, call = Names.of(material.graph), titled(material.graph)
    rows = [
        (
            number,
            subject_text(note.subject, call),
            note.text,
            ORPHAN if anchor_of(note.subject, names).is_orphan else None,
        )
        for number, note in enumerate(material.notes, 1)
    ]
    return Listing(("#", "about", "note", "remark"), rows)


def orphan_lines(notes: Sequence[Note], names: Names) -> list[str]:
    """What is to be said of notes about what is not there, in at most one line."""
    lost = orphans(notes, names)
    if not lost:
        return []
    first = subject_text(lost[0].subject)
    more = f" and {counted(len(lost) - 1, 'other')}" if len(lost) > 1 else ""
    return [f"{counted(len(lost), 'note')} without a place: {ORPHAN} as {first}{more}"]


def span_of(material: Scheduled, anchor: Anchor, trace: Trace) -> tuple[float, float] | None:
    """From which cycle to which something runs, or of a map is made and read last."""
    if anchor.ops:
        ops = list(anchor.ops)
    elif anchor.fm is not None:
        ops = [
            op.id
            for op in material.graph.ops
            if any(view is not None and view.fm == anchor.fm for view in (op.ifm, op.ifm2, op.ofm))
        ]
    else:
        ops = []
    if not ops:
        return None
    starts, ends = trace.op_start_cycle[ops], trace.op_end_cycle[ops]
    return float(starts.min()), float(ends.max())


def note_spans(material: Scheduled, trace: Trace) -> Iterator[NoteSpan]:
    """Notes that have a place in time."""
    names = Names.of(material.graph)
    for note in material.notes:
        span = span_of(material, anchor_of(note.subject, names), trace)
        if span is not None:
            yield NoteSpan(note, *span)
