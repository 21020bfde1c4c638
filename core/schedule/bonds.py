"""Cascades that are asked for: chains that are in one, and borders that none goes across."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType

from core.base.frozen import Frozen, field
from core.base.ids import NpuOpId
from core.ir.edits import Living
from core.ir.fixed import Fixed
from core.ir.npugraph import Island, NpuGraph

Chain = tuple[int, int]
"""The first and the last of neighbouring nodes."""


class Bonds(Frozen):
    """What of the cascades of an island is not the search's to decide."""

    chains: Mapping[int, Chain] = field(default_factory=lambda: MappingProxyType({}))
    """By node: the nodes with which it is in one cascade."""
    cuts: frozenset[int] = frozenset()
    """Nodes that are in no cascade with the one before."""
    alone: frozenset[int] = frozenset()
    """Nodes that are in no cascade, whichever order operators have."""

    @property
    def ask_for_cascades(self) -> bool:
        """Whether some nodes must run in stripes."""
        return bool(self.chains)

    def may_end(self, index: int) -> bool:
        """Whether a cascade may end with a node."""
        return index not in self.chains or self.chains[index][1] == index

    def are_one(self, index: int, other: int) -> bool:
        """Whether two nodes must be in one cascade."""
        return index in self.chains and self.chains[index] == self.chains.get(other)

    def hold_in(self, cascade_of: Mapping[int, int | None]) -> bool:
        """Whether each chain of these nodes, whose cascades are given, is in one."""
        return all(
            cascade_of[index] is not None
            and cascade_of.get(first, -1) == cascade_of[index] == cascade_of.get(last, -1)
            for index, (first, last) in self.chains.items()
            if index in cascade_of
        )


FREE = Bonds()


def bonds_of(graph: NpuGraph, island: Island, fixed: Fixed, *, rolls_near: bool) -> Bonds:
    """The bonds of an island, given what is fixed and possible.

    Where rolling buffers are in another memory than maps, a map that stays there does not roll.
    """
    place = {op: index for index, op in enumerate(island.ops)}
    chains: dict[int, Chain] = {}
    for group in fixed.together:
        if group[0] in place:
            places = [place[op] for op in group]
            first, last = min(places), max(places)
            chains |= dict.fromkeys(range(first, last + 1), (first, last))
    # Operators of two islands are apart whatever is asked for.
    pairs = [pair for pair in fixed.apart if place.keys() >= set(pair)]
    cuts = {max(place[maker], place[reader]) for maker, reader in pairs}
    single = frozenset(place[op] for op in alone(graph, fixed) if op in place)
    for index in single:
        cuts |= {index, index + 1}
    if rolls_near:
        cuts |= {*_slow_cuts(graph, island, fixed, chains)}
    if not chains and not cuts:
        return FREE
    return Bonds(chains=MappingProxyType(chains), cuts=frozenset(cuts), alone=single)


def _slow_cuts(
    graph: NpuGraph, island: Island, fixed: Fixed, chains: Mapping[int, Chain]
) -> Iterator[int]:
    """Borders by which no cascade has all who touch a map that is not to roll: each the first
    between who makes it and who reads it last that no chain goes across."""
    place = {op: index for index, op in enumerate(island.ops)}
    last = {view.fm: place[op] for op in island.ops for view in graph.ops[op].views[:-1]}
    slow = {fm for fm, living in fixed.living if living is Living.SLOW}
    for op in island.ops:
        fm = graph.ops[op].ofm.fm
        if fm in slow:
            borders = range(place[op] + 1, last.get(fm, 0) + 1)
            is_free = (at for at in borders if at not in chains or chains[at][0] == at)
            yield from islice(is_free, 1)


def alone(graph: NpuGraph, fixed: Fixed) -> Iterator[NpuOpId]:
    """Operators that make their whole output at once."""
    yield from sorted(fixed.never)
    yield from (op for op, height in fixed.heights if height >= graph.ops[op].made.h)
