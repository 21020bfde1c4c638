"""Makes the result monotone in the limit: a schedule for less memory is also one for more.

The search is a heuristic, and now and then it finds a slower schedule for a higher limit. So it is
repeated for every rung of a fixed ladder of limits below the one that was asked for, and the best
is taken. Between limits that are rungs, more memory then never costs cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.base.ids import IslandId
from core.ir.decisions import LimitTried
from core.ir.options import Options
from core.schedule.each_way import EachWay
from core.schedule.solved import Solved

LOWEST_RUNG_BYTES = 8 << 10
_STEPS_IN_AN_OCTAVE = 4

Rungs = dict[tuple[IslandId, int, Options], tuple[Solved, float]]
"""What was found for a rung, and its cycles."""


def rungs_below(limit_bytes: int) -> Iterator[int]:
    """Four limits in each octave: 8 KiB, 10, 12, 14, 16, 20 and so on."""
    octave = LOWEST_RUNG_BYTES
    while octave < limit_bytes:
        for step in range(_STEPS_IN_AN_OCTAVE):
            rung = octave + octave * step // _STEPS_IN_AN_OCTAVE
            if rung < limit_bytes:
                yield rung
        octave *= 2


def _enough(solved: Solved) -> int:
    """Memory with which the search never meets its limit: more gives the same schedule."""
    maps = {fm for node in solved.problem.nodes for fm in node.maps}
    streams = (
        plan.weights.stream.stream_bytes for plan in solved.draft.ops.values() if plan.weights
    )
    return sum(solved.problem.sizes[fm] for fm in maps) + 4 * sum(streams)


def best_up_to(engine: EachWay, rungs: Rungs) -> Solved:
    """The fastest schedule of an island that the search finds for its limit or a lower one."""
    direct = engine.solve()
    tried = [(direct, engine.cycles(direct))]
    for rung in rungs_below(min(engine.first.limit_bytes, _enough(direct))):
        key = (engine.first.problem.island.id, rung, engine.first.options)
        if key not in rungs:
            lower = engine.within(rung)
            found = lower.solve()
            rungs[key] = (found, lower.cycles(found))
        tried.append(rungs[key])
    allowed = max(engine.first.limit_bytes, min(found.now.peak_bytes for found, _ in tried))
    fitting = [pair for pair in tried if pair[0].now.peak_bytes <= allowed]
    best, _ = min(fitting, key=lambda pair: (pair[1], pair[0].now.peak_bytes))
    records = tuple(
        LimitTried(
            island=engine.first.problem.island.id,
            limit_bytes=found.limit_bytes,
            cycles=cycles,
            is_taken=found is best,
        )
        for found, cycles in tried
    )
    return replace(
        best, limit_bytes=engine.first.limit_bytes, decisions=(*best.decisions, *records)
    )
