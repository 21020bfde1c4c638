"""What has been found for islands and holds for whatever limit is asked for next."""

from __future__ import annotations

from core.base.frozen import Frozen, NamedTuple, field
from core.base.ids import IslandId
from core.base.memo import Memo
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

    whole: Memo[IslandId, Draft] = field(default_factory=Memo)
    smallest: Memo[IslandId, tuple[Draft, dict[int, int]]] = field(default_factory=Memo)
    """The smallest stripes, and what is live beside each node when none is in a cascade."""
    bare: Memo[IslandId, Snapshot] = field(default_factory=Memo)
    """What is live with whole maps, without a buffer for weights."""
    moved: Memo[IslandId, int] = field(default_factory=Memo)
    """What is live at most with whole maps, all of which have moved to fast storage."""
    fastest: Memo[IslandId, Ready] = field(default_factory=Memo)
    """Whole maps with weights buffered as if there were no limit."""
    groups: Memo[IslandId, Learned] = field(default_factory=Memo)
    """Of groups of operators that go across branches."""
    cuts: Memo[IslandId, Cuts] = field(default_factory=Memo)
    """Parts that islands may be cut into."""
    cuts_before: Memo[IslandId, Cuts] = field(default_factory=Memo)
    """The same for another question, of which many may be the same."""
    restored: AllRestored = field(default_factory=lambda: Memo(_MOST_RESTORED))
    """Islands with maps in formats that suit where they are, or are faster in a schedule."""
    elsewhere: Limitless | None = None
    """The same islands where other bytes are live beside them."""

    def beside_others(self) -> Limitless:
        """What still holds where other bytes are live beside the islands."""
        return Limitless(whole=self.whole, elsewhere=self, cuts_before=self.cuts)

    def whole_maps(self, problem: IslandProblem, estimates: Estimates) -> Draft:
        """Every operator makes its whole output at once."""
        return self.whole.answer(problem.island.id, lambda: max_schedule(problem, estimates))

    def bare_maps(self, problem: IslandProblem, estimates: Estimates) -> Ready:
        """Every operator makes its whole output at once, and no weights are buffered."""
        whole = self.whole_maps(problem, estimates)
        now = self.bare.answer(problem.island.id, lambda: snapshot(problem, whole))
        return Ready(whole, now)

    def moved_bytes(self, problem: IslandProblem, estimates: Estimates) -> int:
        """What whole maps take once all that can has moved to fast storage."""

        def most_bytes() -> int:
            whole = self.whole_maps(problem, estimates)
            return snapshot(problem, whole, problem.movable).peak_bytes

        return self.moved.answer(problem.island.id, most_bytes)

    def smallest_stripes(
        self, problem: IslandProblem, estimates: Estimates
    ) -> tuple[Draft, dict[int, int]]:
        """The smallest stripes, with what is live beside each node when all is whole."""

        def found() -> tuple[Draft, dict[int, int]]:
            draft = min_schedule(problem, estimates)
            return draft, _beside(problem, snapshot(problem, draft))

        return self.smallest.answer(problem.island.id, found)

    def learned(self, problem: IslandProblem, estimates: Estimates) -> Learned:
        """What is known of groups that go across branches."""
        island = problem.island.id

        def fresh() -> Learned:
            before = None if self.elsewhere is None else self.elsewhere.groups.find(island)
            if before is not None:
                return before.beside(problem)
            whole, freedoms = self.whole_maps(problem, estimates), estimates.options.freedoms
            return Learned.of(problem, estimates.fixed, whole, lays_over=freedoms.dead_rows)

        return self.groups.answer(island, fresh)


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
