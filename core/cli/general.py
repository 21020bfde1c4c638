"""What every sub-command takes: how much is said, where to, and whether files are replaced."""

from __future__ import annotations

from core.base.forms import Form
from core.cli.arguments import Parser, force_argument, output_argument
from core.cli.defaults import NAME
from core.cli.help import help_of
from core.cli.sub_command import SubCommand
from core.cli.voice import Shown


def general_arguments(command: SubCommand) -> Parser:
    """The arguments, for the parser of a command."""
    parser = Parser(add_help=False)
    group = parser.add_argument_group("in general")
    group.add_argument(
        "-h", "--help", action=help_of(command), help="what is used most; all tells everything"
    )
    group.add_argument(
        "-q", "--quiet", action="store_true", help="say nothing but results and what goes wrong"
    )
    group.add_argument(
        "-v", action="store_true", help="say how long each part of the work took as well"
    )
    output_argument(
        group,
        "--log",
        form=Form.LOG,
        help="write what is said, and how long parts took, with times",
    )
    group.add_argument(
        "--progress",
        choices=[each.value for each in Shown],
        default=Shown.TERMINAL.value,
        help="how progress is shown on standard error: only on a terminal, or as lines of JSON for"
        " programs",
    )
    if command.takes_target:
        group.add_argument(
            "--no-defaults",
            action="store_true",
            help=f"do not look for a {NAME} beside the model or above it",
        )
    force_argument(group)
    return parser
