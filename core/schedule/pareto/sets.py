"""Strategy sets: schedules of all operators up to one, and those whose last cascade is open.

Each set has a strategy for every operator before it. A partial strategy at the end of a set, a
cascade that may go on, adds what the cascade takes so far and how high its last stripes are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from core.ir.options import ParetoMetric
from core.schedule.pareto.front import pareto
from core.schedule.pareto.strategies import Strategies, Way

Floats = npt.NDArray[np.float64]


class SetStep(NamedTuple):
    """The strategy of one operator at the end of a set, and the set before it."""

    node: int
    way: Way
    reads_rolling: bool
    """It is in one cascade with the operator before it."""
    before: SetStep | None


class Sets(Frozen):
    """Strategy sets that end with the same operator, in columns."""

    costs: Floats
    settled: Floats
    """The most bytes that a strategy of the set takes, the open one left out."""
    open: Floats
    """Bytes of the open cascade so far."""
    heights: Floats
    """Rows that the last operator of the open cascade makes at once."""
    last: tuple[SetStep | None, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.last)


def start(floor_bytes: float) -> Sets:
    """The one set without an operator; nothing is taken to need less than some bytes."""
    zero = np.zeros(1)
    return Sets(costs=zero, settled=zero + floor_bytes, open=zero, heights=zero, last=(None,))


class Batch(Frozen):
    """Every set of some combined with every strategy of the next operator."""

    before: Sets
    strategies: Strategies
    node: int
    reads_rolling: bool
    costs: Floats
    settled: Floats
    open: Floats
    heights: Floats

    def step(self, row: int) -> SetStep:
        """The end of one of the combinations."""
        parent, way = divmod(row, self.strategies.count)
        return SetStep(
            self.node,
            self.strategies.ways[way],
            self.reads_rolling,
            self.before.last[parent],
        )


class Filter(Frozen):
    """Which sets stay in the race."""

    room_bytes: float
    metric: ParetoMetric
    candidates: int | None
    """None keeps all that are on the front."""

    def settled(self, batches: Sequence[Batch]) -> Sets:
        """Of sets without an open cascade: cost and memory."""
        return self._sets(batches, 0)

    def open(self, batches: Sequence[Batch], row_bytes: int) -> Sets:
        """Of sets whose last operator hands on rows of so many bytes.

        Without the height as a number of its own, the rows that the last block makes at once count
        as memory of the open cascade: in the rolling buffer that follows they will be.
        """
        return self._sets(batches, row_bytes)

    def _sets(self, batches: Sequence[Batch], row_bytes: int) -> Sets:
        columns = [
            np.concatenate([getattr(batch, name).ravel() for batch in batches] or [np.empty(0)])
            for name in ("costs", "settled", "open", "heights")
        ]
        costs, settled, opened, heights = columns
        fits = np.flatnonzero(np.maximum(settled, opened) <= self.room_bytes)
        compared = [costs, settled]
        if row_bytes and self.metric is ParetoMetric.MEMORY:
            compared.append(opened + heights * row_bytes)
        elif row_bytes:
            compared += [opened, heights]
        kept = fits[pareto(np.stack(compared, axis=1)[fits], self.candidates)]
        ends = np.cumsum([batch.costs.size for batch in batches])
        return Sets(
            costs=costs[kept],
            settled=settled[kept],
            open=opened[kept],
            heights=heights[kept],
            last=tuple(_step(batches, ends, int(row)) for row in kept),
        )


def _step(batches: Sequence[Batch], ends: npt.NDArray[np.int64], row: int) -> SetStep:
    at = int(np.searchsorted(ends, row, side="right"))
    return batches[at].step(row - (int(ends[at - 1]) if at else 0))
