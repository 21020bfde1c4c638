"""Maps of a finished schedule in the other format, wherever that takes fewer cycles and has room.

Before the search nobody knows which maps are live when memory runs short, nor which are in fast
storage. Afterwards all of that is known: whatever has room can be in its faster format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from core.base.frozen import Frozen, NamedTuple, field, replace
from core.base.geometry import Shape4
from core.base.ids import FmId, NpuOpId
from core.base.memo import Memo
from core.cost.stripes import StripePrices
from core.ir.decisions import (
    CandidateSized,
    Decision,
    FormatChosen,
    FormatPrice,
    FormatReason,
    MapPlaced,
    SpillSolved,
)
from core.ir.npugraph import FeatureMap, NpuOp, OpKind
from core.ir.schedule import MapPlan, WeightPlan
from core.liveness.lives import Life
from core.liveness.sizes import map_bytes, rolling_bytes
from core.schedule.branches.flow import Flow
from core.schedule.branches.groups import Part, Player
from core.schedule.draft import (
    CascadeDraft,
    Draft,
    OpDraft,
    Ring,
    Snapshot,
    rolling_maps,
    sized,
)
from core.schedule.estimates import Estimates
from core.schedule.format_prices import FormatPrices, OrderPrices, Orders, Touching, other
from core.schedule.problem import IslandProblem, Node, with_formats
from core.schedule.solved import Solved, island_cycles, map_of
from core.schedule.spilling import Spill
from core.target.block import BlockConfig
from core.target.format import Format
from core.target.region import Region

_SWEEPS = 3


class Priced(Frozen, kw_only=False):
    """A schedule with what its operators cost."""

    solved: Solved
    prices: FormatPrices
    cycles: float


class Restored(NamedTuple):
    """An island with its maps in other formats."""

    problem: IslandProblem
    estimates: Estimates
    player: Player | None
    """Of cascades whose outputs may lie over inputs."""

    @classmethod
    def of(cls, problem: IslandProblem, estimates: Estimates, formats: Formats) -> Restored:
        """The island in these formats."""
        problem, estimates = with_formats(problem, formats), estimates.with_formats(formats)
        lays_over = estimates.options.freedoms.dead_rows
        player = Player(Flow(problem), lays_over=True) if lays_over else None
        return cls(problem, estimates, player)


Formats = tuple[Format, ...]
"""By feature map."""

AllRestored = Memo[tuple[IslandProblem, Formats], Restored]
"""By island and formats; neighbouring limits mostly end with the same."""

Spilling = Callable[[IslandProblem, Estimates, Draft], Spill]
"""Moves maps to fast storage as the search did, as their sizes are now others."""


_Told = tuple[NpuOpId, int, BlockConfig, tuple[Region, ...], WeightPlan | None]
"""All but the formats of its maps that the cycles of an operator depend on."""


class FreeFormats(Frozen):
    """Maps of a network that can be in either format, and what that costs in finished schedules."""

    fms: frozenset[FmId]
    touching: Touching
    estimates: Estimates
    defaults: Sequence[MapPlan]
    """How maps are stored that no island makes."""
    told: dict[_Told, OrderPrices] = field(default_factory=dict)

    def priced(self, solved: Solved) -> Priced:
        """A schedule with what its operators cost."""
        cycles = island_cycles(solved, self.estimates, self.defaults)
        return Priced(solved, self._prices(solved), cycles.total)

    def faster(
        self,
        found: Priced,
        estimates: Estimates,
        most_bytes: int,
        spilling: Spilling,
        restored: AllRestored,
    ) -> Priced:
        """The same schedule with maps in the other format where that is faster, within a limit."""
        solved = found.solved
        formats = _faster_formats(solved, found.prices, self.fms, most_bytes)
        if formats == solved.problem.formats:
            return found
        key = solved.problem, formats
        known = restored.answer(key, lambda: Restored.of(solved.problem, estimates, formats))
        problem, fresh = known.problem, replace(known.estimates, progress=estimates.progress)
        draft = in_formats(solved.problem, solved.draft, known)
        spilled = spilling(problem, fresh, draft)
        changed = replace(
            solved,
            problem=problem,
            draft=draft,
            now=spilled.now,
            fast=spilled.fast,
            sent_away=spilled.sent_away,
            decisions=(*_kept(solved.decisions, spilled.now), *spilled.decisions),
        )
        other = self.priced(changed)
        is_better = changed.now.peak_bytes <= most_bytes and other.cycles < found.cycles
        return other if is_better else found

    def records(self, found: Priced) -> tuple[FormatChosen, ...]:
        """What each map takes in either format, of those that an island makes."""
        return tuple(_records(found.solved, found.prices, self.fms))

    def _prices(self, solved: Solved) -> FormatPrices:
        plan_of = map_of(solved, self.defaults)
        own = {node.op.id: solved.draft.ops[node.index] for node in solved.problem.nodes}
        prices = self.estimates.prices

        def prices_of(op: NpuOp) -> OrderPrices:
            if op.kind is OpKind.COPY:
                return OrderPrices(lambda _: 0.0)
            plan = own[op.id]
            weights = None if plan.weights is None else plan.weights.plan
            regions = tuple([plan_of(view.fm).region for view in op.views])
            key = prices.twins[op.id], plan.cost.stripe.ofm.h, plan.cost.block, regions, weights
            known = self.told.get(key)
            if known is None:
                known = self.told[key] = OrderPrices(partial(_priced_at, prices, key))
            return known

        return FormatPrices(self.touching, prices_of)


def _priced_at(prices: StripePrices, told: _Told, orders: Orders) -> float:
    op, height, block, regions, weights = told
    places = tuple(map(prices.place, regions, orders))
    return prices.cycles((op, height, block, places, weights))


def _faster_formats(
    solved: Solved, prices: FormatPrices, free: frozenset[FmId], most_bytes: int
) -> Formats:
    """Formats with which the same stripes in the same blocks take fewer cycles, within a limit."""
    lives = {fm: life for life in solved.now.lives for fm in life.fms}
    made = [node.ofm.fm for node in solved.problem.nodes]
    exchange = _Exchange(
        problem=solved.problem,
        rolling=rolling_maps(solved.draft),
        prices=prices,
        most_bytes=most_bytes,
        formats=list(solved.problem.formats),
        usage=list(solved.now.usage),
    )
    units = {lives[fm].fms if fm in lives else (fm,): lives.get(fm) for fm in made}
    exchange.run({fms: life for fms, life in units.items() if free.issuperset(fms)})
    return tuple(exchange.formats)


class _Exchange(Frozen):
    problem: IslandProblem
    rolling: Mapping[FmId, Shape4]
    prices: FormatPrices
    most_bytes: int
    formats: list[Format]
    usage: list[int]

    def run(self, units: Mapping[tuple[FmId, ...], Life | None]) -> None:
        """Try maps that share their bytes, and again those for which something has changed."""
        unit_of = {fm: fms for fms in units for fm in fms}
        waiting = set(units)
        for _ in range(_SWEEPS):
            for fms, life in units.items():
                if fms not in waiting:
                    continue
                waiting.remove(fms)
                added = self._change(fms, life)
                if added is None:
                    continue
                # Memory that is given back may be what any other has waited for.
                stirred = unit_of if added < 0 else set(self._beside(fms))
                waiting |= {unit_of[fm] for fm in stirred if fm in unit_of} - {fms}
            if not waiting:
                break

    def _beside(self, fms: Sequence[FmId]) -> Iterator[FmId]:
        """Maps that operators touch together with these."""
        for fm in fms:
            for op in self.prices.touching[fm]:
                yield from (view.fm for view in op.views)

    def _change(self, fms: Sequence[FmId], life: Life | None) -> int | None:
        """Store maps that share their bytes in the other format where that is faster and fits; how
        much more they take, or None."""
        orders = [self.formats[fm] for fm in fms]
        others = [other(order) for order in orders]
        added = self._size_bytes(fms, others) - self._size_bytes(fms, orders)
        times = slice(0) if life is None else slice(life.start_time, life.end_time + 1)
        live = self.usage[times]
        if added > 0 and live and max(live) + added > self.most_bytes:
            return None
        before = self.prices.cycles(fms, self.formats)
        self._store(fms, others)
        if (self.prices.cycles(fms, self.formats), added) < (before, 0):
            self.usage[times] = [size + added for size in live]
            return added
        self._store(fms, orders)
        return None

    def _store(self, fms: Sequence[FmId], orders: Sequence[Format]) -> None:
        for fm, order in zip(fms, orders, strict=True):
            self.formats[fm] = order

    def _size_bytes(self, fms: Sequence[FmId], orders: Sequence[Format]) -> int:
        maps = self.problem.graph.feature_maps
        return max(
            stored_bytes(maps[fm], order, self.rolling.get(fm))
            for fm, order in zip(fms, orders, strict=True)
        )


def stored_bytes(fm: FeatureMap, order: Format, rolling: Shape4 | None) -> int:
    """What a map takes in some format, or its rows where it rolls in either."""
    if rolling is None:
        return map_bytes(fm, order)
    return rolling_bytes(fm, order.stored(rolling.with_depth(fm.shape[-1])))


def _records(solved: Solved, prices: FormatPrices, free: frozenset[FmId]) -> Iterator[FormatChosen]:
    formats = list(solved.problem.formats)
    maps, rolling = solved.problem.graph.feature_maps, rolling_maps(solved.draft)
    for fm in dict.fromkeys(node.ofm.fm for node in solved.problem.nodes):
        if fm not in free:
            continue
        chosen, found = formats[fm], {}
        for order in Format:
            formats[fm] = order
            size = stored_bytes(maps[fm], order, rolling.get(fm))
            found[order] = FormatPrice(size, prices.cycles((fm,), formats))
        formats[fm] = chosen
        yield FormatChosen(
            fm=fm,
            format=chosen,
            reason=_reason(found[chosen], found[other(chosen)]),
            rows=found[Format.LINEAR],
            bricks=found[Format.BRICKS],
        )


def _reason(chosen: FormatPrice, instead: FormatPrice) -> FormatReason:
    if chosen.cycles < instead.cycles:
        return FormatReason.FEWER_CYCLES
    if chosen.size_bytes < instead.size_bytes:
        return FormatReason.LESS_MEMORY
    return FormatReason.NO_DIFFERENCE if chosen == instead else FormatReason.NEIGHBOURS


def in_formats(before: IslandProblem, stored: Draft, restored: Restored) -> Draft:
    """The same stripes, blocks and buffers with maps in other formats."""
    problem = restored.problem
    ops = {
        index: _redone(problem.nodes[index], plan, restored.estimates)
        for index, plan in stored.ops.items()
    }
    cascades = {
        last: sized(problem, ops, cascade.first, last, tuple(_rows(before, problem, cascade)))
        for last, cascade in stored.cascades.items()
    }
    draft = Draft(
        ops=ops,
        cascades=cascades,
        buffered=stored.buffered,
        near=stored.near,
        has_kept=stored.has_kept,
    )
    return draft if restored.player is None else laid_over(restored.player, draft)


def _rows(before: IslandProblem, problem: IslandProblem, cascade: CascadeDraft) -> Iterator[Ring]:
    """The rolling buffers of a cascade, as deep as their maps are now stored.

    Maps that are seen in another shape than their own are in rows, and stay so.
    """
    maps = problem.graph.feature_maps
    for ring in cascade.rolling:
        if problem.formats[ring.fm] is before.formats[ring.fm]:
            yield ring
        else:
            rows = ring.shape.with_depth(maps[ring.fm].shape[-1])
            yield Ring(ring.fm, problem.formats[ring.fm].stored(rows))


def _redone(node: Node, plan: OpDraft, estimates: Estimates) -> OpDraft:
    cost = estimates.blocked(node, plan.cost.stripe.ofm.h, plan.cost.block)
    slack = cost.cycles
    if plan.slack_cycles != plan.cost.cycles and plan.weights is not None:
        *_, start, end = plan.weights.depth_slices
        slack = estimates.cycles_of_depth(node, cost.block, end - start)
    return replace(plan, cost=cost, slack_cycles=slack)


def _kept(decisions: Sequence[Decision], now: Snapshot) -> Iterator[Decision]:
    """What was decided before the contest for fast storage, which is held again."""
    for each in decisions:
        if isinstance(each, CandidateSized) and each.is_taken:
            yield replace(each, peak_bytes=now.peak_bytes)
        elif not isinstance(each, MapPlaced | SpillSolved):
            yield each


def laid_over(player: Player, draft: Draft) -> Draft:
    """The same cascades, which lay outputs over inputs as far as that saves bytes."""
    cascades = {}
    for last, cascade in draft.cascades.items():
        heights = [
            draft.ops[index].cost.stripe.ofm.h for index in range(cascade.first, cascade.last + 1)
        ]
        played = player.play(Part(cascade.first, cascade.last), heights)
        # What else rolls would run in another order.
        is_alike = {fm for fm, _ in played.rings} == {ring.fm for ring in cascade.rolling}
        cascades[last] = replace(cascade, overlays=played.overlays if is_alike else ())
    return replace(draft, cascades=cascades)
