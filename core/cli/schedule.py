"""`schedule`: how a network runs, and what that costs; of a compiled model, what its streams do."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from core.api import edits, listings, networks, schedules, together
from core.base.errors import OptionError, about
from core.base.files import read_bytes
from core.cli import exits
from core.cli.arguments import (
    around_argument,
    edits_arguments,
    json_argument,
    model_argument,
    options_of,
    strict_argument,
    target_of,
    together_arguments,
    trial_of_edits_argument,
)
from core.cli.cache import cache_argument, kept_of
from core.cli.edits import (
    not_as_asked,
    tell_adopted,
    tried_edits,
    with_decisions,
    with_notes,
    written_edits,
)
from core.cli.judged import review_arguments, review_texts, tell_runner
from core.cli.output import json_text, printed_options, progress_line, put_texts, show, warn
from core.cli.sub_command import Work
from core.cli.together import (
    limited_to,
    missing_beside,
    told_beside,
    with_others,
)
from core.report.limits import over_limits

_NAMES = ", ".join(detail.value for detail in listings.Detail)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    json_argument(parser)
    review_arguments(parser)
    parser.add_argument(
        "--verbose",
        type=_details,
        default=(),
        metavar="WHAT",
        help=f"tell more in the text: {_NAMES}, or several of them with commas between",
    )
    strict_argument(parser, "write the same, and end")
    cache_argument(parser)
    group = parser.add_argument_group("edits")
    edits_arguments(group)
    around_argument(group)
    trial_of_edits_argument(group)
    together_arguments(parser.add_argument_group("several models in one device"))


def _run(arguments: argparse.Namespace) -> int:
    model = read_bytes(arguments.model)
    if networks.may_be_compiled(model):
        from core.cli import compiled  # with all that reads streams

        found = compiled.read_schedule(arguments, arguments.model, model)
        if found is not None:
            _demand_no_edits(arguments)
            shown = with_notes(arguments, found)
            settings = found.target, options_of(arguments)
            _, beside = with_others(arguments, *settings, lambda _: shown)
            return _tell(arguments, shown, beside)
    target = target_of(arguments)
    options = options_of(arguments)
    with about(arguments.model), progress_line() as progress:
        run = networks.run(model, target, options, progress)
        bench = schedules.Workbench(run, kept=kept_of(arguments))
    asked = with_decisions(options, arguments, model, bench.run, target)
    own = limited_to(arguments, bench, target, asked.options)
    scheduled, beside = with_others(arguments, target, options, own)
    with about(arguments.model), progress_line() as progress:
        scheduled = tried_edits(arguments, bench, scheduled, progress)
        tell_adopted(arguments, asked, bench, scheduled, progress)
    warn(networks.check_network(scheduled.run.network))
    warn(edits.few_unheard(scheduled.edits, edits.titled(scheduled.graph)))
    files = written_edits(arguments, model, scheduled)
    code = _tell(arguments, with_notes(arguments, scheduled), beside, files)
    return exits.NOT_AS_ASKED if arguments.strict and not_as_asked(asked, scheduled) else code


def _demand_no_edits(arguments: argparse.Namespace) -> None:
    """Refuse to decide what a compiler has decided already."""
    for name in ("edits", "adopt", "around", "write_edits"):
        if getattr(arguments, name) is not None:
            option = name.replace("_", "-")
            raise OptionError(
                f"--{option}: {arguments.model} is compiled: nothing is to be decided"
            )


def _tell(
    arguments: argparse.Namespace,
    scheduled: schedules.Scheduled,
    beside: together.Together | None,
    files: Mapping[Path, bytes] = MappingProxyType({}),
) -> int:
    """Print or write a schedule, with files beside it, and say where it does not fit."""
    name, review = arguments.model.name, listings.review_schedule(arguments.model.name, scheduled)
    texts = [*review_texts(arguments, review)]
    if arguments.json is not None:
        report = listings.describe_schedule(name, scheduled)
        if beside is not None:
            report["together"] = together.describe(beside)
        texts.append((arguments.json, json_text(report)))
    put_texts(texts, files)
    if arguments.json is None and not printed_options(arguments):
        told = listings.render_schedule(name, scheduled, arguments.verbose)
        show(told + told_beside(beside))
    tell_runner(arguments, review, arguments.model)
    # The best schedule that was found is a result, also where it needs more than it may use.
    over = (*over_limits(scheduled.schedule, scheduled.layout), *missing_beside(beside))
    warn(over)
    return exits.NOT_AS_ASKED if over and arguments.strict else exits.OK


def _details(text: str) -> tuple[listings.Detail, ...]:
    known = {detail.value: detail for detail in listings.Detail}
    names = text.split(",")
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"'{name}' is none of {_NAMES}")
    return tuple(known[name] for name in names)


WORK = Work(add_arguments=_add_arguments, run=_run)
