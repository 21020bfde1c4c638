"""Which maps and operators have edits, and what is known of these."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import NamedTuple
from core.base.ids import FmId, NpuOpId
from gui.document.answer import Answer
from gui.document.decisions import AS_A_WHOLE
from gui.document.document import Document
from gui.present.edits.rows import State, edit_rows

_WORST_FIRST = (State.REFUSED, State.CHANGED, State.UNCHECKED, State.HONOURED, State.HELD)
_QUIET = (State.HONOURED, State.UNCHECKED)


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
        is_held = row.edit.note in AS_A_WHOLE and row.state in _QUIET
        state = State.HELD if is_held else row.state
        if row.target.fm is not None:
            maps[row.target.fm] = _worse(maps.get(row.target.fm), state)
        for op in row.target.ops:
            ops[op] = _worse(ops.get(op), state)
    for maker in answer.scheduled.run.graph.ops:
        made = maps.get(maker.ofm.fm)
        if made is not None:
            ops[maker.id] = _worse(ops.get(maker.id), made)
    return Pins(maps, ops)


def _worse(known: State | None, state: State) -> State:
    return state if known is None else min(known, state, key=_WORST_FIRST.index)
