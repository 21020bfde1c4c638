"""Where feature maps are while strategies are compared.

Where all maps are in fast storage there is nothing to assume. Where they live elsewhere and move in
as far as there is room, it is not known before which of them will. So the search is made twice: as
if none did, and as if all did that can; the schedules of both are then filled up with maps.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import Frozen
from core.base.ids import FmId
from core.base.progress import Progress
from core.ir.edits import Living
from core.ir.schedule import MapPlan
from core.schedule.candidates import max_schedule
from core.schedule.estimates import Estimates
from core.schedule.pareto.blocks import candidate_blocks
from core.schedule.pareto.pricing import Pricing
from core.schedule.pareto.question import StrategyQuestion
from core.schedule.pareto.strategies import (
    NodeStrategies,
    Questions,
    guessed_sizes,
    strategies_of,
)
from core.schedule.pareto.weighing import Weighing
from core.schedule.problem import IslandProblem
from core.schedule.spans import Spans, spans_of
from core.target.unit import Unit


class Assumption(Frozen):
    """What strategies cost and need, given where maps are."""

    strategies: tuple[NodeStrategies, ...]
    spans: Spans


class Assumer(Frozen):
    """Makes the assumptions for one island; no limit changes them."""

    problem: IslandProblem
    estimates: Estimates
    defaults: Sequence[MapPlan]
    """Where each map lives that nobody moves."""
    question: StrategyQuestion
    progress: Progress

    def run(self) -> tuple[Assumption, ...]:
        """One where all maps are in fast storage, else two."""
        # All streams of whole operators are encoded at once, which takes less time.
        max_schedule(self.problem, self.estimates)
        is_there = self.problem.storage.holds(frozenset())
        there = frozenset(fm for node in self.problem.nodes for fm in node.maps if is_there(fm))
        movable, living = self.problem.movable, self.estimates.fixed.living_of
        near = {fm for fm in movable if living.get(fm) is Living.FAST}
        able = {fm for fm in movable if living.get(fm) is not Living.SLOW}
        found = dict.fromkeys((there | near, there | able))
        return tuple(self._assumption(fast) for fast in found)

    def _assumption(self, fast: frozenset[FmId]) -> Assumption:
        found: list[NodeStrategies] = []
        for own in strategies_of(self.problem.nodes, self._questions(fast)):
            self.progress.advance("pricing strategies", len(found), len(self.problem.nodes))
            found.append(own)
        return Assumption(
            strategies=tuple(found),
            spans=spans_of(self.problem, fast),
        )

    def _questions(self, fast: frozenset[FmId]) -> Questions:
        model, estimates = self.estimates.model, self.estimates
        has_far_weights = model.target.has_far_constants
        pricing = Pricing(
            estimates=estimates,
            defaults=self.defaults,
            weighing=Weighing.of(model.rates, self.question.weights),
            problem=self.problem,
            resident=fast,
        )
        return Questions(
            sizes=guessed_sizes(estimates),
            price=pricing.price,
            blocks=lambda node, is_striped: candidate_blocks(
                estimates, node, self.question.breadth.blocks_per_end, is_striped=is_striped
            ),
            has_far_weights=lambda node: (
                has_far_weights and node.op.kind.unit is not Unit.VECTOR_PRODUCT
            ),
            cascading=self.question.cascading,
            ifm_streaming=self.question.ifm_streaming,
            fixed=estimates.fixed,
            bonds=self.problem.bonds,
        )
