"""The best choice among rivals: a sweep over time that drops what cannot become the best.

Rivals are decided one after the other, and partial choices that leave the same room from there on
become one: the better. Each has a bound: that of the prices, less what was lost by deciding against
them and by room that nobody can take any more. Only so many partial choices are continued; while
that drops some that might have become the best, the sweep is repeated with more of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import Changing, Frozen, later
from core.base.progress import Progress
from core.schedule.eviction.plan import Arrival, Plan, Turn, plan_of
from core.schedule.eviction.prices import prices_of
from core.schedule.eviction.rivalry import Rival, Rivalry
from core.schedule.eviction.rooms import Rooms

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

_TELLING_INTERVAL = 4096
"""Nodes between two reports of how far it is."""

Layer = dict[Rooms, tuple[int, int]]
"""For each room that is left from here on: the bound of the best partial choice, and who stays."""


def greedy_choice(rivalry: Rivalry) -> tuple[int, ...]:
    """Places of rivals that fit together; no other one would fit beside them."""
    rivals = rivalry.rivals
    rooms = list(rivalry.rooms)
    choice: list[int] = []
    for place in sorted(range(len(rivals)), key=lambda at: -_density(rivals[at], rivalry)):
        rival = rivals[place]
        if all(rooms[time] >= rival.size_bytes for time in rival.times):
            choice.append(place)
            for time in rival.times:
                rooms[time] -= rival.size_bytes
    return tuple(sorted(choice))


def _density(rival: Rival, rivalry: Rivalry) -> float:
    """Worth of a byte at a binding time."""
    return rival.worth / (rivalry.unit * max(rival.size_bytes, 1) * len(rival.times))


class NodeBudget(Changing):
    """Nodes that the searches of one contest may still visit."""

    nodes: int
    progress: Progress
    _granted: int = later()
    _told: int = later()
    """Nodes that were left at the last report."""

    def __post_init__(self) -> None:
        self._granted = self._told = self.nodes

    def spend(self, nodes: int) -> None:
        """Take these nodes; now and then say how far it is."""
        self.nodes -= nodes
        if self._told - self.nodes >= _TELLING_INTERVAL:
            self.tell()

    def tell(self) -> None:
        """Say how far it is; whoever hears it can cancel."""
        self._told = self.nodes
        self.progress.advance("spilling", self._granted - self.nodes, self._granted)


class Survivors(Frozen):
    """Contenders that stay, and the worth that no choice is above."""

    kept: tuple[int, ...]
    worth_bound: int


def best_choice(rivalry: Rivalry, budget: NodeBudget, node_limit: int) -> Survivors:
    """The best choice that so many nodes of the budget find."""
    search = _Search(rivalry, budget, budget.nodes - node_limit)
    search.run()
    rivals = rivalry.rivals
    kept = (rival.index for place, rival in enumerate(rivals) if search.kept >> place & 1)
    return Survivors(kept=tuple(sorted(kept)), worth_bound=search.bound // rivalry.unit)


class _Search:
    """The best choice so far, and what none can be above."""

    def __init__(self, rivalry: Rivalry, budget: NodeBudget, floor: int) -> None:
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
        self._budget.tell()
        while self.worth < self.bound and not is_last and self._nodes > 0:
            is_last = width > self._nodes // _LAYER_SHARE
            self._sweep(width)
            width *= _WIDENING
            self._improve_plan(width)

    @property
    def _nodes(self) -> int:
        return self._budget.nodes - self._floor

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
        layer: Layer = {self._plan.rooms: (self._plan.bound, 0)}
        dropped = 0
        turns = self._plan.turns
        for left, turn in zip(range(len(turns), 0, -1), turns, strict=True):
            layer = self._decide(self._arrive(layer, turn.arrivals), turn)
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
        packing = self._plan.packing
        for arrival in arrivals:
            arrived: Layer = {}
            for rooms, (bound, kept) in layer.items():
                later = packing.later(rooms)
                spare = max(packing.first(later) - arrival.waiting_bytes, 0)
                self._offer(arrived, later, bound - arrival.price * spare, kept)
            layer = arrived
        return layer

    def _decide(self, layer: Layer, turn: Turn) -> Layer:
        """Let a rival stay or go, wherever each of the two is possible and promising."""
        self._budget.spend(len(layer))
        decided: Layer = {}
        packing = self._plan.packing
        for rooms, (bound, kept) in layer.items():
            left = turn.own.taken_from(rooms)
            if left is not None:
                self._offer(decided, left, bound - turn.loss_of_staying, kept | turn.bit)
            if turn.rest.taken_from(rooms) is None:
                loss = turn.loss_of_going_with(packing.first(rooms))
                self._offer(decided, rooms, bound - loss, kept)
        return decided

    def _offer(self, layer: Layer, rooms: Rooms, bound: int, kept: int) -> None:
        """Have a partial choice in a layer, if it may become better than what is known."""
        if bound > self.worth and (rooms not in layer or bound > layer[rooms][0]):
            layer[rooms] = bound, kept
