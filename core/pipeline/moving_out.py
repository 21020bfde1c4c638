"""Room for an edit that is refused for want of it: maps that could be moved out of fast storage.

What is told here is a guess at which are worth a trial; what comes of it, a schedule says.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from core.base.ids import FmId
from core.edits.names import Names, map_of, ops_of
from core.ir.edits import Edit, EditOutcome, Ground, Living, MapNamed, OpNamed, OpsNamed, What
from core.ir.layout import Placement, Purpose
from core.ir.scheduled import Scheduled
from core.target.region import Region

_MOST_MOVED = 4
"""Whoever moves more decides the schedule anew."""
_MOST_GROUPS = 4
_SINGLES = 2


def movable(scheduled: Scheduled, outcome: EditOutcome) -> Iterator[tuple[MapNamed, ...]]:
    """Groups of maps without which there may be room for an edit, the likeliest first."""
    rooms = [each for each in outcome.reasons if each.ground is Ground.NO_ROOM]
    if not scheduled.target.is_spilling or not rooms:
        return
    needed = max((each.tried_bytes or each.needed_bytes or 0) for each in rooms)
    missing = max(needed - scheduled.target.fast_limit_bytes, 1)
    names = Names.of(scheduled.graph)
    places = sorted(_beside(scheduled, outcome.edit, names), key=lambda part: part.size_bytes)
    enough = [part for part in places if part.size_bytes >= missing]
    sums = accumulate(part.size_bytes for part in reversed(places))
    count = 1 + next((at for at, size in enumerate(sums) if size >= missing), len(places))
    groups = [[part] for part in enough[:_SINGLES]]
    groups += [places[-more:] for more in range(max(count, 2), _MOST_MOVED + 1)]
    seen = dict.fromkeys(
        tuple(names.maps[fm] for part in each for fm in part.fms) for each in groups
    )
    yield from list(seen)[:_MOST_GROUPS]


def _beside(scheduled: Scheduled, edit: Edit, names: Names) -> Iterator[Placement]:
    """Maps in fast storage while what an edit is about is there, and that no edit keeps."""
    own, ops = _about(scheduled, edit, names)
    times = [scheduled.layout.op_times[op] for op in ops]
    kept = {
        map_of(each.subject, names)
        for each in scheduled.options.edits
        if each.is_on and isinstance(each.subject, MapNamed) and each.subject in names.map_ids
    }
    for area in scheduled.layout.areas if times else ():
        for part in area.placements:
            is_there = part.start_time <= max(times) and part.end_time >= min(times)
            is_map = part.purpose is Purpose.FEATURE_MAP and part.region is Region.SCRATCH_FAST
            if (
                is_there
                and is_map
                and part.fms
                and kept.isdisjoint(part.fms)
                and own not in part.fms
            ):
                yield part


def _about(scheduled: Scheduled, edit: Edit, names: Names) -> tuple[FmId | None, list[int]]:
    """The map that an edit is about, if it is one, and the operators that work with it."""
    match edit.subject:
        case MapNamed():
            fm = map_of(edit.subject, names)
            touching = (op.id for op in scheduled.graph.ops if any(v.fm == fm for v in op.views))
            return fm, list(touching)
        case OpNamed() | OpsNamed():
            return None, list(ops_of(edit.subject, names))
        case _:
            return None, []


def moving(maps: tuple[MapNamed, ...]) -> tuple[Edit, ...]:
    """The edits that move maps out."""
    return tuple(Edit(subject=each, what=What.REGION, value=Living.SLOW) for each in maps)
