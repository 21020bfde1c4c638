"""`calibrate`: the memories of a board, found by what was measured on it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from core.api import calibrations, networks, programs, schedules, targets
from core.base.errors import InputError, OptionError, about
from core.base.files import as_utf8, read_bytes
from core.base.forms import Form
from core.base.frozen import replace
from core.cli import exits
from core.cli.arguments import json_argument, output_argument, settings_of
from core.cli.cache import cache_argument, kept_of
from core.cli.compiled import asked_for
from core.cli.output import complain, json_text, progress_line, put_texts, say
from core.cli.sub_command import Work
from core.ir.settings import Settings
from core.report.measured.logs import read_log
from core.target.config import Catalogue
from core.target.target import MemoryMode, SystemConfig

_LOOSE = re.compile(r"\W+")


class Pair(NamedTuple):
    """A model, and what was measured of it: a file, or the figure itself."""

    model: Path
    log: Path | str

    @property
    def name(self) -> str:
        """What the measurement is called."""
        log = self.log.name if isinstance(self.log, Path) else self.log
        return f"{self.model.name}={log}"

    @property
    def data(self) -> bytes:
        """What was measured, as a file has it."""
        return read_bytes(self.log) if isinstance(self.log, Path) else self.log.encode()


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "measurements",
        type=_pair,
        nargs="+",
        metavar="MODEL=LOG",
        help="a compiled file, or a model that the target options compile, and what was measured"
        " of one inference: a log of the evaluation kit, the driver or ExecuTorch, a table of"
        " cycles by operator, or the figure itself, such as 405608 or 3.67ms@400MHz;"
        f" {calibrations.MOST_MEASUREMENTS} of them at most",
    )
    output_argument(
        parser,
        "-o",
        "--output",
        form=Form.CONFIG,
        required=True,
        help="the system config to write, for --config; its name is that of the file",
    )
    json_argument(parser)
    cache_argument(parser)


def _pair(text: str) -> Pair:
    """Names of files may have an equals sign in them: the first at which both sides are there."""
    places = [at for at, letter in enumerate(text) if letter == "="]
    for at in places:
        model, log = Path(text[:at]), text[at + 1 :]
        if model.is_file() and Path(log).is_file():
            return Pair(model, Path(log))
    if not places or text.startswith("=") or text.endswith("="):
        raise argparse.ArgumentTypeError(f"'{text}' is not MODEL=LOG")
    model, log = Path(text[: places[-1]]), text[places[-1] + 1 :]
    return Pair(model, log if _is_figure(log) else Path(log))


def _is_figure(text: str) -> bool:
    """Whether it is a measurement itself; one that cannot be is refused where it is read."""
    try:
        return text[:1].isdigit() and read_log(text) is not None
    except InputError:
        return True


def _run(arguments: argparse.Namespace) -> int:
    pairs: list[Pair] = arguments.measurements
    asked, cases = [], []
    for pair in pairs:
        settings, programmed = _programmed(arguments, pair.model)
        data = pair.data
        with about(pair.log):
            mode = _catalogue(settings).memory_mode(settings.target().mode.name)
            cases.append(calibrations.case_of(pair.name, programmed, data, mode))
        asked.append(settings)
    system = _system(asked, [case.mode for case in cases])
    with progress_line() as progress:
        found = calibrations.calibrate(cases, system, progress)
    return _tell(arguments, found, [case.mode for case in cases])


def _programmed(
    arguments: argparse.Namespace, path: Path
) -> tuple[Settings, calibrations.Programmed]:
    """The program of a file, and what it is assumed to run on."""
    model = read_bytes(path)
    with about(path), progress_line() as progress:
        read = programs.read_program(model, progress) if networks.is_marked(model) else None
        if read is not None:
            asked = asked_for(arguments, read, programs.accelerator_in(read.program))
            target = asked.target()
            studied = programs.study_program(read, lambda _: target, progress)
            return asked, calibrations.of_compiled(studied)
        asked = settings_of(arguments)
        target, options = asked.target(), asked.options
        run = networks.run(model, target, options, progress)
        bench = schedules.Workbench(run, kept=kept_of(arguments))
        return asked, calibrations.of_schedule(bench.schedule(target, options, progress))


def _catalogue(settings: Settings) -> Catalogue:
    return targets.load_configs(Path(each) for each in settings.configs)


def _system(asked: Sequence[Settings], modes: Sequence[MemoryMode]) -> SystemConfig:
    """The system that all are assumed to run on, as it is written."""
    names = dict.fromkeys(settings.target().system.name for settings in asked)
    if len(names) > 1:
        raise OptionError(f"{' and '.join(names)} are not one board: calibrate each alone")
    ports = {port for mode in modes for port in (mode.constants, mode.arena, mode.cache)}
    return _catalogue(asked[0]).system_config(next(iter(names)), ports)


def _tell(
    arguments: argparse.Namespace, found: calibrations.Calibration, modes: Sequence[MemoryMode]
) -> int:
    told, path = list(calibrations.lines(found)), arguments.output.path
    name = _LOOSE.sub("_", path.stem).strip("_") or "board"
    files = {}
    if found.holds:
        comments = ["A board's memories, by what was measured on it.", "", *told]
        text = calibrations.config_text(replace(found.system, name=name), modes, comments)
        files = {path: as_utf8(text)}
    reports = []
    if arguments.json is None:
        say(*told)
    else:
        reports = [(arguments.json, json_text(calibrations.describe(found)))]
    put_texts(reports, files)
    if not found.holds:
        complain(f"{path}: is not written: the measurements do not fit one board")
        return exits.DISPROVED
    if arguments.json is None:
        say("", f"--config {path} --system-config {name}")
    return exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
