"""What a schedule would take with memories that are not quite those that it was made for."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import replace
from core.base.progress import SILENT, Progress
from core.cost.island import schedule_cost
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.ir.cost import Case, Spread
from core.ir.npugraph import OpKind
from core.ir.scheduled import Scheduled
from core.target.target import Memory, SystemConfig

_SRAM_SCALE = 0.75
_OUTSIDE_SCALES = (0.5, 2.0)
_LATENCY_SCALE = 2


def spread_of(scheduled: Scheduled, progress: Progress = SILENT) -> Spread | None:
    """The same schedule, priced for each of some other memories; None of a compiled model, whose
    commands were read for the memories that are assumed."""
    if scheduled.compiled_by is not None:
        return None
    return Spread(
        nominal_cycles=scheduled.total.total_cycles,
        cases=tuple(
            Case(title, _cycles(scheduled, system, progress))
            for title, system in _systems(scheduled.target.system)
        ),
    )


def _cycles(scheduled: Scheduled, system: SystemConfig, progress: Progress) -> float:
    model = CostModel(replace(scheduled.target, system=system))
    prices = StripePrices(scheduled.graph, model)
    # Here most of the time goes, and whoever asks for something else is not to wait for it.
    for plan in scheduled.plans():
        progress.advance("pricing other memories", plan.op, len(scheduled.costs))
        if (op := scheduled.op(plan)).kind is not OpKind.COPY:
            map_of = scheduled.schedule.maps.__getitem__
            prices.of(op, plan.stripe.ofm.h, plan.block, plan.weights, map_of)
    _, total = schedule_cost(prices, scheduled.schedule, scheduled.layout)
    return total.total_cycles


def _systems(system: SystemConfig) -> Iterator[tuple[str, SystemConfig]]:
    near, far = system.axi0, system.axi1
    yield f"{near.area.value} x {_SRAM_SCALE:g}", replace(system, axi0=_scaled(near, _SRAM_SCALE))
    for scale in _OUTSIDE_SCALES:
        yield f"{far.area.value} x {scale:g}", replace(system, axi1=_scaled(far, scale))
    slow = replace(
        far,
        read_latency=far.read_latency * _LATENCY_SCALE,
        write_latency=far.write_latency * _LATENCY_SCALE,
    )
    yield f"latency of {far.area.value} x {_LATENCY_SCALE}", replace(system, axi1=slow)


def _scaled(memory: Memory, scale: float) -> Memory:
    return replace(memory, clock_scale=memory.clock_scale * scale)
