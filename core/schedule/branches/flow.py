"""Which operators of an island can run stripe by stripe together, and what is live meanwhile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from core.base.geometry import Shape4, round_up
from core.base.ids import FmId
from core.base.memo import of_the_very
from core.ir.decisions import UnstripedReason, WholeReason
from core.ir.freedoms import Freedoms
from core.ir.npugraph import FeatureMap, NpuGraph, View
from core.ir.schedule import Overlay
from core.schedule.branches.ends import Ends, ends_of
from core.schedule.problem import IslandProblem, Node
from core.schedule.spans import handed_on, spans_of, touches
from core.target.format import ALIGNMENT_BYTES, Format

Integers = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]


def covered(begins: Integers, ends: Integers, count: int) -> Truths:
    """Of so many places, those that one of these spans has, without its end."""
    begun, ended = (
        np.bincount(np.minimum(at, count), minlength=count + 1) for at in (begins, ends)
    )
    found: Truths = np.cumsum((begun - ended)[:count]) > 0
    return found


_MOST_NODES = 512
"""So many are in one cascade at most, unless somebody asks for more: of every part that there can
be something is remembered, and networks have ten thousand operators."""

_CAN = frozenset(
    {
        None,
        UnstripedReason.CHANNEL_SUM,
        UnstripedReason.READS_PART,
        UnstripedReason.FIRST_INPUT_NOT_MADE,
        UnstripedReason.FIRST_INPUT_REPEATED,
        UnstripedReason.TWO_MAPS,
    }
)
"""What keeps an operator from a chain, and not from a cascade across branches."""

_ISLANDS_AT_HAND = 8
"""Many questions, one edit after the other, have the same operators and maps."""

_MAY_ROLL = frozenset({None, WholeReason.IN_PARTS, WholeReason.SEVERAL_READERS})


class Rolling(NamedTuple):
    """A map that can pass through a ring, where all who touch it are in one cascade."""

    fm: FmId
    first: int
    """The node that makes the first of it."""
    last: int
    """The node that reads it last."""
    size_bytes: int
    """Of the whole map."""
    row_bytes: int
    height: int
    least_rows: int
    """That any reader needs at once."""
    made_last: int
    """The node that makes the last of it."""


class Flow(Frozen, kw_only=False, dict=True):
    """An island, as far as cascades across branches depend on it."""

    problem: IslandProblem

    @property
    def nodes(self) -> tuple[Node, ...]:
        """In the order in which they run."""
        return self.problem.nodes

    @cached_property
    def rolling(self) -> dict[FmId, Rolling]:
        """The maps that can pass through rings."""
        problem = self.problem
        return _rolling_maps(problem.nodes, problem.graph, problem.formats, problem.sizes)

    @cached_property
    def _users(self) -> _Users:
        """Who touches each map, and how."""
        return _users_of(self.nodes)

    def users_of(self, fm: FmId) -> tuple[int, ...]:
        """The nodes that touch a map."""
        return tuple(dict.fromkeys(node.index for node, _ in self._users[fm]))

    @cached_property
    def torn(self) -> tuple[tuple[Rolling, ...], ...]:
        """By node: the maps that it or one behind it makes a part of, and one before it another.

        Where a part begins with it, they cannot roll there.
        """
        found: list[list[Rolling]] = [[] for _ in self.nodes]
        for each in self.rolling.values():
            for index in range(each.first + 1, each.made_last + 1):
                found[index].append(each)
        return tuple(map(tuple, found))

    @cached_property
    def earliest(self) -> tuple[int, ...]:
        """By node: the first with which it can be in a cascade; itself where it can be in none."""
        bonds, found = self.problem.bonds, []
        start = 0
        makers: defaultdict[FmId, list[tuple[int, View]]] = defaultdict(list)
        for node in self.nodes:
            index = node.index
            if index in bonds.cuts:
                start = index
            if not can_run(node):
                start = index + 1
            for view in node.op.views[:-1]:
                for maker, made in makers[view.fm]:
                    if not _is_in_step(made, view, self.problem.formats[view.fm]):
                        start = max(start, maker + 1)
            for fm in node.maps:
                first, last = self._standing.get(fm, (index, None))
                if last == index:
                    start = max(start, first + 1)
            makers[node.ofm.fm].append((index, node.op.ofm))
            asked, _ = bonds.chains.get(index, (index, index))
            found.append(min(max(start, min(index - _MOST_NODES + 1, asked)), index))
        return tuple(found)

    @cached_property
    def _standing(self) -> dict[FmId, tuple[int, int]]:
        """Of maps that cannot roll, and that nobody outside knows: who touches them first and last.

        A cascade that has both has no place for them.
        """
        found = {}
        for fm, users in self._users.items():
            source, nodes = self.problem.graph.feature_maps[fm], [node for node, _ in users]
            made = [node for node, view in users if view is node.op.ofm]
            is_known = any(node.needs_whole_ofm is WholeReason.READ_OUTSIDE for node in made)
            is_own = source.data is None and source.storage == fm and not source.is_variable
            if made and is_own and not is_known and fm not in self.rolling:
                found[fm] = min(each.index for each in nodes), max(each.index for each in nodes)
        return found

    def are_lonely(self, first: int, last: int) -> Truths:
        """By first node from one on: whether parts that end here have a node with no map in common
        with the rest: one order may run it between others that have nothing to do with it."""
        before, behind = self._neighbours
        at = first + np.flatnonzero(behind[first : last + 1] > last)
        begins = np.maximum(before[at] + 1 - first, 0)
        alone = (False,)
        return np.append(covered(begins, at + 1 - first, last - first), alone)

    def strangers(self, first: int, last: int) -> tuple[Node, ...]:
        """Nodes of a part that have no map in common with its others, where no larger cascade can
        have them all either."""
        for end in range(last, len(self.nodes)):
            begin = self.earliest[end]
            if begin > first:
                break
            if not self.are_lonely(begin, end)[: first - begin + 1].all():
                return ()
        before, behind = self._neighbours
        inside = self.nodes[first : last + 1]
        return tuple(
            node for node in inside if before[node.index] < first and behind[node.index] > last
        )

    @cached_property
    def _neighbours(self) -> tuple[Integers, Integers]:
        """By node: the nearest before and the nearest behind it that touch one of its maps."""
        count = len(self.nodes)
        before = np.full(count, -1, dtype=np.int64)
        behind = np.full(count, count, dtype=np.int64)
        touched: dict[FmId, int] = {}
        for node in self.nodes:
            for fm in {view.fm for view in node.op.views}:
                other = touched.get(fm)
                if other is not None:
                    before[node.index] = max(before[node.index], other)
                    behind[other] = min(behind[other], node.index)
                touched[fm] = node.index
        return before, behind

    @cached_property
    def ends(self) -> Ends:
        """Maps that may lie over each other at the ends of a cascade."""
        return Ends(self.problem, ends_of(self.problem))

    @cached_property
    def alone_bytes(self) -> tuple[int, ...]:
        """By node: what is live while it runs alone."""
        return spans_of(self.problem, self.near).alone

    @cached_property
    def near(self) -> frozenset[FmId]:
        """Maps that are in fast storage wherever they are whole."""
        is_near = self.problem.storage.holds(())
        return frozenset(fm for node in self.nodes for fm in node.maps if is_near(fm))

    @cached_property
    def _opened_closed(self) -> tuple[list[int], list[int]]:
        """Bytes of maps that were touched first up to each node, and last before it."""
        first, last = touches(self.problem)
        opened, closed = [0] * len(self.nodes), [0] * (len(self.nodes) + 1)
        sizes = self.problem.sizes
        for fm in self.near:
            opened[first[fm]] += sizes[fm]
            closed[last[fm] + 1] += sizes[fm]
        for reserve in self.problem.reserves:
            inside = self.problem.at(reserve)
            if inside:
                opened[inside[0]] += reserve.size_bytes
                closed[inside[-1] + 1] += reserve.size_bytes
        return np.cumsum(opened).tolist(), np.cumsum(closed).tolist()

    def whole_bytes(self, first: int, last: int) -> int:
        """What is live while these nodes run together, if all maps were whole."""
        opened, closed = self._opened_closed
        beside = self.problem.beside
        at_start = beside.start_bytes if first == 0 else 0
        return beside.size_bytes + at_start + opened[last] - closed[first]

    def whole_bytes_ending(self, first: int, last: int) -> Integers:
        """The same for parts of several nodes that end here, by first node from one on."""
        beside, (opened, _) = self.problem.beside, self._opened_closed
        found = beside.size_bytes + opened[last] - self._closed[first:last]
        if first == 0:
            found[:1] += beside.start_bytes
        return found

    @cached_property
    def _closed(self) -> Integers:
        return np.array(self._opened_closed[1], dtype=np.int64)

    def laid_over_bytes(self, overlays: Iterable[Overlay]) -> int:
        """What maps take less that lie over each other."""
        sizes, near = self.problem.sizes, self.near
        return sum(
            each.saved_bytes(sizes[each.given], sizes[each.made])
            for each in overlays
            if each.given in near and each.made in near
        )

    def saved_bytes(self, each: Rolling, rows: int) -> int:
        """What a ring takes less than the map."""
        counted = each.size_bytes if each.fm in self.near else 0
        return counted - ring_bytes(each, rows)


def can_roll(problem: IslandProblem, freedoms: Freedoms) -> frozenset[FmId]:
    """Maps that need not exist whole in some schedule with these freedoms."""
    chained = handed_on(problem)
    if not freedoms.whole_cuts:
        return chained
    cuts = problem.bonds.cuts
    return chained | {
        each.fm
        for each in Flow(problem).rolling.values()
        if not any(each.first < cut <= each.last for cut in cuts)
    }


def ring_bytes(each: Rolling, rows: int) -> int:
    """What a ring of so many rows takes."""
    return round_up(min(rows, each.height) * each.row_bytes, ALIGNMENT_BYTES)


def can_run(node: Node) -> bool:
    """Whether an operator can run stripe by stripe in a cascade across branches."""
    op = node.op
    if node.unstriped not in _CAN or op.pads_with_edge:
        return False
    least = 2 if node.needs_even_rows else 1
    return min(op.ofm.touched.h, op.made.h) > least and op.ofm.touched.n == 1


def ring_shape(problem: IslandProblem, each: Rolling, rows: int) -> Shape4:
    """A ring of so many rows."""
    shape = Shape4.of(problem.graph.feature_maps[each.fm].shape)
    return problem.formats[each.fm].stored(shape).with_hw(min(rows, each.height), shape.w)


_Users = Mapping[FmId, Sequence[tuple[Node, View]]]
"""Who touches each map, and how."""


def _users_of(nodes: Sequence[Node]) -> _Users:
    users: defaultdict[FmId, list[tuple[Node, View]]] = defaultdict(list)
    for node in nodes:
        for view in node.op.views:
            users[view.fm].append((node, view))
    return users


@of_the_very(_ISLANDS_AT_HAND)
def _rolling_maps(
    nodes: tuple[Node, ...], graph: NpuGraph, formats: Sequence[Format], sizes: Sequence[int]
) -> dict[FmId, Rolling]:
    """The maps that can pass through rings, whatever edits ask for."""
    found = {}
    for fm, users in _users_of(nodes).items():
        each = _rolling(graph.feature_maps[fm], formats[fm], sizes[fm], users)
        if each is not None:
            found[fm] = each
    return found


def _rolling(
    source: FeatureMap, order: Format, size_bytes: int, users: Sequence[tuple[Node, View]]
) -> Rolling | None:
    fm = source.id
    makers = [(node, view) for node, view in users if view is node.op.ofm]
    readers = [(node, view) for node, view in users if view is not node.op.ofm]
    is_own = source.data is None and source.storage == fm and not source.is_variable
    if not makers or not readers or not is_own or len(source.shape) != 4:
        return None
    if any(node.needs_whole_ofm not in _MAY_ROLL for node, _ in makers):
        return None
    shape = Shape4.of(source.shape)
    if shape.n != 1 or not all(can_run(node) for node, _ in users):
        return None
    plain = all(
        _have_same_rows(view.shape, shape, order)
        and (view.step_h, view.step_w) == (1, 1)
        and not view.is_transposed
        and not view.base_offset_bytes
        for _, view in users
    )
    if not plain:
        return None
    if max(node.index for node, _ in makers) >= max(node.index for node, _ in readers):
        return None
    stored = order.stored(shape)
    row_bytes = stored.with_hw(1, shape.w).elements * source.dtype.bits // 8
    rows = max(
        min(node.op.kernel.dilated_h, shape.h) if node.op.resampling.factor == 1 else 1
        for node, _ in readers
    )
    return Rolling(
        fm=fm,
        first=min(node.index for node, _ in users),
        last=max(node.index for node, _ in users),
        size_bytes=size_bytes,
        row_bytes=row_bytes,
        height=shape.h,
        least_rows=rows,
        made_last=max(node.index for node, _ in makers),
    )


def _have_same_rows(one: Shape4, other: Shape4, order: Format) -> bool:
    """Whether rows of one shape are rows of another, with the same bytes."""
    is_alike = (one.n, one.h, one.w * one.c) == (other.n, other.h, other.w * other.c)
    return one == other or (is_alike and order is Format.LINEAR)


def _is_in_step(made: View, read: View, order: Format) -> bool:
    """Whether rows can be read as they are made."""
    return all(
        _have_same_rows(view.shape, made.shape, order)
        and view.step_h == 1
        and not view.is_transposed
        and not view.base_offset_bytes
        for view in (made, read)
    )
