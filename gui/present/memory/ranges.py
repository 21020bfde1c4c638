"""Ranges of bytes in one memory: what each holds, and how much of it is only there to align."""

from __future__ import annotations

from collections.abc import Sequence

from core.api.reasons import element_bytes
from core.api.schedules import Scheduled
from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId
from core.ir.layout import AreaLayout, Placement, Purpose
from core.ir.npugraph import NpuGraph
from core.ir.schedule import MapPlan, OpPlan
from core.target.region import Region
from gui.theme.tones import Tone


class MemoryRange(Frozen, eq=False):
    """Bytes that are drawn as one rectangle."""

    placement: Placement
    tone: Tone
    real_bytes: int
    """Without what is only there to fill bricks and to reach the next aligned address."""
    twins: tuple[Placement, ...] = ()
    """Constants of the same content, which lie on the same bytes."""

    @property
    def padding_bytes(self) -> int:
        """Bytes that are reserved and hold nothing."""
        return self.placement.size_bytes - self.real_bytes

    @property
    def end_address(self) -> int:
        """The first address behind it."""
        return self.placement.address + self.placement.size_bytes


class _Plans(NamedTuple):
    """What the size and the class of a range follow from."""

    graph: NpuGraph
    ops: Sequence[OpPlan]
    maps: Sequence[MapPlan]
    waiting: frozenset[FmId]


def ranges_of(scheduled: Scheduled, area: AreaLayout) -> tuple[MemoryRange, ...]:
    """The ranges of an area in the order of its placements; equal constants are one."""
    schedule, waiting = scheduled.schedule, waiting_maps(scheduled)
    plans = _Plans(scheduled.run.graph, schedule.ops, schedule.maps, waiting)
    if not is_permanent(area):
        return tuple(_range(plans, (placement,)) for placement in area.placements)
    same: dict[tuple[int, int, str | None], list[Placement]] = {}
    for placement in area.placements:
        key = (placement.address, placement.size_bytes, placement.content)
        same.setdefault(key, []).append(placement)
    return tuple(_range(plans, group) for group in same.values())


def waiting_maps(scheduled: Scheduled) -> frozenset[FmId]:
    """Maps that are kept while operators run that neither make nor read them."""
    graph, times = scheduled.graph, scheduled.layout.op_times
    steps = {time: step for step, time in enumerate(sorted(set(times)))}
    used: dict[FmId, set[int]] = {}
    for op in graph.ops:
        for view in op.views:
            used.setdefault(view.fm, set()).add(steps[times[op.id]])
    return frozenset(fm for fm, at in used.items() if max(at) - min(at) >= len(at))


def is_permanent(area: AreaLayout) -> bool:
    """Whether an area holds what does not change."""
    return area.regions[0].is_permanent


def limit_bytes(scheduled: Scheduled, area: AreaLayout) -> int | None:
    """The limit that was asked for; that more cannot be addressed is none."""
    is_asked = area.limit_bytes != scheduled.target.accelerator.max_address
    return area.limit_bytes if is_asked else None


def no_limit_text(scheduled: Scheduled) -> str:
    """Why there is no limit to hold against what is used."""
    return "there is no limit" if scheduled.compiled_by is None else "its limit is not told"


def _range(plans: _Plans, placements: Sequence[Placement]) -> MemoryRange:
    first = placements[0]
    return MemoryRange(
        placement=first,
        tone=_tone(plans, first),
        real_bytes=min(_real_bytes(plans, first), first.size_bytes),
        twins=tuple(placements[1:]),
    )


def _tone(plans: _Plans, placement: Placement) -> Tone:
    if placement.purpose is Purpose.TABLE:
        return Tone.TABLE
    if placement.purpose is Purpose.RESERVED:
        return Tone.RESERVED
    if placement.region.is_permanent:
        return Tone.CONSTANT
    if placement.op is not None:
        weights = plans.ops[placement.op].weights
        is_double = weights is not None and weights.is_double_buffered
        return Tone.DOUBLE if is_double else Tone.WEIGHTS
    is_rolling = any(plans.maps[fm].rolling is not None for fm in placement.fms)
    if is_rolling:
        return Tone.ROLLING
    return Tone.FEATURE_MAP if plans.waiting.isdisjoint(placement.fms) else Tone.WAITING


def _real_bytes(plans: _Plans, placement: Placement) -> int:
    graph = plans.graph
    if placement.fms:
        return max(element_bytes(graph, plans.maps[fm], fm) for fm in placement.fms)
    if placement.op is None:
        return placement.size_bytes
    if placement.purpose is Purpose.TABLE:
        activation = graph.ops[placement.op].activation
        table = activation.table if activation is not None else None
        return placement.size_bytes if table is None else table.size_bytes
    weights = plans.ops[placement.op].weights
    if weights is None or placement.region is not Region.SCRATCH_FAST:
        return placement.size_bytes
    return max(weights.slice_bytes[placement.buffer :: len(weights.buffer_bytes)])
