"""What may follow from edits of a schedule: decisions that are taken anew beside them, and why.

Everything that is not in the closure stays as it is. It is tried in three reaches, the narrowest
first, as what an edit does not force to change is not its to change.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from core.base.frozen import Frozen
from core.base.ids import FmId, NpuOpId
from core.edits.grouping import Group, asked_groups, groups_of
from core.edits.kinds import kind_of, precedence
from core.edits.names import Names, map_of, ops_of
from core.edits.resolve import border_of, decisions
from core.ir.edits import Edit, Grouping, MapNamed, OpNamed, WeightsAsked, What
from core.ir.npugraph import NpuGraph
from core.ir.scheduled import Scheduled
from core.ir.shown import Aspect, Cause


class Reach(enum.IntEnum):
    """How far an edit may reach."""

    EDITED = 0
    """What it says, and what no schedule could have beside that."""
    WHOLE = 1
    """All else that is decided for the same operators, and in their cascades."""
    AROUND = 2
    """Also how these, and those right before and after them, run together."""


class Closure(Frozen):
    """What edits of a schedule may change."""

    released: Mapping[Aspect, Cause]
    """Decisions that the search takes anew."""
    groups: tuple[Group, ...]
    """Operators that run together, beside those whose grouping is open."""
    open_ops: frozenset[NpuOpId]
    order: tuple[NpuOpId, ...]
    """In which all operators run."""


_OF_SEVERAL = (What.CASCADE, What.BEFORE)
_OF_OPS = (What.BLOCK, What.TRAVERSAL, What.WEIGHTS)


def closure_of(ground: Scheduled, edits: Iterable[Edit], reach: Reach) -> Closure:
    """What these edits of a schedule may change within a reach."""
    draft = _Draft(ground, reach)
    for edit in edits:
        draft.take(edit)
    return draft.closed()


def kept_decisions(
    graph: NpuGraph, frozen: Iterable[Edit], closure: Closure, edits: Sequence[Edit]
) -> Iterator[Edit]:
    """All that a schedule, frozen, decides and no edit changes, as edits of its own."""
    names = Names.of(graph)
    gone = {*closure.released, *asked_aspects(edits, names)}
    for edit in frozen:
        is_of_one = isinstance(edit.subject, OpNamed | MapNamed)
        if is_of_one and edit.what not in _OF_SEVERAL and (edit.what, edit.subject) not in gone:
            yield edit
    for run in _runs(closure):
        yield from asked_groups(graph, names, run)
    yield from _borders(graph, names, closure)
    yield from _order(graph, names, closure.order)


def asked_aspects(edits: Iterable[Edit], names: Names) -> frozenset[Aspect]:
    """What edits themselves decide."""
    return frozenset(each for edit in edits for each in kind_of(edit.what).aspects(edit, names))


def _runs(closure: Closure) -> Iterator[list[Group]]:
    """Groups in a row, none of which is open."""
    run: list[Group] = []
    for group in closure.groups:
        if closure.open_ops.isdisjoint(group):
            run.append(group)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _borders(graph: NpuGraph, names: Names, closure: Closure) -> Iterator[Edit]:
    """What keeps cascades that stay from taking in operators beside them whose grouping is open."""
    for before, after in pairwise(closure.groups):
        is_open = [not closure.open_ops.isdisjoint(group) for group in (before, after)]
        stays = after if is_open[0] else before
        if is_open[0] != is_open[1] and len(stays) > 1:
            border = border_of(graph, names, before[-1], after[0])
            yield Edit(subject=border, what=What.CASCADE, value=Grouping.APART)


def _order(graph: NpuGraph, names: Names, order: Sequence[NpuOpId]) -> Iterator[Edit]:
    """That operators run in this order, of each two neighbours in a command stream but where the
    second reads what the first makes."""
    island_of = {op: island.id for island in graph.islands for op in island.ops}
    for before, after in pairwise(order):
        read = {view.fm for view in graph.ops[after].views[:-1]}
        if island_of[before] == island_of[after] and graph.ops[before].ofm.fm not in read:
            yield Edit(subject=names.ops[before], what=What.BEFORE, value=names.ops[after])


class _Draft:
    """A closure that grows edit by edit."""

    def __init__(self, ground: Scheduled, reach: Reach) -> None:
        self._ground = ground
        self._graph = ground.graph
        self._names = Names.of(ground.graph)
        self._reach = reach
        self._released: dict[Aspect, Cause] = {}
        self._open: set[NpuOpId] = set()
        self._order = [plan.op for plan in ground.plans()]
        self._groups = [group for island in ground.schedule.islands for group in groups_of(island)]
        self._before = {op: group for group in self._groups for op in group}

    def closed(self) -> Closure:
        """What has been gathered; who is in another cascade than before is decided anew."""
        moved = {op for group in self._groups for op in group if self._before[op] != group}
        for op in (*moved, *self._open):
            self._free_op(op, Cause.REGROUPED if op in moved else Cause.BESIDE)
        return Closure(
            released=self._released,
            groups=tuple(self._groups),
            open_ops=frozenset(self._open),
            order=tuple(self._order),
        )

    def take(self, edit: Edit) -> None:
        """Release what may follow from one more edit."""
        match edit.what:
            case What.BLOCK | What.TRAVERSAL | What.WEIGHTS:
                self._take_op(edit, ops_of(edit.subject, self._names)[-1])
            case What.REGION | What.FORMAT | What.ROLLING:
                self._take_map(edit, map_of(edit.subject, self._names))
            case What.STRIPE:
                self._take_stripe(ops_of(edit.subject, self._names)[-1])
            case What.CASCADE:
                self._take_cascade(edit, ops_of(edit.subject, self._names))
            case What.BEFORE | What.AFTER:
                self._take_order(edit)
            case _:
                # Addresses and reserved bytes move others in the layout alone.
                pass

    def _release(self, what: What, subject: OpNamed | MapNamed, cause: Cause) -> None:
        self._released.setdefault((what, subject), cause)

    def _take_op(self, edit: Edit, op: NpuOpId) -> None:
        name = self._names.ops[op]
        if isinstance(edit.value, WeightsAsked) or self._reach > Reach.EDITED:
            self._release(What.WEIGHTS, name, Cause.SAME_OPERATOR)
        if self._reach is Reach.WHOLE:
            self._free_work(op, Cause.SAME_OPERATOR)
        elif self._reach is Reach.AROUND:
            self._open_around([op])

    def _take_map(self, edit: Edit, fm: FmId) -> None:
        storage = self._graph.feature_maps[fm].storage
        for each in self._graph.feature_maps:
            if each.storage == storage and each.id != fm:
                self._release(edit.what, self._names.maps[each.id], Cause.SAME_BYTES)
        touching = [op.id for op in self._graph.ops if any(v.fm == fm for v in op.views)]
        if self._reach is Reach.WHOLE:
            for op in touching:
                self._free_work(op, Cause.TOUCHES)
                if edit.what is What.ROLLING:
                    self._free_rows(op, Cause.RING)
        elif self._reach is Reach.AROUND:
            self._open_around(touching)

    def _take_stripe(self, op: NpuOpId) -> None:
        group = self._group(op)
        for each in group:
            self._free_ring(each, Cause.RING)
            if self._reach is Reach.WHOLE:
                self._free_rows(each, Cause.RING)
                self._free_work(each, Cause.RING)
        if self._reach is Reach.AROUND or len(group) == 1:
            self._open_around([op])

    def _take_cascade(self, edit: Edit, ops: tuple[NpuOpId, ...]) -> None:
        if self._reach > Reach.EDITED:
            self._open_around(ops, with_neighbours=self._reach is Reach.AROUND)
            return
        if edit.value is Grouping.TOGETHER:
            self._join(ops)
        elif edit.value is Grouping.NEVER:
            for op in ops:
                self._cut(op, op)
        else:
            for _, pair in decisions(edit, self._names):
                self._keep_apart(*(NpuOpId(op) for op in pair))

    def _join(self, ops: Sequence[NpuOpId]) -> None:
        """All groups from the first of the operators to the last become one."""
        places = [at for at, group in enumerate(self._groups) if not set(ops).isdisjoint(group)]
        first, end = places[0], places[-1] + 1
        joined = tuple(op for group in self._groups[first:end] for op in group)
        self._groups[first:end] = [joined]

    def _cut(self, first: NpuOpId, last: NpuOpId) -> None:
        """What stands from one operator to another in a group is a group of its own."""
        at = next(at for at, group in enumerate(self._groups) if first in group)
        group = self._groups[at]
        one, end = group.index(first), group.index(last) + 1
        parts = group[:one], group[one:end], group[end:]
        self._groups[at : at + 1] = [part for part in parts if part]

    def _keep_apart(self, one: NpuOpId, other: NpuOpId) -> None:
        group = self._group(one)
        if other in group:
            later = max(one, other, key=group.index)
            self._cut(later, group[-1])

    def _take_order(self, edit: Edit) -> None:
        wish, own = precedence(edit, self._names), ops_of(edit.subject, self._names)[0]
        order = self._order
        if order.index(wish.first) < order.index(wish.then):
            return
        touched = {own, *self._beside(own)}
        order.remove(own)
        is_first = own == wish.first
        order.insert(order.index(wish.then) if is_first else order.index(wish.first) + 1, own)
        for op in touched | {*self._beside(own)}:
            self._release(What.BEFORE, self._names.ops[op], Cause.ORDER)
        if self._reach > Reach.EDITED:
            self._open_around([own, wish.first, wish.then])
        self._regroup()

    def _regroup(self) -> None:
        """Groups in the new order: what no longer stands in a row runs apart."""
        group_of = {op: group for group in self._groups for op in group}
        found: list[list[NpuOpId]] = []
        for op in self._order:
            is_next = found and group_of[found[-1][-1]] == group_of[op]
            if is_next:
                found[-1].append(op)
            else:
                found.append([op])
        self._groups = [tuple(group) for group in found]

    def _beside(self, op: NpuOpId) -> list[NpuOpId]:
        at = self._order.index(op)
        return self._order[max(at - 1, 0) : at + 2]

    def _group(self, op: NpuOpId) -> Group:
        return next(group for group in self._groups if op in group)

    def _open_around(self, ops: Iterable[NpuOpId], *, with_neighbours: bool = True) -> None:
        """How these run together is open, and how their neighbours do."""
        places = {at for at, group in enumerate(self._groups) if not set(ops).isdisjoint(group)}
        if not places:
            return
        near = 1 if with_neighbours else 0
        first, last = max(min(places) - near, 0), min(max(places) + near, len(self._groups) - 1)
        if max(places) - min(places) > len(places):
            # What lies between readers of one map far from each other is not theirs.
            chosen = {at + step for at in places for step in range(-near, near + 1)}
        else:
            chosen = {*range(first, last + 1)}
        for at in chosen & {*range(len(self._groups))}:
            self._open.update(self._groups[at])

    def _free_op(self, op: NpuOpId, cause: Cause) -> None:
        """All that is decided for an operator, and for what it makes."""
        name, made = self._names.ops[op], self._names.maps[self._graph.ops[op].ofm.fm]
        self._release(What.CASCADE, name, cause)
        self._free_work(op, cause)
        self._free_rows(op, cause)
        self._free_ring(op, cause)
        for what in (What.REGION, What.FORMAT):
            self._release(what, made, cause)

    def _free_work(self, op: NpuOpId, cause: Cause) -> None:
        for what in _OF_OPS:
            self._release(what, self._names.ops[op], cause)

    def _free_rows(self, op: NpuOpId, cause: Cause) -> None:
        self._release(What.STRIPE, self._names.ops[op], cause)

    def _free_ring(self, op: NpuOpId, cause: Cause) -> None:
        self._release(What.ROLLING, self._names.maps[self._graph.ops[op].ofm.fm], cause)
