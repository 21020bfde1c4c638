"""What schedules of an island can have at all, in whatever order its operators run and in whatever
formats its maps are: what is not possible here is proved to be impossible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from core.base.frozen import Frozen, replace
from core.base.ids import FmId, NpuOpId
from core.ir.decisions import CascadeEnd, FormatChosen, FormatReason, UnstripedReason
from core.ir.freedoms import Freedoms
from core.liveness.order import Always
from core.liveness.sizes import map_bytes
from core.schedule.branches.flow import Flow, can_run
from core.schedule.format_prices import BY_CHOICE
from core.schedule.links import hindrance
from core.schedule.problem import IslandProblem, Node, in_order
from core.target.format import Format


def why_whole(node: Node) -> UnstripedReason | None:
    """Why an operator is in no chain of operators that run stripe by stripe."""
    if node.unstriped is not None:
        return node.unstriped
    return None if node.most_rows > 0 else UnstripedReason.NO_ROWS


class Possible(Frozen, kw_only=False, dict=True):
    """An island, and the rules by which its maps have their formats."""

    problem: IslandProblem
    rules: Sequence[FormatChosen]
    freedoms: Freedoms

    @cached_property
    def node_of(self) -> Mapping[NpuOpId, Node]:
        """By operator."""
        return {node.op.id: node for node in self.problem.nodes}

    @cached_property
    def users(self) -> Mapping[FmId, frozenset[NpuOpId]]:
        """By map: the operators that make or read it."""
        found: defaultdict[FmId, set[NpuOpId]] = defaultdict(set)
        for node in self.problem.nodes:
            for fm in node.fms:
                found[fm].add(node.op.id)
        return {fm: frozenset(ops) for fm, ops in found.items()}

    @cached_property
    def always(self) -> Always:
        """Which operators run before which, whatever the order is."""
        return self.problem.needs.always

    def with_all(self, ops: Iterable[NpuOpId]) -> frozenset[NpuOpId]:
        """All that are in a cascade that has these: those between them are."""
        return self.always.between(ops)

    def passing(self, fm: FmId) -> frozenset[NpuOpId]:
        """All that are in a cascade through which a map passes."""
        return self.with_all(self.users[fm])

    def why_never(self, op: NpuOpId) -> UnstripedReason | None:
        """Why an operator is in no cascade; None where it can be in one."""
        node = self.node_of[op]
        if self.freedoms.whole_cuts and can_run(node):
            return None
        return why_whole(node)

    def partners(self, op: NpuOpId) -> frozenset[NpuOpId]:
        """Operators one of which is in each cascade that this one is in: they share a map."""
        found = {
            other
            for fm in self.node_of[op].fms
            for other in self.users[fm]
            if self.problem.graph.feature_maps[fm].data is None
        }
        return frozenset(other for other in found - {op} if self.why_never(other) is None)

    @cached_property
    def rolling(self) -> frozenset[FmId]:
        """Maps that pass through a cascade in some schedule."""
        return frozenset(fm for each in self._stored for fm in _rolling(each, self.freedoms))

    @cached_property
    def smallest(self) -> IslandProblem:
        """With each map as small, and outputs as often on inputs, as any formats allow."""
        one, other = self._stored
        maps = self.problem.graph.feature_maps
        sizes = tuple(
            min(map_bytes(maps[fm], order) for order in orders)
            for fm, orders in enumerate(zip(one.formats, other.formats, strict=True))
        )
        nodes = tuple(replace(node, overwrites=node.alike) for node in self.problem.nodes)
        storage = self.problem.storage
        around = storage.others(self.problem.graph, sizes).get(self.problem.island.id)
        beside = self.problem.beside if around is None else around
        return replace(self.problem, sizes=sizes, nodes=nodes, beside=beside)

    @cached_property
    def _stored(self) -> tuple[IslandProblem, IslandProblem]:
        """With all maps in rows that can be, and with all in bricks."""
        rows, bricks = zip(*map(_orders, self.rules), strict=True)
        return self._in(rows), self._in(bricks)

    def _in(self, formats: tuple[Format, ...]) -> IslandProblem:
        stored = replace(self.problem, formats=formats)
        return in_order(stored, self.problem.island.ops, self.freedoms)

    def pairs(self, ops: Iterable[NpuOpId]) -> Iterator[tuple[NpuOpId, NpuOpId]]:
        """Each two of some operators, as they are named where they are to be apart."""
        return combinations(sorted(ops), 2)


def _orders(rule: FormatChosen) -> tuple[Format, Format]:
    """The format of a map where rows are preferred, and where bricks are."""
    if rule.reason is FormatReason.ASKED:
        return rule.format, rule.format
    is_free = rule.format is Format.BRICKS or rule.reason in BY_CHOICE
    return Format.LINEAR, Format.BRICKS if is_free else Format.LINEAR


def _rolling(problem: IslandProblem, freedoms: Freedoms) -> Iterator[FmId]:
    for node in problem.nodes:
        if node.can_stripe and len({*node.readers}) == 1:
            reader = problem.nodes[node.readers[0]]
            hinders = hindrance(node, reader)
            if reader.can_stripe and hinders in (None, CascadeEnd.NEXT_IS_ELSEWHERE):
                yield node.ofm.fm
    if freedoms.whole_cuts:
        yield from Flow(problem).rolling
