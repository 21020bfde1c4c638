"""With whom operators run stripe by stripe, where that is asked for and nobody says with whom.

The order of operators is given here, and what cannot be in it may be in another: nothing of what is
said to be impossible is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from core.base.frozen import Frozen, replace
from core.base.groups import joined
from core.base.ids import FmId, IslandId, NpuOpId
from core.ir.edits import Ground, Grouping, Living, What
from core.ir.fixed import Against, Decided, Fixed
from core.ir.npugraph import NpuGraph
from core.schedule.bonds import bonds_of
from core.schedule.branches.flow import Flow
from core.schedule.contradictions import alone_by, clash
from core.schedule.links import links
from core.schedule.possible import why_whole
from core.schedule.problem import IslandProblem, Node
from core.target.target import Target

_Chain = tuple[NpuOpId, ...]


class Neighbours(Frozen, kw_only=False, dict=True):
    """The islands in the order in which their operators run, and what is fixed."""

    graph: NpuGraph
    target: Target
    problems: Sequence[IslandProblem]
    flow_of: Mapping[IslandId, Flow]
    """Of islands whose cascades may go across branches."""
    fixed: Fixed

    def found(self) -> tuple[Fixed, tuple[Against, ...]]:
        """What is fixed, with each operator that is to run in stripes in one chain with a neighbour
        at least; and what there is no such neighbour for."""
        knots: list[tuple[Decided, ...]] = []
        chains: list[_Chain] = []
        for chain in self.fixed.together:
            torn = [*self._cutting(*self._places(chain), 0)]
            knots += (((Grouping.TOGETHER, chain), other) for other in torn)
            if len(chain) > 1 and not torn:
                chains.append(chain)
        against = []
        for (what, ids), ops in self._wanted():
            if any(set(chain).issuperset(ops) for chain in chains):
                continue
            is_map = what is What.ROLLING
            found = self._through(FmId(ids[0]), ops) if is_map else self._with_next(ops[0])
            cutting = tuple(self._cutting(*self._places(ops), 1 if len(ops) == 1 else 0))
            if found is not None:
                chains = [*joined([*chains, found])]
            elif cutting:
                knots.append(((what, ids), *cutting))
            else:
                against.append(Against(what=what, ids=ids, ground=Ground.CANNOT_LINK))
        against += clash(knots, is_proved=False)
        fixed = self.fixed.without({each.decided for each in against})
        by_place = (tuple(sorted(chain, key=self._place)) for chain in chains)
        return replace(fixed, together=tuple(sorted(by_place))), tuple(against)

    def _wanted(self) -> Iterator[tuple[Decided, _Chain]]:
        """Decisions for which operators must be in one cascade, some of them in any."""
        for op, rows in self.fixed.heights:
            if rows < self.graph.ops[op].made.h:
                yield (What.STRIPE, (op,)), (op,)
        for group in self.fixed.together:
            if len(group) == 1:
                yield (Grouping.TOGETHER, group), group
        for fm, _ in self.fixed.rolling:
            users = [op.id for op in self.graph.ops if any(view.fm == fm for view in op.views)]
            yield (What.ROLLING, (fm,)), tuple(sorted(users, key=self._place))

    @cached_property
    def _nodes(self) -> Mapping[NpuOpId, tuple[IslandProblem, Node]]:
        return {node.op.id: (each, node) for each in self.problems for node in each.nodes}

    def _place(self, op: NpuOpId) -> int:
        return self._nodes[op][1].index

    def _places(self, ops: _Chain) -> tuple[IslandProblem, int, int]:
        """The island of some operators, and the first and the last of their places."""
        places = [*map(self._place, ops)]
        return self._nodes[ops[0]][0], min(places), max(places)

    @cached_property
    def _cuts(self) -> Mapping[IslandId, frozenset[int]]:
        rolls_near = self.target.is_spilling
        return {
            each.island.id: bonds_of(
                self.graph, each.island, self.fixed, rolls_near=rolls_near
            ).cuts
            for each in self.problems
        }

    @cached_property
    def _users(self) -> Mapping[FmId, frozenset[NpuOpId]]:
        """By map: who touches it."""
        found: dict[FmId, set[NpuOpId]] = {}
        for op in self.graph.ops:
            for view in op.views:
                found.setdefault(view.fm, set()).add(op.id)
        return {fm: frozenset(ops) for fm, ops in found.items()}

    @cached_property
    def _alone(self) -> Mapping[NpuOpId, tuple[Decided, ...]]:
        return alone_by(self.graph, self.fixed)

    def _cutting(
        self, problem: IslandProblem, first: int, last: int, around: int
    ) -> Iterator[Decided]:
        """Decisions by which some neighbours are in no cascade, of those from one place to another,
        and of so many around them."""
        nodes = problem.nodes[max(first - around, 0) : last + 1 + around]
        if len(nodes) > 1:
            yield from (each for node in nodes for each in self._alone.get(node.op.id, ()))
        for fm, living in self.fixed.living if self.target.is_spilling else ():
            # What somebody else reads as well is there as a whole, and does not roll.
            users = self._users.get(fm, frozenset())
            if living is Living.SLOW and len(users) > 1 and users <= {n.op.id for n in nodes}:
                yield What.REGION, (fm,)
        inside = {node.op.id for node in nodes[1:]}
        ops = {node.op.id for node in problem.nodes}
        for pair in self.fixed.apart:
            # A cascade ends before the later of the two, whoever runs between them.
            if ops.issuperset(pair) and max(pair, key=self._place) in inside:
                yield Grouping.APART, pair

    def _with_next(self, op: NpuOpId) -> _Chain | None:
        """An operator with the next one, or with the one before, where they can be in a cascade."""
        problem, node = self._nodes[op]
        for first in (node.index, node.index - 1):
            pair = problem.nodes[max(first, 0) : first + 2]
            if len(pair) > 1 and first + 1 not in self._cuts[problem.island.id]:
                flow = self.flow_of.get(problem.island.id)
                if _are_linked(*pair) or (flow is not None and _are_one(flow, first, first + 1)):
                    return pair[0].op.id, pair[1].op.id
        return None

    def _through(self, fm: FmId, ops: _Chain) -> _Chain | None:
        """All that is between those who touch a map, where it can pass through them as they run."""
        problem, first, last = self._places(ops)
        nodes, flow = problem.nodes[first : last + 1], self.flow_of.get(problem.island.id)
        if not self._cuts[problem.island.id].isdisjoint(range(first + 1, last + 1)):
            return None
        is_across = flow is not None and fm in flow.rolling and _are_one(flow, first, last)
        if is_across or (len(nodes) == len(ops) > 1 and _are_linked(*nodes[:2])):
            return tuple(node.op.id for node in nodes)
        return None


def _are_linked(node: Node, reader: Node, *_: Node) -> bool:
    """Whether one hands rows to the next, and both can run in stripes."""
    return links(node, reader) and not any(map(why_whole, (node, reader)))


def _are_one(flow: Flow, first: int, last: int) -> bool:
    """Whether a cascade across branches can have all from one place to another."""
    return flow.earliest[last] <= first and not flow.strangers(first, last)
