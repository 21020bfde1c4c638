"""An island as far as its parts depend on it, and what each node adds to the cycles of a part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from itertools import combinations

from core.base.frozen import Frozen, NamedTuple, field
from core.base.ids import FmId
from core.schedule.branches.flow import Flow
from core.schedule.branches.groups import Player
from core.schedule.front.crossing import Crossing
from core.schedule.front.prices import NodeCost, NodePrices
from core.schedule.problem import Node

TOO_MUCH = float("inf")

TwoWays = tuple[float, float]
"""Cycles with weights that are read where they are stored, and with weights that stay near."""

Gains = dict[frozenset[FmId], TwoWays]
"""Cycles that maps change together where they are near, beside what some of them change."""

NO_GAIN = (0.0, 0.0)


class Share(NamedTuple):
    """What a node, or a map at a border beside it that is near, adds to a part."""

    cycles: TwoWays
    """With nothing near but rings."""
    gains: Gains
    """Of maps that live on."""


_NO_MAP = Share((TOO_MUCH, TOO_MUCH), {})


class Ground(Frozen, kw_only=False, eq=False):
    """An island, as far as its parts depend on it."""

    flow: Flow
    player: Player
    crossing: Crossing
    prices: NodePrices
    nearest: frozenset[FmId]
    """All maps that may be near at some time."""
    _shares: dict[tuple[int, int, tuple[bool, ...], FmId | None], Share] = field(
        default_factory=dict
    )
    _nearest: dict[tuple[int, int], NodeCost] = field(default_factory=dict)

    def cost(self, node: Node, height: int, near: Collection[FmId]) -> NodeCost:
        """A node with these maps near; where all maps are in one memory, none is nearer."""
        return self.prices.of(node, height, () if self.flow.near else near)

    def nearest_cost(self, node: Node, height: int) -> NodeCost:
        """A node with all of its maps near that can be."""
        key = node.index, height
        known = self._nearest.get(key)
        if known is None:
            known = self._nearest[key] = self.cost(node, height, self.nearest)
        return known

    def traits(self, node: Node) -> Hashable:
        """All that parts with a node depend on, beside their other nodes."""
        flow, player, crossing = self.flow, self.player, self.crossing
        index, maps = node.index, frozenset(node.fms)
        live_bytes = [flow.whole_bytes(first, index) for first in {index, max(index - 1, 0)}]
        return (
            node.op.id,
            self.prices.alike(node),
            player.asked_heights.get(node.op.id),
            *(self._map_traits(fm) for fm in node.fms),
            crossing.at[index : index + 2],
            crossing.lasting & maps,
            self.nearest & maps,
            flow.torn[index],
            index in flow.problem.bonds.chains,
            *live_bytes,
        )

    def _map_traits(self, fm: FmId) -> Hashable:
        flow = self.flow
        sizes = flow.problem.sizes
        return (
            fm,
            sizes[fm],
            flow.rolling.get(fm),
            self.player.asked_rows.get(fm),
            flow.ends.of.get(fm),
        )

    def share(self, node: Node, height: int, rolls: frozenset[FmId]) -> Share:
        """What a node adds to a part in stripes of some height, where some maps roll."""
        return self._known(node, height, rolls, None)

    def at_border(self, node: Node, border: int, height: int, rolls: frozenset[FmId]) -> Share:
        """What changes where the map is near that crosses a border beside it; too much where none
        does."""
        fm = self.crossing.at[border]
        return _NO_MAP if fm is None else self._known(node, height, rolls, fm)

    def _known(self, node: Node, height: int, rolls: frozenset[FmId], fm: FmId | None) -> Share:
        key = node.index, height, tuple([fm in rolls for fm in node.fms]), fm
        known = self._shares.get(key)
        if known is None:
            known = self._shares[key] = self._share(node, height, rolls.intersection(node.fms), fm)
        return known

    def _share(self, node: Node, height: int, rolls: frozenset[FmId], fm: FmId | None) -> Share:
        def cycles(near: frozenset[FmId]) -> TwoWays:
            cost = self.cost(node, height, rolls | near)
            return cost.cycles, cost.kept_cycles

        def gain(near: frozenset[FmId]) -> TwoWays:
            assert fm is not None
            (direct, kept), (other, other_kept) = cycles(near), cycles(near | {fm})
            return other - direct, other_kept - kept

        own = [fm for fm in dict.fromkeys(node.fms) if fm in self.crossing.lasting - rolls]
        value = cycles if fm is None else gain
        alone = value(frozenset())
        return Share(alone, _together(own, value, alone))


def _subsets(fms: list[FmId]) -> Iterator[frozenset[FmId]]:
    for count in range(1, len(fms) + 1):
        yield from map(frozenset, combinations(fms, count))


def _together(
    own: list[FmId],
    value: Callable[[frozenset[FmId]], TwoWays],
    alone: TwoWays,
) -> Gains:
    """What maps that live on add to a value, each set beside what its parts do."""
    found: Gains = {}
    for fms in _subsets(own):
        parts = [gain for part, gain in found.items() if part < fms]
        direct, kept = value(fms)
        found[fms] = (
            direct - alone[0] - sum(part for part, _ in parts),
            kept - alone[1] - sum(part for _, part in parts),
        )
    return {fms: gain for fms, gain in found.items() if gain != NO_GAIN}
