"""An operator in its place in a schedule: what is brought for it, from where, and when."""

from __future__ import annotations

from dataclasses import dataclass

from core.cost.work import Work
from core.target.target import Area


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBuffer:
    """Fast storage that weights are brought to before they are used."""

    area: Area
    is_double: bool
    first_bytes: int
    """The first transfer, of all cores, in whole multiples of 16 for each."""
    whole_cycles: int
    """Cycles in which all weights can be transferred."""
    last_slice_cycles: int
    """Cycles of the last depth slice, under which nothing of this operator is transferred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightUse:
    """The weight stream of an operator: encoded weights and scales."""

    area: Area
    stream_bytes: int
    elements: int
    """Weights before encoding."""
    scale_bytes: int
    """What one scale and bias is taken to be."""
    buffer: WeightBuffer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A look-up table, which DMA brings to the shared buffer before the operator."""

    area: Area
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An operator in its place in the schedule."""

    work: Work
    weights: WeightUse | None = None
    table: Table | None = None
    copied_bytes: int = 0
    """What a copy copies, as it is allocated."""
    slack_cycles: int = 0
    """Cycles of the operator before, under which DMA for this one can run."""

    @property
    def is_moving(self) -> bool:
        """Whether a copy takes elements to another memory; inside one it is free."""
        return self.copied_bytes > 0 and self.work.ifm.area is not self.work.ofm.area
