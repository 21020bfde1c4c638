"""How many bytes are live at each time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from core.schedule.eviction.contest import Contender, Contest


def usage_of(contest: Contest, indices: Iterable[int]) -> list[int]:
    """Bytes at each time of what cannot leave and of these contenders."""
    changes = [0] * (len(contest.base_bytes) + 1)
    for index in indices:
        item = contest.contenders[index]
        changes[item.start_time] += item.size_bytes
        changes[item.end_time + 1] -= item.size_bytes
    pairs = zip(contest.base_bytes, accumulate(changes), strict=False)
    return [base + live for base, live in pairs]


def peak_while_live(usage: Sequence[int], item: Contender) -> int:
    """The most bytes at any time of a contender's life."""
    return max(usage[item.start_time : item.end_time + 1])


def never_fits(contest: Contest, item: Contender) -> bool:
    """Whether a contender is above the limit even without all the others."""
    return peak_while_live(contest.base_bytes, item) + item.size_bytes > contest.limit_bytes
