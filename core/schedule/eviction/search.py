"""The best choice among rivals: a sweep over time that drops what cannot become the best.

Rivals are decided one after the other, and partial choices that leave the same room from there on
become one: the better. Each has a bound: that of the prices, less what was lost by deciding against
them and by room that nobody can take any more. Only so many partial choices are continued; while
that drops some that might have become the best, the sweep is repeated with more of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.base.progress import Progress
from core.schedule.eviction.contest import ShouldStop
from core.schedule.eviction.greedy import greedy_choice
from core.schedule.eviction.plan import Arrival, Plan, Step, plan_of
from core.schedule.eviction.prices import prices_of
from core.schedule.eviction.rivalry import Rivalry

_FIRST_WIDTH = 16
"""Partial choices that the first sweep continues at a time."""
_WIDENING = 8
_LAYER_SHARE = 16
"""Part of the nodes that are left, which may be spent on one rival."""

_PATIENCE = 8
"""That of the first search for prices."""
_WIDTH_FOR_PATIENCE = 32
"""Width of a sweep that takes as long as one more step of patience."""
_MOST_PATIENCE = 128

_ASKING_INTERVAL = 4096
"""Nodes between two questions whether to go on."""

Layer = dict[int, tuple[int, int]]
"""For each room that is left from here on: the bound of the best partial choice, and who stays."""


@dataclass(slots=True)
class Budget:
    """Nodes that the searches of one contest may still visit."""

    nodes: int
    progress: Progress
    should_stop: ShouldStop
    is_stopped: bool = False
    """Whether somebody ended the search before its nodes did."""
    granted: int = field(init=False)
    asked: int = field(init=False)
    """Nodes that were left at the last question."""

    def __post_init__(self) -> None:
        self.granted = self.asked = self.nodes

    def spend(self, nodes: int) -> None:
        """Take these nodes; now and then say how far it is, and ask whether to go on."""
        self.nodes -= nodes
        if self.asked - self.nodes >= _ASKING_INTERVAL:
            self.ask()

    def ask(self) -> None:
        """Say how far it is, and ask whether to go on."""
        self.asked = self.nodes
        self.progress.advance("spilling", self.granted - self.nodes, self.granted)
        self.is_stopped = self.is_stopped or self.should_stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Contenders that stay, and the accesses that no choice is above."""

    kept: tuple[int, ...]
    accesses_bound: int


def best_choice(rivalry: Rivalry, budget: Budget, node_limit: int) -> Choice:
    """The best choice that so many nodes of the budget find."""
    search = _Search(rivalry, budget, budget.nodes - node_limit)
    search.run()
    rivals = rivalry.rivals
    kept = (rival.index for place, rival in enumerate(rivals) if search.kept >> place & 1)
    return Choice(kept=tuple(sorted(kept)), accesses_bound=search.bound // rivalry.unit)


class _Search:
    """The best choice so far, and what none can be above."""

    def __init__(self, rivalry: Rivalry, budget: Budget, floor: int) -> None:
        self._rivalry = rivalry
        self._budget = budget
        self._floor = floor
        """Nodes of the budget that are meant for others."""
        greedy = greedy_choice(rivalry)
        self.worth = sum(rivalry.rivals[place].worth for place in greedy)
        self.kept = sum(1 << place for place in greedy)
        self._plan = self._next_plan(_PATIENCE)
        self.bound = self._plan.bound

    def run(self) -> None:
        """Sweep with more and more partial choices until nothing better can have been dropped."""
        width = _FIRST_WIDTH
        is_last = False
        self._budget.ask()
        while self.worth < self.bound and not is_last and not self._is_over:
            is_last = width > self._nodes // _LAYER_SHARE
            self._sweep(width)
            width *= _WIDENING
            self._improve_plan(width)

    @property
    def _nodes(self) -> int:
        return self._budget.nodes - self._floor

    @property
    def _is_over(self) -> bool:
        return self._nodes <= 0 or self._budget.is_stopped

    def _improve_plan(self, width: int) -> None:
        """Look for better prices, for about as long as a sweep of this width takes."""
        patience = min(width // _WIDTH_FOR_PATIENCE, _MOST_PATIENCE)
        if self.worth < self.bound and patience > _PATIENCE:
            self._plan = min(self._plan, self._next_plan(patience), key=lambda plan: plan.bound)
            self.bound = max(self.worth, min(self.bound, self._plan.bound))

    def _next_plan(self, patience: int) -> Plan:
        return plan_of(self._rivalry, prices_of(self._rivalry, self.worth, patience))

    def _sweep(self, width: int) -> None:
        """Decide all rivals, and continue no more than so many partial choices at a time."""
        layer: Layer = {self._plan.room: (self._plan.bound, 0)}
        dropped = 0
        for left, step in zip(range(len(self._plan.steps), 0, -1), self._plan.steps, strict=True):
            layer = self._decide(self._arrive(layer, step.arrivals), step)
            if self._budget.is_stopped:
                return
            widest = min(width, self._nodes // min(left, _LAYER_SHARE))
            if len(layer) > widest:
                ranking = sorted(layer.items(), key=lambda entry: entry[1][0], reverse=True)
                dropped = max(dropped, ranking[widest][1][0])
                layer = dict(ranking[:widest])
        for worth, kept in self._arrive(layer, self._plan.arrivals).values():
            self.worth, self.kept = max((self.worth, self.kept), (worth, kept))
        self.bound = max(self.worth, min(self.bound, dropped))

    def _arrive(self, layer: Layer, arrivals: Sequence[Arrival]) -> Layer:
        """Leave one binding time for the next; room that nobody there can take is lost."""
        for arrival in arrivals:
            arrived: Layer = {}
            for room, (bound, kept) in layer.items():
                after = room >> self._plan.width
                spare = (after & self._plan.field) - arrival.waiting_bytes
                less = bound - arrival.price * spare if spare > 0 else bound
                if less > self.worth and (after not in arrived or less > arrived[after][0]):
                    arrived[after] = (less, kept)
            layer = arrived
        return layer

    def _decide(self, layer: Layer, step: Step) -> Layer:
        """Let a rival stay or go, wherever each of the two is possible and promising."""
        self._budget.spend(len(layer))
        decided: Layer = {}
        guards = step.guards
        for room, (bound, kept) in layer.items():
            after = room - step.taken
            if after & guards == guards:
                less = bound - step.loss_of_staying
                if less > self.worth and (after not in decided or less > decided[after][0]):
                    decided[after] = (less, kept | step.bit)
                if (room - step.rest) & guards == guards:
                    continue
            less = bound - step.loss_of_going
            spare = (room & self._plan.field) - step.waiting_bytes
            if spare > 0:
                less -= step.price * min(spare, step.size_bytes)
            if less > self.worth and (room not in decided or less > decided[room][0]):
                decided[room] = (less, kept)
        return decided
