"""`sweep`: many schedules at once, by limits, strategies, targets and models, into one file."""

from __future__ import annotations

import argparse
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from core.api import sweeps
from core.base.errors import OptionError
from core.base.files import demand_folder, made_folders
from core.base.forms import Form
from core.base.progress import Progress
from core.cli import exits
from core.cli.arguments import (
    WORDS,
    calls_of,
    given,
    output_argument,
    together_arguments,
    whole_number,
)
from core.cli.cache import cache_argument, kept_of
from core.cli.judged import review_arguments, review_texts, tell_runner
from core.cli.output import printed_options, progress_line, put_texts, remark, say, warn
from core.cli.sub_command import Work
from core.ir import engines, knobs
from core.ir.knob import Knob
from core.ir.settings import Settings
from core.report.review import Review
from core.report.words import counted, duration_text

_CERTIFICATES = {
    "ca": "certificates of those whom a scheduler at tls:// is signed by",
    "cert": "the certificate that it is shown",
    "key": "the key of that",
}
_VIEWS = {"csv": Form.CSV, "json": Form.JSON, "html": Form.HTML}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", type=Path, nargs="+", metavar="MODEL", help=".tflite files, each with all settings"
    )
    output_argument(
        parser,
        *("-o", "--output"),
        form=Form.SWEEP,
        required=True,
        metavar="OUT",
        help="the sweep, a SQLite file; cells that it has are not computed again",
    )
    parser.add_argument(
        "--sram",
        metavar="LIMITS",
        help="limits to sweep: sizes, ranges such as 64K:1M:32K, or default for that of the memory"
        " mode, with commas between; the same as --arena-cache-size",
    )
    parser.add_argument(
        "--sram-of",
        metavar="NAMES",
        help="limits that boards have, beside others: "
        + ", ".join(board.name for board in sweeps.BOARDS),
    )
    for name, form in _VIEWS.items():
        output_argument(
            parser, f"--{name}", form=form, help=f"write all of OUT's cells as {form.title}, too"
        )
    review_arguments(parser)
    for option in ("--edits", "--adopt"):
        parser.add_argument(
            option, type=_refused, metavar="F", help="not taken: a sweep leaves nothing decided"
        )
    together_arguments(
        parser.add_argument_group("several models in one device"),
        "each MODEL's cells are of all of them together, each run once",
    )
    for option, what in (("--schedules", "schedule as JSON"), ("--compiled", "verified model")):
        parser.add_argument(
            option, metavar="DIR", help=f"a folder for each cell's {what}, named by digests"
        )
    cache_argument(parser)
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="compute on the workers of this Dask scheduler, such as tcp://10.0.0.1:8786; local"
        " makes a cluster of this machine's cores. Whoever reaches a scheduler or a worker can run"
        " anything there: keep others away, or use tls:// and certificates",
    )
    for name, what in _CERTIFICATES.items():
        parser.add_argument(f"--dask-tls-{name}", type=Path, metavar="FILE", help=what)
    parser.add_argument(
        "--jobs", type=whole_number, metavar="N", help="processes; one for each core by default"
    )


def _refused(text: str) -> NoReturn:
    raise argparse.ArgumentTypeError(
        f"{text}: a sweep takes no decisions; `schedule` does, for one limit"
    )


def _run(arguments: argparse.Namespace) -> int:
    certificates = _certificates(arguments)
    base, axes = _asked(arguments)
    plan = sweeps.plan(base, axes)
    models = sweeps.Models.found(arguments.model, arguments.others, calls_of(arguments))
    warn(map(str, models.unread))
    if not models.by_digest:
        raise OptionError("none of the models can be read")
    folders = sweeps.Folders(
        schedules=_folder(arguments.schedules), compiled=_folder(arguments.compiled)
    )
    _make_way(arguments)
    with (
        made_folders(filter(None, (folders.schedules, folders.compiled))),
        sweeps.SweepFile.written(arguments.output.path) as file,
    ):
        sweep = sweeps.Sweep(
            file=file,
            models=[model for model, _ in models.by_digest.values()],
            plan=plan,
            folders=folders,
            company=models.company,
            fronts=kept_of(arguments),
            life=sweeps.Life(secrets.token_hex(8), time.monotonic, time.sleep),
        )
        with progress_line() as line:
            tally = sweep.run(_crew(arguments, models, certificates), _TimeLeft(line))
        cells = tuple(file.cells())
    review = sweeps.review_of(arguments.output.path.name, cells)
    _write_views(arguments, cells, review)
    tell_runner(arguments, review, arguments.output.path)
    tell = remark if printed_options(arguments) else say
    for part in plan.left_out:
        tell(f"left out: {counted(part.count * len(models.by_digest), 'cell')}: {part.reason}")
    warn(
        f"{name}: {counted(cells, 'cell')}: {error}"
        for (name, error), cells in tally.errors.items()
    )
    tell(
        f"{arguments.output.path}: {counted(tally.cells, 'cell')}: {tally.computed:,} computed,"
        f" {tally.known:,} already there"
    )
    return exits.REFUSED if tally.errors or models.unread else exits.OK


def _asked(arguments: argparse.Namespace) -> tuple[Settings, dict[str, tuple[Any, ...]]]:
    """What all cells have in common, and the values of each knob that takes any."""
    settings = Settings()
    words = [_words(getattr(arguments, name)) for name in WORDS]
    axes = dict[str, tuple[Any, ...]](engines.grid(*words))
    for knob in knobs.KNOBS:
        if knob.name in WORDS:
            continue
        found = getattr(arguments, knob.option[2:].replace("-", "_"))
        if knob.name == "limit_bytes":
            if found is not None and arguments.sram is not None:
                raise OptionError(f"--sram and {knob.option} are the same; give one of them")
            axes[knob.name] = _limits(found or arguments.sram, arguments.sram_of)
        elif isinstance(found, str):
            axes[knob.name] = _values(knob, found)
        else:
            settings = knob.turned(settings, given(knob, found))
    return settings, axes


def _limits(text: str | None, of_boards: str | None) -> tuple[int | None, ...]:
    boards = sweeps.boards_named(of_boards) if of_boards else ()
    own = sweeps.parse_limits(text) if text else () if boards else (None,)
    return tuple(dict.fromkeys((*own, *(board.sram_bytes for board in boards))))


def _words(text: str | None) -> list[str | None]:
    return [None] if text is None else [part.strip() for part in text.split(",")]


def _values(knob: Knob, text: str) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(knob.read(part.strip()) for part in text.split(",")))


def _folder(text: str | None) -> Path | None:
    if text is None:
        return None
    demand_folder(Path(text))
    return Path(text)


def _make_way(arguments: argparse.Namespace) -> None:
    """Make way where users said that something else may be replaced."""
    if arguments.force and arguments.output.is_foreign():
        arguments.output.path.unlink()


def _crew(
    arguments: argparse.Namespace,
    models: sweeps.Models,
    certificates: sweeps.Certificates | None,
) -> sweeps.Crew:
    count = arguments.jobs or sweeps.cores()
    if arguments.dask is not None:
        return sweeps.cluster_crew(
            arguments.dask, count, models.bytes_of, time.perf_counter, certificates
        )
    return sweeps.ProcessCrew(count, models.bytes_of, time.perf_counter)


def _certificates(arguments: argparse.Namespace) -> sweeps.Certificates | None:
    """By which a cluster is known; all of them or none."""
    found = {name: getattr(arguments, f"dask_tls_{name}") for name in _CERTIFICATES}
    if not any(found.values()):
        return None
    missing = [f"--dask-tls-{name}" for name, path in found.items() if path is None]
    if arguments.dask is None:
        missing.append("--dask")
    if missing:
        raise OptionError(f"TLS asks for {' and '.join(missing)}, too")
    return sweeps.Certificates(authorities=found["ca"], own=found["cert"], key=found["key"])


def _write_views(
    arguments: argparse.Namespace, cells: Sequence[sweeps.Cell], review: Review
) -> None:
    asked = {name: getattr(arguments, name) for name in _VIEWS}
    views = (
        (output, sweeps.render(arguments.output.path.name, cells, name))
        for name, output in asked.items()
        if output is not None
    )
    put_texts([*views, *review_texts(arguments, review)])


class _TimeLeft:
    """Progress that says how long the rest will take."""

    def __init__(self, line: Progress) -> None:
        self._line = line
        self._pace = sweeps.Pace(time.monotonic)

    def advance(self, stage: str, done: int, total: int) -> None:
        """Pass it on, with what is known."""
        seconds = self._pace.seconds_left(done, total)
        left = "" if seconds is None else f", {duration_text(seconds)} left"
        self._line.advance(f"{stage}: {done:,} of {total:,} cells{left},", done, total)


WORK = Work(add_arguments=_add_arguments, run=_run)
