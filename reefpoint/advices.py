"""Advice: what would help a model on a target, each of it tried."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from core.api import advices
from core.base.errors import InputError, OptionError
from core.base.frozen import Frozen, members
from core.base.progress import Cancelled, Progress
from core.ir import knobs
from reefpoint.models import Model, Source, model_of
from reefpoint.progress import Watcher, watched
from reefpoint.schedules import Edits, settings_of, with_edits
from reefpoint.tables import data_frame
from reefpoint.targets import Target, target_of


class Tip(Frozen):
    """Something to ask for instead, and what was found when it was asked."""

    text: str
    effect: str
    because: str
    cycles_change: float
    fast_storage_bytes_change: int
    fits: bool
    """Whether it is within its limits then."""
    options: tuple[str, ...]
    """Words of the command line that ask for it."""


class Advice(Frozen, eq=False):
    """Tips, in the order in which they are to be read."""

    model: Model
    tips: tuple[Tip, ...]
    on_the_cpu: tuple[str, ...]
    """A line for each cause that keeps operators off the NPU, with what it costs."""
    is_whole: bool = True
    """Whether all was tried before the time was over."""

    def __len__(self) -> int:
        return len(self.tips)

    def __iter__(self) -> Iterator[Tip]:
        return iter(self.tips)

    def to_pandas(self) -> Any:
        """A table with a row for each tip."""
        return data_frame(members(each) for each in self.tips)

    def __repr__(self) -> str:
        told = "".join(f"\n  {tip.text}: {tip.effect}" for tip in self.tips)
        return f"<Advice for {self.model.name}: {len(self.tips)} tips{told}>"


def advise(
    model: Model | Source,
    target: Target | str | None = None,
    *,
    effort: int | None = None,
    edits: Edits | None = None,
    options: Sequence[str] = (),
    seconds: float | None = None,
    progress: Watcher | bool = True,
) -> Advice:
    """What would help: other searches, limits, memory modes and edits; as far as it is tried
    within `seconds`."""
    ends = None if seconds is None else time.monotonic() + _demand_seconds(seconds)
    network = model_of(model)
    if network.is_compiled:
        raise InputError("is compiled: nothing of it can be asked for otherwise", network.name)
    settings = settings_of(target_of(target), None, effort, options)
    with watched(progress) as told:
        settings = with_edits(network, settings, edits, told)
        bench = network.bench(settings, settings.options, told)
        clock = _Clock(told, ends)
        trials = advices.Trials(bench, settings.options.lowering, clock)
        found = advices.in_order(_in_time(advices.advice(trials, settings)))
    graph = bench.run.graph
    tips = tuple(
        Tip(
            text=advices.deed_text(tip, settings, graph),
            effect=advices.effect_text(tip),
            because=advices.because_text(tip),
            cycles_change=tip.cycles,
            fast_storage_bytes_change=tip.fast_bytes,
            fits=tip.after.fits,
            options=knobs.command_line(tip.settings),
        )
        for tip in found
    )
    on_the_cpu = tuple(advices.cpu_lines(graph))
    return Advice(model=network, tips=tips, on_the_cpu=on_the_cpu, is_whole=not clock.is_over)


class _LateError(Cancelled):
    """The time for trials is over."""


@dataclass(slots=True)
class _Clock:
    """Progress that ends where the time is over."""

    progress: Progress
    ends: float | None
    is_over: bool = False

    def advance(self, stage: str, done: int, total: int) -> None:
        self.progress.advance(stage, done, total)
        if self.ends is not None and time.monotonic() > self.ends:
            self.is_over = True
            raise _LateError


def _in_time(tips: Iterator[advices.Tip]) -> Iterator[advices.Tip]:
    with suppress(_LateError):
        yield from tips


def _demand_seconds(seconds: object) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise OptionError(f"seconds has to be a number above 0, and not {seconds!r}")
    return seconds
