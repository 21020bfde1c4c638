"""What the Pareto engine keeps between questions, light enough for all who prepare a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from core.base.ids import IslandId
from core.ir.options import EvictionPolicy, ParetoOptions

if TYPE_CHECKING:  # the engine is loaded when it is asked for
    from core.schedule.pareto.assumptions import Assumption
    from core.schedule.pareto.islands import IslandFront
    from core.schedule.pareto.weighing import Breadth


class Question(NamedTuple):
    """All that a front depends on, beside the network and the target."""

    limit_bytes: int
    allowed: ParetoOptions
    eviction: EvictionPolicy
    breadth: Breadth


@dataclass(slots=True)
class Memo:
    """What was worked out before: assumptions for all limits, and the front for the last one."""

    assumptions: dict[tuple[IslandId, bool, bool, bool, Breadth], tuple[Assumption, ...]] = field(
        default_factory=dict
    )
    fronts: Mapping[Question, tuple[IslandFront, ...]] = field(default_factory=dict)
