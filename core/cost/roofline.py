"""How near operators come to the most that an accelerator and its memories can do in a cycle."""

from __future__ import annotations

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import NpuOpId
from core.cost.rates import Rates
from core.ir.cost import NetworkCost, OperatorCost, Term
from core.ir.scheduled import Scheduled
from core.target.target import Area


class Roof(NamedTuple):
    """A memory, and the most bytes that it can move in a cycle."""

    area: Area
    bytes_per_cycle: float


class Workload(NamedTuple):
    """What an operator computes, what it moves for that, and how long it takes."""

    op: NpuOpId
    macs: int
    cycles: float
    moved_bytes: tuple[float, ...]
    """By roof; what DMA brings while others run is among them."""
    decides: Term | None
    """None where it takes no cycles."""

    @property
    def macs_per_cycle(self) -> float:
        """How many multiplications it makes in the time that it takes."""
        return self.macs / self.cycles if self.cycles else 0.0

    @property
    def macs_per_byte(self) -> tuple[float | None, ...]:
        """How many it makes with each byte, by roof; None where it moves nothing there."""
        return tuple(self.macs / size if size else None for size in self.moved_bytes)


class Roofline(Frozen):
    """All operators under the roofs of their accelerator and of the memories that they use."""

    macs_per_cycle: int
    roofs: tuple[Roof, ...]
    workloads: tuple[Workload, ...]
    """By operator."""


def roofline_of(material: Scheduled) -> Roofline:
    """The operators of a schedule by the price that it is told with."""
    roofs = tuple(_roofs(Rates.of(material.target), material.total))
    return Roofline(
        macs_per_cycle=material.total.macs_per_cycle,
        roofs=roofs,
        workloads=tuple(
            _workload(op.id, cost, roofs)
            for op, cost in zip(material.graph.ops, material.costs, strict=True)
        ),
    )


def _roofs(rates: Rates, total: NetworkCost) -> list[Roof]:
    """Of the memories that anything is moved in."""
    found = []
    for area in Area:
        directions = {part.direction for part in total.traffic if part.area is area}
        if directions:
            found.append(Roof(area, rates.areas[area].most_bytes_per_cycle(directions)))
    return found


def _workload(op: NpuOpId, cost: OperatorCost, roofs: tuple[Roof, ...]) -> Workload:
    return Workload(
        op=op,
        macs=cost.macs,
        cycles=cost.total_cycles,
        moved_bytes=tuple(cost.moved_bytes(roof.area) for roof in roofs),
        decides=cost.decides,
    )
