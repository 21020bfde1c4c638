"""Where flags stand: one for each note that has a place in a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from core.base.frozen import NamedTuple
from core.base.ids import FmId
from core.ir.edits import MapNamed
from core.ir.notes import Note
from gui.document.answer import Answer
from gui.document.display import Span
from gui.present.edits.subjects import names_of
from gui.present.notes.subjects import span_of
from gui.present.rects import Rects

NotedMaps = Mapping[int, tuple[frozenset[int], str]]
"""By the numbers of notes: keys of rectangles, and the text."""


class Flag(NamedTuple):
    """A note in a picture."""

    number: int
    """Of the note, from 1 on."""
    text: str
    start: float
    end: float
    """Along x."""
    y: float | None = None
    """Where its foot is; None for the top of what is in sight."""


def timed_notes(answer: Answer | None, notes: tuple[Note, ...]) -> Iterator[tuple[int, Note, Span]]:
    """Notes with their numbers and the time of what they are about; orphans have none."""
    if answer is None:
        return
    for number, note in enumerate(notes, 1):
        span = span_of(answer, note.subject)
        if span is not None:
            yield number, note, span


def flags_in_time(answer: Answer | None, notes: tuple[Note, ...]) -> tuple[Flag, ...]:
    """A flag over the cycles of each note's subject."""
    return tuple(
        Flag(number, note.text, span.start_cycle, span.end_cycle)
        for number, note, span in timed_notes(answer, notes)
    )


def maps_noted(answer: Answer | None, notes: tuple[Note, ...]) -> dict[int, tuple[FmId, str]]:
    """By the numbers of notes about feature maps: the map, and the text."""
    if answer is None:
        return {}
    ids = names_of(answer).map_ids
    return {
        number: (ids[note.subject], note.text)
        for number, note in enumerate(notes, 1)
        if isinstance(note.subject, MapNamed) and note.subject in ids
    }


def flags_on(rects: Rects, keys: NotedMaps) -> Iterator[Flag]:
    """A flag for each number, on the first of the rectangles that have its keys."""
    for number, (wanted, text) in keys.items():
        found = np.flatnonzero(np.isin(rects.key, list(wanted)))
        if len(found):
            at = found[np.argmin(rects.left[found])]
            left, right, y = (float(side[at]) for side in (rects.left, rects.right, rects.top))
            yield Flag(number, text, left, right, y)
