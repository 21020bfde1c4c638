"""Decisions about cascades that cannot be beside each other: none of them wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from core.base.frozen import Frozen, field
from core.base.ids import IslandId, NpuOpId
from core.ir.edits import Ground, Grouping, Living, What
from core.ir.fixed import Against, Decided, Fixed
from core.ir.npugraph import NpuGraph
from core.schedule.possible import Possible
from core.target.target import Target


def alone_by(graph: NpuGraph, fixed: Fixed) -> Mapping[NpuOpId, tuple[Decided, ...]]:
    """By operator: the decisions with each of which it is in no cascade."""
    found: defaultdict[NpuOpId, list[Decided]] = defaultdict(list)
    for op in sorted(fixed.never):
        found[op].append((Grouping.NEVER, (op,)))
    for op, rows in fixed.heights:
        if rows >= graph.ops[op].made.h:
            found[op].append((What.STRIPE, (op,)))
    for op, weights in fixed.weights:
        if weights.wants_slices:
            found[op].append((What.WEIGHTS, (op,)))
    return {op: tuple(decided) for op, decided in found.items()}


def clash(knots: Iterable[tuple[Decided, ...]], *, is_proved: bool) -> Iterator[Against]:
    """For each decision that is in some of these knots, all others of them."""
    beside: defaultdict[Decided, set[Decided]] = defaultdict(set)
    for knot in knots:
        for one in knot:
            beside[one].update(other for other in knot if other != one)
    for (what, ids), others in beside.items():
        yield Against(
            what=what,
            ids=ids,
            ground=Ground.CONTRADICTED,
            is_proved=is_proved,
            beside=tuple(sorted(others, key=_in_order)),
        )


def _in_order(decided: Decided) -> tuple[str, tuple[int, ...]]:
    what, ids = decided
    return what.value, ids


class Clashes(Frozen, kw_only=False):
    """What contradicts what, of decisions each of which is possible."""

    graph: NpuGraph
    target: Target
    islands: Mapping[IslandId, Possible]
    fixed: Fixed
    island_of: Mapping[NpuOpId, Possible]
    alone: Mapping[NpuOpId, tuple[Decided, ...]]
    lonely: list[Against] = field(default_factory=list)
    """Decisions for which an operator has no partner, whatever else is asked for."""

    @classmethod
    def of(
        cls, graph: NpuGraph, target: Target, islands: Mapping[IslandId, Possible], fixed: Fixed
    ) -> Clashes:
        """What is to be looked at."""
        island_of = {op: islands[island.id] for island in graph.islands for op in island.ops}
        return cls(graph, target, islands, fixed, island_of, alone_by(graph, fixed))

    def against(self) -> tuple[Against, ...]:
        """What cannot be, each with what stands against it."""
        knots = [*self._knots()]
        return (*clash(knots, is_proved=True), *self.lonely)

    def _knots(self) -> Iterator[tuple[Decided, ...]]:
        """Decisions that cannot be all together, in whichever order operators run."""
        for op, rows in self.fixed.heights:
            if rows < self.graph.ops[op].made.h:
                yield from self._in_some_cascade((What.STRIPE, (op,)), op)
        for group in self.fixed.together:
            own: Decided = (Grouping.TOGETHER, group)
            if len(group) == 1:
                yield from self._in_some_cascade(own, group[0])
            else:
                yield from self._in_one(own, self.island_of[group[0]].with_all(group))
        makers = {op.ofm.fm: op.id for op in self.graph.ops}
        for fm, _ in self.fixed.rolling:
            own = (What.ROLLING, (fm,))
            yield from self._in_one(own, self.island_of[makers[fm]].passing(fm))

    def _in_one(self, own: Decided, ops: frozenset[NpuOpId]) -> Iterator[tuple[Decided, ...]]:
        """What cannot be beside a decision by which all of these are in one cascade."""
        for op in sorted(ops):
            yield from ((own, other) for other in self.alone.get(op, ()))
        for pair in self.fixed.apart:
            if ops.issuperset(pair):
                yield own, (Grouping.APART, pair)
        if self.target.is_spilling:
            yield from ((own, other) for other in self._kept_slow(ops))

    def _kept_slow(self, ops: frozenset[NpuOpId]) -> Iterator[Decided]:
        """Maps that pass through rings where all of these are in one cascade, and must not."""
        for fm, living in self.fixed.living:
            for possible in self.islands.values() if living is Living.SLOW else ():
                if fm in possible.rolling and ops.issuperset(possible.users[fm]):
                    yield What.REGION, (fm,)

    def _in_some_cascade(self, own: Decided, op: NpuOpId) -> Iterator[tuple[Decided, ...]]:
        """What cannot be beside a decision by which an operator is in a cascade."""
        others = [other for other in self.alone.get(op, ()) if other != own]
        if others:
            yield from ((own, other) for other in others)
            return
        apart = {*self.fixed.apart}
        knot: list[Decided] = [own]
        partners = sorted(self.island_of[op].partners(op))
        for partner in partners:
            pair = (min(op, partner), max(op, partner))
            between: tuple[Decided, ...] = ((Grouping.APART, pair),) if pair in apart else ()
            keeping = (*self.alone.get(partner, ()), *between)
            if not keeping:
                return
            knot += keeping
        if partners:
            yield tuple(knot)
        else:
            what, ids = own
            self.lonely.append(
                Against(what=what, ids=ids, ground=Ground.CANNOT_LINK, is_proved=True)
            )
