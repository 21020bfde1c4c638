"""What operators cost with their maps in rows or in bricks, and the formats that are best by that.

Bricks store depths in multiples of 16, which costs bytes, and cycles wherever all that is stored is
moved; rows of few channels are short runs in memory, which costs bursts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from core.base.frozen import Frozen, field
from core.base.ids import FmId, NpuOpId
from core.cost.from_graph import block_query, whole
from core.cost.stripes import StripePrices
from core.ir.decisions import FormatChosen, FormatReason
from core.ir.npugraph import NpuGraph, NpuOp
from core.liveness.overwrite import overwritable
from core.liveness.sizes import map_bytes
from core.target.format import Format
from core.target.region import Region

BY_CHOICE = frozenset({FormatReason.NOTHING_AGAINST_BRICKS, FormatReason.LIES_ON_ROWS})
"""Why maps have formats that they need not have."""
_SWEEPS = 4

Orders = tuple[Format, ...]
"""The formats of the maps that an operator touches, in the order of its views."""

Touching = Mapping[FmId, Sequence[NpuOp]]
"""The operators that touch each map."""


def other(order: Format) -> Format:
    """The one of two formats that a map is not in."""
    return Format.LINEAR if order is Format.BRICKS else Format.BRICKS


def free_maps(rules: Iterable[FormatChosen]) -> tuple[FmId, ...]:
    """Maps that can be in rows as well as in bricks."""
    return tuple(rule.fm for rule in rules if rule.reason in BY_CHOICE)


def touching_ops(graph: NpuGraph) -> Touching:
    """The operators that touch each map of a network."""
    found: defaultdict[FmId, list[NpuOp]] = defaultdict(list)
    for op in graph.ops:
        for fm in dict.fromkeys(view.fm for view in op.views):
            found[fm].append(op)
    return found


class OrderPrices(dict[Orders, float]):
    """Cycles of all operations of an operator by the formats of its maps, each priced once."""

    def __init__(self, cycles_of: Callable[[Orders], float]) -> None:
        super().__init__()
        self._cycles_of = cycles_of

    def __missing__(self, orders: Orders) -> float:
        found = self[orders] = self._cycles_of(orders)
        return found


class FormatPrices(Frozen, kw_only=False):
    """Cycles of operators by the formats of their maps."""

    touching: Touching
    prices_of: Callable[[NpuOp], OrderPrices]
    _known: dict[NpuOpId, OrderPrices] = field(default_factory=dict)

    def cycles(self, fms: Sequence[FmId], formats: Sequence[Format]) -> float:
        """Cycles of all operators that touch some of these maps."""
        ops = self.touching[fms[0]]
        if len(fms) > 1:
            ops = list({op.id: op for fm in fms for op in self.touching[fm]}.values())
        return sum(self._of(op, formats) for op in ops)

    def _of(self, op: NpuOp, formats: Sequence[Format]) -> float:
        known = self._known.get(op.id)
        if known is None:
            known = self._known[op.id] = self.prices_of(op)
        return known[tuple([formats[view.fm] for view in op.views])]


def whole_prices(prices: StripePrices, touching: Touching) -> FormatPrices:
    """What operators cost that make all at once, before anything has moved to fast storage."""
    graph, model = prices.graph, prices.model
    regions = [
        Region.SCRATCH if fm.data is None else Region.PERMANENT_NPU for fm in graph.feature_maps
    ]

    def cycles(op: NpuOp, orders: Orders) -> float:
        block = model.block(block_query(graph, op, whole(op)))
        assert block is not None
        places = tuple(map(prices.place, [regions[view.fm] for view in op.views], orders))
        return prices.cycles((prices.twins[op.id], op.ofm.shape.h, block, places, None))

    @cache
    def prices_of(twin: NpuOpId) -> OrderPrices:
        return OrderPrices(partial(cycles, graph.ops[twin]))

    return FormatPrices(touching=touching, prices_of=lambda op: prices_of(prices.twins[op.id]))


def in_rows(rules: Sequence[FormatChosen]) -> tuple[Format, ...]:
    """Formats by the rules, with rows for all maps that may be in either."""
    free = frozenset(free_maps(rules))
    return tuple(Format.LINEAR if rule.fm in free else rule.format for rule in rules)


def best_formats(
    graph: NpuGraph,
    rules: Sequence[FormatChosen],
    prices: FormatPrices,
    cycles_of_byte: float,
    start: Sequence[Format],
) -> tuple[Format, ...]:
    """The formats with the lowest sum of cycles and of what bytes are taken to be worth.

    Each map in turn takes the better one, until none changes any more; and so do maps together of
    which one may lie on the other, as it can no more where only one of them changes.
    """
    orders = list(start)
    lies_on = {
        op.ofm.fm: inputs
        for op, inputs in zip(graph.ops, overwritable(graph, in_rows(rules)), strict=True)
        if inputs
    }

    def size_bytes(fm: FmId) -> int:
        lies = any(orders[given] is orders[fm] for given in lies_on.get(fm, ()))
        return 0 if lies else map_bytes(graph.feature_maps[fm], orders[fm])

    def price(fms: tuple[FmId, ...]) -> float:
        near = {*fms, *(op.ofm.fm for fm in fms for op in prices.touching[fm])}
        return prices.cycles(fms, orders) + cycles_of_byte * sum(map(size_bytes, near))

    def change(fms: tuple[FmId, ...]) -> None:
        for fm in fms:
            orders[fm] = other(orders[fm])

    changes = tuple(_changes(free_maps(rules), lies_on))
    for _ in range(_SWEEPS):
        before = tuple(orders)
        for fms in changes:
            cycles = price(fms)
            change(fms)
            if price(fms) >= cycles:
                change(fms)
        if tuple(orders) == before:
            break
    return tuple(orders)


def _changes(
    free: Sequence[FmId], lies_on: Mapping[FmId, Iterable[FmId]]
) -> Iterator[tuple[FmId, ...]]:
    """Each map by itself, then all together that lie on each other."""
    group = {fm: frozenset({fm}) for fm in free}
    for fm in free:
        for given in lies_on.get(fm, ()):
            if given in group and given != fm:
                joined = group[fm] | group[given]
                group.update(dict.fromkeys(joined, joined))
    yield from ((fm,) for fm in free)
    yield from (tuple(sorted(fms)) for fms in dict.fromkeys(group.values()) if len(fms) > 1)
