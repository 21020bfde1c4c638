"""What the Pareto engine keeps between questions, light enough for all who prepare a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from core.base.ids import IslandId
from core.ir.options import EvictionPolicy, ParetoMetric

if TYPE_CHECKING:  # the engine is loaded when it is asked for
    from core.schedule.pareto.assumptions import Assumption
    from core.schedule.pareto.islands import IslandFront
    from core.schedule.pareto.weighing import Breadth


class StrategyQuestion(NamedTuple):
    """All that is asked about the strategies of an island: who finds them is given nothing else."""

    cascading: bool
    ifm_streaming: bool
    overlap: bool
    breadth: Breadth


class FrontQuestion(NamedTuple):
    """All that is asked about the front of an island: who finds it is given nothing else."""

    limit_bytes: int
    metric: ParetoMetric
    eviction: EvictionPolicy
    strategies: StrategyQuestion


@dataclass(slots=True)
class Memo:
    """What was worked out before: assumptions for all limits, and the front for the last one."""

    assumptions: dict[tuple[IslandId, StrategyQuestion], tuple[Assumption, ...]] = field(
        default_factory=dict
    )
    fronts: Mapping[FrontQuestion, tuple[IslandFront, ...]] = field(default_factory=dict)
