"""The door of the scheduler: prepare a network for a target once, then solve it for any limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from core.base.frozen import Frozen, field, replace
from core.base.ids import IslandId
from core.base.progress import SILENT, Progress
from core.base.recent import Recent
from core.check.rings import Runs
from core.cost.island import Pieces
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.ir.decisions import (
    ConstantPlaced,
    Decision,
    FormatChosen,
    FormatReason,
    RoomGiven,
    SmallestMemory,
)
from core.ir.fixed import NOTHING_FIXED, Against, Fixed, Reserve
from core.ir.freedoms import Freedoms
from core.ir.npugraph import NpuGraph
from core.ir.options import Engine, Options, ParetoOptions, Strategy
from core.ir.schedule import FrontPoint, Schedule
from core.schedule.branches.flow import can_roll
from core.schedule.cascades import links
from core.schedule.cascading import CascadingEngine
from core.schedule.each_way import Asked, EachWay, WithMore
from core.schedule.estimates import Encoder, Estimates, Prepare, ignore
from core.schedule.fast_storage import FastStorage, fast_storage_of
from core.schedule.format_prices import (
    BY_CHOICE,
    FormatPrices,
    free_maps,
    touching_ops,
    whole_prices,
)
from core.schedule.formats import choose_formats, place_constants
from core.schedule.least import least_memory
from core.schedule.legality import judged, judged_formats
from core.schedule.order_legality import judged_order
from core.schedule.reformat import FreeFormats
from core.schedule.rings import ExactRows
from core.schedule.solved import Solved, island_schedule, with_island_maps, with_lost_bytes
from core.schedule.stored import Stored, stored_ways
from core.target.target import Target

_Answer = TypeVar("_Answer")

_MOST_SOLVED = 32
"""Limits whose answers are kept."""
_MOST_LOST = 8
"""Sets of bytes that addresses lose whose answers are."""


class Prepared(Frozen):
    """All that the search needs to know of a network and a target, whatever the limit is."""

    graph: NpuGraph
    prices: StripePrices
    ways: tuple[Stored, ...]
    """In which the maps of the network are stored."""
    formats: tuple[FormatChosen, ...]
    """By rules."""
    free: FreeFormats
    constants: tuple[ConstantPlaced, ...]
    least: tuple[SmallestMemory, ...]
    prices_by_format: FormatPrices
    runs: Runs
    """Cascades that the judges have played."""
    solved: Recent[tuple[IslandId, int, Options], Solved]
    """What was found for islands within some memory."""
    with_more: WithMore
    """What was found for round limits, which bounds what others may hope for."""
    against: tuple[Against, ...] = ()
    """Decisions that were asked for and are left out, as no schedule can have them."""
    lost: tuple[Reserve, ...] = ()
    """Bytes that addresses lose while operators run: left free, though nobody has them."""
    with_lost: Recent[tuple[Reserve, ...], Prepared] = field(
        default_factory=lambda: Recent(_MOST_LOST)
    )
    """The same where some are."""

    @property
    def for_fronts(self) -> Stored:
        """The way that fronts are made of: small where all maps are in fast storage, else fast."""
        storages = [problem.storage for problem in self.ways[0].problems]
        return self.ways[-1 if storages and storages[0].has_all_maps else 0]


def prepare(
    graph: NpuGraph,
    target: Target,
    freedoms: Freedoms,
    encoder: Encoder,
    expect: Prepare = ignore,
) -> Prepared:
    """Work out what does not depend on strategies, nor on the target's limit."""
    formats = choose_formats(graph, target.accelerator)
    orders = tuple(choice.format for choice in formats)
    prices = StripePrices(graph, CostModel(target.with_limit(None)))
    rows = ExactRows() if freedoms.exact_rings else None
    estimates = Estimates(
        Pieces(prices), orders, encoder, freedoms, prepare=expect, exact_rows=rows
    )
    by_format = whole_prices(prices, touching_ops(graph))
    return _prepared(formats, estimates, by_format, fast_storage_of(target))


def _prepared(
    formats: tuple[FormatChosen, ...],
    estimates: Estimates,
    prices: FormatPrices,
    storage: FastStorage,
) -> Prepared:
    graph = estimates.graph
    ways = tuple(stored_ways(graph, formats, prices, estimates, storage))
    return Prepared(
        graph=graph,
        prices=estimates.prices,
        ways=ways,
        formats=formats,
        free=FreeFormats(
            fms=frozenset(free_maps(formats) if estimates.freedoms.formats_by_cost else ()),
            touching=prices.touching,
            estimates=estimates,
            defaults=ways[0].defaults,
        ),
        constants=place_constants(graph),
        least=_least(ways[-1]),
        prices_by_format=prices,
        runs={},
        solved=_no_answers(graph),
        with_more=_no_answers(graph),
    )


def _no_answers(graph: NpuGraph) -> Recent[tuple[IslandId, int, Options], _Answer]:
    return Recent(_MOST_SOLVED * len(graph.islands))


def _least(way: Stored) -> tuple[SmallestMemory, ...]:
    """The memory that no schedule of each island can do without."""
    freedoms = way.estimates.freedoms
    return tuple(least_memory(each, can_roll(each, freedoms), freedoms) for each in way.problems)


def obeying(prepared: Prepared, fixed: Fixed) -> Prepared:
    """The same where some decisions are not the search's to take; what is impossible is said."""
    if fixed == NOTHING_FIXED or not prepared.ways[0].problems:
        return prepared
    possible = judged_formats(prepared.formats, fixed)
    found = prepared
    if possible.fixed.formats:
        estimates = prepared.free.estimates
        rules = _with_formats(prepared.formats, possible.fixed)
        orders = tuple(rule.format for rule in rules)
        storage = prepared.ways[0].problems[0].storage
        fresh = estimates.with_formats(orders)
        found = _prepared(rules, fresh, prepared.prices_by_format, storage)
    wished, against = judged_order(found.ways[-1].problems, possible.fixed)
    if wished.order:
        ways = tuple(way.as_wished(wished.order) for way in found.ways)
        found = replace(found, ways=ways, least=_least(ways[-1]))
    target = prepared.prices.model.target
    freedoms = found.free.estimates.freedoms
    rest = judged(prepared.graph, target, found.ways[-1].problems, wished, freedoms)
    ways = tuple(way.with_fixed(rest.fixed) for way in found.ways)
    return replace(
        found,
        ways=ways,
        least=_least(ways[-1]),
        solved=_no_answers(prepared.graph),
        with_more=_no_answers(prepared.graph),
        with_lost=Recent(_MOST_LOST),
        against=(*possible.against, *against, *rest.against),
    )


def leaving_free(prepared: Prepared, lost: tuple[Reserve, ...]) -> Prepared:
    """The same where operators leave bytes free that addresses lose while they run."""
    return prepared.with_lost.answer(
        lost,
        lambda: replace(
            prepared,
            ways=tuple(way.leaving_free(lost) for way in prepared.ways),
            solved=_no_answers(prepared.graph),
            with_more=_no_answers(prepared.graph),
            lost=lost,
        ),
    )


def _with_formats(rules: Sequence[FormatChosen], fixed: Fixed) -> tuple[FormatChosen, ...]:
    """The rules, where some maps have a format that was asked for."""
    asked = fixed.format_of
    return tuple(
        FormatChosen(fm=rule.fm, format=asked[rule.fm], reason=FormatReason.ASKED)
        if rule.fm in asked and rule.reason in BY_CHOICE
        else rule
        for rule in rules
    )


def run(
    prepared: Prepared, target: Target, options: Options, progress: Progress = SILENT
) -> Schedule:
    """The schedule of a whole network for what it was prepared for, within the target's limit."""
    prepared = replace(prepared, ways=tuple(way.heard_by(progress) for way in prepared.ways))
    limit_bytes = target.fast_limit_bytes
    decisions: list[Decision] = [*prepared.constants, *prepared.least]
    if options.engine is Engine.PARETO and not _asks_for_branches(prepared):
        solved, front = _weighed(prepared, limit_bytes, options, progress)
    else:
        room_bytes, given = _room(prepared, limit_bytes, options.strategy)
        solved, front = _cascaded(prepared, room_bytes, options, progress), ()
        decisions += given
    progress.advance("scheduling", len(solved), len(solved))
    if prepared.lost:
        solved = tuple(with_lost_bytes(each, prepared.lost) for each in solved)
    for each in solved:
        decisions += each.decisions
    return Schedule(
        network=prepared.graph.network,
        maps=with_island_maps(prepared.ways[0].defaults, solved),
        islands=tuple(island_schedule(each) for each in solved),
        decisions=(
            *prepared.graph.rewrites,
            *prepared.graph.folds,
            *_formats(prepared, solved),
            *decisions,
        ),
        front=front,
    )


def _asks_for_branches(prepared: Prepared) -> bool:
    """Whether cascades are fixed that are no chains, which the Pareto engine does not make."""
    return any(
        not links(problem.nodes[index - 1], problem.nodes[index])
        for problem in prepared.ways[0].problems
        for index in problem.bonds.chains
        if problem.bonds.are_one(index, index - 1)
    )


def _formats(prepared: Prepared, solved: Iterable[Solved]) -> tuple[FormatChosen, ...]:
    """Why each map is in its format; what both cost where that decides."""
    found = list(prepared.formats)
    for record in (record for each in solved for record in each.formats):
        found[record.fm] = record
    return tuple(found)


def _cascaded(
    prepared: Prepared, limit_bytes: int, options: Options, progress: Progress
) -> tuple[Solved, ...]:
    """What the cascading engine finds for each island."""
    solved = []
    for island in prepared.graph.islands:
        progress.advance("scheduling", island.id, len(prepared.graph.islands))
        engine = EachWay(
            engines=tuple(
                _asked(way, island.id, limit_bytes, options, progress) for way in prepared.ways
            ),
            free=prepared.free,
            with_more=prepared.with_more,
        )
        key = island.id, limit_bytes, options
        solved.append(prepared.solved.answer(key, engine.solve))
    return tuple(solved)


def _asked(
    way: Stored, island: IslandId, limit_bytes: int, options: Options, progress: Progress
) -> Asked:
    """The engine for an island with its maps stored in one way, and where to look further."""
    return Asked(
        aim=way.aim,
        engine=CascadingEngine(
            problem=way.problems[island],
            estimates=way.estimates,
            defaults=way.defaults,
            limit_bytes=limit_bytes,
            options=options,
            progress=progress,
            known=way.known,
        ),
        others=lambda is_for_least: way.in_other_orders(
            island, progress, is_for_least=is_for_least
        ),
    )


def _room(
    prepared: Prepared, limit_bytes: int, strategy: Strategy
) -> tuple[int, tuple[RoomGiven, ...]]:
    """What each island may take, and a record where that is more than was asked for.

    Where all parts of a network share one memory, what one of them cannot do without is there for
    the others too, and makes them faster.
    """
    problems = prepared.ways[0].problems
    if not problems or not problems[0].storage.has_all_maps:
        return limit_bytes, ()
    needs = [each.size_bytes for each in prepared.least]
    needed = max(*needs, *(each.beside.elsewhere_bytes for each in problems))
    is_size = strategy is Strategy.SIZE
    is_more = needed > (min(needs) if is_size else limit_bytes)
    record = RoomGiven(size_bytes=needed, limit_bytes=limit_bytes)
    return needed if is_size else max(needed, limit_bytes), (record,) * is_more


def _weighed(
    prepared: Prepared, limit_bytes: int, options: Options, progress: Progress
) -> tuple[tuple[Solved, ...], tuple[FrontPoint, ...]]:
    """What the Pareto engine takes for each island, and the front that it takes it from."""
    from core.schedule.pareto import run as pareto  # few runs ask for it, all would load it

    plain = replace(
        options, engine=Engine.CASCADING, strategy=Strategy.PERFORMANCE, pareto=ParetoOptions()
    )

    def cascading(most_bytes: int) -> tuple[Solved, ...]:
        room_bytes, _ = _room(prepared, most_bytes, plain.strategy)
        return _cascaded(prepared, room_bytes, plain, progress)

    taken = pareto.solve(
        prepared.for_fronts,
        prepared.free,
        limit_bytes,
        _bytes_for_size(prepared, limit_bytes, options, progress),
        options,
        progress,
        cascading,
    )
    return taken.islands, taken.front


def _bytes_for_size(
    prepared: Prepared, limit_bytes: int, options: Options, progress: Progress
) -> int | None:
    """What Size takes where nothing has to be in fast storage: as little as cascades do, unless
    the user says how much.
    """
    problems = prepared.ways[0].problems
    is_smallest = not problems or problems[0].storage.has_all_maps
    is_said = options.pareto.most_bytes is not None
    if is_smallest or is_said or options.strategy is not Strategy.SIZE:
        return None
    solved = _cascaded(prepared, limit_bytes, options, progress)
    return max(each.now.peak_bytes for each in solved)
