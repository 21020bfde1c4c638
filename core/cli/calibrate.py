"""`calibrate`: the memories of a board, found by what was measured on it."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.api import calibrations
from core.base.errors import InputError
from core.base.files import as_utf8, read_bytes
from core.base.forms import Form
from core.base.frozen import NamedTuple
from core.cli import exits
from core.cli.arguments import json_argument, output_argument, settings_of
from core.cli.cache import cache_argument, kept_of
from core.cli.output import complain, json_text, progress_line, put_texts, say
from core.cli.sub_command import Work
from core.report.measured.logs import read_log


class Pair(NamedTuple):
    """A model, and what was measured of it: a file, or the figure itself."""

    model: Path
    log: Path | str

    def measured(self) -> calibrations.Measured:
        """The model with what a file has, or with the figure."""
        data = read_bytes(self.log) if isinstance(self.log, Path) else self.log.encode()
        return calibrations.Measured(path=self.model, log=data, source=str(self.log))


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
    measured = [pair.measured() for pair in pairs]
    with progress_line() as progress:
        board = calibrations.board_of(
            measured, settings_of(arguments), progress, kept_of(arguments)
        )
    return _tell(arguments, board)


def _tell(arguments: argparse.Namespace, board: calibrations.Board) -> int:
    found, path = board.found, arguments.output.path
    told, (text, name) = list(calibrations.lines(found)), board.config(path)
    files = {path: as_utf8(text)} if found.holds else {}
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
