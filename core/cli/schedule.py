"""`schedule`: how a network runs, and what that costs."""

from __future__ import annotations

import argparse

from core.api import listings, networks, schedules
from core.base.errors import about
from core.cli import exits
from core.cli.arguments import (
    json_argument,
    model_argument,
    options_of,
    strict_argument,
    target_of,
)
from core.cli.output import json_text, progress_line, put_text, warn
from core.cli.sub_command import Work
from core.report.limits import over_limits


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    json_argument(parser)
    strict_argument(parser, "write the same, and end")


def _run(arguments: argparse.Namespace) -> int:
    target, model = target_of(arguments), networks.read_bytes(arguments.model)
    with about(arguments.model), progress_line() as progress:
        scheduled = schedules.schedule(model, target, options_of(arguments), progress)
    warn(networks.check_network(scheduled.run.network))
    name = arguments.model.name
    if arguments.json is None:
        print(listings.render_schedule(name, scheduled), end="")
    else:
        put_text(arguments.json, json_text(listings.describe_schedule(name, scheduled)))
    # The best schedule that was found is a result, also where it needs more than it may use.
    over = over_limits(scheduled.schedule, scheduled.layout)
    warn(over)
    return exits.DOES_NOT_FIT if over and arguments.strict else exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
