"""A memory at one time: what is live, what it adds up to, and when that is most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from gui.present.memory.map import AreaMap
from gui.present.memory.ranges import MemoryRange
from gui.theme.tones import Tone

Bytes = npt.NDArray[np.int64]


class Contributor(NamedTuple):
    """A range that is live at the time."""

    key: int
    """Position of the range in its map."""
    range: MemoryRange
    shared_bytes: int = 0
    """At its end, of what begins there already."""

    @property
    def size_bytes(self) -> int:
        """What it takes, padding included, up to what begins in it already."""
        return self.range.placement.size_bytes - self.shared_bytes


class Gap(NamedTuple):
    """Addresses that nothing has at the time, though something stands above them."""

    address: int
    size_bytes: int


class Cut(Frozen):
    """A memory at one time."""

    time: int
    contributors: tuple[Contributor, ...]
    """In order of addresses; their sizes add up to what is live."""
    gaps: tuple[Gap, ...]
    free_bytes: int | None
    """From the highest address in use to the limit, where there is one; negative above it."""

    @property
    def live_bytes(self) -> int:
        """Bytes of all contributors."""
        return sum(part.size_bytes for part in self.contributors)

    @property
    def padding_bytes(self) -> int:
        """Bytes of contributors that hold nothing."""
        return sum(part.range.padding_bytes for part in self.contributors)

    @property
    def gap_bytes(self) -> int:
        """Bytes between contributors."""
        return sum(gap.size_bytes for gap in self.gaps)

    @property
    def by_tone(self) -> tuple[tuple[Tone, int], ...]:
        """Bytes by purpose, padding apart; they add up to what is live."""
        found: Counter[Tone] = Counter()
        for part in self.contributors:
            padding = max(part.range.padding_bytes - part.shared_bytes, 0)
            found[part.range.tone] += part.size_bytes - padding
            found[Tone.PADDING] += padding
        return tuple((tone, found[tone]) for tone in Tone if found[tone])


def usage(drawn: AreaMap) -> Bytes:
    """Bytes that are live at each time."""
    steps = np.zeros(len(drawn.edges), dtype=np.int64)
    np.add.at(steps, drawn.start_time, drawn.size_bytes)
    np.subtract.at(steps, drawn.end_time + 1, drawn.size_bytes)
    for both in drawn.area.common:
        steps[both.start_time] -= both.size_bytes
        steps[both.end_time + 1] += both.size_bytes
    return np.cumsum(steps)[:-1]


def peak_time(drawn: AreaMap) -> int:
    """The first time at which most is live, of those that last if there are any."""
    live = usage(drawn)
    times = np.flatnonzero(live == live.max())
    lasting = times[np.diff(drawn.edges)[times] > 0.0]
    return int(lasting[0] if len(lasting) else times[0])


def cut_at(drawn: AreaMap, time: int) -> Cut:
    """What is live at a time."""
    keys = np.flatnonzero((drawn.start_time <= time) & (time <= drawn.end_time))
    live = [Contributor(int(key), drawn.ranges[key]) for key in keys]
    live.sort(key=lambda part: part.range.placement.address)
    begins = [0, *(part.range.placement.address for part in live)]
    # A range that lies over the end of another may end before it.
    ends = accumulate((0, *(part.range.end_address for part in live)), max)
    spans = list(zip(begins, ends, strict=True))
    gaps = [Gap(end, begin - end) for (_, end), (begin, _) in pairwise(spans) if begin > end]
    limit = drawn.limit_bytes
    return Cut(
        time=time,
        contributors=tuple(_apart(live)),
        gaps=tuple(gaps),
        free_bytes=None if limit is None else limit - spans[-1][1],
    )


def _apart(live: Sequence[Contributor]) -> Iterator[Contributor]:
    """The same, each up to the next, as far as one lies over the other."""
    for part, above in pairwise(live):
        end = min(part.range.end_address, above.range.end_address)
        yield part._replace(shared_bytes=max(end - above.range.placement.address, 0))
    yield from live[-1:]


def cut_near(drawn: AreaMap, time: int) -> Cut:
    """What is live at a time, or at the first or last that there is."""
    return cut_at(drawn, min(max(time, 0), len(drawn.edges) - 2))


def time_at(drawn: AreaMap, x: float) -> int:
    """The time of the layout that a place along x belongs to."""
    last = len(drawn.edges) - 2
    return int(np.clip(np.searchsorted(drawn.edges, x, side="right") - 1, 0, last))


def middle_of(drawn: AreaMap, time: int) -> float:
    """Where a time is along x."""
    return float(drawn.edges[time] + drawn.edges[time + 1]) / 2.0
