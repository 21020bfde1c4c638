"""What became of each edit in a schedule."""

from __future__ import annotations

from collections.abc import Sequence

from core.edits.applied import applied, holds
from core.edits.names import Names
from core.edits.resolve import Resolved, map_of, ops_of, precedence
from core.ir.edits import Edit, EditFate, EditOutcome, EditReason, Ground, MapNamed, What
from core.ir.fixed import Against, Decided
from core.ir.layout import MemoryLayout
from core.ir.npugraph import NpuGraph
from core.ir.schedule import Schedule

_ORDERS = (What.BEFORE, What.AFTER)
_NOT_FOUND = EditReason(ground=Ground.NOT_FOUND, is_proved=False)


def outcomes(
    graph: NpuGraph,
    schedule: Schedule,
    layout: MemoryLayout,
    edits: Sequence[Edit],
    resolved: Resolved,
    against: Sequence[Against] = (),
) -> tuple[EditOutcome, ...]:
    """In the order of the edits; what was left out of the search has its reason.

    The fate is read from the result, and from nothing that a search believes.
    """
    if not edits:
        return ()
    names = Names.of(graph)
    ids = [
        _ids(edit, names) if place not in resolved.settled else None
        for place, edit in enumerate(edits)
    ]

    def outcome(place: int, edit: Edit) -> EditOutcome:
        if place in resolved.settled:
            return resolved.settled[place]
        found = applied(schedule, layout, names, edit)
        if holds(edit, found):
            return EditOutcome(edit=edit, fate=EditFate.HONOURED, applied=found)
        reasons = tuple(
            _reason(each, names, edits, ids, place)
            for each in against
            if _is_about(each.decided, edit, ids[place])
        )
        # A value that is said to be legal instead was taken.
        is_next = any(found in reason.legal for reason in reasons)
        return EditOutcome(
            edit=edit,
            fate=EditFate.CHANGED if is_next else EditFate.REFUSED,
            applied=found,
            reasons=reasons or (_NOT_FOUND,),
        )

    return tuple(outcome(place, edit) for place, edit in enumerate(edits))


_Ids = frozenset[int] | None


def _ids(edit: Edit, names: Names) -> _Ids:
    """Of the map or of the operators that an edit names."""
    if isinstance(edit.subject, MapNamed):
        return frozenset((map_of(edit.subject, names),))
    if edit.what in _ORDERS:
        wish = precedence(edit, names)
        return frozenset((wish.first, wish.then))
    return frozenset(ops_of(edit.subject, names))


def _is_about(decided: Decided, edit: Edit, ids: _Ids) -> bool:
    """Whether a decision is the edit's; groups that share operators were joined to one."""
    what, of = decided
    if what in _ORDERS:
        return edit.what is what and ids == frozenset(of)
    return ids is not None and edit.what is what and not ids.isdisjoint(of)


def _reason(
    against: Against, names: Names, edits: Sequence[Edit], ids: Sequence[_Ids], own: int
) -> EditReason:
    """A reason by names."""
    return EditReason(
        ground=against.ground,
        is_proved=against.is_proved,
        needed_bytes=against.needed_bytes,
        available_bytes=against.available_bytes,
        edits=tuple(
            place
            for place, edit in enumerate(edits)
            if place != own and any(_is_about(other, edit, ids[place]) for other in against.beside)
        ),
        maps=tuple(names.maps[fm] for fm in against.maps),
        ops=tuple(names.ops[op] for op in against.ops),
        legal=against.legal,
        detail=against.detail,
    )
