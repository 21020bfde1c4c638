"""What one worker does: some cells of one model, with what they have in common done once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from core.base.digest import digest
from core.base.errors import CoreError
from core.base.frozen import Frozen, replace
from core.base.harmless import to_json
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.ir.sweep import Outcome, Totals, Verdict
from core.pipeline import run as stages
from core.pipeline.best.kept import Kept
from core.pipeline.compile import compile_model, demand_uncompiled
from core.pipeline.proof.verify import verify
from core.pipeline.scheduled import Workbench
from core.report import ranged_json
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


class Found(Frozen):
    """A cell that was computed."""

    settings: str
    outcome: Outcome
    seconds_taken: float
    schedule: bytes = b""
    """As JSON, where it is wanted."""
    compiled: bytes = b""


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
            bench = self._bench(model, batch, ask)
            # A cell is the same whichever came before it.
            scheduled = bench.schedule_alone(ask.target, ask.options)
            found = _found(scheduled, bench, model, batch, ask)
        except CoreError as error:
            refused = Outcome(verdict=Verdict.REFUSED, error=str(error))
            found = Found(settings=ask.settings, outcome=refused, seconds_taken=0.0)
        except Exception as error:  # noqa: BLE001 - one bad cell must not end the others
            found = Found(settings=ask.settings, outcome=lost(error), seconds_taken=0.0)
        return replace(found, seconds_taken=clock() - start)

    def _bench(self, model: bytes, batch: Batch, ask: Ask) -> Workbench:
        key = batch.model, ask.shared
        known = self._kept.pop(key, None) or _lowered(model, batch, ask)
        self._kept[key] = known
        while len(self._kept) > _MOST_BENCHES:
            self._kept.popitem(last=False)
        if isinstance(known, CoreError):
            raise known
        return known


def _lowered(model: bytes, batch: Batch, ask: Ask) -> Workbench | CoreError:
    """The lowered network, or why there is none: that is found out once."""
    try:
        run = stages.run(model, ask.target, ask.options)
        demand_uncompiled(run.network)
        return Workbench(run, kept=batch.wants.fronts)
    except CoreError as error:
        return error


def _found(scheduled: Scheduled, bench: Workbench, model: bytes, batch: Batch, ask: Ask) -> Found:
    outcome, schedule, compiled = outcome_of(scheduled), b"", b""
    if batch.wants.schedules:
        report = ranged_json.describe(replace(scheduled, name=batch.name))
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
    total, schedule, layout = scheduled.total, scheduled.schedule, scheduled.layout
    islands = schedule.islands
    totals = Totals(
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
    return Outcome(
        verdict=Verdict.FITS if layout.is_within_limits else Verdict.EXCEEDS, totals=totals
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
