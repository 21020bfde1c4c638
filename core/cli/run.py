"""The table of sub-commands, and the way from arguments to an exit code."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from core.base.errors import CoreError
from core.base.version import VERSION
from core.cli import exits
from core.cli.arguments import Parser, parsed, target_arguments
from core.cli.output import complain
from core.cli.sub_command import SubCommand, Work

COMPARE = SubCommand(
    name="compare",
    text="say what differs between two schedules, whoever made them, and what most of it comes"
    " from; exits with 1 where they differ",
    module="core.cli.compare",
)
_COMMANDS = (
    SubCommand(
        name="inspect",
        text="print tensors, operators, their placement with reasons, and the NPU operators; of a"
        " compiled model, what its command streams do",
        module="core.cli.inspect",
    ),
    SubCommand(
        name="schedule",
        text="print how the network runs: blocks, stripes, cascades, weight buffers, memory, and"
        " what that costs; of a compiled model, what its command streams show of that",
        module="core.cli.schedule",
    ),
    SubCommand(
        name="compile",
        text="write the model that runs on the NPU, and reports of it if asked for",
        module="core.cli.compile",
    ),
    SubCommand(
        name="sweep",
        text="schedule models for many limits, strategies and targets at once: options that name"
        " one of several take lists with commas",
        module="core.cli.sweep",
    ),
    SubCommand(
        name="verify",
        text="run a compiled model bit by bit, and compare every output with what LiteRT's"
        " reference kernels make of its original",
        module="core.cli.verify",
        takes_target=False,
    ),
    COMPARE,
    SubCommand(
        name="check",
        text="hold models against budgets, and against what they were; exits with 1 where a limit"
        " is not met",
        module="core.cli.check",
        takes_target=False,
    ),
    SubCommand(
        name="advise",
        text="say what would help: other searches, limits, memory modes and edits, each of them"
        " tried",
        module="core.cli.advise",
    ),
    SubCommand(
        name="calibrate",
        text="find the memories of a board by what was measured on it, and write them as a system"
        " config; exits with 1 where no board fits the measurements",
        module="core.cli.calibrate",
    ),
)


def main(argv: Sequence[str], more: Iterable[SubCommand] = ()) -> int:
    """Run one sub-command; what is wrong comes out as one line on standard error.

    `more` are commands that need what the compiler does not know, such as the app's pictures.
    """
    known = {item.name: item for item in (*_COMMANDS, *more)}
    asked = known.get(argv[0]) if argv else None
    try:
        work = None if asked is None else asked.load()
        arguments = parsed(_parser(known.values(), asked, work), argv)
        return exits.OK if work is None else work.run(arguments)
    except CoreError as error:
        complain(str(error))
        return exits.REFUSED
    except KeyboardInterrupt:
        complain("interrupted")
        return exits.INTERRUPTED


def _parser(
    known: Iterable[SubCommand], asked: SubCommand | None, work: Work | None
) -> argparse.ArgumentParser:
    """All commands by name, for the list of them; the one that is asked for with its arguments."""
    parser = Parser(
        prog="reefpoint", description="Schedules and compiles networks for Arm Ethos-U NPUs."
    )
    parser.add_argument("--version", action="version", version=f"reefpoint {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    for command in known:
        takes_target = command is asked and command.takes_target
        own = commands.add_parser(
            command.name,
            parents=[target_arguments()] if takes_target else [],
            help=command.text,
            description=command.sentence,
        )
        if command is asked and work is not None:
            work.add_arguments(own)
    return parser
