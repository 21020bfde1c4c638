"""Lifetime: whoever lives shortest moves in first, of those the largest, as long as there is room.

It never asks what a place is worth, and so is quick and easy to foresee: a map stays if it fits at
every time of its life beside all that moved in before it.
"""

from __future__ import annotations

from core.base.progress import Progress
from core.ir.decisions import Fate
from core.schedule.eviction.contest import (
    Contender,
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
    """Let contenders move in one after the other, each where it still fits all its life."""
    contenders = contest.contenders
    able = [index for index, item in enumerate(contenders) if not never_fits(contest, item)]
    everything = usage_of(contest, able)
    usage = list(contest.base_bytes)
    fates = [Fate.NEVER_FITS] * len(contenders)
    progress.advance("spilling", 0, len(able))
    for index in sorted(able, key=lambda place: (*_rank(contenders[place]), place)):
        item = contenders[index]
        if peak_while_live(everything, item) <= contest.limit_bytes:
            fates[index] = Fate.ALWAYS_FITS
        elif peak_while_live(usage, item) + item.size_bytes <= contest.limit_bytes:
            fates[index] = Fate.WON
        else:
            fates[index] = Fate.LOST
            continue
        for time in range(item.start_time, item.end_time + 1):
            usage[time] += item.size_bytes
    kept = tuple(fate in (Fate.ALWAYS_FITS, Fate.WON) for fate in fates)
    return Verdict(kept=kept, fates=tuple(fates))


def _rank(item: Contender) -> tuple[int, int, str]:
    """Shortest life first, then the largest, then by name."""
    return item.end_time - item.start_time, -item.size_bytes, item.name
