"""What a note is about, from what is selected or marked, and back."""

from __future__ import annotations

import numpy as np

from core.api import notes
from core.base.ids import NpuOpId
from core.ir.edits import OpsNamed, SpanNamed, Subject
from core.ir.notes import Note
from gui.document.answer import Answer
from gui.document.display import Span
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.edits import subjects


def subject_of(answer: Answer, selection: Selection) -> Subject | None:
    """What is selected, by its name; None where nothing with a name is."""
    names, graph = subjects.names_of(answer), answer.scheduled.run.graph
    if selection.fm is not None:
        return names.maps[selection.fm] if selection.fm < len(names.maps) else None
    if selection.cpu_op is not None and selection.cpu_op < len(graph.cpu_ops):
        # What the CPU runs has no name among operators; what it makes has one.
        made = graph.cpu_ops[selection.cpu_op].outputs
        return names.maps[made[0]] if made else None
    ops = tuple(names.ops[op] for op in subjects.ops_of(answer, selection))
    return ops[0] if len(ops) == 1 else OpsNamed(ops) if ops else None


def subject_of_span(answer: Answer, span: Span) -> Subject | None:
    """A stretch of time by the first and the last operator in it; None where nothing runs."""
    trace, names = answer.analysis.trace, subjects.names_of(answer)
    starts, ends = trace.op_start_cycle, trace.op_end_cycle
    inside = np.flatnonzero((starts < span.end_cycle) & (ends > span.start_cycle))
    if not len(inside):
        return None
    first = inside[np.argmin(starts[inside])]
    last = inside[np.argmax(ends[inside])]
    return SpanNamed(names.ops[int(first)], names.ops[int(last)])


def target_of(answer: Answer, subject: Subject) -> Selection | None:
    """What is selected for a subject; None where the network has no such thing.

    Of a stretch of time it is all that runs in it.
    """
    found = notes.anchor_of(subject, subjects.names_of(answer))
    if found.fm is not None:
        return Selection(fm=found.fm)
    if not found.ops:
        return None
    ops = _inside(answer, subject) if isinstance(subject, SpanNamed) else found.ops
    return Selection(op=ops[0], more_ops=tuple(op for op in ops if op != ops[0]))


def selection_of_note(answer: Answer | None, found: tuple[Note, ...], number: int) -> Selection:
    """What the note with a number is about; nothing where the network has no such thing."""
    if answer is None or not 0 < number <= len(found):
        return NOTHING_SELECTED
    return target_of(answer, found[number - 1].subject) or NOTHING_SELECTED


def _inside(answer: Answer, subject: SpanNamed) -> tuple[NpuOpId, ...]:
    span = span_of(answer, subject)
    assert span is not None
    trace = answer.analysis.trace
    starts, ends = trace.op_start_cycle, trace.op_end_cycle
    inside = np.flatnonzero((starts < span.end_cycle) & (ends > span.start_cycle))
    return tuple(NpuOpId(int(op)) for op in inside[np.argsort(starts[inside], kind="stable")])


def span_of(answer: Answer, subject: Subject) -> Span | None:
    """From when to when a subject is there; None where the network has no such thing."""
    anchor = notes.anchor_of(subject, subjects.names_of(answer))
    found = notes.span_of(answer.scheduled, anchor, answer.analysis.trace)
    return None if found is None else Span(start_cycle=found[0], end_cycle=found[1])
