"""What would help: other settings, limits, edits, each of them tried; none is guessed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.base.errors import OptionError
from core.base.frozen import Changing, field, later, replace
from core.base.geometry import round_up
from core.base.ids import FmId
from core.base.memo import Memo
from core.base.progress import SILENT, Progress
from core.ir.advice import Effect, Tip, Topic
from core.ir.edits import EditFate
from core.ir.options import (
    Allocator,
    Engine,
    EvictionPolicy,
    LoweringOptions,
    Options,
    Search,
    Strategy,
)
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.lower import run as lower
from core.pipeline.best.kept import Kept
from core.pipeline.proposals import (
    Proposal,
    because_evicted,
    largest,
    proposals,
    roomless,
)
from core.pipeline.scheduled import Workbench
from core.target.config import load as load_presets
from core.target.family import Family
from core.target.region import Region

_LESS = (0.9, 0.75, 0.6, 0.5)
"""Parts of what is used that are tried as limits, as long as it is as fast."""
_MORE = (1.125, 1.25, 1.5, 2.0)
_STEP_BYTES = 1024
_LEAST_GAIN = 0.002
"""Of bytes: what brings less is no advice."""


class _Steps(Changing):
    """Reports how many trials were made, wherever the one is that is being made."""

    progress: Progress
    done: int = 0
    total: int = 1

    def advance(self, stage: str, done: int, total: int) -> None:
        """Of a search: it tells only that time goes by."""
        del stage, done, total
        self.progress.advance("trying what would help", self.done, self.total)


class Trials(Changing):
    """Schedules of one network for whatever is asked, on benches that are made once."""

    bench: Workbench
    """Where what is shown was made, or can be."""
    lowering: LoweringOptions
    """How its network was lowered."""
    progress: Progress = SILENT
    kept: Kept | None = None
    """Where fronts of the best search are."""
    grows_fronts: bool = True
    """Whether they take steps for what is tried; otherwise they answer as they stand."""
    steps: _Steps = later()
    _benches: Memo[LoweringOptions, Workbench] = field(default_factory=Memo)
    _known: Memo[Settings, Scheduled | None] = field(default_factory=Memo)

    def __post_init__(self) -> None:
        self.steps = _Steps(self.progress)

    def take(self, settings: Settings, scheduled: Scheduled) -> None:
        """What is shown was found already."""
        self._known.keep(settings, scheduled)

    def schedule(self, settings: Settings) -> Scheduled | None:
        """What is found for settings; None where they cannot be had."""
        return self._known.answer(settings, lambda: self._schedule(settings))

    def _schedule(self, settings: Settings) -> Scheduled | None:
        try:
            target = settings.target()
        except OptionError:
            return None
        bench, options = self._bench(settings.options.lowering), settings.options
        if options.is_best:
            if not self.grows_fronts:
                return bench.glance(target, options, self.steps)
            # A front that was asked before knows more than one that answers this alone.
            bench = Workbench(bench.run, bench.encodings, kept=self.kept)
        return bench.schedule(target, options, self.steps)

    def _bench(self, asked: LoweringOptions) -> Workbench:
        if asked == self.lowering:
            return self.bench

        def lowered() -> Workbench:
            run = self.bench.run
            graph = lower.run(run.network, run.accelerator, asked, self.steps)
            return Workbench(replace(run, graph=graph, saves_memory=False), kept=self.kept)

        return self._benches.answer(asked, lowered)


def advice(trials: Trials, settings: Settings) -> Iterator[Tip]:
    """What helps, as soon as it was tried; what takes longest comes last."""
    shown = trials.schedule(settings)
    if shown is None or not shown.graph.ops:
        return
    before = effect_of(shown)
    candidates = [
        *_searches(settings, shown),
        *_edits(settings, shown),
    ]
    if trials.grows_fronts or not settings.options.is_best:
        candidates += _modes(settings)
    # After the candidates come less memory, more, and the best search.
    steps = trials.steps
    steps.total = len(candidates) + 3
    for steps.done, (topic, asked, proposal) in enumerate(candidates):
        tip = _tried(trials, topic, asked, proposal, before)
        if tip is not None:
            yield tip
    steps.done = len(candidates)
    yield from _less_memory(trials, settings, before)
    steps.done += 1
    yield from _more_memory(trials, settings, shown, before)
    steps.done += 1
    if not settings.options.is_best:
        # Many searches, so that all others come first.
        options = replace(settings.options, search=Search.BEST, engine=Engine.CASCADING)
        tip = _tried(trials, Topic.SEARCH, _with(settings, options), None, before)
        if tip is not None:
            yield tip


def effect_of(scheduled: Scheduled) -> Effect:
    """What a schedule comes to."""
    return Effect(
        cycles=scheduled.total.total_cycles,
        fast_bytes=scheduled.fast_bytes,
        evicted_bytes=scheduled.schedule.evicted_bytes,
        excess_bytes=sum(area.excess_bytes for area in scheduled.layout.areas),
    )


def _tried(
    trials: Trials, topic: Topic, asked: Settings, proposal: Proposal | None, before: Effect
) -> Tip | None:
    found = trials.schedule(asked)
    if found is None:
        return None
    if proposal is not None and found.edits[-1].fate is not EditFate.HONOURED:
        return None
    after, family = effect_of(found), found.target.accelerator.family
    if not helps(before, after, family):
        return None
    edit, because = proposal or (None, None)
    return Tip(
        topic=topic,
        settings=asked,
        edit=edit,
        before=before,
        after=after,
        because=because,
        tells_cycles=family.tells_apart(before.cycles, after.cycles),
    )


def helps(before: Effect, after: Effect, family: Family) -> bool:
    """Whether it fits where it did not, is faster within the limit, or smaller and as fast.

    What is not faster by more than the error of the estimate is not offered as faster.
    """
    if after.excess_bytes != before.excess_bytes:
        return after.excess_bytes < before.excess_bytes
    if after.cycles < before.cycles and family.tells_apart(before.cycles, after.cycles):
        return True
    gain = before.fast_bytes - after.fast_bytes
    return after.cycles <= before.cycles and gain > 0 and gain >= before.fast_bytes * _LEAST_GAIN


_Candidate = tuple[Topic, Settings, Proposal | None]


def _searches(settings: Settings, shown: Scheduled) -> Iterator[_Candidate]:
    """Other searches, strategies, policies and allocators."""
    for other in (*_ways(settings.options), *_repairs(settings.options, shown)):
        if other != settings.options:
            yield Topic.SEARCH, _with(settings, other), None


def _ways(options: Options) -> Iterator[Options]:
    """Other engines and strategies; of the best search each strategy would be its own front."""
    for engine in Engine:
        yield replace(options, search=Search.DIRECT, engine=engine)
    if not options.is_best:
        for strategy in Strategy:
            yield replace(options, strategy=strategy)


def _repairs(options: Options, shown: Scheduled) -> Iterator[Options]:
    """Policies where something is evicted, allocators where bytes are lost."""
    if shown.schedule.has_no_room:
        for policy in EvictionPolicy:
            yield replace(options, eviction=policy)
    if any(area.is_torn for area in shown.layout.areas):
        for allocator in Allocator:
            yield replace(options, allocator=allocator)


def _modes(settings: Settings) -> Iterator[_Candidate]:
    """Other memory modes that the accelerator can have, each with its own limit."""
    own = settings.target().mode.name
    for name in load_presets(map(Path, settings.configs)).memory_modes:
        if name != own:
            other = replace(settings, memory_mode=name, limit_bytes=None)
            yield Topic.MODE, other, None


def _edits(settings: Settings, shown: Scheduled) -> Iterator[_Candidate]:
    """Decisions about the operators with most cycles, and about what was evicted."""
    if settings.options.is_best:
        # Each would be a front of its own.
        return
    for proposal in proposals(shown):
        options = replace(settings.options, edits=(*settings.options.edits, proposal.edit))
        yield Topic.EDIT, _with(settings, options), proposal


def _with(settings: Settings, options: Options) -> Settings:
    return replace(settings, options=options)


def _less_memory(trials: Trials, settings: Settings, before: Effect) -> Iterator[Tip]:
    """The lowest of some limits within which it is as fast."""
    best: Tip | None = None
    for part in _LESS:
        limit = round_up(int(before.fast_bytes * part), _STEP_BYTES)
        asked = replace(settings, limit_bytes=limit)
        found = _tried(trials, Topic.LESS_MEMORY, asked, None, before)
        if found is None or not found.after.fits:
            break
        best = found
    if best is not None:
        yield best


def _more_memory(
    trials: Trials, settings: Settings, shown: Scheduled, before: Effect
) -> Iterator[Tip]:
    """Limits within which evicted maps stay, and the lowest of some that make it clearly faster."""
    taken: set[Settings] = set()
    for tip in _staying(trials, settings, shown, before):
        if tip.settings not in taken:
            taken.add(tip.settings)
            yield tip
    cliff = _next_cliff(trials, settings, before)
    if cliff is not None and cliff.settings not in taken:
        yield cliff


def _staying(trials: Trials, settings: Settings, shown: Scheduled, before: Effect) -> Iterator[Tip]:
    """For each of the largest evicted maps, the limit within which it is in fast storage."""
    if settings.options.is_best:
        # Each limit that is tried would be a front of its own.
        return
    for group in largest(roomless(shown)):
        limit = _stays_from(trials, settings, group.fms[0])
        if limit is None:
            continue
        asked = replace(settings, limit_bytes=limit)
        tip = _tried(trials, Topic.MORE_MEMORY, asked, None, before)
        if tip is not None:
            yield replace(tip, because=because_evicted(shown, group))


def _stays_from(trials: Trials, settings: Settings, fm: FmId) -> int | None:
    """A limit with which a map is in fast storage, and with a step less it is not."""
    target = settings.target()

    def stays(steps: int) -> bool:
        asked = replace(settings, limit_bytes=steps * _STEP_BYTES)
        found = trials.schedule(asked)
        return found is not None and found.schedule.maps[fm].region is Region.SCRATCH_FAST

    low = target.fast_limit_bytes // _STEP_BYTES
    if not low or stays(low):
        return None
    high = 2 * low
    while not stays(high):
        low, high = high, 2 * high
        if high * _STEP_BYTES > target.accelerator.max_address:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if stays(middle) else (middle, high)
    return high * _STEP_BYTES


def _next_cliff(trials: Trials, settings: Settings, before: Effect) -> Tip | None:
    """The lowest of some higher limits from which on it is clearly faster."""
    target = settings.target()
    limit = target.fast_limit_bytes
    for part in _MORE:
        more = min(round_up(int(limit * part), _STEP_BYTES), target.accelerator.max_address)
        if more <= limit:
            break
        asked = replace(settings, limit_bytes=more)
        found = _tried(trials, Topic.MORE_MEMORY, asked, None, before)
        if found is None:
            continue
        is_faster = found.tells_cycles and found.cycles < 0
        if found.after.fits and (is_faster or not before.fits):
            return found
    return None
