"""`boards`: on which boards models fit; without a model, what is known of boards."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from core.api import networks, schedules, targets
from core.base.errors import CoreError, InputError, about
from core.base.files import read_bytes
from core.cli import exits
from core.cli.judged import review_arguments, review_texts, tell_runner
from core.cli.output import progress_line, put_texts, say, show
from core.cli.sub_command import Work
from core.ir.options import Options, Search
from core.ir.settings import Settings
from core.report.boards import Tried, fitting


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", type=Path, nargs="*", metavar="MODEL", help=".tflite files to be scheduled"
    )
    parser.add_argument(
        "--on",
        metavar="NAMES",
        help="boards, with commas between; all that are known where it is not said",
    )
    review_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    boards = targets.BOARDS if arguments.on is None else targets.boards_named(arguments.on)
    if not arguments.model:
        show(targets.render_boards(boards))
        return exits.OK
    tried = [each for path in arguments.model for each in _tried(path, boards)]
    review = targets.review_boards(tried)
    put_texts(review_texts(arguments, review))
    show(f"{fitting(tried).text(ends_whole=True)}\n")
    say(*(f"{each.limit}: {each.found}" for each in review.judged if not each.holds))
    tell_runner(arguments, review, arguments.model[0])
    return exits.OK


def _tried(path: Path, boards: tuple[targets.Board, ...]) -> Iterator[Tried]:
    model = read_bytes(path)
    if networks.may_be_compiled(model):
        raise InputError("is compiled: it is for the target that it was made for", str(path))
    for board in boards:
        with about(path), progress_line() as progress:
            settings = Settings(
                accelerator=board.accelerator.value,
                system_config=board.system_config.value,
                memory_mode=board.memory_mode.value,
                limit_bytes=board.sram_bytes,
                options=Options(search=Search.DIRECT),
            )
            target, options = settings.target(), settings.options
            run = networks.run(model, target, options, progress)
            try:
                yield path.name, board, schedules.Workbench(run).schedule(target, options, progress)
            except CoreError as error:
                yield path.name, board, error


WORK = Work(add_arguments=_add_arguments, run=_run)
