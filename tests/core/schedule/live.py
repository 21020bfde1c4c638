"""What is live in fast storage by addresses, whoever needs it."""

from __future__ import annotations

from core.ir.scheduled import Scheduled
from core.liveness.sizes import map_bytes


def live_bytes(done: Scheduled, time: int) -> int:
    """Bytes at a time; what maps have in common that lie over each other counts once.

    Weights that come an operator earlier, since their addresses are free, are taken to come when
    the search has them come.
    """
    placements = done.layout.fast_area.placements
    here = {fm for placed in placements for fm in placed.fms}
    sizes = [
        map_bytes(fm, plan.format)
        for fm, plan in zip(done.graph.feature_maps, done.schedule.maps, strict=True)
    ]
    saved = sum(
        overlay.saved_bytes(sizes[overlay.given], sizes[overlay.made])
        for island in done.schedule.islands
        for cascade in island.cascades
        for overlay in cascade.overlays
        if done.layout.op_times[cascade.ops[0]] in (time - 1, time)
        if here.issuperset((overlay.given, overlay.made))
    )
    op_times = done.layout.op_times
    starts = [
        p.start_time if p.op is None else max(p.start_time, op_times[p.op] - 1) for p in placements
    ]
    live = [
        p.size_bytes
        for p, start in zip(placements, starts, strict=True)
        if start <= time <= p.end_time
    ]
    return sum(live) - saved
