"""Fronts: schedules from the smallest to the fastest, which answer every limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from core.base.frozen import Frozen, members, replace
from core.ir.settings import Settings
from core.report.words import kib_text
from reefpoint.models import Model, Source, model_of
from reefpoint.progress import Watcher, watched
from reefpoint.schedules import Edits, Schedule, scheduled_with, settings_of, with_edits
from reefpoint.tables import data_frame
from reefpoint.targets import Target, target_of

_EFFORT = 12


class Point(Frozen):
    """A schedule of a front."""

    fast_storage_bytes: int
    """That it takes; with less, the one before it is the answer."""
    cycles: float
    evicted_bytes: int
    cascades: int


class Front(Frozen, eq=False):
    """No point is both smaller and faster than another."""

    model: Model
    settings: Settings
    points: tuple[Point, ...]

    def within(self, limit: int | str, *, progress: Watcher | bool = True) -> Schedule:
        """The best schedule within a limit: bytes, or a text such as "256K"."""
        within = Target(settings=self.settings).within(limit)
        settings = replace(within.settings, options=self.settings.options)
        with watched(progress) as told:
            return scheduled_with(self.model, settings, told)

    def to_pandas(self) -> Any:
        """A table with a row for each point."""
        return data_frame(members(each) for each in self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __repr__(self) -> str:
        if not self.points:
            return f"<Front of {self.model.name}: empty>"
        first, last = self.points[0], self.points[-1]
        return (
            f"<Front of {self.model.name}: {len(self.points)} schedules, from"
            f" {kib_text(first.fast_storage_bytes)} and {first.cycles:,.0f} cycles to"
            f" {kib_text(last.fast_storage_bytes)} and {last.cycles:,.0f}>"
        )


def front(
    model: Model | Source,
    target: Target | str | None = None,
    *,
    effort: int = _EFFORT,
    edits: Edits | None = None,
    options: Sequence[str] = (),
    progress: Watcher | bool = True,
) -> Front:
    """The front of a model, after so many searches as `effort` says; the target's limit is where
    it is looked at most closely."""
    network = model_of(model)
    settings = settings_of(target_of(target), "front", max(effort, 1), options)
    with watched(progress) as told:
        settings = with_edits(network, settings, edits, told)
        found = scheduled_with(network, settings, told)
    points = tuple(
        Point(
            fast_storage_bytes=each.peak_bytes,
            cycles=each.cycles,
            evicted_bytes=each.evicted_bytes,
            cascades=each.cascades,
        )
        for each in found.scheduled.schedule.front
    )
    return Front(model=network, settings=settings, points=points)
