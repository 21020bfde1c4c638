"""Where documents are answered: workbenches that stay warm from one to the next; no Qt."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.api import advices, edits, networks, programs, schedules, together
from core.base.digest import digest, digest_bytes
from core.base.errors import InputError, OptionError
from core.base.files import read_bytes
from core.base.frozen import NamedTuple, replace
from core.base.memo import Memo
from core.base.progress import SILENT, Progress
from core.ir.edits import EditOutcome
from core.ir.layout import MemoryLayout
from core.ir.options import Engine, Options, Search
from core.ir.schedule import FrontPoint
from core.ir.settings import Settings
from core.ir.shown import Shown, Sum
from core.target.target import Target
from gui.document.decisions import FROM_FRONT, beside_own, is_from_front, priced_places
from gui.document.document import Document, ModelRef
from gui.document.trial import Trial
from gui.jobs.ahead import limits_around
from gui.jobs.room import Room, room_of

SHOWN_PAUSE_S = 0.5
"""Better answers come no faster than eyes can follow."""
READY_S = 5.0
"""For so long it is made ready for what may be asked next."""
MOST_BENCHES = 4
"""Each holds a network and everything that was worked out for it."""
_MOST_SPREADS = 16
_MOST_ROOMS = 16


class Solution(NamedTuple):
    """What the compiler makes of a document, or a compiled model shows."""

    scheduled: schedules.Scheduled
    analysis: schedules.Analysis
    unlimited_bytes: int
    together: together.Together | None = None
    """Where other models in the same device lie, if there are any."""


@dataclass(slots=True)
class Bench:
    """A lowered network, ready to be scheduled again and again."""

    key: str
    """Two runs with the same key are the same."""
    workbench: schedules.Workbench
    _unlimited: dict[tuple[Target, Options], int] = field(default_factory=dict)
    _fronts: dict[tuple[Target, Options], tuple[FrontPoint, ...]] = field(default_factory=dict)
    """The last one that a schedule was adopted from."""
    _spreads: Memo[Hashable, schedules.Spread | None] = field(
        default_factory=lambda: Memo(_MOST_SPREADS)
    )

    @property
    def run(self) -> networks.Run:
        """The lowered network."""
        return self.workbench.run

    def solve(
        self, settings: Settings, progress: Progress, around: Shown | None = None
    ) -> Solution:
        """The schedule for what is asked, and all that is shown with it."""
        for _ in self._growing(settings, progress) if around is None else ():
            pass
        return self.glance(settings, progress, around)

    def glance(
        self, settings: Settings, progress: Progress, around: Shown | None = None
    ) -> Solution:
        """The same at once: the front of the best search is asked as it stands. Edits around what
        was shown leave nothing else to be searched."""
        # First of all, so that what is worked out for the limit stays at hand.
        unlimited = self.unlimited_bytes(settings, progress)
        scheduled = self.shown(settings, progress, around)
        progress.advance("analysing", 0, 1)
        return Solution(scheduled, self.workbench.analyse(scheduled), unlimited)

    def shown(
        self, settings: Settings, progress: Progress, around: Shown | None = None
    ) -> schedules.Scheduled:
        """The schedule of that alone."""
        target = settings.target()
        if around is None:
            return self._with_front(self.schedule(target, settings.options, progress), progress)
        return self.workbench.around(around, target, settings.options, progress)

    def schedule(self, target: Target, options: Options, progress: Progress) -> schedules.Scheduled:
        """The schedule for a target, of the best search what its front has now."""
        return self.workbench.glance(target, options, progress)

    def improved(self, settings: Settings, progress: Progress) -> Iterator[Solution]:
        """Better answers while the front grows, as often as eyes can follow, and the last."""
        shown = time.monotonic()
        for _ in self._growing(settings, progress):
            if time.monotonic() - shown > SHOWN_PAUSE_S:
                yield self.glance(settings, progress)
                shown = time.monotonic()
        if settings.options.is_best:
            # What was answered before may be of a younger front.
            yield self.glance(settings, progress)

    def spread(self, scheduled: schedules.Scheduled, progress: Progress) -> schedules.Spread | None:
        """What a schedule would take with somewhat other memories; most that the front improves
        has the same as before."""
        key = scheduled.target, scheduled.schedule.commands, scheduled.layout.addresses
        found = self._spreads.find(key)
        if found is None:
            found = schedules.spread_of(scheduled, progress)
            self._spreads.keep(key, found)
        return found

    def make_ready(self, settings: Settings, progress: Progress) -> None:
        """Work out what limits around this one need; the best search has its front for that."""
        if settings.options.is_best:
            return
        target, options = settings.target(), settings.options
        most_bytes = self.unlimited_bytes(settings, progress)
        end = time.monotonic() + READY_S
        for limit in limits_around(target.fast_limit_bytes, most_bytes):
            if time.monotonic() > end:
                return
            self.workbench.schedule(target.with_limit(limit), options, progress)

    def _growing(self, settings: Settings, progress: Progress) -> Iterator[object]:
        """Steps of the front, but not where a schedule was adopted as a whole."""
        options = settings.options
        if options.is_best and not is_from_front(options.edits):
            target = settings.target()
            bench = self.workbench.lowered_for(target, options, progress)
            yield from bench.fronts.growing(target, options, progress)

    def _with_front(
        self, scheduled: schedules.Scheduled, progress: Progress
    ) -> schedules.Scheduled:
        """A schedule that was adopted from a front, with that front and its own place in it."""
        target, options = scheduled.target, scheduled.options
        bare = tuple(edit for edit in options.edits if edit.note != FROM_FRONT)
        now = next((point for point in scheduled.schedule.front if point.is_taken), None)
        if now is None or len(bare) == len(options.edits):
            return scheduled
        asked = replace(options, edits=bare)
        if (target, asked) not in self._fronts:
            found = self.schedule(target, asked, progress).schedule.front
            self._fronts = {(target, asked): found}
        points = tuple(
            replace(point, is_taken=point.is_like(now)) for point in self._fronts[target, asked]
        )
        if not any(point.is_taken for point in points):
            return scheduled
        return replace(scheduled, schedule=replace(scheduled.schedule, front=points))

    def unlimited_bytes(self, settings: Settings, progress: Progress) -> int:
        """Fast storage that the engine takes where nothing limits it; searched once."""
        target = settings.target()
        free = target.with_limit(target.accelerator.max_address)
        options = _fastest(settings.options)
        known = self._unlimited.get((free, options))
        if known is None:
            known = self.workbench.schedule(free, options, progress).fast_bytes
            self._unlimited[free, options] = known
        return known


def _fastest(asked: Options) -> Options:
    """Options for the fastest schedule of an engine, all but those set back that it is the same
    for: without a limit nothing is evicted, and edits would only be in its way."""
    usual = Options()
    is_front = asked.engine is Engine.PARETO
    return replace(
        asked,
        search=Search.DIRECT if asked.search is Search.BEST else asked.search,
        strategy=usual.strategy,
        eviction=usual.eviction,
        effort=usual.effort,
        robust=usual.robust,
        pareto=replace(asked.pareto, most_bytes=None) if is_front else usual.pareto,
        allocator=usual.allocator,
        hill_climb_orders=usual.hill_climb_orders,
        cpu_alignment=usual.cpu_alignment,
        container=usual.container,
        edits=(),
    )


@dataclass(slots=True)
class CompiledBench:
    """A compiled model; settings only change which memories are assumed."""

    key: str
    run: networks.Run
    """The graph that its streams show, whatever is assumed."""
    read: programs.ReadProgram
    _known: dict[Target, programs.Readback] = field(default_factory=dict)

    @property
    def workbench(self) -> None:
        """There is nothing to be scheduled again."""
        return

    @classmethod
    def of(
        cls, key: str, read: programs.ReadProgram, settings: Settings, progress: Progress
    ) -> CompiledBench:
        """A program, ready to be shown."""
        target = assumed_target(read.program, settings)
        found = _read_back(read, target, progress)
        return cls(key, found.scheduled.run, read, {target: found})

    def solve(self, settings: Settings, progress: Progress, around: object = None) -> Solution:
        """What the program shows."""
        del around
        return self.glance(settings, progress)

    def unlimited_bytes(self, settings: Settings, progress: Progress) -> int:
        """What it takes, whatever is asked."""
        return self.glance(settings, progress).unlimited_bytes

    def glance(self, settings: Settings, progress: Progress, around: object = None) -> Solution:
        """The same: nothing is searched, and nothing is decided around it."""
        del around
        found = self._known.get(target := assumed_target(self.read.program, settings))
        if found is None:
            found = self._known[target] = _read_back(self.read, target, progress)
        scheduled = replace(found.scheduled, run=self.run)
        return Solution(scheduled, found.analysis, scheduled.fast_bytes)


def assumed_target(program: programs.Program, settings: Settings) -> Target:
    """The streams' accelerator with the memories that are asked for, as far as they go together."""
    accelerator = programs.accelerator_in(program)
    wanted = replace(settings, accelerator=accelerator.name, limit_bytes=None)
    plain = Settings(accelerator=accelerator.name)
    likely, usual = (programs.settings_for(each, program, accelerator) for each in (wanted, plain))
    for each in (likely, wanted, usual):
        try:
            return each.target()
        except OptionError:
            continue
    return plain.target()


def _read_back(read: programs.ReadProgram, target: Target, progress: Progress) -> programs.Readback:
    return programs.read_back(programs.study_program(read, lambda _: target, progress))


AnyBench = Bench | CompiledBench


class Desk:
    """Answers documents; what the last ones needed is at hand."""

    def __init__(self, kept: schedules.Kept | None = None) -> None:
        """Fronts that are found may be kept beyond the process."""
        self._kept = kept
        self._benches: Memo[str, AnyBench] = Memo(MOST_BENCHES)
        self._rooms: Memo[Document, Room] = Memo(_MOST_ROOMS)

    def bench(self, document: Document, progress: Progress = SILENT) -> AnyBench:
        """The bench for a document; a CoreError says why there is none."""
        model, settings = document.model, document.settings
        if model is None:
            raise InputError("no model is open")
        target = settings.target()
        key = bench_key(model, target, settings)
        found = self._benches.find(key)
        if found is None:
            found = _bench(key, model, settings, self._kept, progress)
            self._benches.keep(key, found)
        return found

    def solve(self, document: Document, progress: Progress = SILENT) -> Solution:
        """What the compiler makes of a document."""
        bench, room = self.bench(document, progress), self._room(document, progress)
        found = bench.solve(_within(document, room), progress, document.ground)
        return _beside(found, room)

    def glance(self, document: Document, progress: Progress = SILENT) -> Solution:
        """The same at once: what is still searched for comes later."""
        bench, room = self.bench(document, progress), self._room(document, progress)
        found = bench.glance(_within(document, room), progress, document.ground)
        return _beside(found, room)

    def _shown(self, bench: Bench, document: Document, progress: Progress) -> schedules.Scheduled:
        """The schedule that was answered, without all that is shown with it."""
        return bench.shown(self.asked(document, progress), progress, document.ground)

    def asked(self, document: Document, progress: Progress = SILENT) -> Settings:
        """What a document asks for its model, in what others in the device leave."""
        return _within(document, self._room(document, progress))

    def _room(self, document: Document, progress: Progress) -> Room | None:
        """What other models in the device leave, whatever is decided; None without others."""
        if document.model is None or not document.company.models:
            return None
        asked = document.bare
        found = self._rooms.find(asked)
        if found is None:
            settings = asked.settings
            bench = self.bench(asked, progress)
            if isinstance(bench, CompiledBench):
                target = assumed_target(bench.read.program, settings)
                settings = Settings.of(target, settings.options)
            models = [self._one_of(each, settings, progress) for each in asked.files]
            most = [self._most_bytes(each, settings, progress) for each in asked.files]
            found = room_of(asked, models, most, settings.target())
            self._rooms.keep(asked, found)
        return found

    def _most_bytes(self, model: ModelRef, settings: Settings, progress: Progress) -> int:
        """Fast storage that one of several models takes where nothing limits it."""
        bench = self.bench(Document(model=model, settings=settings), progress)
        return bench.unlimited_bytes(settings, progress)

    def _one_of(self, model: ModelRef, settings: Settings, progress: Progress) -> together.Model:
        """One of several models in a device; a compiled one is as it is."""
        bench = self.bench(Document(model=model, settings=settings), progress)
        target, options = settings.target(), settings.options
        if isinstance(bench, CompiledBench):
            programs.demand_same(model.name, bench.read.program, target)
            shown = bench.glance(settings, progress).scheduled
            return together.Model(name=model.name, within=lambda _: shown)
        return together.limited_model(
            model.name, target, lambda limited: bench.schedule(limited, options, progress)
        )

    def adopting(
        self, document: Document, settings: Settings, progress: Progress = SILENT
    ) -> Document:
        """A document that decides what the settings find, beside what its user has decided."""
        bench = self.bench(document, progress)
        if isinstance(bench, CompiledBench):
            return document
        room = self._room(document, progress)
        settings = settings if room is None else room.within(settings)
        own = tuple(edit for edit in document.edits if edit.note != FROM_FRONT)
        options = replace(settings.options, edits=own)
        found = bench.schedule(settings.target(), options, progress)
        decided = edits.everything(found.graph, found.schedule, found.target)
        names = edits.Names.of(found.graph).ops
        order = {names[plan.op]: place for place, plan in enumerate(found.plans())}
        heeded = replace(document, ignores_edits=False, around=None)
        return heeded.with_edits(beside_own(decided, own, order, FROM_FRONT))

    def spread(
        self,
        document: Document,
        scheduled: schedules.Scheduled | None = None,
        progress: Progress = SILENT,
    ) -> schedules.Spread | None:
        """The range of a document's answer, or of the one that is given."""
        bench = self.bench(document, progress)
        if isinstance(bench, CompiledBench):
            return None
        return bench.spread(scheduled or self._shown(bench, document, progress), progress)

    def prices(
        self, document: Document, progress: Progress = SILENT
    ) -> Iterator[tuple[EditOutcome, ...]]:
        """What a document's edits cost and what lets refused ones be: each as it is known."""
        bench = self.bench(document, progress)
        if isinstance(bench, CompiledBench) or document.ignores_edits:
            return
        places = priced_places(document.edits)
        found = self._shown(bench, document, progress)
        yield from edits.trying(bench.workbench, found, progress, places)

    def anew(self, document: Document, progress: Progress = SILENT) -> Sum | None:
        """What it would come to if all that edits leave open were searched anew."""
        bench = self.bench(document, progress)
        if isinstance(bench, CompiledBench) or document.ground is None:
            return None
        return edits.anew(bench.workbench, self._shown(bench, document, progress), progress)

    def trial(
        self, document: Document, progress: Progress = SILENT
    ) -> tuple[Trial, MemoryLayout] | None:
        """What a document would come to whose edits are around what is shown, or that is searched
        where nothing is kept; and where everything would lie."""
        bench = self.bench(document, progress)
        if isinstance(bench, CompiledBench):
            return None
        asked, ground = self.asked(document, progress), document.ground
        target, options = asked.target(), asked.options
        if ground is None:
            found = bench.schedule(target, options, progress)
        else:
            found = bench.workbench.around(ground, target, options, progress)
        trial = Trial(
            cycles=found.total.total_cycles,
            fast_bytes=found.fast_bytes,
            is_within_limits=found.layout.is_within_limits,
            edits=found.edits,
        )
        return trial, found.layout

    def improved(self, document: Document, progress: Progress = SILENT) -> Iterator[Solution]:
        """Better answers to a document, as they are found."""
        bench = self.bench(document, progress)
        if isinstance(bench, Bench) and document.ground is None:
            room = self._room(document, progress)
            for found in bench.improved(_within(document, room), progress):
                yield _beside(found, room)

    def make_ground(self, document: Document, progress: Progress = SILENT) -> None:
        """Have at hand what the first edit around a document's answer needs."""
        bench = self.bench(document, progress)
        if isinstance(bench, CompiledBench) or document.edits:
            return
        found, asked = self._shown(bench, document, progress), self.asked(document, progress)
        bench.workbench.around(edits.shown_of(found), asked.target(), asked.options, progress)

    def make_ready(self, document: Document, progress: Progress = SILENT) -> None:
        """Have at hand what a document needs whose limit is moved a little."""
        bench = self.bench(document, progress)
        if isinstance(bench, Bench):
            bench.make_ready(self.asked(document, progress), progress)

    @property
    def known_runs(self) -> Mapping[str, networks.Run]:
        """The networks that answers are about, by their keys."""
        return {key: bench.run for key, bench in self._benches.items()}

    def advice(self, document: Document, progress: Progress = SILENT) -> Iterator[advices.Tip]:
        """What would help a document, each of it tried; nothing helps what was compiled already."""
        bench = self.bench(document, progress)
        if isinstance(bench, CompiledBench):
            return
        asked = self.asked(document, progress)
        trials = advices.Trials(bench.workbench, asked.options.lowering, progress, self._kept)
        yield from advices.advice(trials, asked)


def _within(document: Document, room: Room | None) -> Settings:
    """What a document asks for, in what others in the device leave."""
    return document.asked if room is None else room.within(document.asked)


def _beside(found: Solution, room: Room | None) -> Solution:
    """The same with all models of the device."""
    if room is None:
        return found
    beside = room.around(found.scheduled)
    return found._replace(together=beside, unlimited_bytes=room.unlimited_bytes)


def bench_key(model: ModelRef, target: Target, settings: Settings) -> str:
    """What a lowered network depends on."""
    return f"{model.digest} {target.accelerator.name} {digest(settings.options.lowering)}"


def _bench(
    key: str,
    model: ModelRef,
    settings: Settings,
    kept: schedules.Kept | None,
    progress: Progress,
) -> AnyBench:
    """A bench for a model that is still to be compiled, or for one that was."""
    data = read_bytes(Path(model.path))
    if digest_bytes(data) != model.digest:
        raise InputError("changed on disk since it was opened; reload it", model.name)
    try:
        read = programs.read_program(data, progress, programs.beside(Path(model.path)))
        if read is not None:
            return CompiledBench.of(key, read, settings, progress)
        run = networks.run(data, settings.target(), settings.options, progress)
        return Bench(key, schedules.Workbench(run, kept=kept))
    except InputError as error:
        where = f"{model.name}: {error.where}" if error.where else model.name
        raise InputError(error.message, where) from error
