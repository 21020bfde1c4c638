"""What has been found for islands and holds for whatever limit is asked for next."""

from __future__ import annotations

from typing import NamedTuple

from core.base.frozen import Frozen, field
from core.base.ids import IslandId
from core.base.recent import Recent
from core.schedule.branches.learned import Learned
from core.schedule.candidates import max_schedule, min_schedule
from core.schedule.draft import Draft, Snapshot, snapshot
from core.schedule.estimates import Estimates
from core.schedule.front.cuts import Cuts
from core.schedule.problem import IslandProblem
from core.schedule.reformat import AllRestored

_MOST_RESTORED = 16


class Ready(NamedTuple):
    """An island with nothing left to find but buffers, and which maps move to fast storage."""

    draft: Draft
    now: Snapshot


class Limitless(Frozen):
    """What has been found for islands and holds for every limit."""

    whole: dict[IslandId, Draft] = field(default_factory=dict)
    smallest: dict[IslandId, tuple[Draft, dict[int, int]]] = field(default_factory=dict)
    """The smallest stripes, and what is live beside each node when none is in a cascade."""
    bare: dict[IslandId, Snapshot] = field(default_factory=dict)
    """What is live with whole maps, without a buffer for weights."""
    moved: dict[IslandId, int] = field(default_factory=dict)
    """What is live at most with whole maps, all of which have moved to fast storage."""
    fastest: dict[IslandId, Ready] = field(default_factory=dict)
    """Whole maps with weights buffered as if there were no limit."""
    groups: dict[IslandId, Learned] = field(default_factory=dict)
    """Of groups of operators that go across branches."""
    cuts: dict[IslandId, Cuts] = field(default_factory=dict)
    """Parts that islands may be cut into."""
    cuts_before: dict[IslandId, Cuts] = field(default_factory=dict)
    """The same for another question, of which many may be the same."""
    restored: AllRestored = field(default_factory=lambda: Recent(_MOST_RESTORED))
    """Islands with maps in formats that suit where they are, or are faster in a schedule."""
    elsewhere: Limitless | None = None
    """The same islands where other bytes are live beside them."""

    def beside_others(self) -> Limitless:
        """What still holds where other bytes are live beside the islands."""
        return Limitless(whole=self.whole, elsewhere=self, cuts_before=self.cuts)

    def whole_maps(self, problem: IslandProblem, estimates: Estimates) -> Draft:
        """Every operator makes its whole output at once."""
        island = problem.island.id
        if island not in self.whole:
            self.whole[island] = max_schedule(problem, estimates)
        return self.whole[island]

    def bare_maps(self, problem: IslandProblem, estimates: Estimates) -> Ready:
        """Every operator makes its whole output at once, and no weights are buffered."""
        whole, island = self.whole_maps(problem, estimates), problem.island.id
        if island not in self.bare:
            self.bare[island] = snapshot(problem, whole)
        return Ready(whole, self.bare[island])

    def moved_bytes(self, problem: IslandProblem, estimates: Estimates) -> int:
        """What whole maps take once all that can has moved to fast storage."""
        island = problem.island.id
        if island not in self.moved:
            whole = self.whole_maps(problem, estimates)
            self.moved[island] = snapshot(problem, whole, problem.movable).peak_bytes
        return self.moved[island]

    def smallest_stripes(
        self, problem: IslandProblem, estimates: Estimates
    ) -> tuple[Draft, dict[int, int]]:
        """The smallest stripes, with what is live beside each node when all is whole."""
        island = problem.island.id
        if island not in self.smallest:
            draft = min_schedule(problem, estimates)
            self.smallest[island] = draft, _beside(problem, snapshot(problem, draft))
        return self.smallest[island]

    def learned(self, problem: IslandProblem, estimates: Estimates) -> Learned:
        """What is known of groups that go across branches."""
        island = problem.island.id
        if island not in self.groups and self.elsewhere and island in self.elsewhere.groups:
            self.groups[island] = self.elsewhere.groups[island].beside(problem)
        if island not in self.groups:
            whole = self.whole_maps(problem, estimates)
            self.groups[island] = Learned.of(
                problem, estimates.fixed, whole, lays_over=estimates.options.freedoms.dead_rows
            )
        return self.groups[island]


def _beside(problem: IslandProblem, now: Snapshot) -> dict[int, int]:
    """What is live beside each node when none is in a cascade, its own maps left out."""
    found = {}
    for node in problem.nodes:
        read = 0 if node.ifm.is_constant else node.ifm.size_bytes
        made = 0 if node.overwrites else node.ofm.size_bytes
        own = problem.storage.bytes_of(read + made)
        # An operator can see a map in a shape that takes more than the map itself.
        found[node.index] = max(now.usage[now.times[node.index]] - own, 0)
    return found
