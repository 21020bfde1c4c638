"""A board, by what was measured on it: files and logs in, a system config out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from core.base.errors import OptionError, about
from core.base.files import read_bytes
from core.base.frozen import Frozen, replace
from core.base.progress import SILENT, Progress
from core.calibrate.case import Case
from core.calibrate.run import Calibration, calibrate
from core.calibrate.told import lines
from core.executorch.beside import beside
from core.ir.program import Program
from core.ir.settings import Settings
from core.pipeline.best.kept import Kept
from core.pipeline.calibration import Programmed, case_of, of_compiled, of_schedule
from core.pipeline.compiled import (
    accelerator_in,
    likely_memory_mode,
    read_program,
    study_program,
)
from core.pipeline.run import run
from core.pipeline.scheduled import Workbench
from core.target.accelerator import Accelerator
from core.target.config import Catalogue, load
from core.target.config_text import config_text
from core.target.target import MemoryMode, SystemConfig

_LOOSE = re.compile(r"\W+")
_TITLE = "A board's memories, by what was measured on it."


class Measured(Frozen):
    """A model or a compiled file, and what was measured of one inference."""

    path: Path
    log: bytes
    source: str
    """Where the log is from."""

    @property
    def name(self) -> str:
        """What the measurement is called."""
        return f"{self.path.name}={Path(self.source).name}"


class Board(Frozen):
    """What was found of a board, and the memory modes that its programs have."""

    found: Calibration
    modes: tuple[MemoryMode, ...]

    def config(self, path: Path) -> tuple[str, str]:
        """The text of a system config that is written to a path, and what it is called."""
        name = _LOOSE.sub("_", path.stem).strip("_") or "board"
        comments = [_TITLE, "", *lines(self.found)]
        return config_text(replace(self.found.system, name=name), self.modes, comments), name


def board_of(
    measured: Sequence[Measured],
    settings: Settings,
    progress: Progress = SILENT,
    kept: Kept | None = None,
) -> Board:
    """The board on which these were measured, from the one that is asked for."""
    asked: list[Settings] = []
    cases: list[Case] = []
    for each in measured:
        with about(each.path):
            own, programmed = _programmed(each.path, settings, progress, kept)
        with about(each.source):
            mode = _catalogue(own).memory_mode(own.target().mode.name)
            cases.append(case_of(each.name, programmed, each.log, mode))
        asked.append(own)
    if not cases:
        raise OptionError("there are no measurements")
    modes = tuple(case.mode for case in cases)
    return Board(found=calibrate(cases, _system(asked, modes), progress), modes=modes)


def settings_for(settings: Settings, program: Program, accelerator: Accelerator) -> Settings:
    """What is asked for of a compiled program; where nothing is, what its file says, or else the
    memory mode that fits what its streams touch."""
    asked = replace(settings, accelerator=accelerator.name)
    if asked.system_config is None and program.system_config:
        asked = _where_known(asked, replace(asked, system_config=program.system_config))
    if asked.memory_mode is None:
        if program.memory_mode:
            told = replace(asked, memory_mode=program.memory_mode)
            if _where_known(asked, told) is told:
                return told
        likely = likely_memory_mode(program, accelerator)
        return _where_known(asked, replace(asked, memory_mode=likely))
    return asked


def _where_known(asked: Settings, told: Settings) -> Settings:
    """What is told, where there is such a target, else what was asked for."""
    with suppress(OptionError):
        told.target()
        return told
    return asked


def _programmed(
    path: Path, settings: Settings, progress: Progress, kept: Kept | None
) -> tuple[Settings, Programmed]:
    """The program of a file, and what it is assumed to run on."""
    model = read_bytes(path)
    read = read_program(model, progress, beside(path))
    if read is not None:
        asked = settings_for(settings, read.program, accelerator_in(read.program))
        target = asked.target()
        return asked, of_compiled(study_program(read, lambda _: target, progress))
    target, options = settings.target(), settings.options
    bench = Workbench(run(model, target, options, progress), kept=kept)
    return settings, of_schedule(bench.schedule(target, options, progress))


def _catalogue(settings: Settings) -> Catalogue:
    return load(Path(each) for each in settings.configs)


def _system(asked: Sequence[Settings], modes: Sequence[MemoryMode]) -> SystemConfig:
    """The system that all are assumed to run on, as it is written."""
    names = dict.fromkeys(settings.target().system.name for settings in asked)
    if len(names) > 1:
        raise OptionError(f"{' and '.join(names)} are not one board: calibrate each alone")
    ports = {port for mode in modes for port in (mode.constants, mode.arena, mode.cache)}
    return _catalogue(asked[0]).system_config(next(iter(names)), ports)
