"""Decides whether ranges fit a capacity: a depth-first search over canonical layouts.

The method is MiniMalloc's (M. D. Moffitt, ASPLOS 2023). Ranges are placed one after the other at
the lowest address above everything placed before that is live with them, and addresses never
decrease, so each layout is reached on one path only. A branch ends when the floor of a section of
time and the bytes that still have to go above it exceed the capacity. Where the unplaced ranges
fall apart in time, the parts are searched one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, NamedTuple, field, later
from core.base.progress import Progress
from core.memory.sections import PLACED, Ints, Sections

Floats = npt.NDArray[np.float64]

_REMEMBERED = 0.5
"""Of trouble, from one turn to the next."""
_REPORT_INTERVAL = 1024
"""Nodes between two reports, which can end the search."""
PREFERENCES = ("width area total", "total area width", "total width area")
"""MiniMalloc's three; none of them is best for all problems, so that they take turns."""
Placing = tuple[int, int, int]
"""Address, rank, and range of a placement."""

_NOTHING_PLACED: Placing = (-1, -1, -1)


_largest = np.maximum.reduce
"""Of the methods and functions that find it, the one with the shortest way there."""


class OutOfNodes(Exception):  # noqa: N818 - not an error: the question stays open
    """The budget ended before the answer was found."""


class Budget(Changing):
    """Nodes that a search may still visit."""

    nodes: int
    progress: Progress
    granted: int = later()

    def __post_init__(self) -> None:
        self.granted = self.nodes

    def spend(self) -> None:
        """Take one node; raises `OutOfNodes` when there is none."""
        if self.nodes <= 0:
            raise OutOfNodes
        self.nodes -= 1
        if self.nodes % _REPORT_INTERVAL == 0:
            self.progress.advance("allocating", self.granted - self.nodes, self.granted)

    @contextmanager
    def share(self, nodes: int) -> Iterator[Budget]:
        """A budget of its own out of this one, which gets back what is left of it."""
        part = Budget(min(nodes, self.nodes), self.progress)
        try:
            yield part
        finally:
            self.nodes -= part.granted - part.nodes


class Trouble(Changing):
    """How often each range had no room, in turns of one order of preference."""

    now: Floats
    levels: Floats
    """Of the turns before; only what is far more often in trouble stands above others."""
    _before: Floats

    @classmethod
    def none(cls, count: int) -> Trouble:
        """Before the first turn of a search for so many ranges."""
        return cls(*(np.zeros(count) for _ in range(3)))

    def learn(self) -> None:
        """Begin another turn, for which the last one counts most."""
        self._before = self._before * _REMEMBERED + self.now
        levels: Floats = np.log2(1 + self._before)
        self.levels = np.rint(levels)
        self.now = np.zeros_like(self.now)


def ranks(sections: Sections, preference: str, indices: Ints, totals: Ints, levels: Floats) -> Ints:
    """Rank of each of these ranges, the first to place having 0; other ranges have 0 too."""
    found = np.zeros(sections.count, dtype=np.int64)
    names = reversed(preference.split())
    measures = (-_measure(sections, name, indices, totals) for name in names)
    keys = [indices, *measures, -levels[indices]]
    found[indices[np.lexsort(keys)]] = np.arange(len(indices))
    return found


def _measure(sections: Sections, name: str, indices: Ints, totals: Ints) -> Ints:
    widths = sections.widths[indices]
    if name == "width":
        return widths
    if name == "area":
        return widths * sections.sizes[indices]
    spans = ((sections.first[index], sections.end[index]) for index in indices.tolist())
    return np.array([totals[first:end].max() for first, end in spans], dtype=np.int64)


class _State(NamedTuple):
    """What is known after some placements; arrays are not shared between states once changed."""

    lowest: Ints
    """Lowest address of each range; `PLACED` for those that are placed or in another part.

    One more stands at the end, for the empty places of `Sections.members`.
    """
    floors: Ints
    """Below this nothing more can be placed, for each section."""
    totals: Ints
    """Bytes that are still to be placed, for each section."""
    ranks: Ints
    """Which range goes first among those with the same lowest address."""
    crossing: Ints
    """Unplaced ranges that are live on both sides of the border behind a section."""


class _Frame(Changing):
    """A node of the search whose children are tried one by one."""

    state: _State
    choices: list[Placing]
    """In reverse order of trial."""
    placed: Placing | None = None
    """The placement that led here."""
    is_free: bool = False
    """Whether that placement had nothing above it that it could disturb."""
    aside: list[Placing] = field(default_factory=list)
    """Placements of parts that were split off here."""


def fit(
    sections: Sections,
    capacity: int,
    preference: str,
    budget: Budget,
    trouble: Trouble | None = None,
) -> list[int] | None:
    """Addresses within the capacity, or None where it is proven that there are none.

    What was in trouble before goes first, and what is now is noted.
    """
    trouble = trouble or Trouble.none(sections.count)
    search = _Search(sections, capacity, preference, budget, trouble)
    state = _State(
        np.append(np.zeros(sections.count, dtype=np.int64), PLACED),
        np.zeros_like(sections.totals),
        sections.totals,
        np.zeros(sections.count, dtype=np.int64),
        sections.crossing,
    )
    if int(sections.totals.max(initial=0)) > search.room or bool(np.any(search.highest < 0)):
        return None
    placements = search.all_parts(state)
    if placements is None:
        return None
    found = {index: address for address, _, index in placements}
    return [found[index] for index in range(sections.count)]


class _Search:
    """One question: these sections, this capacity."""

    def __init__(
        self,
        sections: Sections,
        capacity: int,
        preference: str,
        budget: Budget,
        trouble: Trouble,
    ) -> None:
        self.preference = preference
        self.trouble = trouble
        self.sections = sections
        self.capacity = capacity
        self.room = -(-capacity // sections.unit) * sections.unit
        self.highest = capacity - sections.sizes
        self.sizes = np.append(sections.sizes, 0)
        self.budget = budget

    def all_parts(self, state: _State) -> list[Placing] | None:
        """Placements of every part that the unplaced ranges fall into."""
        placements: list[Placing] = []
        for part in self._split(state):
            found = self._part(part)
            if found is None:
                return None
            placements += found
        return placements

    def _part(self, state: _State) -> list[Placing] | None:
        stack = [_Frame(state, self._choices(state, _NOTHING_PLACED))]
        while stack:
            frame = stack[-1]
            if not frame.choices:
                # Without anything above it, another place for the range cannot help the others.
                if stack.pop().is_free and stack:
                    stack[-1].choices.clear()
                continue
            child = self._place(frame, frame.choices.pop())
            if child is None:
                continue
            stack.append(child)
            if not child.choices and int(child.state.lowest.min()) == PLACED:
                chosen = [frame.placed for frame in stack if frame.placed is not None]
                return chosen + [each for frame in stack for each in frame.aside]
        return None

    def _place(self, frame: _Frame, choice: Placing) -> _Frame | None:
        """The node after a placement, or None where it cannot lead to a layout."""
        self.budget.spend()
        address, _, index = choice
        sections, old = self.sections, frame.state
        first, end = sections.first[index], sections.end[index]
        # Whatever shares a section with the range has to go above it.
        if address + int(_largest(old.totals[first:end])) > self.room:
            self.trouble.now[index] += 1
            return None
        near = sections.overlaps[index]
        top = address + int(sections.steps[index])
        before = old.lowest[near]
        raised = np.maximum(before, top if sections.is_uniform else sections.align(near, top))
        unplaced = before < PLACED
        is_free = not np.count_nonzero(unplaced)
        if not is_free:
            refused = unplaced & (raised > self.highest[near])
            if np.count_nonzero(refused):
                self.trouble.now[near[refused]] += 1
                return None
        lowest = old.lowest.copy()
        lowest[near] = raised
        lowest[index] = PLACED
        totals = old.totals.copy()
        totals[first:end] -= sections.steps[index]
        floors = self._floors(old.floors, lowest, index)
        needed = np.maximum(floors, address) + totals
        if int(_largest(needed)) > self.room:
            self._note(int(needed.argmax()), lowest)
            if is_free:
                frame.choices.clear()
            return None
        crossing = old.crossing.copy()
        borders = crossing[first : end - 1]
        borders -= 1
        state = _State(lowest, floors, totals, old.ranks, crossing)
        if np.count_nonzero(borders) == len(borders):
            return _Frame(state, self._choices(state, choice), choice, is_free)
        return self._after_split(frame, state, choice, is_free=is_free)

    def _note(self, section: int, lowest: Ints) -> None:
        """What is still to be placed in a section has no room there."""
        members = self.sections.members[:, section]
        self.trouble.now[members[lowest[members] < PLACED]] += 1

    def _floors(self, floors: Ints, lowest: Ints, index: int) -> Ints:
        """The floors after a range was placed: the lowest address of what is still to come."""
        begin, stop = self.sections.reach[index]
        near = np.minimum.reduce(lowest.take(self.sections.members[:, begin:stop]), axis=0)
        changed = floors.copy()
        # A section with nothing to come has room for nothing, which is what it needs.
        np.minimum(near, self.room, out=changed[begin:stop])
        return changed

    def _after_split(
        self, frame: _Frame, state: _State, choice: Placing, *, is_free: bool
    ) -> _Frame | None:
        """The node in which only the largest part is left; the smaller ones are solved here."""
        parts = self._split(state)
        if len(parts) < 2:
            return _Frame(state, self._choices(state, choice), choice, is_free)
        aside: list[Placing] = []
        parts.sort(key=lambda part: int((part.lowest < PLACED).sum()))
        for part in parts[:-1]:
            found = self._part(part)
            if found is None:
                if is_free:
                    frame.choices.clear()
                return None
            aside += found
        rest = parts[-1]
        return _Frame(rest, self._choices(rest, _NOTHING_PLACED), choice, is_free, aside)

    def _split(self, state: _State) -> list[_State]:
        """The parts of a state that have no time in common."""
        unplaced = np.flatnonzero(state.lowest < PLACED)
        number = np.concatenate(([0], np.cumsum(state.crossing == 0)))[: len(state.totals)]
        part_of = number[self.sections.starts[unplaced]]
        names = np.unique(part_of)
        if len(names) == 1 and state.ranks.any():
            return [state]
        parts = []
        for name in names:
            lowest = np.full_like(state.lowest, PLACED)
            own = unplaced[part_of == name]
            lowest[own] = state.lowest[own]
            totals = np.where(number == name, state.totals, 0)
            floors = np.where(number == name, state.floors, 0)
            order = ranks(self.sections, self.preference, own, totals, self.trouble.levels)
            parts.append(_State(lowest, floors, totals, order, state.crossing))
        return parts

    def _choices(self, state: _State, last: Placing) -> list[Placing]:
        """Placements worth a trial after the last one, the lowest at the end."""
        # What begins at or above the end of another that still fits below it leaves a useless gap.
        within = np.minimum.reduce(state.lowest + self.sizes)
        near = np.flatnonzero(state.lowest < within)
        columns = state.lowest[near].tolist(), state.ranks[near].tolist(), near.tolist()
        choices: list[Placing] = list(zip(*columns, strict=True))
        return sorted((each for each in choices if each > last), reverse=True)
