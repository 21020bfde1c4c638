"""Sweeps: models on targets within limits, a cell for each.

It is done in this process, one cell after the other, and kept in memory; `reefpoint sweep` has
processes, clusters, and files that go on where they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from core.api import sweeps
from core.base.errors import CoreError, OptionError
from core.base.frozen import Frozen, members, replace
from core.base.progress import Progress
from core.ir.settings import Settings
from core.report.words import counted
from reefpoint.models import Model, Source, model_of
from reefpoint.progress import Watcher, watched
from reefpoint.schedules import scheduled_with, settings_of
from reefpoint.tables import data_frame
from reefpoint.targets import Target, target_of


class Cell(Frozen):
    """A model on a target within a limit; without figures where it was refused."""

    model: str
    accelerator: str
    system_config: str
    memory_mode: str
    limit_bytes: int
    fits: bool
    cycles: float | None = None
    seconds: float | None = None
    fast_storage_bytes: int | None = None
    excess_bytes: int | None = None
    evicted_bytes: int | None = None
    error: str = ""
    """Why there is no schedule."""


class Sweep(Frozen):
    """All cells, by model, target and limit."""

    cells: tuple[Cell, ...]

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def to_pandas(self) -> Any:
        """A table with a row for each cell."""
        return data_frame(members(each) for each in self.cells)

    def __repr__(self) -> str:
        fitting = sum(cell.fits for cell in self.cells)
        return f"<Sweep: {counted(len(self.cells), 'cell')}, {fitting} fit>"


def sweep(
    models: Model | Source | Iterable[Model | Source],
    targets: Target | str | Iterable[Target | str],
    *,
    limits: str | Iterable[int | str] = "default",
    engine: str | None = None,
    effort: int | None = None,
    options: Sequence[str] = (),
    progress: Watcher | bool = True,
) -> Sweep:
    """All models on all targets within all limits: sizes, or a text such as "64K:1M:32K,2M"."""
    networks = [model_of(each) for each in _several(models)]
    asked = [
        settings_of(target, engine, effort, options=options)
        for each in _several(targets)
        for target in _within(target_of(each), limits)
    ]
    if not networks or not asked:
        raise OptionError("a sweep asks for a model, a target and a limit at least")
    cells: list[Cell] = []
    with watched(progress) as told:
        for model in networks:
            for settings in asked:
                told.advance("sweep", len(cells), len(networks) * len(asked))
                cells.append(_cell(model, settings, told))
    return Sweep(cells=tuple(cells))


def _cell(model: Model, settings: Settings, progress: Progress) -> Cell:
    target = Target(settings=settings)
    cell = Cell(
        model=model.name,
        accelerator=target.accelerator,
        system_config=target.system_config,
        memory_mode=target.memory_mode,
        limit_bytes=target.limit_bytes,
        fits=False,
    )
    try:
        found = scheduled_with(model, settings, progress)
    except CoreError as error:
        return replace(cell, error=str(error))
    return replace(
        cell,
        fits=found.fits,
        cycles=found.cycles,
        seconds=found.seconds,
        fast_storage_bytes=found.fast_storage_bytes,
        excess_bytes=found.excess_bytes,
        evicted_bytes=found.evicted_bytes,
    )


def _several(given: Any) -> Iterable[Any]:
    is_one = isinstance(given, str | Model | Target) or hasattr(given, "__fspath__")
    return (given,) if is_one else given


def _within(target: Target, limits: str | Iterable[int | str]) -> Iterator[Target]:
    texts = [limits] if isinstance(limits, str) else map(str, limits)
    for limit in dict.fromkeys(size for text in texts for size in sweeps.parse_limits(text)):
        yield target if limit is None else target.within(limit)
