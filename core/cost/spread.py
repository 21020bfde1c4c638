"""What a schedule would take with memories that are not quite those that it was made for."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.frozen import NamedTuple, replace
from core.base.progress import SILENT, Progress
from core.cost.island import schedule_cycles
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.ir.cost import Case, Spread
from core.ir.npugraph import OpKind
from core.ir.robust_tried import RANGE, Memories
from core.ir.scheduled import Scheduled
from core.target.target import Memory, SystemConfig, Target


class _Factors(NamedTuple):
    """Bandwidths and latency to those of the target."""

    sram: float = 1
    outside: float = 1
    latency: int = 1


_FACTORS = {
    Memories.NOMINAL: _Factors(),
    Memories.SLOW_SRAM: _Factors(sram=0.75),
    Memories.SLOW_OUTSIDE: _Factors(outside=0.5),
    Memories.FAST_OUTSIDE: _Factors(outside=2),
    Memories.LATE_OUTSIDE: _Factors(latency=2),
    Memories.HALF_SRAM: _Factors(sram=0.5),
    Memories.VERY_LATE: _Factors(latency=4),
    Memories.HARD: _Factors(sram=0.5, latency=4),
}


def spread_of(scheduled: Scheduled, progress: Progress = SILENT) -> Spread | None:
    """The same schedule, priced for each of some other memories; None of a compiled model, whose
    commands were read for the memories that are assumed."""
    if scheduled.compiled_by is not None:
        return None
    system = scheduled.target.system
    cycles = cycles_with(scheduled, scheduled.target, RANGE, progress)
    cases = [Case(_title(system, _FACTORS[each]), taken) for each, taken in cycles.items()]
    return Spread(nominal_cycles=scheduled.total.total_cycles, cases=tuple(cases))


def cycles_with(
    scheduled: Scheduled, target: Target, memories: Iterable[Memories], progress: Progress = SILENT
) -> dict[Memories, float]:
    """What a schedule takes on a target that has all it needs, with each of some memories."""
    prices = StripePrices(scheduled.graph, CostModel(target))
    return {
        each: _cycles(prices.on(with_memories(target, each)), scheduled, progress)
        for each in memories
    }


def _cycles(prices: StripePrices, scheduled: Scheduled, progress: Progress) -> float:
    # Here most of the time goes, and whoever asks for something else is not to wait for it.
    for plan in scheduled.plans():
        progress.advance("pricing other memories", plan.op, len(scheduled.costs))
        if (op := scheduled.op(plan)).kind is not OpKind.COPY:
            map_of = scheduled.schedule.maps.__getitem__
            prices.of(op, plan.stripe.ofm.h, plan.block, plan.weights, map_of)
    return schedule_cycles(prices, scheduled.schedule, scheduled.layout)


def with_memories(target: Target, memories: Memories) -> Target:
    """The target with other memories."""
    factors, system = _FACTORS[memories], target.system
    far = _scaled(system.axi1, factors.outside)
    far = replace(
        far,
        read_latency=far.read_latency * factors.latency,
        write_latency=far.write_latency * factors.latency,
    )
    return replace(
        target, system=replace(system, axi0=_scaled(system.axi0, factors.sram), axi1=far)
    )


def _title(system: SystemConfig, factors: _Factors) -> str:
    near, far = system.axi0.area.value, system.axi1.area.value
    if factors.latency != 1:
        return f"latency of {far} x {factors.latency}"
    if factors.outside != 1:
        return f"{far} x {factors.outside:g}"
    return f"{near} x {factors.sram:g}"


def _scaled(memory: Memory, scale: float) -> Memory:
    return replace(memory, clock_scale=memory.clock_scale * scale)
