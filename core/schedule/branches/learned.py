"""What is worked out of an island once, and holds for every limit: its flow, and what it takes at
least."""

from __future__ import annotations

from core.base.frozen import Frozen, field
from core.base.progress import Progress
from core.ir.fixed import Fixed
from core.schedule.branches.flow import Flow
from core.schedule.branches.groups import Bounds, Player, least_bytes
from core.schedule.branches.lowest import smallest
from core.schedule.draft import Draft
from core.schedule.problem import IslandProblem


class Learned(Frozen, kw_only=False):
    """An island as far as its parts go across branches."""

    flow: Flow
    player: Player
    whole: Draft
    """Each node by itself."""
    least: Bounds
    """Bytes of each part."""
    _smallest: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, problem: IslandProblem, fixed: Fixed, whole: Draft, *, lays_over: bool) -> Learned:
        """Nothing but what all the rest is made of."""
        flow = Flow(problem)
        player = Player(flow, dict(fixed.rolling), fixed.height_of, lays_over)
        return cls(flow, player, whole, least_bytes(flow, lays_over=lays_over))

    def beside(self, problem: IslandProblem) -> Learned:
        """The same island where other bytes are live beside its operators."""
        flow, lays_over = Flow(problem), self.player.lays_over
        least = least_bytes(flow, lays_over=lays_over)
        return Learned(flow, self.player.beside(flow), self.whole, least)

    def smallest_bytes(self, progress: Progress) -> float:
        """The least that is live at most, however operators are grouped in their order; more than
        there is where what is asked for cannot be."""
        if not self._smallest:
            size, _ = smallest(self.player, self.least, progress)
            self._smallest.append(size)
        return self._smallest[0]
