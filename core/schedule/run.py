"""The door of the scheduler: prepare a network for a target once, then solve it for any limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial

from core.base.frozen import Changing, Frozen, field, replace
from core.base.ids import IslandId
from core.base.memo import Memo
from core.base.progress import SILENT, Progress
from core.check.rings import Runs
from core.cost.ecosystem.estimate import ECOSYSTEM
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
from core.ir.fixed import NOTHING_FIXED, Against, Fixed
from core.ir.npugraph import NpuGraph
from core.ir.options import Engine, ParetoOptions, Strategy
from core.ir.schedule import FrontPoint, Schedule
from core.schedule.branches.flow import can_roll
from core.schedule.engine import IslandEngine
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
from core.schedule.front.engine import FrontEngine
from core.schedule.island_search import IslandSearch
from core.schedule.least import least_memory
from core.schedule.legality import judged, judged_formats
from core.schedule.links import asks_for_branches
from core.schedule.order_legality import judged_order
from core.schedule.question import Question
from core.schedule.reformat import FreeFormats
from core.schedule.solved import (
    Solved,
    island_schedule,
    unmoved,
    with_island_maps,
    with_lost_bytes,
)
from core.schedule.stored import Stored, formats_near_and_far, stored_in
from core.target.target import Target

_MOST_SOLVED = 32
"""Limits whose answers are kept."""
_MOST_FREE, _MOST_OBEDIENT, _MOST_LOSING = 16, 8, 8
"""Questions whose answers are, by whether decisions are taken, and bytes lost."""
_MOST_BY_RULES = 4
"""Sets of formats that edits ask for, of which the islands are."""
_MOST_TARGETS = 4
"""Targets whose prices are."""


class Prepared(Frozen, dict=True):
    """All that the search needs to know of a network for a question, whatever the limit is."""

    question: Question
    graph: NpuGraph
    prices: StripePrices
    stored: Stored
    for_fronts: Stored
    """The same with all maps as they are stored far from fast storage, where some may be there."""
    formats: tuple[FormatChosen, ...]
    """By rules."""
    free: FreeFormats
    constants: tuple[ConstantPlaced, ...]
    prices_by_format: FormatPrices
    runs: Runs
    """Cascades that the judges have played."""
    solved: Memo[tuple[IslandId, int], Solved]
    """What was found for islands within some memory."""
    by_rules: Memo[tuple[FormatChosen, ...], Prepared] = field(
        default_factory=lambda: Memo(_MOST_BY_RULES)
    )
    """The same with maps in formats that edits ask for, as one edit after the other does."""
    against: tuple[Against, ...] = ()
    """Decisions that were asked for and are left out."""
    asked: Fixed = NOTHING_FIXED
    """Those that are taken, and nothing that the search takes along with them."""

    @cached_property
    def least(self) -> tuple[SmallestMemory, ...]:
        """The memory that no schedule of each island can do without."""
        freedoms = self.stored.estimates.options.freedoms
        return tuple(
            least_memory(each, can_roll(each, freedoms), freedoms) for each in self.stored.problems
        )

    def each_stored(self, change: Callable[[Stored], Stored]) -> Prepared:
        """The same, changed alike for the search of one schedule and of fronts."""
        stored = change(self.stored)
        is_same = self.for_fronts is self.stored
        fronts = stored if is_same else change(self.for_fronts)
        return replace(self, stored=stored, for_fronts=fronts)


class Preparations(Changing, kw_only=True):
    """What is known of one network, by question; prices know no options, and so are shared."""

    graph: NpuGraph
    encoder: Encoder
    expect: Prepare = ignore
    _pieces: Memo[Target, Pieces] = field(default_factory=lambda: Memo(_MOST_TARGETS))
    _free: Memo[Question, Prepared] = field(default_factory=lambda: Memo(_MOST_FREE))
    _obedient: Memo[Question, Prepared] = field(default_factory=lambda: Memo(_MOST_OBEDIENT))
    _losing: Memo[Question, Prepared] = field(default_factory=lambda: Memo(_MOST_LOSING))

    def of(self, question: Question) -> Prepared:
        """What the search has to know for a question."""
        plain = replace(question, lost=())
        if question != plain:
            return self._losing.answer(question, lambda: _leaving_free(self.of(plain), question))
        bare = replace(plain, fixed=NOTHING_FIXED)
        if question == bare:
            return self._free.answer(question, lambda: self._prepare(question))
        return self._obedient.answer(question, lambda: obeying(self.of(bare), question.fixed))

    def prices(self, target: Target) -> StripePrices:
        """What operators cost on a target, as far as somebody has asked."""
        return self._pieces_for(target).prices

    def _pieces_for(self, target: Target) -> Pieces:
        def fresh() -> Pieces:
            return Pieces(StripePrices(self.graph, CostModel(target)))

        return self._pieces.answer(target, fresh)

    def _prepare(self, question: Question) -> Prepared:
        graph, target = self.graph, question.target
        pieces = self._pieces_for(target)
        freedoms = question.options.freedoms
        options = question.options
        # The first scheduler took rows for such outputs with Size alone.
        spares = not options.is_as_first or options.strategy is Strategy.SIZE
        formats = choose_formats(graph, target.accelerator, spares_rewrites=spares)
        measured = pieces.prices.model
        estimates = Estimates(
            pieces,
            measured if freedoms.measured_price else CostModel(target, ECOSYSTEM),
            tuple(choice.format for choice in formats),
            self.encoder,
            question.options,
            prepare=self.expect,
        )
        by_format = whole_prices(pieces.prices, touching_ops(graph))
        return _prepared(question, formats, estimates, by_format, fast_storage_of(target))


def _prepared(
    question: Question,
    formats: tuple[FormatChosen, ...],
    estimates: Estimates,
    prices: FormatPrices,
    storage: FastStorage,
) -> Prepared:
    graph = estimates.graph
    near, far = formats_near_and_far(graph, formats, prices, estimates, storage)
    stored = stored_in(graph, near, far, estimates, storage)
    return Prepared(
        question=question,
        graph=graph,
        prices=estimates.prices,
        stored=stored,
        for_fronts=stored if near == far else stored_in(graph, far, far, estimates, storage),
        formats=formats,
        free=FreeFormats(
            fms=frozenset(free_maps(formats) if estimates.options.freedoms.formats_by_cost else ()),
            touching=prices.touching,
            estimates=estimates,
            defaults=stored.defaults,
        ),
        constants=place_constants(graph),
        prices_by_format=prices,
        runs={},
        solved=_no_answers(graph),
    )


def _no_answers(graph: NpuGraph) -> Memo[tuple[IslandId, int], Solved]:
    return Memo(_MOST_SOLVED * len(graph.islands))


def obeying(prepared: Prepared, fixed: Fixed) -> Prepared:
    """The same where some decisions are not the search's to take; what is impossible is said."""
    question = replace(prepared.question, fixed=fixed)
    if fixed == NOTHING_FIXED or not prepared.stored.problems:
        return replace(prepared, question=question)
    possible = judged_formats(prepared.formats, fixed)
    found, rules = prepared, _with_formats(prepared.formats, possible.fixed)
    if rules != prepared.formats:
        found = prepared.by_rules.answer(rules, lambda: _in_formats(prepared, rules))
    wished, against = judged_order(found.stored.problems, possible.fixed)
    if wished.order:
        found = found.each_stored(lambda stored: stored.as_wished(wished.order))
    target = prepared.prices.model.target
    freedoms = found.free.estimates.options.freedoms
    rest = judged(prepared.graph, target, found.stored.problems, wished, found.formats, freedoms)
    return replace(
        found.each_stored(lambda stored: stored.with_fixed(rest.fixed)),
        question=question,
        solved=_no_answers(prepared.graph),
        against=(*possible.against, *against, *rest.against),
        asked=rest.asked,
    )


def _in_formats(prepared: Prepared, rules: tuple[FormatChosen, ...]) -> Prepared:
    orders = tuple(rule.format for rule in rules)
    storage = prepared.stored.problems[0].storage
    fresh = prepared.free.estimates.with_formats(orders)
    return _prepared(prepared.question, rules, fresh, prepared.prices_by_format, storage)


def _leaving_free(prepared: Prepared, question: Question) -> Prepared:
    """The same where operators leave bytes free that addresses lose while they run."""
    return replace(
        prepared.each_stored(lambda stored: stored.leaving_free(question.lost)),
        question=question,
        solved=_no_answers(prepared.graph),
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
    known: Preparations,
    question: Question,
    limit_bytes: int,
    most_bytes: int | None = None,
    progress: Progress = SILENT,
) -> Schedule:
    """The schedule of a whole network within a limit; of a front, the fastest that takes at most
    so many bytes."""
    prepared, options = _heard_by(known.of(question), progress), question.options
    decisions: list[Decision] = [*prepared.constants, *prepared.least]
    if options.engine is Engine.PARETO and not _asks_for_branches(prepared):
        beside = _heard_by(known.of(_beside_front(question)), progress)
        solved, front = _weighed(prepared, beside, limit_bytes, most_bytes, progress)
    elif options.is_as_first:
        from core.schedule.first import search as first  # as of the Pareto engine

        way = prepared.stored
        solved = first.solve(way.problems, way.estimates, way.defaults, limit_bytes, progress)
        front = ()
    else:
        room_bytes, given = _room(prepared, limit_bytes)
        solved, front = _cascaded(prepared, room_bytes, progress), ()
        decisions += given
    progress.advance("scheduling", len(solved), len(solved))
    if question.lost:
        solved = tuple(with_lost_bytes(each, question.lost) for each in solved)
    for each in solved:
        decisions += (*each.decisions, *unmoved(each, prepared.stored.estimates))
    return Schedule(
        network=prepared.graph.network,
        maps=with_island_maps(prepared.stored.defaults, solved),
        islands=tuple(island_schedule(each) for each in solved),
        decisions=(
            *prepared.graph.rewrites,
            *prepared.graph.folds,
            *_formats(prepared, solved),
            *decisions,
        ),
        front=front,
    )


def _heard_by(prepared: Prepared, progress: Progress) -> Prepared:
    """The same, while a question is answered that somebody may cancel."""
    return prepared.each_stored(lambda stored: stored.heard_by(progress))


def _beside_front(question: Question) -> Question:
    """What the cascading engine is asked for the sake of a front."""
    return question.with_options(
        replace(
            question.options,
            engine=Engine.CASCADING,
            strategy=Strategy.PERFORMANCE,
            as_first=False,
            pareto=ParetoOptions(),
        )
    )


def _asks_for_branches(prepared: Prepared) -> bool:
    """Whether cascades are fixed that are no chains, which the Pareto engine does not make."""
    return any(asks_for_branches(problem) for problem in prepared.stored.problems)


def _formats(prepared: Prepared, solved: Iterable[Solved]) -> tuple[FormatChosen, ...]:
    """Why each map is in its format; what both cost where that decides."""
    found = list(prepared.formats)
    for record in (record for each in solved for record in each.formats):
        found[record.fm] = record
    return tuple(found)


def _cascaded(prepared: Prepared, limit_bytes: int, progress: Progress) -> tuple[Solved, ...]:
    """What the cascading engine finds for each island."""
    solved = []
    for island in prepared.graph.islands:
        progress.advance("scheduling", island.id, len(prepared.graph.islands))
        search = _search(prepared, island.id, limit_bytes, progress)
        solved.append(prepared.solved.answer((island.id, limit_bytes), search.solve))
    return tuple(solved)


def _search(
    prepared: Prepared, island: IslandId, limit_bytes: int, progress: Progress
) -> IslandSearch:
    stored = prepared.stored
    return IslandSearch(
        engine=_engine(stored)(
            problem=stored.problems[island],
            estimates=stored.estimates,
            defaults=stored.defaults,
            limit_bytes=limit_bytes,
            progress=progress,
            known=stored.known,
        ),
        others=lambda is_for_least: stored.in_other_orders(
            island, progress, is_for_least=is_for_least
        ),
        free=prepared.free,
    )


def _engine(stored: Stored) -> Callable[..., IslandEngine]:
    if stored.estimates.options.freedoms.whole_cuts:
        return partial(FrontEngine, far_formats=stored.far_formats)
    from core.schedule.cascading.engine import CascadingEngine  # as of the Pareto engine

    return CascadingEngine


def _room(prepared: Prepared, limit_bytes: int) -> tuple[int, tuple[RoomGiven, ...]]:
    """What each island may take, and a record where that is more than was asked for.

    Where all parts of a network share one memory, what one of them cannot do without is there for
    the others too, and makes them faster.
    """
    problems = prepared.stored.problems
    if not problems or not problems[0].storage.has_all_maps:
        return limit_bytes, ()
    needs = [each.size_bytes for each in prepared.least]
    needed = max(*needs, *(each.beside.elsewhere_bytes for each in problems))
    is_size = prepared.question.options.strategy is Strategy.SIZE
    is_more = needed > (min(needs) if is_size else limit_bytes)
    record = RoomGiven(size_bytes=needed, limit_bytes=limit_bytes)
    return needed if is_size else max(needed, limit_bytes), (record,) * is_more


def _weighed(
    prepared: Prepared,
    beside: Prepared,
    limit_bytes: int,
    most_bytes: int | None,
    progress: Progress,
) -> tuple[tuple[Solved, ...], tuple[FrontPoint, ...]]:
    """What the Pareto engine takes for each island, and the front that it takes it from."""
    from core.schedule.pareto import run as pareto  # few runs ask for it, all would load it

    def cascading(room_bytes: int) -> tuple[Solved, ...]:
        room_bytes, _ = _room(beside, room_bytes)
        return _cascaded(beside, room_bytes, progress)

    size_bytes = (
        None if most_bytes is not None else _bytes_for_size(prepared, limit_bytes, progress)
    )
    taken = pareto.solve(
        prepared.for_fronts,
        prepared.free,
        limit_bytes,
        size_bytes,
        most_bytes,
        progress,
        cascading,
    )
    return taken.islands, taken.front


def _bytes_for_size(prepared: Prepared, limit_bytes: int, progress: Progress) -> int | None:
    """What Size takes where nothing has to be in fast storage: as little as cascades do."""
    problems = prepared.stored.problems
    is_smallest = not problems or problems[0].storage.has_all_maps
    if is_smallest or prepared.question.options.strategy is not Strategy.SIZE:
        return None
    solved = _cascaded(prepared, limit_bytes, progress)
    return max(each.now.peak_bytes for each in solved)
