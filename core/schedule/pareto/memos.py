"""What the Pareto engine keeps between questions, light enough for all who prepare a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.frozen import Frozen, field
from core.base.ids import IslandId
from core.base.memo import Memo

if TYPE_CHECKING:  # the engine is loaded when it is asked for
    from core.schedule.pareto.assumptions import Assumption
    from core.schedule.pareto.islands import IslandFront
    from core.schedule.pareto.question import FrontQuestion, StrategyQuestion


class Memos(Frozen):
    """What was worked out before: assumptions for all limits, and the front for the last one."""

    assumptions: Memo[tuple[IslandId, StrategyQuestion], tuple[Assumption, ...]] = field(
        default_factory=Memo
    )
    fronts: Memo[FrontQuestion, tuple[IslandFront, ...]] = field(default_factory=lambda: Memo(1))
