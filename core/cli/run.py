"""The table of sub-commands, and the way from arguments to an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence

from core.base.errors import CoreError
from core.base.version import VERSION
from core.cli import exits
from core.cli.arguments import Parser, target_arguments
from core.cli.command import Command
from core.cli.compile import COMPILE
from core.cli.inspect import INSPECT
from core.cli.schedule import SCHEDULE
from core.cli.verify import VERIFY

_COMMANDS = {item.name: item for item in (INSPECT, SCHEDULE, COMPILE, VERIFY)}


def main(argv: Sequence[str], more: Iterable[Command] = ()) -> int:
    """Run one sub-command; what is wrong comes out as one line on standard error.

    `more` are commands that need what the compiler does not know, such as the app's pictures.
    """
    known = _COMMANDS | {item.name: item for item in more}
    try:
        arguments = _parser(known.values()).parse_args(argv)
        return known[arguments.command].run(arguments)
    except CoreError as error:
        print(f"reefpoint: {error}", file=sys.stderr)
        return exits.REFUSED
    except BrokenPipeError:
        # The reader of our output has seen enough; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.OK
    except KeyboardInterrupt:
        print("reefpoint: interrupted", file=sys.stderr)
        return exits.INTERRUPTED


def _parser(known: Iterable[Command]) -> argparse.ArgumentParser:
    parser = Parser(
        prog="reefpoint", description="Schedules and compiles networks for Arm Ethos-U NPUs."
    )
    parser.add_argument("--version", action="version", version=f"reefpoint {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    for command in known:
        command.add_arguments(
            commands.add_parser(
                command.name,
                parents=[target_arguments()] if command.takes_target else [],
                help=command.text,
                description=command.sentence,
            )
        )
    return parser
