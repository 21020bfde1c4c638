"""Over-limit: whoever is met while too much is live has to leave.

Contenders are met in the order in which they are given. Nobody who left comes back, also where
what left later would have been enough.
"""

from __future__ import annotations

from core.base.progress import Progress
from core.ir.decisions import Fate
from core.schedule.eviction.contest import (
    Contest,
    EvictionOptions,
    Verdict,
)
from core.schedule.eviction.usage import never_fits, peak_while_live, usage_of


def evict(
    contest: Contest,
    options: EvictionOptions,  # noqa: ARG001 - the one signature
    progress: Progress,
) -> Verdict:
    """Let everything stay, then evict what lives at a time that is above the limit."""
    count = len(contest.contenders)
    progress.advance("spilling", 0, count)
    everything = usage_of(contest, range(count))
    usage = list(everything)
    kept: list[bool] = []
    fates: list[Fate] = []
    for item in contest.contenders:
        stays = peak_while_live(usage, item) <= contest.limit_bytes
        kept.append(stays)
        if stays:
            is_free = peak_while_live(everything, item) <= contest.limit_bytes
            fates.append(Fate.ALWAYS_FITS if is_free else Fate.WON)
            continue
        fates.append(Fate.NEVER_FITS if never_fits(contest, item) else Fate.LOST)
        for time in range(item.start_time, item.end_time + 1):
            usage[time] -= item.size_bytes
    return Verdict(kept=tuple(kept), fates=tuple(fates))
