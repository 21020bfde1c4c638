"""Whole maps at the ends of cascades, and which of them may share bytes.

A cascade reads its inputs from top to bottom. What it hands on may come to lie on rows of one of
them that nobody reads any more, if it begins far enough before it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from core.base.ids import FmId
from core.ir.npugraph import View
from core.ir.schedule import Overlay
from core.schedule.branches.tape import Tape
from core.schedule.problem import IslandProblem, Node
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


class Rows(NamedTuple):
    """How the rows of a map lie in memory, one behind the other."""

    height: int
    row_bytes: int


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


def overlays_of(
    problem: IslandProblem,
    ends: Iterable[End],
    nodes: Sequence[Node],
    rolls: Container[FmId],
    tape: Tape,
) -> tuple[Overlay, ...]:
    """Pairs of maps that these nodes may lay over each other, those that save most first."""
    first, last = nodes[0].index, nodes[-1].index
    given: list[tuple[End, Rows]] = []
    made: list[tuple[End, Rows]] = []
    for end in ends:
        is_given = end.may_be_given and end.made_last < first <= end.last <= last
        is_made = end.may_be_made and first <= end.first <= last and end.fm not in rolls
        if not is_given and not is_made:
            continue
        rows = _rows(problem, nodes, end.fm)
        if rows is not None:
            (given if is_given else made).append((end, rows))
    return tuple(_best_pairs(given, made, tape))


def _best_pairs(
    given: Iterable[tuple[End, Rows]], made: Iterable[tuple[End, Rows]], tape: Tape
) -> Iterator[Overlay]:
    pairs = []
    for old, old_rows in given:
        for new, new_rows in made:
            overlay = Overlay(
                old.fm, new.fm, _lead_bytes(tape, (old.fm, old_rows), (new.fm, new_rows))
            )
            saved = overlay.saved_bytes(old.size_bytes, new.size_bytes)
            if saved > 0:
                pairs.append((-saved, overlay))
    taken: set[FmId] = set()
    for _, overlay in sorted(pairs):
        if taken.isdisjoint((overlay.given, overlay.made)):
            taken.update((overlay.given, overlay.made))
            yield overlay


def _lead_bytes(tape: Tape, given: tuple[FmId, Rows], made: tuple[FmId, Rows]) -> int:
    """By how much a map has to begin before another, so that no row is lost that is still read."""
    (old, old_rows), (new, new_rows) = given, made
    when, rows = tape.reads_of(old)
    left = np.append(np.minimum.accumulate(rows[::-1])[::-1], old_rows.height)
    most = 0
    for written, ends in tape.writes_of(new):
        lowest = left[np.searchsorted(when, written, side="left")]
        needed = ends * new_rows.row_bytes - lowest * old_rows.row_bytes
        most = max(most, int(needed.max(initial=0)))
    return most


def _rows(problem: IslandProblem, nodes: Iterable[Node], fm: FmId) -> Rows | None:
    """The rows of a map as all nodes see it that touch it; None where they see different ones."""
    views = [view for node in nodes for view in node.op.views if view.fm == fm]
    shape, order = views[0].shape, problem.formats[fm]
    if shape.n != 1 or not all(view.shape == shape and _goes_by_rows(view) for view in views):
        return None
    row = order.stored(shape.with_hw(1, shape.w))
    return Rows(shape.h, row.elements * problem.graph.feature_maps[fm].dtype.bits // 8)


def _goes_by_rows(view: View) -> bool:
    steps = (view.step_h, view.step_w, view.base_offset_bytes)
    return steps == (1, 1, 0) and not view.is_transposed
