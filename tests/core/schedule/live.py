"""What is live in fast storage by addresses, whoever needs it."""

from __future__ import annotations

from core.ir.scheduled import Scheduled
from core.liveness.sizes import map_bytes


def live_bytes(done: Scheduled, time: int) -> int:
    """Bytes at a time; what maps have in common that lie over each other counts once."""
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
    return sum(p.size_bytes for p in placements if p.start_time <= time <= p.end_time) - saved
