"""`mcp`: answers the questions of agents on standard input and output."""

from __future__ import annotations

import argparse

from core.base.errors import OptionError
from core.cli import exits
from core.cli.sub_command import Work


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--write",
        action="store_true",
        help="let agents write compiled models; no file is ever written over",
    )


def _run(arguments: argparse.Namespace) -> int:
    try:
        # Where it is asked for alone: it loads longer than a network is scheduled.
        from reefpoint.agents_server import serve  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in {"anyio", "mcp", "mcp_types"}:
            raise OptionError(
                "the package 'mcp' is not installed; python -m pip install 'reefpoint[mcp]'"
            ) from error
        raise
    serve(writes=arguments.write)
    return exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
