"""The first scheduler's choice of what stays in fast storage: whatever keeps the most bytes.

Maps are met in the order in which they are first needed, so that what was met before decides who
never fits and who always does. The others compete in groups of up to twenty, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.frozen import replace
from core.base.progress import Progress
from core.ir.decisions import Fate
from core.schedule.eviction.contest import Contest, EvictionOptions, Verdict
from core.schedule.eviction.rivalry import rivalry_of
from core.schedule.eviction.search import NodeBudget, best_choice
from core.schedule.eviction.usage import never_fits, peak_while_live, usage_of

MOST_TOGETHER = 20
"""Maps that compete at once."""

_STAYS = (Fate.ALWAYS_FITS, Fate.WON)


def evict(contest: Contest, options: EvictionOptions, progress: Progress) -> Verdict:
    """The choice that keeps the most bytes, group by group."""
    fates = _fates(contest)
    rivals = [index for index, fate in enumerate(fates) if fate is Fate.LOST]
    budget = NodeBudget(options.node_limit, progress)
    groups = list(_groups(contest, rivals))
    for number, group in enumerate(groups):
        kept = [index for index, fate in enumerate(fates) if fate in _STAYS]
        beside = replace(contest, base_bytes=tuple(usage_of(contest, kept)))
        for index in _kept(beside, group, budget, budget.nodes // (len(groups) - number)):
            fates[index] = Fate.WON
    return Verdict(kept=tuple(fate in _STAYS for fate in fates), fates=tuple(fates))


def _fates(contest: Contest) -> list[Fate]:
    """What is known without a search; whoever has to compete counts as one that lost."""
    fates = []
    everything = usage_of(contest, range(len(contest.contenders)))
    certain = list(contest.base_bytes)
    for item in contest.contenders:
        life = range(item.start_time, item.end_time + 1)
        if peak_while_live(certain, item) + item.size_bytes > contest.limit_bytes:
            fates.append(Fate.NEVER_FITS)
            for time in life:
                everything[time] -= item.size_bytes
        elif peak_while_live(everything, item) <= contest.limit_bytes:
            fates.append(Fate.ALWAYS_FITS)
            for time in life:
                certain[time] += item.size_bytes
        else:
            fates.append(Fate.LOST)
    return fates


def _groups(contest: Contest, rivals: Sequence[int]) -> Iterator[list[int]]:
    """Rivals from the first to the last, as long as their lives overlap."""
    group: list[int] = []
    end_time = -1
    for index in sorted(rivals, key=lambda each: _place(contest, each)):
        item = contest.contenders[index]
        if group and (item.start_time > end_time or len(group) == MOST_TOGETHER):
            yield group
            group, end_time = [], -1
        group.append(index)
        end_time = max(end_time, item.end_time)
    if group:
        yield group


def _place(contest: Contest, index: int) -> tuple[int, int, int]:
    item = contest.contenders[index]
    return item.start_time, item.end_time, item.size_bytes


def _kept(
    beside: Contest, group: Sequence[int], budget: NodeBudget, node_limit: int
) -> Sequence[int]:
    """Those of a group that stay: the most bytes, and of equal choices the one with the first."""
    items = beside.contenders
    able = [index for index in group if not never_fits(beside, items[index])]
    usage = usage_of(beside, able)
    full_times = [time for time, used in enumerate(usage) if used > beside.limit_bytes]
    free = [index for index in able if peak_while_live(usage, items[index]) <= beside.limit_bytes]
    rivals = [index for index in able if index not in free]
    if not rivals:
        return free
    by_bytes = replace(
        beside, contenders=tuple(replace(item, worth=item.size_bytes) for item in items)
    )
    rivalry = rivalry_of(by_bytes, rivals, full_times)
    return (*free, *best_choice(rivalry, budget, node_limit).kept)
