"""Where compiled models are taken apart; no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from core.api import networks, programs
from core.base.errors import OptionError
from core.base.progress import Progress
from core.ir.settings import Settings
from core.target.region import Region
from core.target.target import Target
from gui.jobs.solution import Solution


@dataclass(slots=True)
class CompiledBench:
    """A compiled model; settings only change which memories are assumed."""

    key: str
    run: networks.Run
    """The graph that its streams show, whatever is assumed."""
    read: programs.ReadProgram
    _known: dict[Target, programs.Readback] = field(default_factory=dict)

    @property
    def workbench(self) -> None:
        """There is nothing to be scheduled again."""
        return

    @classmethod
    def of(
        cls, key: str, read: programs.ReadProgram, settings: Settings, progress: Progress
    ) -> CompiledBench:
        """A program, ready to be shown."""
        target = assumed_target(read.program, settings)
        found = _read_back(read, target, progress)
        return cls(key, found.scheduled.run, read, {target: found})

    def solve(self, settings: Settings, progress: Progress) -> Solution:
        """What the program shows."""
        target = assumed_target(self.read.program, settings)
        found = self._known.get(target)
        if found is None:
            found = self._known[target] = _read_back(self.read, target, progress)
        scheduled = replace(found.scheduled, run=self.run)
        areas = scheduled.layout.areas
        taken = sum(each.height_bytes for each in areas if Region.SCRATCH_FAST in each.regions)
        return Solution(scheduled, found.analysis, taken)


def assumed_target(program: programs.Program, settings: Settings) -> Target:
    """The streams' accelerator with the memories that are asked for, as far as they go together."""
    accelerator = programs.accelerator_in(program)
    mode = programs.likely_memory_mode(program, accelerator)
    wanted = replace(settings, accelerator=accelerator.name, limit_bytes=None)
    likely = replace(wanted, memory_mode=wanted.memory_mode or mode)
    plain = Settings(accelerator=accelerator.name)
    for each in (likely, wanted, replace(plain, memory_mode=mode)):
        try:
            return each.target()
        except OptionError:
            continue
    return plain.target()


def _read_back(read: programs.ReadProgram, target: Target, progress: Progress) -> programs.Readback:
    return programs.read_back(programs.study_program(read, lambda _: target, progress))
