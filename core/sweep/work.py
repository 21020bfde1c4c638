"""What one worker does: some cells of one model, with what they have in common done once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from core.base.digest import digest
from core.base.errors import CoreError, about
from core.base.frozen import Frozen, members, replace
from core.base.harmless import to_json
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.ir.sweep import Outcome, Totals, Verdict
from core.ir.together import Together
from core.pipeline import run as stages
from core.pipeline.best.kept import Kept
from core.pipeline.compile import compile_model, demand_uncompiled
from core.pipeline.proof.verify import verify
from core.pipeline.scheduled import Workbench
from core.pipeline.shown_model import shown_model
from core.pipeline.together import (
    limited_model,
    schedule_together,
    shared_limit,
)
from core.report import ranged_json
from core.report.together import describe_together
from core.sweep.company import Company
from core.target.target import Area, Target

Clock = Callable[[], float]
_MOST_BENCHES = 2
"""Lowered networks that a worker keeps: its own, and one of which it has helped others out."""


class Ask(Frozen):
    """What one cell asks for; targets are whole, as files of configs do not travel."""

    settings: str
    """The digest."""
    target: Target
    options: Options

    @property
    def shared(self) -> str:
        """The same for those that have a lowered network in common, and how far its front grows."""
        return digest((self.target.accelerator.name, self.options.lowering, self.options.effort))


class Wants(Frozen):
    """What a sweep keeps of each cell beside its figures."""

    schedules: bool = False
    compiled: bool = False
    fronts: Kept | None = None
    """Where fronts of the best search are; a worker that cannot reach it grows its own."""


class Batch(Frozen):
    """Cells of one model."""

    model: str
    """The digest."""
    name: str
    asks: tuple[Ask, ...]
    wants: Wants = Wants()
    company: Company | None = None
    """Others that are in the device, whose bytes come behind those of the model."""


class Found(Frozen):
    """A cell that was computed."""

    settings: str
    outcome: Outcome
    seconds_taken: float
    schedule: bytes = b""
    """As JSON, where it is wanted."""
    compiled: bytes = b""


class Device(Frozen):
    """A model's schedule, and those of others that are in the device with it."""

    scheduled: Scheduled
    others: tuple[Scheduled, ...] = ()
    together: Together | None = None

    @property
    def outcome(self) -> Outcome:
        """The figures of all of them, each run once, and whether they fit."""
        if self.together is None:
            return outcome_of(self.scheduled)
        each = [members(totals_of(one)) for one in (self.scheduled, *self.others)]
        figures = {name: sum(one[name] for one in each) for name in each[0]}
        memories = self.together.memories
        figures["fast_bytes"] = self.together.peak_bytes(self.scheduled.layout.fast_area.area)
        figures["excess_bytes"] = sum(each.excess_bytes for each in memories)
        verdict = Verdict.FITS if self.together.fits else Verdict.EXCEEDS
        return Outcome(verdict=verdict, totals=Totals(**figures))


class Benches:
    """Lowered networks, the last of them kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Workbench | CoreError] = OrderedDict()
        self._lock = threading.Lock()

    def compute(self, model: bytes, batch: Batch, clock: Clock) -> tuple[Found, ...]:
        """All cells of a batch; threads of one process take turns."""
        with self._lock:
            return tuple(self._computed(model, batch, ask, clock) for ask in batch.asks)

    def _computed(self, model: bytes, batch: Batch, ask: Ask, clock: Clock) -> Found:
        start = clock()
        try:
            found = self._found(model, batch, ask)
        except CoreError as error:
            refused = Outcome(verdict=Verdict.REFUSED, error=str(error))
            found = Found(settings=ask.settings, outcome=refused, seconds_taken=0.0)
        except Exception as error:  # noqa: BLE001 - one bad cell must not end the others
            found = Found(settings=ask.settings, outcome=lost(error), seconds_taken=0.0)
        return replace(found, seconds_taken=clock() - start)

    def _found(self, model: bytes, batch: Batch, ask: Ask) -> Found:
        company = batch.company
        if company is None:
            bench = self._bench(batch.model, model, batch, ask)
            # A cell is the same whichever came before it.
            scheduled = bench.schedule_alone(ask.target, ask.options)
            return _found(Device(scheduled=scheduled), bench, model, batch, ask)
        own, *others = company.apart(model)
        bench = self._bench(batch.model, own, batch, ask)
        models = [limited_model(batch.name, ask.target, _alone(bench, ask))]
        for name, digest_of, data in zip(company.names, company.digests, others, strict=True):
            with about(name):
                models.append(
                    shown_model(name, data, ask.target)
                    or limited_model(
                        name, ask.target, _alone(self._bench(digest_of, data, batch, ask), ask)
                    )
                )
        found, arranged = schedule_together(models, company.calls, shared_limit(ask.target))
        device = Device(scheduled=found[0], others=found[1:], together=arranged)
        return _found(device, bench, own, batch, ask)

    def _bench(self, digest_of: str, model: bytes, batch: Batch, ask: Ask) -> Workbench:
        key = digest_of, ask.shared
        known = self._kept.pop(key, None) or _lowered(model, batch, ask)
        self._kept[key] = known
        beside = () if batch.company is None else batch.company.names
        while len(self._kept) > _MOST_BENCHES + len(beside):
            self._kept.popitem(last=False)
        if isinstance(known, CoreError):
            raise known
        return known


def _alone(bench: Workbench, ask: Ask) -> Callable[[Target], Scheduled]:
    """Schedules that are the same whatever came before."""
    return lambda limited: bench.schedule_alone(limited, ask.options)


def _lowered(model: bytes, batch: Batch, ask: Ask) -> Workbench | CoreError:
    """The lowered network, or why there is none: that is found out once."""
    try:
        run = stages.run(model, ask.target, ask.options)
        demand_uncompiled(run.network)
        return Workbench(run, kept=batch.wants.fronts)
    except CoreError as error:
        return error


def _found(device: Device, bench: Workbench, model: bytes, batch: Batch, ask: Ask) -> Found:
    scheduled, outcome, schedule, compiled = device.scheduled, device.outcome, b"", b""
    if batch.wants.schedules:
        report = ranged_json.describe(replace(scheduled, name=batch.name))
        if device.together is not None:
            report["together"] = describe_together(device.together)
        schedule = (to_json(report, indent=1) + "\n").encode()
    if batch.wants.compiled and outcome.verdict is Verdict.FITS:
        compiled = compile_model(scheduled, encodings=bench.encodings).data
        proof = verify(compiled, model)
        if not proof.holds:
            error = " ".join(proof.sentences())
            outcome, compiled = replace(outcome, verdict=Verdict.DIFFERS, error=error), b""
    return Found(
        settings=ask.settings,
        outcome=outcome,
        seconds_taken=0.0,
        schedule=schedule,
        compiled=compiled,
    )


def outcome_of(scheduled: Scheduled) -> Outcome:
    """The figures of a schedule, and whether it is within its limits."""
    fits = scheduled.layout.is_within_limits
    verdict = Verdict.FITS if fits else Verdict.EXCEEDS
    return Outcome(verdict=verdict, totals=totals_of(scheduled))


def totals_of(scheduled: Scheduled) -> Totals:
    """The figures of a schedule."""
    total, schedule, layout = scheduled.total, scheduled.schedule, scheduled.layout
    islands = schedule.islands
    return Totals(
        cycles=total.total_cycles,
        npu_cycles=total.npu_cycles,
        sram_cycles=total.sram_cycles,
        dram_cycles=total.dram_cycles,
        on_chip_flash_cycles=total.on_chip_flash_cycles,
        off_chip_flash_cycles=total.off_chip_flash_cycles,
        seconds=total.seconds,
        fast_bytes=scheduled.fast_bytes,
        excess_bytes=sum(area.excess_bytes for area in layout.areas),
        sram_moved_bytes=total.moved_bytes(Area.SRAM),
        dram_moved_bytes=total.moved_bytes(Area.DRAM),
        on_chip_flash_moved_bytes=total.moved_bytes(Area.ON_CHIP_FLASH),
        off_chip_flash_moved_bytes=total.moved_bytes(Area.OFF_CHIP_FLASH),
        evicted_maps=len(schedule.evicted),
        evicted_bytes=scheduled.schedule.evicted_bytes,
        cascades=sum(len(island.cascades) for island in islands),
        cascaded_ops=sum(len(each.ops) for island in islands for each in island.cascades),
        npu_ops=len(scheduled.graph.ops),
        cpu_ops=len(scheduled.graph.cpu_ops),
    )


def lost(error: BaseException) -> Outcome:
    """A cell that nobody came to the end of."""
    told = " ".join(str(error).split())
    name = type(error).__name__
    return Outcome(verdict=Verdict.LOST, error=f"{name}: {told}" if told else name)


_BENCHES = Benches()


def compute(model: bytes, batch: Batch, clock: Clock) -> tuple[Found, ...]:
    """All cells of a batch, in the process that is asked."""
    return _BENCHES.compute(model, batch, clock)
