"""`inspect`: what is in a model, and what a compiled one does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from core.api import networks, queries, schedules
from core.base.errors import OptionError, about
from core.base.files import read_bytes
from core.cli import exits
from core.cli.arguments import json_argument, model_argument, options_of, target_of
from core.cli.output import json_text, progress_line, put_texts, show, warn
from core.cli.sub_command import Work

_FIELDS, _TAGS = ", ".join(queries.FIELDS), ", ".join(queries.TAGS)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    json_argument(parser)
    parser.add_argument(
        "--pools",
        choices=("c", "cmake", "kconfig", "linker"),
        help="print the memory that a compiled model takes as a build has it: the pools of"
        " ExecuTorch's runtime, or the arena of TensorFlow Lite Micro",
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="QUERY",
        help="tell which operators and maps of the schedule are so, such as"
        f" 'kind=depthwise and share>1%%' or 'is=evicted bytes>=64K' (fields: {_FIELDS};"
        f" is: {_TAGS}); where it is given several times, each has an answer of its own",
    )


def _run(arguments: argparse.Namespace) -> int:
    if arguments.pools and arguments.json:
        raise OptionError("--pools and --json are two answers; one can be asked for")
    if arguments.pools and arguments.where:
        raise OptionError("--pools and --where are two answers; one can be asked for")
    asked = tuple(map(queries.query_of, arguments.where))
    model = read_bytes(arguments.model)
    if asked:
        return _tell_matches(arguments, model, asked)
    if networks.may_be_compiled(model):
        from core.cli import inspect_compiled  # with all that reads streams

        if inspect_compiled.run(arguments, model):
            return exits.OK
    if arguments.pools:
        raise OptionError("--pools is for compiled models and programs of ExecuTorch (.pte, .bpte)")
    target = target_of(arguments)
    with about(arguments.model), progress_line() as progress:
        result = networks.run(model, target, options_of(arguments), progress)
    warn(networks.check_network(result.network))
    name = arguments.model.name
    if arguments.json is None:
        show(networks.render(name, result, target))
    else:
        put_texts([(arguments.json, json_text(networks.describe(name, result, target)))])
    return exits.OK


def _tell_matches(
    arguments: argparse.Namespace, model: bytes, asked: Sequence[queries.Query]
) -> int:
    """What of the schedule meets each query; a compiled model has its own."""
    scheduled = None
    if networks.may_be_compiled(model):
        from core.cli import compiled  # with all that reads streams

        scheduled = compiled.read_schedule(arguments, arguments.model, model)
    if scheduled is None:
        target, options = target_of(arguments), options_of(arguments)
        with about(arguments.model), progress_line() as progress:
            scheduled = schedules.schedule(model, target, options, progress)
    if arguments.json is None:
        show(queries.render_matches(scheduled, asked))
    else:
        told = json_text(queries.describe_matches(scheduled, asked))
        put_texts([(arguments.json, told)])
    return exits.OK


WORK = Work(add_arguments=_add_arguments, run=_run)
