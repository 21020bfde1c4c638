"""What is asked of the Pareto engine, in parts that are remembered apart."""

from __future__ import annotations

from core.base.frozen import NamedTuple
from core.ir.options import EvictionPolicy, ParetoMetric, ParetoWeights
from core.schedule.pareto.weighing import Breadth


class StrategyQuestion(NamedTuple):
    """All that is asked about the strategies of an island: who finds them is given nothing else."""

    cascading: bool
    ifm_streaming: bool
    overlap: bool
    breadth: Breadth
    weights: ParetoWeights

    @property
    def are_free(self) -> bool:
        """Whether nothing is switched off."""
        return self.cascading and self.ifm_streaming and self.overlap


class FrontQuestion(NamedTuple):
    """All that is asked about the front of an island: who finds it is given nothing else."""

    limit_bytes: int
    metric: ParetoMetric
    eviction: EvictionPolicy
    strategies: StrategyQuestion
    size_bytes: int | None
    """A size of fast storage at which a point is wanted beside all others."""
