"""A sweep: what its file does not have yet is computed by a crew and put there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from pathlib import Path, PurePath

from core.base.files import write_whole
from core.base.frozen import Changing, Frozen, field, replace
from core.base.progress import SILENT, Progress
from core.ir.sweep import SweptModel, Verdict
from core.pipeline.best.kept import Kept
from core.sweep.claims import Claims, Life
from core.sweep.company import Company
from core.sweep.crew import Crew
from core.sweep.drive import Drive
from core.sweep.file import Done, Known, SweepFile
from core.sweep.lanes import Lane, lanes
from core.sweep.plan import Plan
from core.sweep.work import Ask, Batch, Found, Wants

STAGE = "sweep"
_WAIT_S = 0.5


class Folders(Frozen):
    """Where schedules and compiled models go, where they are wanted."""

    schedules: Path | None = None
    compiled: Path | None = None

    @property
    def wants(self) -> Wants:
        """What workers hand over."""
        return Wants(schedules=self.schedules is not None, compiled=self.compiled is not None)


class Tally(Changing, kw_only=True):
    """What a sweep has come to."""

    cells: int
    known: int
    """Those that the file had."""
    computed: int = 0
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many cells of a model have an error."""


class Sweep(Frozen):
    """Models, what each is scheduled with, and what the file has of it."""

    file: SweepFile
    models: Sequence[SweptModel]
    plan: Plan
    life: Life
    folders: Folders = Folders()
    company: Company | None = None
    """Other models that are in the device with each of them."""
    fronts: Kept | None = None
    """Where workers find fronts of the best search."""

    def run(self, crew: Crew, progress: Progress = SILENT) -> Tally:
        """Compute what is not there; whatever ends this, what was computed is in the file."""
        try:
            return self._run(crew, progress)
        finally:
            crew.stop()

    def _run(self, crew: Crew, progress: Progress) -> Tally:
        self.file.name(self.models, (asked.swept for asked in self.plan.asked))
        tally = Tally(cells=len(self.models) * len(self.plan.asked), known=0)
        claims = Claims(self.file, self._is_open, self.life)
        given_up: set[tuple[str, str]] = set()
        try:
            while True:
                tally.known = tally.cells - tally.computed - self._count_open(given_up)
                progress.advance(STAGE, tally.known + tally.computed, tally.cells)
                drive = Drive(crew, self._lanes(given_up), claims.take)
                for results in drive.run():
                    claims.beat()
                    self._take(results, tally, given_up)
                    done = min(tally.known + tally.computed, tally.cells)
                    progress.advance(STAGE, done, tally.cells)
                if not self._count_open(given_up):
                    return tally
                # What is left another sweep is at; should that end, it is this one's.
                self.life.sleep(_WAIT_S)
        finally:
            claims.leave()

    def _take(
        self,
        results: Sequence[tuple[Batch, tuple[Found, ...]]],
        tally: Tally,
        given_up: set[tuple[str, str]],
    ) -> None:
        """Keep what was found, and count it."""
        if results:
            self._keep(results)
        for batch, found in results:
            tally.computed += len(found)
            tally.errors.update(
                (batch.name, each.outcome.error) for each in found if each.outcome.error
            )
            lost = (each for each in found if each.outcome.verdict is Verdict.LOST)
            given_up.update((batch.model, each.settings) for each in lost)

    def _lanes(self, given_up: Set[tuple[str, str]]) -> Iterator[tuple[Lane, Batch]]:
        for model in self.models:
            wants = replace(self.folders.wants, fronts=self.fronts)
            empty = Batch(
                model=model.digest, name=model.name, asks=(), wants=wants, company=self.company
            )
            # Asked of the file only now: another sweep may have been there.
            for lane in lanes(model.digest, self._open(model, given_up)):
                yield lane, empty

    def _count_open(self, given_up: Set[tuple[str, str]]) -> int:
        return sum(len(self._open(model, given_up)) for model in self.models)

    def _open(self, model: SweptModel, given_up: Set[tuple[str, str]]) -> list[Ask]:
        """What is still to be computed of a model; what was tried in vain is for the next time."""
        known = self.file.known(model.digest)
        return [
            Ask(settings=asked.swept.digest, target=asked.target, options=asked.options)
            for asked in self.plan.asked
            if self._is_open(known.get(asked.swept.digest))
            and (model.digest, asked.swept.digest) not in given_up
        ]

    def _is_open(self, known: Known | None) -> bool:
        if known is None or known.verdict is Verdict.LOST:
            return True
        wanted = []
        if known.verdict is not Verdict.REFUSED:
            wanted.append((self.folders.schedules, known.schedule_file))
        if known.verdict is Verdict.FITS:
            wanted.append((self.folders.compiled, known.compiled_file))
        return any(
            folder is not None and not (name and (folder / name).is_file())
            for folder, name in wanted
        )

    def _keep(self, results: Sequence[tuple[Batch, tuple[Found, ...]]]) -> None:
        """Put cells into the file; before that, what they refer to is there."""
        files: dict[Path, bytes] = {}
        cells = []
        for batch, found in results:
            for each in found:
                stem = f"{PurePath(batch.name).stem}-{batch.model[:8]}-{each.settings}"
                schedule = _placed(files, self.folders.schedules, f"{stem}.json", each.schedule)
                compiled = _placed(files, self.folders.compiled, f"{stem}.tflite", each.compiled)
                cells.append(
                    Done(
                        model=batch.model,
                        settings=each.settings,
                        outcome=each.outcome,
                        seconds_taken=each.seconds_taken,
                        schedule_file=schedule,
                        compiled_file=compiled,
                    )
                )
        write_whole(files)
        self.file.put(cells)


def _placed(files: dict[Path, bytes], folder: Path | None, name: str, content: bytes) -> str:
    """The name of a file that is to be written, or nothing where there is none."""
    if folder is None or not content:
        return ""
    files[folder / name] = content
    return name
