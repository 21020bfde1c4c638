"""Why maps are not in fast storage that did not compete for it."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import replace
from core.ir.decisions import Fate, MapPlaced
from core.schedule.draft import snapshot
from core.schedule.estimates import Estimates
from core.schedule.solved import Solved, slow_maps
from core.schedule.spilling import accesses_of, placed
from core.target.region import Region


def unmoved(solved: Solved, estimates: Estimates) -> Iterator[MapPlaced]:
    """A record for each: edits ask for it, or a cascade makes them, which the search leaves; others
    would have lengthened the lives of maps that stay for as long as there is no room."""
    told = {fm for each in solved.decisions if isinstance(each, MapPlaced) for fm in each.fms}
    left = slow_maps(solved) - told
    if not left:
        return
    worth = accesses_of(
        solved.problem, estimates.with_formats(solved.problem.formats), solved.draft
    )
    living, nodes = estimates.fixed.living_of, solved.problem.nodes
    made = {node.ofm.fm for node in nodes if solved.draft.ops[node.index].cascade is not None}
    for life in snapshot(solved.problem, solved.draft, left).lives:
        fms = [fm for fm in life.fms if fm in left]
        fates = {
            fm: Fate.ASKED if fm in living else Fate.CASCADED if fm in made else Fate.NEVER_FITS
            for fm in fms
        }
        for fate in dict.fromkeys(fates.values()):
            own = replace(life, fms=tuple(fm for fm in fms if fates[fm] is fate))
            yield placed(own, fate, Region.SCRATCH, worth, solved.limit_bytes)
