"""Where documents are answered: workbenches that stay warm from one to the next; no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from core import api
from core.base.digest import digest_bytes
from core.base.errors import InputError
from core.base.progress import SILENT, Progress
from core.ir.options import Options
from core.target.region import Region
from core.target.target import Target
from gui.document.document import Document, ModelRef
from gui.document.settings import Settings
from gui.jobs.recent import Recent

MOST_BENCHES = 4
"""Each holds a network and everything that was worked out for it."""


class Solution(NamedTuple):
    """What the compiler makes of a document."""

    scheduled: api.Scheduled
    analysis: api.Analysis
    unlimited_bytes: int


@dataclass(slots=True)
class Bench:
    """A lowered network, ready to be scheduled again and again."""

    key: str
    """Two runs with the same key are the same."""
    workbench: api.Workbench
    _unlimited: dict[Target, int] = field(default_factory=dict)

    def solve(self, target: Target, options: Options, progress: Progress) -> Solution:
        """The schedule for a target, and all that is shown with it."""
        scheduled = self.workbench.schedule(target, options, progress)
        unlimited = self._unlimited_bytes(target, progress)
        progress.advance("analysing", 0, 1)
        return Solution(scheduled, api.analyse(scheduled), unlimited)

    def _unlimited_bytes(self, target: Target, progress: Progress) -> int:
        """Fast storage that is taken where nothing limits it."""
        free = target.with_limit(target.accelerator.max_address)
        known = self._unlimited.get(free)
        if known is None:
            layout = self.workbench.schedule(free, Options(), progress).layout
            known = self._unlimited[free] = sum(
                area.height_bytes for area in layout.areas if Region.SCRATCH_FAST in area.regions
            )
        return known


class Desk:
    """Answers documents; what the last ones needed is at hand."""

    def __init__(self) -> None:
        self._benches: Recent[str, Bench] = Recent(MOST_BENCHES)

    def bench(self, document: Document, progress: Progress = SILENT) -> Bench:
        """The bench for a document; a CoreError says why there is none."""
        model, settings = document.model, document.settings
        if model is None:
            raise InputError("no model is open")
        target = settings.target()
        key = bench_key(model, target, settings)
        found = self._benches.find(key)
        if found is None:
            run = _run(model, target, settings, progress)
            found = Bench(key, api.Workbench(run))
            self._benches.put(key, found)
        return found

    def solve(self, document: Document, progress: Progress = SILENT) -> Solution:
        """What the compiler makes of a document."""
        settings = document.settings
        bench = self.bench(document, progress)
        return bench.solve(settings.target(), settings.options, progress)


def bench_key(model: ModelRef, target: Target, settings: Settings) -> str:
    """What a lowered network depends on."""
    # Of the options, lowering looks at this one alone.
    signs = "symmetric" if settings.force_symmetric_int_weights else "as they are"
    return f"{model.digest} {target.accelerator.name} {signs}"


def _run(model: ModelRef, target: Target, settings: Settings, progress: Progress) -> api.Run:
    data = api.read_bytes(Path(model.path))
    if digest_bytes(data) != model.digest:
        raise InputError("changed on disk since it was opened; reload it", model.name)
    try:
        return api.run(data, target, settings.options, progress)
    except InputError as error:
        where = f"{model.name}: {error.where}" if error.where else model.name
        raise InputError(error.message, where) from error
