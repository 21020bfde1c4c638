"""Component: the choice that keeps the most worth.

Who never fits leaves, and then whoever meets no time above the limit stays. The others compete; a
time within the limit binds nobody, so that contenders which no chain of full times connects are
decided apart. Of two choices of equal worth the one that keeps more bytes wins, then the one
that keeps the first contender in which they differ.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from core.base.frozen import replace
from core.base.progress import Progress
from core.ir.decisions import Fate
from core.schedule.eviction.contest import (
    Component,
    Contest,
    EvictionOptions,
    Verdict,
)
from core.schedule.eviction.rivalry import rivalry_of
from core.schedule.eviction.search import NodeBudget, Survivors, best_choice
from core.schedule.eviction.usage import never_fits, peak_while_live, usage_of

MOST_TOGETHER = 256
"""Of more than so many competing contenders, parts are decided one after the other."""


def evict(
    contest: Contest,
    options: EvictionOptions,
    progress: Progress,
) -> Verdict:
    """The choice that keeps the most worth, component by component."""
    fates = _fates(contest)
    rivals = [index for index, fate in enumerate(fates) if fate is Fate.LOST]
    usage = usage_of(contest, rivals)
    full_times = [time for time, used in enumerate(usage) if used > contest.limit_bytes]
    groups = _groups(contest, rivals, full_times)
    budget = NodeBudget(options.node_limit, progress)
    components: list[Component] = []
    for number, members in enumerate(groups):
        # What one component does not need is left to those behind it.
        nodes = budget.nodes // (len(groups) - number)
        if len(members) <= MOST_TOGETHER:
            choice = best_choice(rivalry_of(contest, members, full_times), budget, nodes)
        else:
            choice = _choice_by_parts(contest, members, full_times, budget, nodes)
        for index in choice.kept:
            fates[index] = Fate.WON
        components.append(
            Component(
                members=members,
                worth_kept=sum(contest.contenders[index].worth for index in choice.kept),
                worth_bound=choice.worth_bound,
            )
        )
    kept = tuple(fate in (Fate.ALWAYS_FITS, Fate.WON) for fate in fates)
    return Verdict(kept=kept, fates=tuple(fates), components=tuple(components))


def _choice_by_parts(
    contest: Contest,
    members: Sequence[int],
    full_times: Sequence[int],
    budget: NodeBudget,
    node_limit: int,
) -> Survivors:
    """A choice among very many: some at a time, from the first to the last, each part its best.

    The bound is that of parts which do not get in each other's way, so it holds for all together.
    """
    ordered = sorted(members, key=lambda index: (contest.contenders[index].start_time, index))
    parts = [
        sorted(ordered[first : first + MOST_TOGETHER])
        for first in range(0, len(ordered), MOST_TOGETHER)
    ]
    kept: list[int] = []
    bound = 0
    for part in parts:
        alone = rivalry_of(contest, part, _while_live(contest, part, full_times))
        bound += best_choice(alone, budget, 0).worth_bound
        rest = replace(contest, base_bytes=tuple(usage_of(contest, kept)))
        able = [index for index in part if not never_fits(rest, contest.contenders[index])]
        times = _while_live(contest, able, full_times)
        if able and times:
            rivalry = rivalry_of(rest, able, times)
            kept += best_choice(rivalry, budget, node_limit // len(parts)).kept
    return Survivors(kept=tuple(sorted(kept)), worth_bound=bound)


def _while_live(
    contest: Contest, indices: Sequence[int], full_times: Sequence[int]
) -> Sequence[int]:
    """The full times between the first start and the last end of some contenders."""
    items = [contest.contenders[index] for index in indices]
    if not items:
        return ()
    first = bisect.bisect_left(full_times, min(item.start_time for item in items))
    end = bisect.bisect_right(full_times, max(item.end_time for item in items))
    return full_times[first:end]


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
