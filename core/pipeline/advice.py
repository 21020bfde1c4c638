"""What would help: other settings, limits, edits, each of them tried; none is guessed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from core.base.errors import OptionError
from core.base.geometry import Block, round_up
from core.base.ids import FmId, NpuOpId
from core.base.progress import SILENT, Progress
from core.edits.names import Names
from core.ir.advice import Effect, Occasion, Tip, Topic
from core.ir.edits import (
    Edit,
    EditFate,
    Grouping,
    Living,
    OpsNamed,
    WeightsAsked,
    What,
)
from core.ir.options import (
    Allocator,
    Engine,
    EvictionPolicy,
    LoweringOptions,
    Options,
    Search,
)
from core.ir.schedule import OpPlan
from core.ir.scheduled import Run, Scheduled
from core.ir.settings import Settings
from core.lower import run as lower
from core.pipeline.best.kept import Kept
from core.pipeline.legal_values import legal_blocks, legal_formats
from core.pipeline.scheduled import Workbench
from core.report.padding import live_at_peak
from core.target.config import load as load_presets
from core.target.format import BRICK_DEPTH, Format

_WORST = 4
"""Operators with most cycles of which blocks and formats are tried."""
_EVICTED = 4
"""Evicted groups, the largest first, of which it is tried to keep one."""
_BLOCKS = 2
_PADDED = 3
"""Maps with most padding of which it is tried to store them in rows."""
_AT_PEAK = 3
"""The largest maps of the peak, which are tried as rolling buffers of a cascade."""
_MOST_BUFFERS = 2
_LESS = (0.9, 0.75, 0.6, 0.5)
"""Parts of what is used that are tried as limits, as long as it is as fast."""
_MORE = (1.125, 1.25, 1.5, 2.0)
_STEP_BYTES = 1024
_LEAST_GAIN = 0.002
"""Of cycles or of bytes: what brings less is no advice."""
_LEAST_CLIFF = 0.01
"""Of cycles, where it costs memory."""


@dataclass(slots=True)
class Trials:
    """Schedules of one network for whatever is asked, on benches that are made once."""

    run: Run
    """The network as it was lowered for what is shown."""
    lowering: LoweringOptions
    progress: Progress = SILENT
    kept: Kept | None = None
    """Where fronts of the best search are."""
    _benches: dict[LoweringOptions, Workbench] = field(default_factory=dict)
    _known: dict[Settings, Scheduled | None] = field(default_factory=dict)

    def schedule(self, settings: Settings) -> Scheduled | None:
        """What is found for settings; None where they cannot be had."""
        if settings not in self._known:
            self._known[settings] = self._schedule(settings)
        return self._known[settings]

    def _schedule(self, settings: Settings) -> Scheduled | None:
        try:
            target = settings.target()
        except OptionError:
            return None
        bench = self._bench(settings.options.lowering)
        if settings.options.is_best:
            # A front that was asked before knows more than one that answers this alone.
            bench = Workbench(bench.run, bench.encodings, kept=self.kept)
        return bench.schedule(target, settings.options, self.progress)

    def _bench(self, asked: LoweringOptions) -> Workbench:
        if asked not in self._benches:
            run = self.run
            if asked != self.lowering:
                graph = lower.run(run.network, run.accelerator, asked, self.progress)
                run = replace(run, graph=graph)
            self._benches[asked] = Workbench(run)
        return self._benches[asked]


def advice(trials: Trials, settings: Settings, *, tries_best: bool = True) -> Iterator[Tip]:
    """What helps, as soon as it was tried; what takes longest comes last."""
    shown = trials.schedule(settings)
    if shown is None or not shown.graph.ops:
        return
    before = effect_of(shown)
    candidates = [
        *_searches(settings, shown),
        *_edits(settings, shown),
        *_modes(settings),
    ]
    for done, (topic, asked, proposal) in enumerate(candidates):
        trials.progress.advance("trying what would help", done, len(candidates))
        tip = _tried(trials, topic, asked, proposal, before)
        if tip is not None:
            yield tip
    yield from _less_memory(trials, settings, before)
    yield from _more_memory(trials, settings, before)
    if tries_best and not settings.options.is_best:
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
        evicted_bytes=scheduled.evicted_bytes,
        excess_bytes=sum(area.excess_bytes for area in scheduled.layout.areas),
    )


def _tried(
    trials: Trials, topic: Topic, asked: Settings, proposal: _Proposal | None, before: Effect
) -> Tip | None:
    found = trials.schedule(asked)
    if found is None:
        return None
    if proposal is not None and found.edits[-1].fate is not EditFate.HONOURED:
        return None
    after = effect_of(found)
    if not helps(before, after):
        return None
    edit, occasion = proposal or (None, None)
    return Tip(
        topic=topic, settings=asked, edit=edit, before=before, after=after, occasion=occasion
    )


def helps(before: Effect, after: Effect) -> bool:
    """Whether it fits where it did not, is faster within the limit, or smaller and as fast."""
    if after.excess_bytes != before.excess_bytes:
        return after.excess_bytes < before.excess_bytes
    if after.cycles <= before.cycles * (1 - _LEAST_GAIN):
        return True
    gain = before.fast_bytes - after.fast_bytes
    return after.cycles <= before.cycles and gain > 0 and gain >= before.fast_bytes * _LEAST_GAIN


class _Proposal(NamedTuple):
    """An edit that may help, and why it is tried."""

    edit: Edit
    occasion: Occasion


_Candidate = tuple[Topic, Settings, _Proposal | None]


def _searches(settings: Settings, shown: Scheduled) -> Iterator[_Candidate]:
    """Other searches; policies where something is evicted, allocators where bytes are lost."""
    options = settings.options
    for engine in Engine:
        other = replace(options, search=Search.DIRECT, engine=engine)
        if other != options:
            yield Topic.SEARCH, replace(settings, options=other), None
    if shown.evicted_bytes:
        for policy in EvictionPolicy:
            if policy is not options.eviction:
                yield Topic.SEARCH, _with(settings, replace(options, eviction=policy)), None
    if any(area.is_torn for area in shown.layout.areas):
        for allocator in Allocator:
            if allocator is not options.allocator:
                yield Topic.SEARCH, _with(settings, replace(options, allocator=allocator)), None


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
    for proposal in _proposed(shown):
        options = replace(settings.options, edits=(*settings.options.edits, proposal.edit))
        yield Topic.EDIT, _with(settings, options), proposal


def _proposed(shown: Scheduled) -> Iterator[_Proposal]:
    """Edits whose subjects nobody has decided about."""
    taken = {(edit.subject, edit.what) for edit in shown.options.edits if edit.is_on}
    names = Names.of(shown.graph)
    evicted = [each for island in shown.schedule.islands for each in island.evicted]
    worst = sorted(shown.schedule.ops, key=lambda plan: -shown.cost(plan).total_cycles)[:_WORST]
    found: dict[Edit, Occasion] = {}
    for group in sorted(evicted, key=lambda each: -each.size_bytes)[:_EVICTED]:
        edit = Edit(subject=names.maps[group.fms[0]], what=What.REGION, value=Living.FAST)
        found.setdefault(edit, Occasion.EVICTED)
    for plan in worst:
        for edit in _about(shown, plan, names):
            found.setdefault(edit, Occasion.WORST)
    for edit in _unpadded(shown, names):
        found.setdefault(edit, Occasion.PADDED)
    for edit in _rolled(shown, names):
        found.setdefault(edit, Occasion.AT_PEAK)
    for edit, occasion in found.items():
        if (edit.subject, edit.what) not in taken:
            yield _Proposal(edit, occasion)


def _unpadded(shown: Scheduled, names: Names) -> Iterator[Edit]:
    """Rows for the maps of which bricks hold most that is no element."""
    maps, plans = shown.graph.feature_maps, shown.schedule.maps
    lost: dict[FmId, int] = {}
    for number, (found, plan) in enumerate(zip(maps, plans, strict=True)):
        if plan.format is Format.BRICKS and found.shape:
            wider = round_up(found.shape[-1], BRICK_DEPTH) - found.shape[-1]
            lost[FmId(number)] = math.prod(found.shape[:-1]) * wider * found.dtype.bits // 8
    offers = legal_formats(shown)
    padded = sorted((fm for fm in lost if lost[fm]), key=lambda fm: -lost[fm])
    for fm in padded[:_PADDED]:
        if any(offer.format is Format.LINEAR for offer in offers[fm]):
            yield Edit(subject=names.maps[fm], what=What.FORMAT, value=Format.LINEAR)


def _rolled(shown: Scheduled, names: Names) -> Iterator[Edit]:
    """Makers and readers of the largest maps of the peak, to run in one cascade."""
    cascades = {
        op: (island.island, at)
        for island in shown.schedule.islands
        for at, cascade in enumerate(island.cascades)
        for op in cascade.ops
    }
    makers = {op.ofm.fm: op.id for op in shown.graph.ops}
    readers: dict[FmId, list[NpuOpId]] = {}
    for op in shown.graph.ops:
        for view in (op.ifm, op.ifm2):
            if view is not None:
                readers.setdefault(view.fm, []).append(op.id)
    live = sorted(live_at_peak(shown), key=lambda place: -place.size_bytes)
    for place in live[:_AT_PEAK]:
        maker = makers.get(place.fms[0])
        for reader in readers.get(place.fms[0], ())[:1]:
            own = None if maker is None else cascades.get(maker)
            if maker is not None and (own is None or own != cascades.get(reader)):
                subject = OpsNamed((names.ops[maker], names.ops[reader]))
                yield Edit(subject=subject, what=What.CASCADE, value=Grouping.TOGETHER)


def _about(shown: Scheduled, plan: OpPlan, names: Names) -> Iterator[Edit]:
    """What could be decided otherwise about an operator: block, format, how weights come."""
    name, made = names.ops[plan.op], shown.op(plan).ofm.fm
    for block in _faster_blocks(shown, plan):
        yield Edit(subject=name, what=What.BLOCK, value=block)
    for offer in legal_formats(shown)[made]:
        if offer.format is not shown.schedule.maps[made].format:
            yield Edit(subject=names.maps[made], what=What.FORMAT, value=offer.format)
    ways = range(_MOST_BUFFERS + 1) if plan.weights is not None else ()
    for buffers in ways:
        if plan.weights is not None and buffers != len(plan.weights.buffer_bytes):
            yield Edit(subject=name, what=What.WEIGHTS, value=WeightsAsked(buffers=buffers))


def _faster_blocks(shown: Scheduled, plan: OpPlan) -> Iterator[Block]:
    """Other blocks that promise most."""
    own = plan.block.ofm_block
    others = (offer.block for offer in legal_blocks(shown, plan.op) if offer.block != own)
    for _, block in zip(range(_BLOCKS), others, strict=False):
        yield block


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


def _more_memory(trials: Trials, settings: Settings, before: Effect) -> Iterator[Tip]:
    """The lowest of some higher limits from which on it is clearly faster."""
    target = settings.target()
    limit = target.fast_limit_bytes
    for part in _MORE:
        more = min(round_up(int(limit * part), _STEP_BYTES), target.accelerator.max_address)
        if more <= limit:
            return
        asked = replace(settings, limit_bytes=more)
        found = _tried(trials, Topic.MORE_MEMORY, asked, None, before)
        if found is None:
            continue
        is_faster = found.after.cycles <= before.cycles * (1 - _LEAST_CLIFF)
        if found.after.fits and (is_faster or not before.fits):
            yield found
            return
