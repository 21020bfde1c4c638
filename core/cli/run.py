"""The way from arguments to an exit code."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from core.api.targets import stands_for
from core.base.errors import CoreError, OptionError
from core.base.version import VERSION
from core.cli import exits
from core.cli.arguments import Parser, parsed, target_arguments
from core.cli.defaults import defaults_for, words
from core.cli.general import general_arguments
from core.cli.help import known_actions, overview
from core.cli.output import complain, remark, say, show, warn
from core.cli.sub_command import SubCommand, Work
from core.cli.table import COMMANDS
from core.cli.voice import Shown, Voice, logged, spoken_by

_PROG = "reefpoint"
_HELP, _VERSION = {"-h", "--help"}, "--version"


def main(argv: Sequence[str], more: Iterable[SubCommand] = ()) -> int:
    """Run one sub-command; what is wrong comes out as one line on standard error.

    `more` are commands that need what the compiler does not know, such as the app's pictures; they
    take the place of others of their name.
    """
    commands = {item.name: item for item in (*COMMANDS, *more)}
    return _answered(lambda: _run(argv, commands))


def _answered(work: Callable[[], int]) -> int:
    try:
        return work()
    except CoreError as error:
        complain(str(error))
        return exits.REFUSED
    except KeyboardInterrupt:
        complain("interrupted")
        return exits.INTERRUPTED


def _run(argv: Sequence[str], commands: dict[str, SubCommand]) -> int:
    name = argv[0] if argv else ""
    if name in _HELP:
        show(overview(_PROG, commands.values()))
        return exits.OK
    if name == _VERSION:
        say(f"{_PROG} {VERSION}")
        return exits.OK
    if name not in commands:
        unknown = OptionError.unknown("command", name, commands)
        raise OptionError(f"{unknown} (see {_PROG} --help)")
    command = commands[name]
    work = command.load()
    parser = parser_of(command, work)
    parser.set_defaults(commands=tuple(commands.values()))
    arguments = parsed(parser, argv[1:])
    with logged(arguments.log and arguments.log.path, argv) as log:
        voice = Voice(
            is_quiet=arguments.quiet,
            is_verbose=arguments.v,
            shown=Shown(arguments.progress),
            log=log,
        )
        with spoken_by(voice):
            return _answered(
                lambda: work.run(_told(_with_defaults(command, parser, arguments, argv[1:])))
            )


def parser_of(command: SubCommand, work: Work | None = None) -> Parser:
    """The parser of a command's arguments."""
    targets = [target_arguments()] if command.takes_target else []
    parser = Parser(
        prog=f"{_PROG} {command.name}",
        parents=[*targets, general_arguments(command)],
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=textwrap.fill(command.sentence, 79),
    )
    (work or command.load()).add_arguments(parser)
    return parser


def _with_defaults(
    command: SubCommand, parser: Parser, arguments: argparse.Namespace, argv: Sequence[str]
) -> argparse.Namespace:
    """The arguments, and what a file beside the model says where they say nothing."""
    if not command.takes_target or arguments.no_defaults:
        return arguments
    found = defaults_for(_models(arguments))
    values = {} if found is None else found.beside(_given(parser_of(command), argv))
    if found is None or not values:
        return arguments
    remark(f"defaults of {found.path}: {' '.join(words(values))}")
    parser.set_defaults(**values)
    return parsed(parser, argv)


def _told(arguments: argparse.Namespace) -> argparse.Namespace:
    """The arguments, once it is said what a board stands for and what of that is assumed."""
    if getattr(arguments, "board", None) is not None and hasattr(arguments, "memory_mode"):
        board = stands_for(arguments.board)
        said = " ".join(
            f"--{name.replace('_', '-')} {text}"
            for name, text in board.target.items()
            if getattr(arguments, name) == text
        )
        assumed = f"; assumed: {', '.join(board.assumed)}" if board.assumed else ""
        remark(f"board {board.name}: {said}{assumed}")
        warn(board.remarks)
        if arguments.accelerator_config != board.target["accelerator_config"]:
            warn([f"{board.name} has an {board.target['accelerator_config']}"])
    return arguments


def _models(arguments: argparse.Namespace) -> Iterator[Path]:
    """The models that a command works on."""
    for name in ("model", "b", "measurements"):
        value = getattr(arguments, name, None)
        for each in value if isinstance(value, list) else [value]:
            path = getattr(each, "model", each)
            if isinstance(path, Path):
                yield path


def _given(parser: Parser, argv: Sequence[str]) -> set[str]:
    """Which arguments a command line names."""
    for action in known_actions(parser):
        action.default = argparse.SUPPRESS
    return {name for name, value in vars(parser.parse_args(argv)).items() if value is not None}
