"""`mcp`: answers the questions of agents on standard input and output."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import wraps

from core.base.errors import CoreError, OptionError
from core.base.harmless import terminal_text
from core.base.version import VERSION
from core.cli import exits
from core.cli.sub_command import Work

_INSTRUCTIONS = (
    "Reefpoint schedules quantised .tflite networks for Arm Ethos-U NPUs. Begin with schedule, ask"
    " why about what takes long, and try edits or ask for advice; nothing is written but by"
    " compile, which is there with --write alone."
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--write",
        action="store_true",
        help="let agents write compiled models; no file is ever written over",
    )


def _run(arguments: argparse.Namespace) -> int:
    try:
        # Where it is asked for alone: it loads longer than a network is scheduled.
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415
        from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415
        from mcp_types import ToolAnnotations  # noqa: PLC0415
    except ImportError as error:
        raise OptionError(
            "the package 'mcp' is not installed; python -m pip install 'reefpoint[mcp]'"
        ) from error
    from reefpoint.agents import Agents  # noqa: PLC0415 - likewise

    def told(ask: Callable[..., str]) -> Callable[..., str]:
        """What is refused is told in its one line."""

        @wraps(ask)
        def answer(*given: object, **named: object) -> str:
            try:
                return ask(*given, **named)
            except CoreError as error:
                raise ToolError(terminal_text(str(error))) from None

        return answer

    agents, server = Agents(), MCPServer("reefpoint", version=VERSION, instructions=_INSTRUCTIONS)
    reads = (
        agents.load,
        agents.schedule,
        agents.why,
        agents.try_edits,
        agents.compare,
        agents.advise,
        agents.front,
    )
    for ask in reads:
        server.tool(annotations=ToolAnnotations(read_only_hint=True))(told(ask))
    if arguments.write:
        server.tool(annotations=ToolAnnotations(read_only_hint=False))(told(agents.compile))
    server.run()
    return exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
