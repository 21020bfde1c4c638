"""What was asked and answered so far: a run for each document whose answer the user has seen."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import Frozen, replace
from gui.document.document import Document

MOST_RUNS = 60
"""Of these a session is a few KiB larger; what has a star or a name goes last."""


class Settled(Frozen):
    """A document with what came of it; the schedule itself is worked out again when it is asked
    for."""

    document: Document
    when: str
    """Local time, as it is shown."""
    label: str
    """What was done to ask for it."""
    cycles: float
    fast_bytes: int
    evicted_bytes: int | None
    """None of a compiled model, like the next."""
    excess_bytes: int | None
    name: str = ""
    is_starred: bool = False

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the user has marked it."""
        return self.is_starred or bool(self.name)


class Runs(Frozen, kw_only=False):
    """All of them in the order in which they were seen first."""

    entries: tuple[Settled, ...] = ()

    def with_run(self, run: Settled) -> Runs:
        """The same with a run; where its document was asked before, what came of it is renewed."""
        for at, known in enumerate(self.entries):
            if known.document == run.document:
                kept = replace(
                    run,
                    when=known.when,
                    label=known.label,
                    name=known.name,
                    is_starred=known.is_starred,
                )
                return Runs((*self.entries[:at], kept, *self.entries[at + 1 :]))
        return Runs(tuple(_bounded((*self.entries, run))))

    def changed(self, run: Settled, other: Settled) -> Runs:
        """The same with another in the place of one, as when it gets a name."""
        return Runs(tuple(other if each == run else each for each in self.entries))

    def of_model(self, document: Document) -> tuple[Settled, ...]:
        """Those of the model of a document, the latest first."""
        path = document.model.path if document.model else ""
        return tuple(
            run
            for run in reversed(self.entries)
            if run.document.model is not None and run.document.model.path == path
        )


def _bounded(entries: tuple[Settled, ...]) -> Iterator[Settled]:
    """As many as are kept: the oldest go first, and those last that the user has marked."""
    excess = len(entries) - MOST_RUNS
    plain = [at for at, run in enumerate(entries) if not run.is_worth_keeping]
    going = set((plain[:excess] + list(range(len(entries))))[:excess]) if excess > 0 else set()
    yield from (run for at, run in enumerate(entries) if at not in going)


def is_dominated(run: Settled, others: tuple[Settled, ...]) -> bool:
    """Whether another run for the same board fits as well, and is smaller or faster without being
    the contrary."""
    return any(
        _board(other) == _board(run)
        and _figures(other) != _figures(run)
        and all(a <= b for a, b in zip(_figures(other), _figures(run), strict=True))
        for other in others
    )


def _board(run: Settled) -> tuple[object, ...]:
    asked = run.document.settings
    return asked.accelerator, asked.system_config, asked.memory_mode, asked.configs


def _figures(run: Settled) -> tuple[float, ...]:
    return run.excess_bytes or 0, run.cycles, run.fast_bytes
