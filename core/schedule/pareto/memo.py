"""What the Pareto engine keeps between questions, light enough for all who prepare a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.base.frozen import Changing, field
from core.base.ids import IslandId

if TYPE_CHECKING:  # the engine is loaded when it is asked for
    from core.schedule.pareto.assumptions import Assumption
    from core.schedule.pareto.islands import IslandFront
    from core.schedule.pareto.question import FrontQuestion, StrategyQuestion


class Memo(Changing):
    """What was worked out before: assumptions for all limits, and the front for the last one."""

    assumptions: dict[tuple[IslandId, StrategyQuestion], tuple[Assumption, ...]] = field(
        default_factory=dict
    )
    fronts: Mapping[FrontQuestion, tuple[IslandFront, ...]] = field(default_factory=dict)
