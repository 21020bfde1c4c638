"""What became of each edit in a schedule."""

from __future__ import annotations

from collections.abc import Sequence

from core.edits.applied import applied, holds
from core.edits.names import Names
from core.edits.resolve import Resolved
from core.ir.edits import Edit, EditFate, EditOutcome, EditReason, Ground
from core.ir.layout import MemoryLayout
from core.ir.npugraph import NpuGraph
from core.ir.schedule import Schedule

_NOT_FOUND = EditReason(ground=Ground.NOT_FOUND, is_proved=False)


def outcomes(
    graph: NpuGraph,
    schedule: Schedule,
    layout: MemoryLayout,
    edits: Sequence[Edit],
    resolved: Resolved,
) -> tuple[EditOutcome, ...]:
    """In the order of the edits."""
    if not edits:
        return ()
    names = Names.of(graph)

    def outcome(place: int, edit: Edit) -> EditOutcome:
        if place in resolved.settled:
            return resolved.settled[place]
        found = applied(schedule, layout, names, edit)
        if holds(edit, found):
            return EditOutcome(edit=edit, fate=EditFate.HONOURED, applied=found)
        return EditOutcome(edit=edit, fate=EditFate.REFUSED, applied=found, reasons=(_NOT_FOUND,))

    return tuple(outcome(place, edit) for place, edit in enumerate(edits))
