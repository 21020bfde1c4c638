"""`boards`: on which boards models fit; without a model, what is known of boards."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.api import boards, targets
from core.base.errors import about
from core.base.files import read_bytes
from core.cli import exits
from core.cli.arguments import calls_of, together_arguments
from core.cli.judged import review_arguments, review_texts, tell_runner
from core.cli.output import printed_options, progress_line, put_texts, say, show
from core.cli.sub_command import Work


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
    together_arguments(
        parser.add_argument_group("several models in one device"),
        "each MODEL is tried with all of them, each run once",
    )


def _run(arguments: argparse.Namespace) -> int:
    wanted = targets.BOARDS if arguments.on is None else targets.boards_named(arguments.on)
    if not arguments.model:
        show(boards.render_boards(wanted))
        return exits.OK
    tried: list[boards.BoardFit] = []
    others = [(path.name, read_bytes(path)) for path in arguments.others]
    calls = calls_of(arguments)
    for path in arguments.model:
        model = read_bytes(path)
        with about(path), progress_line() as progress:
            tried += boards.tried_on(path.name, model, wanted, progress, others, calls)
    review = boards.review_of(tried)
    put_texts(review_texts(arguments, review))
    if not printed_options(arguments):
        show(f"{boards.listing_of(tried).text(ends_whole=True)}\n")
        say(*(f"{each.limit}: {each.found}" for each in review.judged if not each.holds))
    tell_runner(arguments, review, arguments.model[0])
    return exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
