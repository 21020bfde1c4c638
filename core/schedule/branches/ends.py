"""Whole maps at the ends of cascades, and which of them may share bytes.

A cascade reads its inputs from top to bottom. What it hands on may come to lie on rows of one of
them that nobody reads any more, if it begins far enough before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from functools import cached_property

from core.base.frozen import Frozen, NamedTuple, field
from core.base.ids import FmId
from core.ir.npugraph import View
from core.ir.schedule import Overlay
from core.schedule.branches.tape import Rows, Tape
from core.schedule.problem import IslandProblem
from core.schedule.spans import touches


class End(NamedTuple):
    """A whole map, as far as cascades may read it for the last time or make the first of it."""

    fm: FmId
    size_bytes: int
    made_last: int
    """The node that makes the last of it; -1 where that comes before the island."""
    first: int
    last: int
    may_be_given: bool
    """Whether nobody misses it once its last reader has run."""
    may_be_made: bool
    """Whether nothing of it is there before its first maker runs."""


_Laid = tuple[End, Rows]


def ends_of(problem: IslandProblem) -> dict[FmId, End]:
    """The maps of an island that a cascade may lay over each other."""
    graph, island, beside = problem.graph, problem.island, problem.beside
    if island.subgraph != 0:
        # Its maps are there as long as those of its callers.
        return {}
    first, last = touches(problem)
    made = {node.ofm.fm: node.index for node in problem.nodes}
    shared = {fm.storage for fm in graph.feature_maps if fm.storage != fm.id}
    kept = beside.after.union(island.outputs)
    there = beside.before.union(island.inputs)
    # Where storage holds less than all maps, it does not tell which of these others touch too;
    # they stay in the memory that nobody saves.
    passing = () if problem.storage.has_all_maps else {*island.inputs, *island.outputs}
    found = {}
    for fm in first:
        source = graph.feature_maps[fm]
        if source.is_variable or fm in shared or fm in passing or source.data is not None:
            continue
        found[fm] = End(
            fm=fm,
            size_bytes=problem.sizes[fm],
            made_last=made.get(fm, -1),
            first=first[fm],
            last=last[fm],
            may_be_given=fm not in kept,
            may_be_made=fm not in there,
        )
    return found


class Ends(Frozen, kw_only=False, dict=True):
    """The ends of an island, and where cascades meet them."""

    problem: IslandProblem
    of: dict[FmId, End]
    _seen: dict[tuple[FmId, int, int], Rows | None] = field(default_factory=dict)
    """The rows of maps, as some of those that touch them see them."""

    @cached_property
    def given(self) -> dict[int, list[End]]:
        """By last reader: maps that nobody misses behind it."""
        found: defaultdict[int, list[End]] = defaultdict(list)
        for end in self.of.values():
            if end.may_be_given:
                found[end.last].append(end)
        return dict(found)

    @cached_property
    def made(self) -> dict[int, list[End]]:
        """By first maker: maps of which nothing is there before it."""
        found: defaultdict[int, list[End]] = defaultdict(list)
        for end in self.of.values():
            if end.may_be_made:
                found[end.first].append(end)
        return dict(found)

    def overlays(
        self, first: int, last: int, rolls: Container[FmId], tape: Tape
    ) -> tuple[Overlay, ...]:
        """Pairs of maps that the nodes of a part may lay over each other, those that save most
        first."""
        given: list[_Laid] = []
        made: list[_Laid] = []
        for index in range(first, last + 1):
            for end in self.given.get(index, ()):
                if end.made_last < first:
                    self._lay(given, end, first, last)
            for end in self.made.get(index, ()):
                # What is read for the last time, too, is there before the part.
                is_given = end.may_be_given and end.made_last < first and end.last <= last
                if not is_given and end.fm not in rolls:
                    self._lay(made, end, first, last)
        return tuple(_best_pairs(given, made, tape)) if given and made else ()

    def _lay(self, ends: list[_Laid], end: End, first: int, last: int) -> None:
        rows = self._rows(end.fm, first, last)
        if rows is not None:
            ends.append((end, rows))

    def _rows(self, fm: FmId, first: int, last: int) -> Rows | None:
        """The rows of a map as all nodes of a part see it that touch it; None where they see
        different ones."""
        rows = self._rows_everywhere[fm]
        if rows is not None:
            return rows
        views = self._views[fm]
        begin, end = (bisect_left(views, at, key=_index) for at in (first, last + 1))
        key = fm, begin, end
        if key not in self._seen:
            self._seen[key] = self._rows_in(fm, [view for _, view in views[begin:end]])
        return self._seen[key]

    @cached_property
    def _views(self) -> dict[FmId, list[tuple[int, View]]]:
        """Who touches each map, and how, in the order in which they run."""
        found: defaultdict[FmId, list[tuple[int, View]]] = defaultdict(list)
        for node in self.problem.nodes:
            for view in node.op.views:
                found[view.fm].append((node.index, view))
        return found

    @cached_property
    def _made_in_steps(self) -> frozenset[FmId]:
        """Maps of which somebody makes every few rows."""
        made = (node.op.ofm for node in self.problem.nodes)
        return frozenset(view.fm for view in made if view.step_h != 1)

    @cached_property
    def _rows_everywhere(self) -> dict[FmId, Rows | None]:
        """The rows of maps that all nodes of the island see alike, and thus any part of them."""
        return {
            fm: self._rows_in(fm, [view for _, view in views])
            for fm, views in self._views.items()
            if fm in self.of
        }

    def _rows_in(self, fm: FmId, views: list[View]) -> Rows | None:
        problem = self.problem
        shape, order = views[0].shape, problem.formats[fm]
        if shape.n != 1 or not all(view.shape == shape and _goes_by_rows(view) for view in views):
            return None
        if any(view.step_h != 1 for view in views) and fm in self._made_in_steps:
            return None
        row = order.stored(shape.with_hw(1, shape.w))
        return Rows(shape.h, row.elements * problem.graph.feature_maps[fm].dtype.bits // 8)


def _index(seen: tuple[int, View]) -> int:
    return seen[0]


def _best_pairs(given: Iterable[_Laid], made: Iterable[_Laid], tape: Tape) -> Iterator[Overlay]:
    pairs = []
    for old, old_rows in given:
        for new, new_rows in made:
            lead_bytes = tape.lead_bytes((old.fm, old_rows), (new.fm, new_rows))
            overlay = Overlay(old.fm, new.fm, lead_bytes)
            saved = overlay.saved_bytes(old.size_bytes, new.size_bytes)
            if saved > 0:
                pairs.append((-saved, overlay))
    taken: set[FmId] = set()
    for _, overlay in sorted(pairs):
        if taken.isdisjoint((overlay.given, overlay.made)):
            taken.update((overlay.given, overlay.made))
            yield overlay


def _goes_by_rows(view: View) -> bool:
    """Whether it goes down the rows, all of them or every few."""
    moved = (view.step_w, view.base_offset_bytes)
    return view.step_h >= 1 and moved == (1, 0) and not view.is_transposed
