"""Component: the choice that keeps the most accesses.

Who never fits leaves, and then whoever meets no time above the limit stays. The others compete; a
time within the limit binds nobody, so that contenders which no chain of full times connects are
decided apart. Of two choices with equal accesses the one that keeps more bytes wins, then the one
that keeps the first contender in which they differ.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from core.base.progress import Progress
from core.schedule.eviction.contest import (
    Component,
    Contest,
    EvictionOptions,
    Fate,
    ShouldStop,
    Verdict,
    never,
)
from core.schedule.eviction.rivalry import rivalry_of
from core.schedule.eviction.search import Budget, best_choice
from core.schedule.eviction.usage import never_fits, peak_while_live, usage_of


def evict(
    contest: Contest,
    options: EvictionOptions,
    progress: Progress,
    should_stop: ShouldStop = never,
) -> Verdict:
    """The choice that keeps the most accesses, component by component."""
    fates = _fates(contest)
    rivals = [index for index, fate in enumerate(fates) if fate is Fate.LOST]
    usage = usage_of(contest, rivals)
    full_times = [time for time, used in enumerate(usage) if used > contest.limit_bytes]
    groups = _groups(contest, rivals, full_times)
    budget = Budget(options.node_limit, progress, should_stop)
    components: list[Component] = []
    for number, members in enumerate(groups):
        rivalry = rivalry_of(contest, members, full_times)
        # What one component does not need is left to those behind it.
        choice = best_choice(rivalry, budget, budget.nodes // (len(groups) - number))
        for index in choice.kept:
            fates[index] = Fate.WON
        components.append(
            Component(
                members=members,
                accesses_kept=sum(contest.contenders[index].accesses for index in choice.kept),
                accesses_bound=choice.accesses_bound,
            )
        )
    kept = tuple(fate in (Fate.ALWAYS_FITS, Fate.WON) for fate in fates)
    return Verdict(kept=kept, fates=tuple(fates), components=tuple(components))


def _fates(contest: Contest) -> list[Fate]:
    """What is known without a search; whoever has to compete counts as one that lost."""
    contenders = contest.contenders
    fates = [Fate.NEVER_FITS if never_fits(contest, item) else Fate.LOST for item in contenders]
    able = [index for index, fate in enumerate(fates) if fate is Fate.LOST]
    usage = usage_of(contest, able)
    for index in able:
        if peak_while_live(usage, contenders[index]) <= contest.limit_bytes:
            fates[index] = Fate.ALWAYS_FITS
    return fates


def _groups(
    contest: Contest, rivals: Sequence[int], full_times: Sequence[int]
) -> list[tuple[int, ...]]:
    """Rivals that full times connect; each of them lives at one at least."""
    spans = {}
    for index in rivals:
        item = contest.contenders[index]
        first = bisect.bisect_left(full_times, item.start_time)
        spans[index] = (first, bisect.bisect_right(full_times, item.end_time))
    groups: list[list[int]] = []
    reach = 0
    for index in sorted(spans, key=spans.__getitem__):
        first, end = spans[index]
        if not groups or first >= reach:
            groups.append([])
        groups[-1].append(index)
        reach = max(reach, end)
    return [tuple(sorted(group)) for group in groups]
