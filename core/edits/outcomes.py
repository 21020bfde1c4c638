"""What became of each edit in a schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.frozen import Frozen
from core.edits.kind import Here
from core.edits.kinds import kind_of
from core.edits.resolve import Resolved
from core.ir.edits import Edit, EditFate, EditOutcome, EditReason, Ground
from core.ir.fixed import Against
from core.ir.layout import MemoryLayout
from core.ir.schedule import Schedule

_NOT_FOUND = EditReason(ground=Ground.NOT_FOUND, is_proved=False)


class Said(Frozen):
    """What is known of edits before their schedule is looked at."""

    left_out: Mapping[int, tuple[Against, ...]]
    """By place: those that no search was given, as they are not possible beside each other."""
    against: Mapping[int, tuple[Against, ...]]
    """Why others may not be as they were asked for."""


def outcomes(
    schedule: Schedule,
    layout: MemoryLayout,
    edits: Sequence[Edit],
    resolved: Resolved,
    said: Said,
) -> tuple[EditOutcome, ...]:
    """In the order of the edits; what was left out of the search has its reason.

    The fate is read from the result, and from nothing that a search believes. What is not possible
    beside other edits the search was not asked for: it is refused, whatever was found.
    """

    here = Here(schedule, layout, resolved.names)

    def outcome(place: int, edit: Edit) -> EditOutcome:
        if place in resolved.settled:
            return resolved.settled[place]
        kind = kind_of(edit.what)
        found = kind.applied(here, edit)
        left_out = said.left_out.get(place)
        if left_out is None and kind.holds(edit.value, found):
            return EditOutcome(edit=edit, fate=EditFate.HONOURED, applied=found)
        against = said.against.get(place, ()) if left_out is None else left_out
        is_next = any(each.instead is not None and each.instead == found for each in against)
        return EditOutcome(
            edit=edit,
            fate=EditFate.CHANGED if is_next and left_out is None else EditFate.REFUSED,
            applied=found,
            reasons=tuple(_reason(each, resolved, place) for each in against) or (_NOT_FOUND,),
        )

    return tuple(outcome(place, edit) for place, edit in enumerate(edits))


def reasons_of(
    against: Mapping[int, tuple[Against, ...]], resolved: Resolved
) -> dict[int, tuple[EditReason, ...]]:
    """Reasons by names, by place."""
    return {
        place: tuple(_reason(each, resolved, place) for each in every)
        for place, every in against.items()
    }


def _reason(against: Against, resolved: Resolved, own: int) -> EditReason:
    """A reason by names."""
    names = resolved.names
    others = {place for other in against.beside for place in resolved.places(other)}
    return EditReason(
        ground=against.ground,
        is_proved=against.is_proved,
        needed_bytes=against.needed_bytes,
        tried_bytes=against.tried_bytes,
        available_bytes=against.available_bytes,
        edits=tuple(sorted(others - {own})),
        maps=tuple(names.maps[fm] for fm in against.maps),
        ops=tuple(names.ops[op] for op in against.ops),
        legal=against.legal,
        legal_is_all=against.legal_is_all,
        instead=against.instead,
        detail=against.detail,
    )
