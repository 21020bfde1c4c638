"""From a lowered network to a schedule with addresses and costs, again and again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from core.base.checked import door
from core.base.errors import InternalError
from core.base.frozen import Changing, NamedTuple, field, later, replace
from core.base.memo import Memo
from core.base.progress import SILENT, Progress
from core.check import edits as edits_check
from core.check.finding import hold
from core.cost.ecosystem.of_schedule import ecosystem_estimate, ecosystem_model
from core.cost.evictions import eviction_costs
from core.cost.island import schedule_cost
from core.cost.least import least_cycles_of
from core.cost.model import CostModel
from core.cost.spread import with_memories
from core.cost.stripes import StripePrices
from core.cost.trace import trace
from core.edits.names import Names
from core.edits.outcomes import Said, outcomes, reasons_of
from core.edits.processors import on_cpu
from core.edits.resolve import Resolved
from core.edits.shown import held_by
from core.ir.edits import Edit, EditFate, OpNamed
from core.ir.fixed import NOTHING_FIXED, Fixed
from core.ir.front import Bound
from core.ir.held import Held
from core.ir.layout import MemoryLayout
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.options import LoweringOptions, Options, Search
from core.ir.robust_tried import Finalist, Memories
from core.ir.schedule import Schedule, priced_front
from core.ir.scheduled import Run, Scheduled
from core.ir.shown import Shown
from core.ir.trace import Analysis
from core.ir.weightstream import WeightLayout
from core.liveness.stripes import cascade_steps
from core.lower import run as lower
from core.pipeline.around import Grounded, Obstacles
from core.pipeline.arrivals import Placed, PricedBefore, Prices, with_arrivals
from core.pipeline.best.kept import Kept
from core.pipeline.heeded import ByPlace, Heeded, by_place, with_refused, without_refused
from core.pipeline.robust import least_regret
from core.pipeline.roomless import Roomless
from core.pipeline.within import Stages, with_addresses, with_held
from core.schedule.estimates import Demand, StreamSizes
from core.schedule.question import Question
from core.schedule.room import proved_need
from core.schedule.run import Preparations, Prepared
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig
from core.target.target import Target
from core.weights.encode import EncodingCache, Request, measure, measure_many

_MOST_PRICED, _MOST_PRICED_OPS = 16, 20_000
"""Schedules whose prices are remembered, fewer where each has many operators."""

_MOST_LOWERED = 4
"""Networks as edits wanted them lowered lately."""

_MOST_GROUNDS = 4
"""Schedules that edits were around lately."""

_MOST_LEAST = 4
"""Targets of which it was asked lately how few cycles can be."""

if TYPE_CHECKING:
    from core.pipeline.best.fronts import Fronts

Answer = Callable[[Target, Options, Progress], Scheduled]


class Workbench(Changing):
    """A lowered network, and what has been worked out for it: only what is new is done again.

    Nothing that it remembers changes a result; it only comes sooner.
    """

    run: Run
    encodings: EncodingCache = field(default_factory=EncodingCache)
    _searches: Preparations = later()
    _priced: PricedBefore = later()
    _ecosystem: Memo[Target, CostModel] = field(default_factory=Memo)
    """Estimates of the ecosystem's compiler, which are shown beside ours."""
    _free_peaks: Memo[tuple[Target, Options], int] = field(default_factory=Memo)
    """What schedules without edits take, where edits stood above a limit."""
    _compatible: Memo[LoweringOptions, Workbench] = field(default_factory=Memo)
    """Where the compatible schedules are made that robust ones are held against."""
    _grounds: Memo[Hashable, Grounded] = field(default_factory=lambda: Memo(_MOST_GROUNDS))
    """Schedules that were shown, with what is known of edits around them."""
    _least: Memo[Target, float] = field(default_factory=lambda: Memo(_MOST_LEAST))
    """Cycles that no schedule does without, whatever its edits."""
    kept: Kept | None = None
    """Where fronts of the best search outlive the process."""
    named_for_cpu: tuple[OpNamed, ...] = ()
    """What edits have put on the CPU already in the network as it is lowered here."""
    origin: Workbench | None = None
    """The workbench of the network without those edits, and for other strategies."""
    _lowered: Memo[LoweringOptions, Workbench] = field(default_factory=lambda: Memo(_MOST_LOWERED))
    _fronts: Fronts | None = None

    def __post_init__(self) -> None:
        encoder = _Encoder(self.run.graph, self.run.accelerator, self.encodings)
        self._searches = Preparations(
            graph=self.run.graph, encoder=encoder.sizes, expect=encoder.prepare
        )
        ops = max(len(self.run.graph.ops), 1)
        self._priced = Memo(min(_MOST_PRICED, max(_MOST_PRICED_OPS // ops, 1)))

    @property
    def fronts(self) -> Fronts:
        """Of the best search; what is asked of this may also let them grow."""
        if self._fronts is None:
            # A first answer has no need of it, and would load it before it is there.
            from core.pipeline.best.fronts import Fronts

            self._fronts = Fronts(self.run, self._found, self._bound, self.kept)
        return self._fronts

    @door
    def schedule(self, target: Target, options: Options, progress: Progress = SILENT) -> Scheduled:
        """The network's schedule for a target."""
        if (bench := self.lowered_for(target, options, progress)) is not self:
            return bench.schedule(target, options, progress)
        grown = self.fronts.answer if options.is_best else None
        return self._answered(target, options, progress, grown)

    @door
    def schedule_alone(
        self, target: Target, options: Options, progress: Progress = SILENT
    ) -> Scheduled:
        """The same, whatever was asked of this workbench before; a front grows with what is."""
        if (bench := self.lowered_for(target, options, progress)) is not self:
            return bench.schedule_alone(target, options, progress)
        grown = self.fronts.alone if options.is_best else None
        return self._answered(target, options, progress, grown)

    @door
    def glance(self, target: Target, options: Options, progress: Progress = SILENT) -> Scheduled:
        """The same at once: the front of the best search is asked as it stands."""
        if not options.is_best:
            return self.schedule(target, options, progress)
        if (bench := self.lowered_for(target, options, progress)) is not self:
            return bench.glance(target, options, progress)
        found = self.fronts.look_up(target, options, progress)
        return self._robust(found, target, options, progress)

    def lowered_for(
        self, target: Target, options: Options, progress: Progress = SILENT
    ) -> Workbench:
        """The workbench of the network as edits and the strategy want it lowered: this one, where
        none is about what runs an operator, and no operator can save memory."""
        named = on_cpu(options.edits)
        saves = lower.saves_memory(self.run.network, target, options)
        if (named, saves) == (self.named_for_cpu, self.run.saves_memory):
            return self
        if self.origin is not None:
            return self.origin.lowered_for(target, options, progress)

        lowering = replace(options.lowering, on_cpu=named, saves_memory=saves)

        def lowered() -> Workbench:
            graph = lower.run(self.run.network, self.run.accelerator, lowering, progress)
            run = replace(self.run, graph=graph, saves_memory=saves)
            return Workbench(run, self.encodings, named_for_cpu=named, origin=self)

        return self._lowered.answer(lowering, lowered)

    def analyse(self, scheduled: Scheduled) -> Analysis:
        """What a schedule of this network shows beside itself."""
        if (bench := self.lowered_for(scheduled.target, scheduled.options)) is not self:
            return bench.analyse(scheduled)
        # Estimates do not depend on the limit, which is what mostly changes.
        target = scheduled.target.with_limit(self.run.accelerator.max_address)
        ecosystem = self._ecosystem.answer(target, lambda: ecosystem_model(scheduled))
        prices = self._searches.prices(Question.of(scheduled.target, scheduled.options).target)
        return analyse(scheduled, ecosystem, prices)

    def _answered(
        self, target: Target, options: Options, progress: Progress, grown: Answer | None
    ) -> Scheduled:
        found = self._heeding(target, options, progress, grown)
        return self._robust(found, target, options, progress)

    @door
    def around(
        self, shown: Shown, target: Target, options: Options, progress: Progress = SILENT
    ) -> Scheduled:
        """The schedule that was shown, with edits that change what they say, and nothing else."""
        if (bench := self.lowered_for(target, options, progress)) is not self:
            return bench.around(shown, target, options, progress)
        return self._grounded(shown, target, options, progress).answer(options.edits)

    def _grounded(
        self, shown: Shown, target: Target, options: Options, progress: Progress
    ) -> Grounded:
        direct = replace(options, search=_alone(options.search), robust=False, edits=())

        def realise(edits: tuple[Edit, ...]) -> Scheduled | Obstacles:
            held = held_by(shown, Names.of(self.run.graph))
            return self._realised(target, replace(direct, edits=edits), held, progress)

        def grounded() -> Grounded:
            decisions = shown.decisions
            while not isinstance(ground := realise(decisions), Scheduled):
                # Of a file whose network was lowered otherwise; the rest is searched.
                lost = ground.keys()
                decisions = tuple(e for at, e in enumerate(decisions) if at not in lost)
            bare = replace(ground, options=replace(options, edits=()), edits=())
            return Grounded(shown, bare, realise)

        return self._grounds.answer((shown, target, direct), grounded)

    def _robust(
        self, found: Scheduled, target: Target, options: Options, progress: Progress
    ) -> Scheduled:
        """What was found, or another finalist where options ask for what loses least."""
        if not options.is_robust:
            return found
        direct, hard = replace(options, search=Search.DIRECT), with_memories(target, Memories.HARD)
        as_elsewhere = replace(options, search=Search.COMPATIBLE, as_first=False)
        finalists = {
            Finalist.USUAL: found,
            Finalist.COMPATIBLE: self._heeding(target, as_elsewhere, progress),
            Finalist.HARD: self._heeding(hard, direct, progress),
        }
        asked = replace(as_elsewhere, edits=())
        compatible = self._compatible_bench(asked, progress).schedule(target, asked, progress)
        return least_regret(finalists, compatible, target, options, progress)

    def _compatible_bench(self, options: Options, progress: Progress) -> Workbench:
        """A workbench of the network as the ecosystem's compiler lowers it."""
        lowering = replace(options.lowering, on_cpu=self.named_for_cpu)

        def as_elsewhere() -> Workbench:
            run = self.run
            graph = lower.run(run.network, run.accelerator, lowering, progress)
            return Workbench(replace(run, graph=graph, saves_memory=False))

        return self._compatible.answer(lowering, as_elsewhere)

    def _heeding(
        self, target: Target, options: Options, progress: Progress, grown: Answer | None = None
    ) -> Scheduled:
        """A schedule in which edits that are refused have no part: it is searched without them.
        It is that of a front that grows, or else that of one search."""
        if grown is not None:
            found = grown(target, options, progress)
        else:
            found = next(self._found(target, options, progress))
        left = without_refused(options, found)
        if left == options or self._fixed(target, left) == self._fixed(target, options):
            return found
        return with_refused(found, self._heeding(target, left, progress, grown))

    def _fixed(self, target: Target, options: Options) -> Fixed:
        """What a search is given of the edits."""
        heeded, _ = self._possible(target, options)
        return heeded.fixed

    def _possible(self, target: Target, options: Options) -> tuple[Heeded, Prepared]:
        """The edits that are possible beside each other, and what is prepared for them."""

        def obeying(fixed: Fixed) -> Prepared:
            return self._searches.of(Question.of(target, options, fixed))

        return Heeded.of(self.run.graph, options, obeying)

    def _found(
        self,
        target: Target,
        options: Options,
        progress: Progress,
        *,
        keeps_edits: bool = False,
        known: Schedule | None = None,
    ) -> Iterator[Scheduled]:
        """What one search finds, and then the same with addresses that may suit other limits;
        nothing where it finds what is known."""
        if target.accelerator != self.run.accelerator:
            raise InternalError("the network was lowered for another accelerator")
        heeded, prepared = self._possible(target, options)
        fixed, resolved = heeded.fixed, heeded.resolved
        question = Question.of(target, options, fixed)
        stages = Stages(self._searches, question, target, options, progress, fixed, known)
        first = stages.first()
        if known is not None and first.runs_as(known):
            return
        found, layout = with_addresses(stages, first)
        roomless: ByPlace = {}
        if not (layout.is_within_limits or fixed == NOTHING_FIXED or keeps_edits):
            roomless = Roomless(
                edits=heeded.edits,
                names=resolved.names,
                searches=self._searches,
                target=target,
                options=options,
                progress=progress,
                free_peaks=self._free_peaks,
            ).left_out(found.peak_bytes)
        if roomless:
            fixed = heeded.without(roomless).fixed
            question = Question.of(target, options, fixed)
            stages = Stages(self._searches, question, target, options, progress, fixed)
            found, layout = with_addresses(stages, stages.first())
        said = _said(heeded, prepared, layout, roomless)
        for placed in with_arrivals(stages, found, layout, self._priced):
            yield self._whole(stages, placed, resolved, said)

    def _whole(self, stages: Stages, placed: Placed, resolved: Resolved, said: Said) -> Scheduled:
        """A schedule with all that is said of it, of the edits too."""
        graph, target, options = self.run.graph, stages.target, stages.options
        plans, layout = placed.schedule, placed.layout
        if plans.front:
            plans = replace(plans, front=priced_front(plans.front, placed.prices.total))
        became = outcomes(plans, layout, options.edits, resolved, said)
        hold("the edits", edits_check.verify(graph, target, plans, layout, became))
        return Scheduled(
            run=self.run,
            target=target,
            options=options,
            schedule=plans,
            layout=layout,
            costs=placed.prices.costs,
            total=placed.prices.total,
            edits=became,
        )

    def _realised(
        self, target: Target, options: Options, held: Held, progress: Progress
    ) -> Scheduled | Obstacles:
        """The schedule that has all edits, in addresses that were there before; or which cannot be
        beside the others, and why."""
        heeded, prepared = self._possible(target, options)
        settled = [
            (place, outcome)
            for place, outcome in heeded.resolved.settled.items()
            if outcome.fate is not EditFate.HONOURED
        ]
        if heeded.left_out or settled:
            reasons = {place: outcome.reasons for place, outcome in settled if outcome.reasons}
            return {**reasons_of(heeded.left_out, heeded.resolved), **reasons}
        question = Question.of(target, options, heeded.fixed)
        stages = Stages(self._searches, question, target, options, progress, heeded.fixed)
        found = stages.first()
        layout = with_held(stages, found, held)
        prices = Prices(*schedule_cost(prepared.prices, found, layout))
        said = _said(heeded, prepared, layout, {})
        return self._whole(stages, Placed(found, layout, prices), heeded.resolved, said)

    def _bound(self, target: Target, options: Options) -> Bound:
        """What no schedule does without, whatever is decided."""
        need = proved_need(self._searches.of(Question.of(target, options)))
        return Bound(self.least_cycles(target), need.size_bytes)

    @door
    def least_cycles(self, target: Target) -> float:
        """Cycles that no schedule of the network does without, whatever its memory."""
        graph = self.run.graph
        encoder = _Encoder(graph, self.run.accelerator, self.encodings)

        def stream_bytes(streams: Sequence[tuple[NpuOp, BlockConfig]]) -> list[int]:
            demands = [(op, block, (0, op.ofm.touched.c)) for op, block in streams]
            encoder.prepare(demands)
            return [encoder.sizes(*demand).stream_bytes for demand in demands]

        return self._least.answer(target, lambda: least_cycles_of(graph, target, stream_bytes))


def _alone(search: Search) -> Search:
    """The search that has the freedoms of another, and asks once."""
    return Search.DIRECT if search is Search.BEST else search


def _said(heeded: Heeded, prepared: Prepared, layout: MemoryLayout, roomless: ByPlace) -> Said:
    """What is known of edits that were searched with."""
    against = by_place(heeded.resolved, (*prepared.against, *layout.against))
    return Said(left_out=heeded.left_out, against={**against, **roomless})


class _Encoder(NamedTuple):
    """The weights stage as the scheduler asks for it: it wants sizes, not bytes."""

    graph: NpuGraph
    accelerator: Accelerator
    cache: EncodingCache

    def sizes(self, op: NpuOp, block: BlockConfig, slices: tuple[int, ...]) -> StreamSizes:
        """The sizes of an operator's stream."""
        dtype, layout = self.graph.fm(op.ifm).dtype, weight_layout(block, slices)
        return StreamSizes(*measure(op, dtype, self.accelerator, layout, cache=self.cache))

    def prepare(self, demands: Sequence[Demand]) -> None:
        """Measure many streams at once."""
        requests = [
            Request(op, self.graph.fm(op.ifm).dtype, weight_layout(block, slices))
            for op, block, slices in demands
        ]
        measure_many(requests, self.accelerator, cache=self.cache)


def weight_layout(block: BlockConfig, slices: tuple[int, ...]) -> WeightLayout:
    """What of a plan decides about the bytes of a weight stream."""
    return WeightLayout(
        block_depth=block.ofm_block.c,
        is_part_kernel=block.is_part_kernel,
        depth_slices=slices,
    )


def analyse(
    scheduled: Scheduled,
    ecosystem: CostModel | None = None,
    prices: StripePrices | None = None,
) -> Analysis:
    """The schedule over cycles, its cascades step by step, and what evictions cost."""
    graph, target, schedule = scheduled.run.graph, scheduled.target, scheduled.schedule
    cascades = tuple(steps for island in schedule.islands for steps in cascade_steps(graph, island))
    return Analysis(
        trace=trace(graph, target, schedule, scheduled.layout, scheduled.costs, cascades),
        cascades=cascades,
        evictions=eviction_costs(scheduled, prices),
        ecosystem=ecosystem_estimate(scheduled, ecosystem),
    )
