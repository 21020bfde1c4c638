"""Comparisons: what differs between two schedules, whoever made them, and what it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.api import comparisons
from core.base.errors import about
from core.base.files import read_bytes
from core.base.forms import Form
from core.base.frozen import Frozen, members
from core.report.comparison import words
from reefpoint import pages
from reefpoint.models import Model, Source, load
from reefpoint.progress import Watcher, watched
from reefpoint.schedules import Schedule, schedule
from reefpoint.tables import data_frame
from reefpoint.targets import Target

Side = Schedule | Model | Source
"""A schedule; a model, compiled or not; or a file of either, or of a schedule's JSON."""
_HEAD_BYTES = 1 << 10


class Figure(Frozen):
    """A figure of both; None where a side does not tell it."""

    name: str
    before: float | None
    after: float | None
    change: float | None


class Pair(Frozen):
    """An operator of both; 0 cycles where one side does not have it."""

    name: str
    before_cycles: float
    after_cycles: float
    differences: tuple[str, ...]


class Comparison(Frozen, eq=False):
    """The second held against the first."""

    found: comparisons.Comparison

    @property
    def headline(self) -> str:
        """How much faster and smaller the second is."""
        return words.headline(self.found)

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs."""
        return self.found.is_equal

    @property
    def cycles_change(self) -> float | None:
        """Cycles that the second takes more; None where a side does not tell."""
        return self.found.figure("total_cycles").change

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, by the names that a schedule's JSON has under `totals`."""
        return tuple(
            Figure(name=each.name, before=each.before, after=each.after, change=each.change)
            for each in self.found.figures
        )

    def figure(self, name: str) -> Figure:
        """A figure by its name."""
        each = self.found.figure(name)
        return Figure(name=each.name, before=each.before, after=each.after, change=each.change)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All operators, in the order in which they run."""
        return tuple(
            Pair(
                name=pair.name,
                before_cycles=pair.before_cycles,
                after_cycles=pair.after_cycles,
                differences=tuple(map(words.difference_text, pair.differences)),
            )
            for pair in self.found.operators
        )

    def meets(self, relation: str) -> bool:
        """Whether a relation such as "cycles>+1%", "sram<=256K" or "time<3ms" is there."""
        return comparisons.demand_of(relation).is_met(self.found)

    def to_dict(self) -> dict[str, Any]:
        """What `reefpoint compare --json` writes."""
        return comparisons.describe(self.found)

    def to_pandas(self) -> Any:
        """A table with a row for each operator."""
        return data_frame(members(each) for each in self.pairs)

    def to_html(self) -> str:
        """A page of it, which needs nothing else."""
        return pages.of_comparison(self.found)

    def __repr__(self) -> str:
        return f"<Comparison: {self.headline}>"

    def __str__(self) -> str:
        return comparisons.render(self.found)

    def _repr_html_(self) -> str:
        return pages.framed(self.to_html())


def compare(
    before: Side,
    after: Side,
    target: Target | str | None = None,
    *,
    progress: Watcher | bool = True,
) -> Comparison:
    """What differs between two; models that have no schedule yet are scheduled for a target."""
    with watched(progress) as told:
        a, b = (_account(side, target, told.advance) for side in (before, after))
        return Comparison(found=comparisons.compare(a, b))


def _account(side: Side, target: Target | str | None, progress: Watcher) -> comparisons.Account:
    found = side
    if not isinstance(found, Schedule | Model):
        path = Path(found)
        data = read_bytes(path)
        if Form.JSON.begins(data[:_HEAD_BYTES]):
            with about(path):
                return comparisons.account_of_json(data, path.name)
        found = load(path)
    if isinstance(found, Model):
        found = schedule(found, target, progress=progress)
    return comparisons.account_of_schedule(found.scheduled, found.model.name)
