"""Which maps and operators have edits, and what is known of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from core.base.ids import FmId, NpuOpId
from gui.document.answer import Answer
from gui.document.document import Document
from gui.present.edits import EditRow, State, edit_rows

_WORST_FIRST = (State.REFUSED, State.CHANGED, State.UNCHECKED, State.HONOURED)


class Pins(NamedTuple):
    """By thing: the worst that is known of its edits that are on."""

    maps: Mapping[FmId, State]
    ops: Mapping[NpuOpId, State]
    """Also by what they make."""


NO_PINS = Pins({}, {})


def pins_of(document: Document, answer: Answer | None) -> Pins:
    """What is edited, of what is on the screen."""
    if answer is None or not document.edits:
        return NO_PINS
    maps: dict[FmId, State] = {}
    ops: dict[NpuOpId, State] = {}
    for row in edit_rows(document, answer):
        if row.target is None or row.state not in _WORST_FIRST:
            continue
        if row.target.fm is not None:
            maps[row.target.fm] = _worse(maps.get(row.target.fm), row)
        for op in row.target.ops:
            ops[op] = _worse(ops.get(op), row)
    for maker in answer.scheduled.run.graph.ops:
        state = maps.get(maker.ofm.fm)
        if state is not None:
            found = _worst((state, ops.get(maker.id, state)))
            ops[maker.id] = found or state
    return Pins(maps, ops)


def _worse(known: State | None, row: EditRow) -> State:
    return _worst((row.state, *(() if known is None else (known,)))) or row.state


def _worst(states: Iterable[State]) -> State | None:
    found = set(states)
    return next((state for state in _WORST_FIRST if state in found), None)
